//! `heureka check-config`: what would be in force, where it came from, and advice. Nothing is started.
//!
//! Exit codes: 0 if a node would start with these settings, 2 if it would not; then standard error says why.

use std::fmt::Write;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use heureka::config::{Report, Setting};

use super::print::print;

/// How it is printed.
#[derive(Args)]
pub(super) struct CheckArguments {
    /// A table for people, JSON, or YAML that can be used as a file of settings
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Json,
    Yaml,
}

/// Prints it.
pub(super) fn run(report: &Report, arguments: &CheckArguments) -> ExitCode {
    let text = match arguments.format {
        Format::Table => table(report),
        Format::Json => json(report),
        Format::Yaml => yaml(report),
    };
    print(text);
    ExitCode::SUCCESS
}

fn json(report: &Report) -> String {
    // Nothing in it can fail to be written.
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
}

fn table(report: &Report) -> String {
    let rows: Vec<_> = report.settings.iter().map(row).collect();
    let width = |column: fn(&[String; 3]) -> &String| {
        let widths = rows.iter().map(|row| column(row).chars().count());
        widths.max().unwrap_or(0).min(60)
    };
    let (keys, values) = (width(|row| &row[0]), width(|row| &row[1]));
    let mut text = String::new();
    for [key, value, from] in &rows {
        let _ = writeln!(text, "{key:keys$}  {value:values$}  {from}");
    }
    let lists = [
        ("Files", &report.files),
        ("Profiles", &report.profiles),
        ("Warnings", &report.warnings),
        ("Advice", &report.advice),
    ];
    for (title, lines) in lists {
        if !lines.is_empty() {
            let _ = writeln!(text, "\n{title}");
        }
        for line in lines {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

fn row(setting: &Setting) -> [String; 3] {
    let value = setting.value.clone().unwrap_or("-".to_string());
    let from = setting.from.clone();
    // A line break in a value would look like another row.
    let value = value.escape_debug().to_string().replace("\\\"", "\"");
    [
        setting.key.clone(),
        value,
        from.unwrap_or("default".to_string()),
    ]
}

/// A file that says the same again. What is secret, not set or the default is a comment.
fn yaml(report: &Report) -> String {
    let mut text = String::new();
    for line in report.warnings.iter().chain(&report.advice) {
        let _ = writeln!(text, "# {}", line.escape_debug());
    }
    for setting in &report.settings {
        let from = setting.from.as_deref().unwrap_or("default");
        let (hidden, value) = match setting.value.as_deref() {
            None => ("# ", "not set"),
            Some("***") => ("# ", "***"),
            Some(value) if value.contains("***") || setting.from.is_none() => ("# ", value),
            Some(value) => ("", value),
        };
        // A JSON text is a YAML text.
        let value = serde_json::to_string(value).unwrap_or_default();
        let value = value.replace("${", "\\\\${");
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.[]".contains(c);
        let key = match setting.key.chars().all(plain) {
            true => setting.key.clone(),
            false => serde_json::to_string(&setting.key).unwrap_or_default(),
        };
        let _ = writeln!(text, "{hidden}{key}: {value} # {}", from.escape_debug());
    }
    text
}
