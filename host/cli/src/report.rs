//! What a verb has to say, as one value that gives both the text and the JSON.

use serde::Serialize;

/// A value that a verb reports.
pub trait Report: Serialize {
    /// For people, with a line end behind every line.
    fn text(&self) -> String;
    /// Whether the thing measured or checked failed.
    fn failed(&self) -> bool {
        false
    }
    /// Exit status of a report that failed: 1, or 2 where a configuration is at fault.
    fn status_when_failed(&self) -> u8 {
        1
    }
}

/// A report with its type forgotten, ready to be printed.
#[derive(Debug)]
pub struct Outcome {
    text: String,
    json: serde_json::Value,
    status: u8,
}

impl Outcome {
    /// The outcome that a report stands for.
    pub fn of(report: &impl Report) -> Self {
        let json = serde_json::to_value(report).expect("reports are structs of text, numbers and lists");
        let status = if report.failed() { report.status_when_failed() } else { 0 };
        Self { text: report.text(), json, status }
    }
    /// For people.
    pub fn text(&self) -> String {
        self.text.clone()
    }
    /// For programs.
    pub fn json(&self) -> String {
        format!("{:#}\n", self.json)
    }
    /// The program's exit status.
    pub fn status(&self) -> u8 {
        self.status
    }
}

/// Lines of columns, each as wide as its widest cell; the last column is not filled up.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_stand_under_each_other() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        assert_eq!(table(&[row(["a", "long"]), row(["bcd", "x"])]), "a    long\nbcd  x\n");
        assert_eq!(table(&[]), "");
    }
}
