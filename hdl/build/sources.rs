//! Reads the gateware's own source for what an elaborated design no longer knows: the comments of
//! blocks and ports, and the lines of statements. Written as tables that the Verilog back end
//! searches.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A block or an interface.
struct Structure {
    name: String,
    /// File within the project; empty for source that exists only while building.
    file: String,
    doc: String,
    fields: Vec<Field>,
    /// Names of the const generics, in order.
    generics: Vec<String>,
    /// Kind and line of every statement of `update`, in the order of the source, with the comment above it.
    statements: Vec<(char, usize, String)>,
}

struct Field {
    name: String,
    doc: String,
    /// `i`, `o`, `b`, `l` for a signal's direction, `c` for a Constant, `?` for anything else.
    kind: char,
    /// There may be none of it: a `Vec`.
    optional: bool,
    /// Name and const arguments of the type; of the value's for signals and flip-flops. Arrays and `Vec`
    /// taken off.
    ty: (String, Vec<String>),
    /// It is a flip-flop.
    flop: bool,
}

/// What the files hold.
#[derive(Default)]
pub struct Sources {
    blocks: Vec<Structure>,
    interfaces: BTreeMap<String, Structure>,
}

impl Sources {
    /// Reads every Rust file below a folder; `shown` is the folder's name within the project.
    pub fn read(&mut self, folder: &Path, shown: &str) {
        for path in files(folder, "rs") {
            let text = std::fs::read_to_string(&path)
                .unwrap_or_else(|cause| panic!("cannot read {}: {cause}", path.display()));
            let within = path.strip_prefix(folder).expect("the file was found in the folder");
            let parts: Vec<_> = within.iter().map(|part| part.to_string_lossy()).collect();
            self.add(&text, &format!("{shown}/{}", parts.join("/")));
        }
    }

    /// Adds the blocks and interfaces of one file. Text that is no Rust is left to the compiler to refuse.
    pub fn add(&mut self, text: &str, file: &str) {
        let Ok(parsed) = syn::parse_file(text) else { return };
        let first = self.blocks.len();
        for item in &parsed.items {
            match item {
                syn::Item::Struct(item) if derives(&item.attrs, "LogicBlock") => {
                    self.blocks.push(structure(item, file));
                }
                syn::Item::Struct(item) if derives(&item.attrs, "LogicInterface") => {
                    self.interfaces.insert(item.ident.to_string(), structure(item, file));
                }
                _ => {}
            }
        }
        let mut statements = statements(text);
        for block in &mut self.blocks[first..] {
            block.statements = statements.remove(&block.name).unwrap_or_default();
        }
        // What a file says of itself is said of its block, if that is the only one.
        if let [only] = &mut self.blocks[first..] {
            only.doc = [doc(&parsed.attrs), std::mem::take(&mut only.doc)].join("\n\n").trim().to_owned();
        }
    }

    /// The tables as Rust source.
    pub fn tables(&self) -> String {
        let mut text = String::from("static BLOCKS: &[Source] = &[\n");
        for block in &self.blocks {
            let Structure { name, file, doc, .. } = block;
            writeln!(text, "Source {{ name: {name:?}, file: {file:?}, doc: {doc:?}, fields: &[").expect(FITS);
            for Field { name, doc, kind, optional, ty, .. } in &block.fields {
                let interface = self.interfaces.get(&ty.0);
                let inner = interface.map(|i| i.fields.iter().map(|f| (f.name.as_str(), f.doc.as_str())));
                let inner: Vec<_> = inner.into_iter().flatten().collect();
                writeln!(
                    text,
                    "Field {{ name: {name:?}, doc: {doc:?}, kind: {kind:?}, optional: {optional}, inner: &{inner:?} }},"
                )
                .expect(FITS);
            }
            let (generics, statements) = (self.witnesses(block), &block.statements);
            writeln!(text, "], generics: &{generics:?}, statements: &{statements:?} }},").expect(FITS);
        }
        text + "];\n"
    }

