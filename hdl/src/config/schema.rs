//! The JSON Schema (draft 2020-12) of a configuration, made from the table of fields and the boards
//! there are: what editors check and complete while a file is written. It says all of each field by
//! itself and which fields belong together; `check` alone knows what values mean together.

use serde_json::{Map, Value, json};

use super::board::NO_BOARD;
use super::boards::Boards;
use super::fields::{FIELDS, Field, Form, TABLES, Table};
use super::{Board, DEFAULT_CLOCK, Top};

/// The schema of a configuration for one of these boards.
pub fn schema(boards: &Boards) -> Value {
    let mut root = table_schema("", boards);
    let object = root.as_object_mut().expect("a table's schema is an object");
    let mut rules: Vec<Value> =
        Top::ALL.iter().map(|top| rule(is("top", top.name()), foreign(*top))).collect();
    rules.extend(boards.sound().flat_map(|board| of_board(board)));
    rules.extend(of_no_board());
    object.insert("allOf".to_owned(), Value::Array(rules));
    object.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    object.insert("title".to_owned(), json!("nicforge configuration"));
    root
}

/// One table with its fields and the tables inside it.
fn table_schema(name: &str, boards: &Boards) -> Value {
    let mut properties = Map::new();
    for field in FIELDS.iter().filter(|field| field.table == name) {
        properties.insert(field.key.to_owned(), field_schema(field, boards));
    }
    for (table, key) in inner_tables(name) {
        let mut inner = table_schema(table.name, boards);
        inner["description"] = json!(table.doc);
        properties.insert(key.to_owned(), inner);
    }
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

/// The tables directly inside the one of this name, with their keys in it.
fn inner_tables(outer: &str) -> impl Iterator<Item = (&'static Table, &'static str)> {
    TABLES.iter().filter(|table| !table.name.is_empty()).filter_map(move |table| {
        let (around, key) = table.name.rsplit_once('.').unwrap_or(("", table.name));
        (around == outer).then_some((table, key))
    })
}

fn field_schema(field: &Field, boards: &Boards) -> Value {
    const OCTET: &str = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    let mut schema = match field.form {
        Form::Integer(low, high) => json!({ "type": "integer", "minimum": low, "maximum": high }),
        Form::Boolean => json!({ "type": "boolean" }),
        Form::Word(words) => json!({ "enum": words }),
        Form::Board => json!({ "enum": boards.names().collect::<Vec<_>>() }),
        Form::Clock => json!({ "type": "string", "pattern": "^[a-z][a-z0-9_]*$" }),
        Form::Station => json!({ "type": "string", "pattern": "^[0-~][!-~]$" }),
        Form::Mac => json!({ "type": "string", "pattern": "^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$" }),
        Form::Ipv4 => json!({ "type": "string", "pattern": format!("^{OCTET}([.]{OCTET}){{3}}$") }),
    };
    schema["description"] = json!(format!("{} Kind: {}.", field.doc, field.kind.name()));
    if field.gigabit_default.is_none() {
        schema["default"] = plain(field.default);
    }
    schema
}

/// A default as it stands in TOML: a number, a truth value or a quoted text.
fn plain(toml: &str) -> Value {
    let text = toml.trim_matches('"');
    match (text == toml, toml.replace('_', "").parse::<u64>()) {
        (true, Ok(number)) => json!(number),
        (true, Err(_)) => json!(toml == "true"),
        (false, _) => json!(text),
    }
}

/// A condition: the key is given with this value.
fn is(key: &str, value: &str) -> Value {
    json!({ "properties": { key: { "const": value } }, "required": [key] })
}

/// What no value matches. It names the place better than `false` does in common validators.
fn nothing() -> Value {
    json!({ "not": {} })
}

fn rule(condition: Value, consequence: Value) -> Value {
    json!({ "if": condition, "then": consequence })
}

/// Tables of other designs may not be given.
fn foreign(top: Top) -> Value {
    let refused = inner_tables("").filter(|(table, _)| !table.belongs_to(top));
    let properties: Map<String, Value> = refused.map(|(_, key)| (key.to_owned(), nothing())).collect();
    json!({ "properties": properties })
}

/// What follows from the choice of a board: its designs, its clocks, and the default design.
fn of_board(board: &Board) -> [Value; 2] {
    let tops: Vec<&str> = board.tops.iter().map(|top| top.name()).collect();
    let clocks: Vec<&str> =
        board.clocks.iter().map(|clock| clock.name.as_str()).chain([DEFAULT_CLOCK]).collect();
    let allowed = json!({ "properties": { "top": { "enum": tops }, "clock": { "enum": clocks } } });
    let named = is("board", &board.name);
    let default = json!({ "allOf": [named, { "not": { "required": ["top"] } }] });
    [rule(named, allowed), rule(default, foreign(board.tops[0]))]
}

/// The same without a board.
fn of_no_board() -> [Value; 2] {
    let none = json!({ "properties": { "board": { "const": NO_BOARD } } });
    let default = json!({ "allOf": [none, { "not": { "required": ["top"] } }] });
    [rule(none, json!({ "properties": { "clock": nothing() } })), rule(default, foreign(Top::UdpCore))]
}
