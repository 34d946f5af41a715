//! Figures as a table for people and as JSON for programs.
use super::{Better, Figure};
use serde_json::{Map, Value};

const HEAD: [&str; 6] = ["key", "value", "unit", "target", "met", "peer"];

/// The figures by key, as `target/bench.json` holds them.
pub fn json(figures: &[Figure]) -> Value {
    let entry = |figure: &Figure| (figure.key.to_owned(), serde_json::json!(figure));
    Value::Object(figures.iter().map(entry).collect::<Map<String, Value>>())
}

/// The figures as a Markdown table with aligned columns.
pub fn table(figures: &[Figure]) -> String {
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(figures.iter().map(row));
    let widths: Vec<usize> = (0..HEAD.len()).map(|column| width(&rows, column)).collect();
    rows.insert(1, std::array::from_fn(|column| "-".repeat(widths[column])));
    rows.iter().map(|row| line(row, &widths)).collect()
}

fn width(rows: &[[String; 6]], column: usize) -> usize {
    rows.iter().map(|row| row[column].len()).max().unwrap_or(0)
}

fn line(row: &[String; 6], widths: &[usize]) -> String {
    let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn row(figure: &Figure) -> [String; 6] {
    let relation = if figure.better == Better::Higher { ">=" } else { "<=" };
    let target = figure.target.map(|target| format!("{relation} {}", number(target)));
    let met = figure.target.map(|_| if figure.is_met() { "yes" } else { "NO" });
    let peer = figure.peer.zip(figure.peer_value).map(|(name, value)| format!("{name}: {}", number(value)));
    [
        figure.key.to_owned(),
        number(figure.value),
        figure.unit.to_owned(),
        target.unwrap_or_default(),
        met.unwrap_or_default().to_owned(),
        peer.unwrap_or_default(),
    ]
}

/// Four digits are enough for a share, none behind the point for thousands.
fn number(value: f64) -> String {
    let text = if value.abs() >= 1000.0 { format!("{value:.0}") } else { format!("{value:.4}") };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> [Figure; 2] {
        let first = Figure::new("a.share", 0.99125, "share", Better::Higher).target(0.99).running("the line");
        let second = Figure::new("a.speed", 391_234.5, "cycles/s", Better::Higher).target(400_000.0);
        [first, second.peer("C++", 420_000.0)]
    }

    #[test]
    fn every_entry_has_the_same_fields() {
        let json = json(&figures());
        assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), ["a.share", "a.speed"]);
        let wanted = ["value", "unit", "better", "target", "peer", "peer_value", "command"];
        for entry in json.as_object().unwrap().values() {
            assert_eq!(entry.as_object().unwrap().keys().collect::<Vec<_>>(), wanted);
        }
        assert_eq!(json["a.share"]["value"], 0.99125);
        assert_eq!(json["a.share"]["better"], "higher");
        assert_eq!(json["a.share"]["peer"], Value::Null);
        assert_eq!(json["a.share"]["command"], "make bench ARGS=a.share: the line");
        assert_eq!(
            (&json["a.speed"]["peer"], &json["a.speed"]["peer_value"]),
            (&"C++".into(), &420e3.into())
        );
    }

    #[test]
    fn the_table_tells_which_target_was_missed() {
        let table = table(&figures());
        let rows: Vec<&str> = table.lines().collect();
        assert_eq!(rows.len(), 4);
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{table}");
        assert!(rows[2].contains("| 0.9912 | share    | >= 0.99   | yes |"), "{table}");
        assert!(rows[3].contains("| 391234 | cycles/s | >= 400000 | NO  | C++: 420000 |"), "{table}");
    }
}
