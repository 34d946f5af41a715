//! Blocks whose Verilog the author wrote: memories, CRC matrices, primitives.

use super::scope::{Role, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// A word or a mark of Verilog text.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    /// Identifier, keyword, or system task with its `$`.
    Word(&'a str),
    /// Anything else, one character; space is left out.
    Mark(char),
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = without_comments(text);
    while let Some(c) = rest.chars().next() {
        let length = if is_word(c) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(&rest[..length]));
            length
        } else {
            if !c.is_whitespace() {
                tokens.push(Token::Mark(c));
            }
            c.len_utf8()
        };
        rest = &rest[length..];
        if rest.starts_with("//") {
            rest = without_comments(rest);
        }
    }
    tokens
}

/// The text from the first place that is not a line comment.
fn without_comments(mut text: &str) -> &str {
    while let Some(comment) = text.trim_start().strip_prefix("//") {
        text = comment.split_once('\n').map_or("", |(_, rest)| rest);
    }
    text
}

/// The text with every key (`s$data`) replaced by its clean name.
pub(super) fn rename(text: &str, scope: &Scope) -> String {
    let names: BTreeMap<&str, &str> = scope.iter().map(|(k, s)| (k, s.name.as_str())).collect();
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match is_word(c) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => c.len_utf8(),
        };
        let word = &rest[..length];
        out.push_str(names.get(word).copied().unwrap_or(word));
        rest = &rest[length..];
    }
    out
}

/// The name of the first module that the text declares.
pub(super) fn declared(text: &str) -> Option<&str> {
    let mut words = tokens(text).into_iter().filter_map(|token| match token {
        Token::Word(word) => Some(word),
        Token::Mark(_) => None,
    });
    words.by_ref().find(|word| *word == "module")?;
    words.next()
}

/// The words of the text.
pub(super) fn words(text: &str) -> BTreeSet<&str> {
    let mut words = BTreeSet::new();
    for token in tokens(text) {
        if let Token::Word(word) = token {
            words.insert(word);
        }
    }
    words
}

/// Keys that the text drives by `assign`, so that they are nets.
pub(super) fn assigned_nets(text: &str) -> BTreeSet<&str> {
    let mut nets = BTreeSet::new();
    let mut inside = false;
    for token in tokens(text) {
        match token {
            Token::Word("assign") => inside = true,
            Token::Mark('=') => inside = false,
            Token::Word(word) if inside => {
                nets.insert(word);
            }
            _ => {}
        }
    }
    nets
}

/// Outputs that may follow an input without a clock edge: all that the text does not assign by `<=`.
pub(super) fn combinational_outputs<'a>(text: &str, scope: &'a Scope) -> BTreeSet<&'a str> {
    let registered = registered(text);
    let outputs = scope.iter().filter(|(_, s)| s.role == Role::Output).map(|(k, _)| k);
    outputs.filter(|k| !registered.contains(k)).collect()
}

/// Words that stand left of a non-blocking assignment, alone or in a concatenation.
fn registered(text: &str) -> BTreeSet<&str> {
    let tokens = tokens(text);
    let mut found = BTreeSet::new();
    for index in 0..tokens.len() {
        let starts = index == 0
            || matches!(
                tokens[index - 1],
                Token::Mark(';' | ')' | ':') | Token::Word("begin" | "end" | "else")
            );
        let (target, after) = match tokens[index] {
            _ if !starts => continue,
            Token::Mark('{') => past(&tokens[index..], '{', '}'),
            Token::Word(_) => (&tokens[index..=index], past(&tokens[index + 1..], '[', ']').1),
            Token::Mark(_) => continue,
        };
        if matches!(after, [Token::Mark('<'), Token::Mark('='), ..]) {
            for token in target {
                if let Token::Word(word) = token {
                    found.insert(*word);
                }
            }
        }
    }
    found
}

/// Splits after a bracketed group, if the tokens start with one.
fn past<'a, 'b>(tokens: &'a [Token<'b>], open: char, close: char) -> (&'a [Token<'b>], &'a [Token<'b>]) {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark(c) if *c == open => depth += 1,
            Token::Mark(c) if *c == close => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let closed = matches!(token, Token::Mark(c) if *c == close);
            return tokens.split_at(if closed { index + 1 } else { index });
        }
    }
    (tokens, &[])
}

#[cfg(test)]
mod tests {
    use super::{assigned_nets, declared, registered, words};

    const MEMORY: &str = "\
        // q <= nothing\n\
        reg [7:0] mem[0:15];\n\
        assign ready = 1'b1; assign {a, b[1]} = c;\n\
        always @(posedge clk) begin\n\
            if (n <= 3) mem[s$address] <= s$data;\n\
            q <= mem[n]; p[3:0] <= 4'd0;\n\
            {r, t[1]} <= s;\n\
        end\n";

    #[test]
    fn nets_and_registers_are_told_apart() {
        assert!(assigned_nets(MEMORY).is_superset(&["ready", "a", "b"].into()));
        assert!(!assigned_nets(MEMORY).contains("c"));
        assert_eq!(registered(MEMORY), ["1", "mem", "p", "q", "r", "t"].into());
    }

    #[test]
    fn the_name_of_a_module_is_not_taken_from_a_comment() {
        assert_eq!(declared("// a module of the part\n(* blackbox *)\nmodule GATE(input i);"), Some("GATE"));
        assert_eq!(declared("wire module_x;"), None);
    }

    #[test]
    fn words_in_comments_do_not_count() {
        assert!(words(MEMORY).contains("s$data"));
        assert!(!words(MEMORY).contains("nothing"));
    }
}
