//! Breaks long lines.

/// Columns that a line of a module should not exceed.
const COLUMNS: usize = 110;
/// Operators to break before, loosest first (IEEE 1364-2005 table 5-4).
const BREAKS: [&[&str]; 6] = [&["?", ":"], &["||"], &["&&"], &["|"], &["^", "&"], &["+", "-"]];

/// The line, or several if it is an assignment or a condition that is too long; operators begin a line.
pub(super) fn fold(line: &str) -> Vec<String> {
    let Some((before, value, after)) = split(line).filter(|_| line.len() > COLUMNS) else {
        return vec![line.to_owned()];
    };
    let indent = line.len() - line.trim_start().len() + 4;
    let mut lines = vec![before.to_owned()];
    let pieces = pieces(value);
    if pieces.len() < 2 {
        return vec![line.to_owned()];
    }
    for piece in pieces {
        let last = lines.last_mut().expect("there is one from the start");
        if last.ends_with('(') {
            last.push_str(piece);
        } else if last.len() + 1 + piece.len() > COLUMNS {
            lines.push(format!("{:indent$}{piece}", ""));
        } else {
            last.push(' ');
            last.push_str(piece);
        }
    }
    if let Some(last) = lines.last_mut() {
        last.push_str(after);
    }
    lines
}

/// What stands before the value, the value, and what stands behind it.
fn split(line: &str) -> Option<(&str, &str, &str)> {
    let code = line.trim_start();
    if let Some(value) = line.strip_suffix(") begin") {
        let at = value.find("if (")? + "if (".len();
        return (code.starts_with("if (") || code.starts_with("end else if ("))
            .then(|| (&line[..at], &value[at..], ") begin"));
    }
    let value = line.strip_suffix(';')?;
    let at = [" = ", " <= "].iter().filter_map(|sign| Some(line.find(sign)? + sign.len())).min()?;
    Some((line[..at].trim_end(), &value[at..], ";"))
}

/// The value in pieces at its loosest operator, or the elements of a concatenation.
fn pieces(value: &str) -> Vec<&str> {
    for operators in BREAKS {
        let found = cut(value, 0, |word| operators.contains(&word));
        if found.len() > 1 {
            return found;
        }
    }
    match value.trim_start_matches('&').starts_with('{') && value.find('}') == Some(value.len() - 1) {
        true => cut(value, 1, |_| true),
        false => vec![value],
    }
}

/// Cuts before each word that `wanted` accepts and that stands `depth` brackets deep.
fn cut(value: &str, depth: usize, wanted: impl Fn(&str) -> bool) -> Vec<&str> {
    let (mut found, mut start, mut at, mut open) = (Vec::new(), 0, 0, 0_usize);
    for word in value.split(' ') {
        if at > start && open == depth && wanted(word) {
            found.push(value[start..at].trim_end());
            start = at;
        }
        open += word.matches(['(', '{', '[']).count();
        open = open.saturating_sub(word.matches([')', '}', ']']).count());
        at += word.len() + 1;
    }
    found.push(value[start..].trim_end());
    found
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, fold};

    fn long(operator: &str) -> String {
        let operands: Vec<String> = (0..20).map(|i| format!("(operand_{i} + {i})")).collect();
        format!("    assign y = {};", operands.join(operator))
    }

    #[test]
    fn a_long_line_breaks_before_its_loosest_operator() {
        let lines = fold(&long(" | "));
        assert!(lines.len() > 1 && lines.iter().all(|line| line.len() <= COLUMNS + 1), "{lines:?}");
        assert!(lines[1..].iter().all(|line| line.starts_with("        | (")), "{lines:?}");
        let joined = lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        assert_eq!(joined, long(" | ").trim());
    }

    #[test]
    fn a_long_condition_breaks_before_its_loosest_operator() {
        let value = long(" && ").replace("    assign y = ", "").replace(';', "");
        for head in ["if (", "end else if ("] {
            let line = format!("    {head}{value}) begin");
            let lines = fold(&line);
            assert!(lines.len() > 1 && lines[1].starts_with("        && ("), "{lines:?}");
            let joined = lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
            assert_eq!(joined, line.trim());
        }
    }

    #[test]
    fn a_long_concatenation_breaks_between_its_elements() {
        let line = format!("    assign y = {{{}}};", ["some_element[7:0]"; 12].join(", "));
        let lines = fold(&line);
        assert!(lines.len() > 1 && lines.iter().all(|line| line.len() <= COLUMNS + 1), "{lines:?}");
        let joined = lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        assert_eq!(joined, line.trim());
    }

    #[test]
    fn short_lines_and_lines_without_a_place_to_break_stay() {
        for line in ["    assign y = a | b;".to_owned(), format!("    assign yyyy = {};", "x".repeat(200))] {
            assert_eq!(fold(&line), [line]);
        }
    }
}