    /// For each const generic that is the width of a signal or flip-flop: which, by its key.
    fn witnesses(&self, block: &Structure) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for generic in &block.generics {
            let width = |field: &&Field| field.ty.0 == "Bits" && field.ty.1.first() == Some(generic);
            let own = block.fields.iter().find(width).map(|Field { name, flop, .. }| match flop {
                true => format!("{name}$q"),
                false => name.clone(),
            });
            let key = own.or_else(|| block.fields.iter().find_map(|field| self.inside(field, generic)));
            found.extend(key.map(|key| (generic.clone(), key)));
        }
        found
    }

    /// The key of a signal inside an interface whose width is the generic.
    fn inside(&self, field: &Field, generic: &str) -> Option<String> {
        let interface = self.interfaces.get(&field.ty.0)?;
        let place = field.ty.1.iter().position(|argument| argument == generic)?;
        let theirs = interface.generics.get(place)?;
        let signal = interface.fields.iter().find(|f| f.ty.0 == "Bits" && f.ty.1.first() == Some(theirs))?;
        Some(format!("{}${}", field.name, signal.name))
    }
}

const FITS: &str = "writing to a string cannot fail";

/// Files of one kind below a folder, sorted.
fn files(folder: &Path, kind: &str) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|cause| panic!("cannot read {}: {cause}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(files(&path, kind));
        } else if path.extension().is_some_and(|extension| extension == kind) {
            found.push(path);
        }
    }
    found
}

fn structure(item: &syn::ItemStruct, file: &str) -> Structure {
    let generic = |parameter: &syn::GenericParam| match parameter {
        syn::GenericParam::Const(parameter) => Some(parameter.ident.to_string()),
        _ => None,
    };
    Structure {
        name: item.ident.to_string(),
        file: file.to_owned(),
        doc: doc(&item.attrs),
        fields: item.fields.iter().filter_map(field).collect(),
        generics: item.generics.params.iter().filter_map(generic).collect(),
        statements: Vec::new(),
    }
}

/// A field that the design contains; those with `_` in front it does not.
fn field(field: &syn::Field) -> Option<Field> {
    let name = field.ident.as_ref()?.to_string();
    if name.starts_with('_') {
        return None;
    }
    let (ty, optional) = element(&field.ty);
    let arguments = arguments(ty);
    let outer = last_name(ty);
    let kind = match (outer.as_str(), arguments.first().map(|first| last_name(first)).as_deref()) {
        ("Signal", Some("In")) => 'i',
        ("Signal", Some("Out")) => 'o',
        ("Signal", Some("InOut")) => 'b',
        ("Signal", Some("Local")) => 'l',
        ("Constant", _) => 'c',
        _ => '?',
    };
    let flop = outer == "DFF";
    let ty = match (outer.as_str(), arguments.last()) {
        ("Signal" | "DFF", Some(value)) => (last_name(value), constants(value)),
        _ => (outer, constants(ty)),
    };
    Some(Field { name, doc: doc(&field.attrs), kind, optional, ty, flop })
}

/// The type inside arrays and `Vec`, and whether there may be none.
fn element(ty: &syn::Type) -> (&syn::Type, bool) {
    match ty {
        syn::Type::Array(array) => element(&array.elem),
        syn::Type::Path(_) if last_name(ty) == "Vec" => match arguments(ty).first() {
            Some(inner) => (element(inner).0, true),
            None => (ty, true),
        },
        _ => (ty, false),
    }
}

