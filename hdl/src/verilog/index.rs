//! Arithmetic inside array brackets: `+ - * / %` and parentheses over literals and loop variables.

/// Evaluates an index; `None` if it holds anything else or would be negative.
pub(super) fn evaluate(text: &str, variables: &[(String, usize)]) -> Option<usize> {
    let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut parser = Parser { rest: &squeezed, variables };
    let value = parser.sum()?;
    match parser.rest {
        "" => usize::try_from(value).ok(),
        _ => None,
    }
}

/// An integer of Rust source: decimal or with `0x`, `0o`, `0b`; underscores and a type suffix allowed.
pub(super) fn number(text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    let (digits, radix) = match text.get(..2) {
        Some("0x") => (&text[2..], 16),
        Some("0o") => (&text[2..], 8),
        Some("0b") => (&text[2..], 2),
        _ => (text.as_str(), 10),
    };
    let length = digits.find(['u', 'i']).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(length);
    let types = ["", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "isize"];
    types.contains(&suffix).then_some(())?;
    u64::from_str_radix(digits, radix).ok()
}

struct Parser<'a> {
    rest: &'a str,
    variables: &'a [(String, usize)],
}

impl Parser<'_> {
    fn take(&mut self, wanted: &[char]) -> Option<char> {
        let c = self.rest.chars().next().filter(|c| wanted.contains(c))?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn sum(&mut self) -> Option<i64> {
        let mut value = self.product()?;
        while let Some(op) = self.take(&['+', '-']) {
            let right = self.product()?;
            value = if op == '+' { value.checked_add(right)? } else { value.checked_sub(right)? };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.primary()?;
        while let Some(op) = self.take(&['*', '/', '%']) {
            let right = self.primary()?;
            value = match op {
                '*' => value.checked_mul(right)?,
                '/' => value.checked_div(right)?,
                _ => value.checked_rem(right)?,
            };
        }
        Some(value)
    }

    fn primary(&mut self) -> Option<i64> {
        if self.take(&['(']).is_some() {
            let value = self.sum()?;
            self.take(&[')'])?;
            return Some(value);
        }
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return i64::try_from(number(word)?).ok();
        }
        let (_, value) = self.variables.iter().rev().find(|v| v.0 == word)?;
        i64::try_from(*value).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{evaluate, number};

    #[test]
    fn indices_follow_rust_precedence() {
        let variables = [("i".to_string(), 5), ("j".to_string(), 2)];
        assert_eq!(evaluate("2 * i + 1", &variables), Some(11));
        assert_eq!(evaluate("(i - j) * 2 % 4", &variables), Some(2));
        assert_eq!(evaluate("i/j-1_usize", &variables), Some(1));
    }

    #[test]
    fn what_is_not_an_index_is_refused() {
        let variables = [("i".to_string(), 0)];
        for text in ["N - 1", "i - 1", "i +", "(i", "n$val()", "1 / i", "3x"] {
            assert_eq!(evaluate(text, &variables), None, "{text}");
        }
    }

    #[test]
    fn numbers_of_rust_source_are_read() {
        assert_eq!(number("0x1_F_u8"), Some(31));
        assert_eq!(number("0b101usize"), Some(5));
        assert_eq!(number("12u9"), None);
    }
}
