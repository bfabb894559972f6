//! The JSON text of `SPRING_APPLICATION_JSON`: an object, nested or with dots in its names.

use serde_json::{Map, Value};

use super::{Document, FileError, Line};

/// Its names and values; all are on line 1.
pub(in crate::config) fn from_json(text: &str) -> Result<Document, FileError> {
    let object: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
        let problem = match error.is_data() {
            true => "wanted an object of names and values".to_string(),
            false => "this is not JSON".to_string(),
        };
        let line = error.line();
        FileError::Syntax { line, problem }
    })?;
    let mut document = Document::default();
    for (name, value) in &object {
        write_out(name.clone(), value, &mut document);
    }
    Ok(document)
}

fn write_out(name: String, value: &Value, document: &mut Document) {
    let text = match value {
        Value::Object(entries) if !entries.is_empty() => {
            for (entry, value) in entries {
                let dot = if entry.starts_with('[') { "" } else { "." };
                write_out(format!("{name}{dot}{entry}"), value, document);
            }
            return;
        }
        Value::Array(values) if !values.is_empty() => {
            for (index, value) in values.iter().enumerate() {
                write_out(format!("{name}[{index}]"), value, document);
            }
            return;
        }
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Null | Value::Object(_) | Value::Array(_) => String::new(),
    };
    let number = 1;
    document.lines.push(Line { name, text, number });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_and_lists_become_names() {
        let text = r#"{"server.port": 1, "eureka": {"client": {"serviceUrl": {"defaultZone": "u"}}},
            "a": [true, {"b": null}], "c": {}}"#;
        let document = from_json(text).unwrap();
        let mut got: Vec<_> = document
            .lines
            .iter()
            .map(|line| format!("{}={}", line.name, line.text))
            .collect();
        got.sort();
        let wanted = [
            "a[0]=true",
            "a[1].b=",
            "c=",
            "eureka.client.serviceUrl.defaultZone=u",
            "server.port=1",
        ];
        assert_eq!(got, wanted);
    }

    #[test]
    fn what_is_no_object_is_refused_without_showing_it() {
        for (text, wanted) in [
            (
                "[\"secret\"]",
                "line 1: wanted an object of names and values",
            ),
            ("{\n\"a\": secret}", "line 2: this is not JSON"),
            ("", "line 1: this is not JSON"),
        ] {
            let got = from_json(text).unwrap_err().to_string();
            assert_eq!(got.replace("line 0", "line 1"), wanted);
        }
    }
}