fn segment(ty: &syn::Type) -> Option<&syn::PathSegment> {
    match ty {
        syn::Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

fn last_name(ty: &syn::Type) -> String {
    segment(ty).map(|segment| segment.ident.to_string()).unwrap_or_default()
}

/// The generic arguments of a type that are types.
fn arguments(ty: &syn::Type) -> Vec<&syn::Type> {
    generic(ty)
        .filter_map(|argument| match argument {
            syn::GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
        .collect()
}

/// The generic arguments of a type as text; a const generic by its name looks like a type.
fn constants(ty: &syn::Type) -> Vec<String> {
    generic(ty)
        .map(|argument| match argument {
            syn::GenericArgument::Type(ty) => last_name(ty),
            _ => String::new(),
        })
        .collect()
}

fn generic(ty: &syn::Type) -> impl Iterator<Item = &syn::GenericArgument> {
    let arguments = segment(ty).and_then(|segment| match &segment.arguments {
        syn::PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    });
    arguments.into_iter().flatten()
}

/// Whether an item derives a trait.
fn derives(attributes: &[syn::Attribute], name: &str) -> bool {
    let mut found = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        // A derive that does not parse is the compiler's to refuse.
        let _ = attribute.parse_nested_meta(|meta| {
            found |= meta.path.segments.last().is_some_and(|last| last.ident == name);
            Ok(())
        });
    }
    found
}

/// The doc comment: lines of a paragraph joined, paragraphs apart.
fn doc(attributes: &[syn::Attribute]) -> String {
    let mut paragraphs = vec![String::new()];
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        let syn::Meta::NameValue(syn::MetaNameValue {
            value: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }),
            ..
        }) = &attribute.meta
        else {
            continue;
        };
        let text = text.value();
        let last = paragraphs.last_mut().expect("there is one from the start");
        match text.trim() {
            "" if last.is_empty() => {}
            "" => paragraphs.push(String::new()),
            // Rows of tables and lists stay lines.
            line if line.starts_with(['|', '-', '*']) && !last.is_empty() => {
                last.push('\n');
                last.push_str(line);
            }
            line => {
                if !last.is_empty() {
                    last.push(' ');
                }
                last.push_str(line);
            }
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.join("\n\n")
}

/// Kinds, lines and comments of the statements of each block's `update`, by the block's name.
///
/// rustfmt gives every statement a line of its own, which is all that this relies on; the back end
/// compares the kinds with the design before it believes the lines. `syn` would know the lines too, but
/// only with a feature of `proc-macro2` that makes every derive macro of the project slower to build.
fn statements(text: &str) -> BTreeMap<String, Vec<(char, usize, String)>> {
    let mut found: BTreeMap<String, Vec<(char, usize, String)>> = BTreeMap::new();
    let (mut block, mut marked, mut end) = (String::new(), false, None);
    let mut comment = String::new();
    for (index, line) in text.lines().enumerate() {
        let code = line.trim_start();
        if let Some((_, of)) = code.split_once("Logic for ").filter(|_| code.starts_with("impl")) {
            block = of.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        } else if code == "#[hdl_gen]" {
            marked = true;
        } else if marked && code.starts_with("fn ") {
            marked = false;
            end = Some(format!("{}}}", &line[..line.len() - code.len()]));
        } else if end.as_deref() == Some(line) {
            end = None;
        } else if let (Some(words), Some(_)) = (code.strip_prefix("// "), &end) {
            comment = format!("{comment} {words}").trim().to_owned();
        } else if let (Some(_), Some(kind)) = (&end, kind(code)) {
            // What is said of a loop is said of its first statement: the loop is unrolled.
            let said = if kind == 'f' { String::new() } else { std::mem::take(&mut comment) };
            found.entry(block.clone()).or_default().push((kind, index + 1, said));
        } else {
            comment.clear();
        }
    }
    found
}

/// What statement begins on a line: `a` assignment, `i` if, `m` match, `f` for, `l` join or link,
/// `x` a macro. Those inside come right after.
fn kind(code: &str) -> Option<char> {
    let code = code.split_once("=> ").map_or(code, |(_, arm)| arm);
    let word = code.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
    Some(match word {
        "if" => 'i',
        "match" => 'm',
        "for" => 'f',
        "self" if code.contains(".next =") || code.contains(".next.") => 'a',
        _ if code.starts_with("} else if ") => 'i',
        _ if !word.is_empty() && code[word.len()..].starts_with("!(") => 'x',
        _ if word.starts_with(char::is_uppercase)
            && (code.contains("::join(") || code.contains("::link(")) =>
        {
            'l'
        }
        _ => return None,
    })
}

/// The table of the properties to prove: `<module>.sv` in a folder belongs to the blocks whose marker has
/// that name.
pub fn formal(folder: &Path) -> String {
    let mut text = String::from("static FORMAL: &[(&str, &str)] = &[\n");
    for path in files(folder, "sv") {
        let properties = std::fs::read_to_string(&path)
            .unwrap_or_else(|cause| panic!("cannot read {}: {cause}", path.display()));
        let module = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        writeln!(text, "({module:?}, {properties:?}),").expect(FITS);
    }
    text + "];\n"
}
