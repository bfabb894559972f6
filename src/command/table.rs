//! Answers as tables. What clients sent stands in them, so every text is on one line and moves no cursor.

use std::fmt::Write as _;

use heureka::wire::one_line;
use serde_json::Value;

/// A heading, and what stands below it of an entry.
pub(super) type Column = (&'static str, fn(&Value) -> String);

/// Which list of an answer is shown, and how.
pub(super) struct Table {
    pub(super) list: &'static str,
    pub(super) columns: &'static [Column],
}

impl Table {
    /// A line for the headings and one for each entry.
    pub(super) fn write(&self, answer: &Value) -> String {
        let entries = answer[self.list].as_array().into_iter().flatten();
        let headings = self.columns.iter().map(|(heading, _)| heading.to_string());
        let row = |entry: &Value| self.columns.iter().map(|(_, cell)| cell(entry)).collect();
        let mut rows: Vec<Vec<String>> = vec![headings.collect()];
        rows.extend(entries.map(row));
        let width = |column: usize| {
            let widths = rows.iter().map(|row| row[column].chars().count());
            widths.max().unwrap_or(0).min(60)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for row in &rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                let _ = write!(line, "{cell:width$}  ");
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}

/// A value as a word; a dash where there is none.
pub(super) fn word(value: &Value) -> String {
    match value {
        Value::Null => "-".to_string(),
        Value::String(text) if text.is_empty() => "-".to_string(),
        Value::String(text) => one_line(text),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn columns_stand_below_each_other_and_nothing_in_them_moves_the_cursor() {
        let table = Table {
            list: "apps",
            columns: &[
                ("NAME", |app| word(&app["name"])),
                ("UP", |app| word(&app["up"])),
            ],
        };
        let answer = json!({ "apps": [
            { "name": "ORDERS", "up": true },
            { "name": "x\n\u{1b}[31m", "up": 3 },
            { "up": "" },
        ] });
        let wanted = "NAME           UP\n\
                      ORDERS         yes\n\
                      x\\n\\u{1b}[31m  3\n\
                      -              -\n";
        assert_eq!(table.write(&answer), wanted);
        assert_eq!(table.write(&json!({})), "NAME  UP\n");
    }
}
