//! What stands in files: lists of names and values, document by document, in the order of the text.
//!
//! | file | does |
//! |---|---|
//! | `disk.rs` | reads files and folders; tests have some in memory |
//! | `document.rs` | what every kind of file becomes, and what may be wrong with one |
//! | `yaml.rs` `yaml_text.rs` | YAML, and its plain words as Spring reads them |
//! | `properties.rs` | Java's `.properties` |
//! | `json.rs` | the JSON text of `SPRING_APPLICATION_JSON` |
//!
//! Which files are read, and which of their documents count, is not known here.

mod disk;
mod document;
mod json;
mod properties;
mod yaml;
mod yaml_text;

pub use disk::{Disk, Files};
pub(super) use document::{Document, FileError, Line};
pub(super) use json::from_json;
pub(super) use properties::from_properties;
pub(super) use yaml::from_yaml;
