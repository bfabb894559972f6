//! docs/configuration.md against the code: defaults in both modes, and what is live.

use super::{Config, Sources, keys};

const DOCUMENT: &str = include_str!("../../docs/configuration.md");

/// Rows of tables of settings: the cells of each.
fn rows() -> Vec<Vec<&'static str>> {
    let mut rows = Vec::new();
    let mut is_setting = false;
    for line in DOCUMENT.lines() {
        let cells: Vec<_> = line.trim_matches('|').split(" |").map(str::trim).collect();
        match line {
            head if head.starts_with("| Key |") => {
                is_setting = cells.get(1..3) == Some(&["Default", "Live"])
            }
            row if row.starts_with("| `") && is_setting => rows.push(cells),
            line if line.starts_with("|--") => {}
            _ => is_setting = false,
        }
    }
    rows
}

fn words(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn defaults_are_those_of_the_code_in_both_modes() {
    let rows = rows();
    assert!(rows.len() > 100);
    let mut wrong = Vec::new();
    for mode in ["modern", "classic"] {
        let argument = ("eureka.server.mode".to_string(), mode.to_string());
        let (_, report) = Config::explain(&Sources::new([], [argument])).unwrap();
        for row in &rows {
            let key = words(row[0])[0];
            let setting = report.settings.iter().find(|setting| setting.key == key);
            let Some(default) = setting.and_then(|setting| setting.value.as_deref()) else {
                continue;
            };
            let said = words(row[1]);
            let is_said = said.iter().any(|said| said.eq_ignore_ascii_case(default));
            if !is_said && key != keys::MODE {
                wrong.push(format!("{key} in {mode} mode: {default:?}, not {said:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_live_is_marked_so() {
    for row in rows() {
        let key = words(row[0])[0];
        let marked = match row[2] {
            "yes" => true,
            "" => false,
            other => panic!("{key}: {other}"),
        };
        assert_eq!(marked, keys::is_live(&key.replace(['<', '>'], "")), "{key}");
    }
}
