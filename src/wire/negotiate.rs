//! What a request asks for, and what kind of body it brings (wire.md §2).
//!
//! XML is the default of the protocol; whatever mentions `json` gets JSON, and the label always tells
//! the truth. Lists and single objects choose by slightly different rules, as in the reference.

use super::encode::Format;

/// What `Accept` allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// For lists: JSON as soon as an acceptable JSON type is mentioned at all.
    pub list: Format,
    /// For single objects: the type the client likes best; the first of equals.
    pub object: Format,
    /// Whether JSON would be acceptable, for what exists in JSON only.
    pub json_possible: bool,
}

impl Accepted {
    /// What a request without `Accept` gets.
    pub const DEFAULT: Accepted = Accepted {
        list: Format::Xml,
        object: Format::Xml,
        json_possible: true,
    };

    /// Reads `Accept` (all its lines joined by commas); `None` means 406.
    pub fn from_header(accept: Option<&str>) -> Option<Self> {
        let Some(accept) = accept.filter(|value| !value.trim().is_empty()) else {
            return Some(Self::DEFAULT);
        };
        let mut best: Option<(u32, u8, Format)> = None;
        let (mut json, mut json_possible) = (false, false);
        for range in accept.split(',') {
            let Some((quality, specific, format)) = media_range(range) else {
                continue;
            };
            json |= specific == SPECIFIC && format == Format::Json;
            json_possible |= specific < SPECIFIC || format == Format::Json;
            if best.is_none_or(|(q, s, _)| (quality, specific) > (q, s)) {
                best = Some((quality, specific, format));
            }
        }
        let (_, _, object) = best?;
        let list = if json { Format::Json } else { Format::Xml };
        Some(Self {
            list,
            object,
            json_possible,
        })
    }
}

/// Both type and subtype are named.
const SPECIFIC: u8 = 2;

/// One media range that we can serve: its quality in thousandths, how specific it is, the format.
fn media_range(range: &str) -> Option<(u32, u8, Format)> {
    let mut parts = range.split(';');
    let name = parts.next()?.trim();
    let quality = parts.find_map(quality).unwrap_or(1000);
    if quality == 0 {
        return None;
    }
    let (specific, format) = match name.to_ascii_lowercase().as_str() {
        "application/json" => (SPECIFIC, Format::Json),
        "application/xml" => (SPECIFIC, Format::Xml),
        "application/*" => (1, Format::Xml),
        "*/*" | "*" => (0, Format::Xml),
        _ => return None,
    };
    Some((quality, specific, format))
}

/// `q=0.5` as 500.
fn quality(parameter: &str) -> Option<u32> {
    let (name, value) = parameter.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    let value: f32 = value.trim().parse().ok()?;
    Some((value.clamp(0.0, 1.0) * 1000.0) as u32)
}

/// Whether `Accept-Encoding` allows gzip (RFC 9110 §12.5.3).
pub fn accepts_gzip(accept_encoding: Option<&str>) -> bool {
    accept_encoding.is_some_and(|value| {
        value.split(',').any(|coding| {
            let mut parts = coding.split(';');
            let name = parts.next().unwrap_or_default().trim();
            let wanted = parts.find_map(quality) != Some(0);
            wanted && (name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip"))
        })
    })
}

/// Whether `X-Eureka-Accept` asks for the reduced form; anything unknown means the full one.
pub fn wants_compact(x_eureka_accept: Option<&str>) -> bool {
    x_eureka_accept.is_some_and(|value| value.trim().eq_ignore_ascii_case("compact"))
}

/// What `Content-Type` says of a request body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyType {
    /// The format, or `None` where the first byte must tell (foreign-clients.md N6).
    pub format: Option<Format>,
    /// Bytes that are not UTF-8 are ISO-8859-1.
    pub latin1: bool,
}

impl BodyType {
    /// Reads `Content-Type`; `None` means 415.
    pub fn from_header(content_type: Option<&str>) -> Option<Self> {
        let mut parts = content_type.unwrap_or_default().split(';');
        let name = parts.next()?.trim().to_ascii_lowercase();
        let format = match name.as_str() {
            "application/json" => Some(Format::Json),
            "application/xml" => Some(Format::Xml),
            "" | "text/xml" | "text/json" => None,
            name if name.ends_with("+json") || name.ends_with("+xml") => None,
            _ => return None,
        };
        let charset = parts.find_map(charset).unwrap_or_else(|| "utf-8".into());
        let latin1 = match charset.as_str() {
            "utf-8" | "utf8" | "us-ascii" => false,
            "iso-8859-1" | "latin1" => true,
            _ => return None,
        };
        Some(Self { format, latin1 })
    }

    /// The format of `body`: as said, or by its first byte that is not blank.
    pub fn format_of(self, body: &str) -> Option<Format> {
        self.format.or(match body.trim_start().as_bytes().first() {
            Some(b'{') => Some(Format::Json),
            Some(b'<') => Some(Format::Xml),
            _ => None,
        })
    }
}

fn charset(parameter: &str) -> Option<String> {
    let (name, value) = parameter.split_once('=')?;
    name.trim()
        .eq_ignore_ascii_case("charset")
        .then(|| value.trim().trim_matches('"').to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Format::{Json, Xml};

    #[test]
    fn accept_decides_as_in_the_reference_and_the_label_is_true() {
        for (accept, expected) in [
            (None, Some((Xml, Xml))),
            (Some(""), Some((Xml, Xml))),
            (Some("*/*"), Some((Xml, Xml))),
            (Some("application/*"), Some((Xml, Xml))),
            (Some("application/xml"), Some((Xml, Xml))),
            (Some("application/json"), Some((Json, Json))),
            (Some("application/json;charset=UTF-8"), Some((Json, Json))),
            (
                Some("text/plain, application/json, */*"),
                Some((Json, Json)),
            ),
            (
                Some("text/html,application/xml;q=0.9,*/*;q=0.8"),
                Some((Xml, Xml)),
            ),
            (
                Some("application/xml;q=0.5, application/json"),
                Some((Json, Json)),
            ),
            (Some("application/xml, application/json"), Some((Json, Xml))),
            (
                Some("application/json;q=0.5, application/xml"),
                Some((Json, Xml)),
            ),
            (
                Some("application/json, application/xml, text/xml"),
                Some((Json, Json)),
            ),
            (Some("application/JSON"), Some((Json, Json))),
            (Some("application/json;q=0, */*"), Some((Xml, Xml))),
            (Some("text/html"), None),
            (Some("text/json"), None),
            (Some("JSON"), None),
            (Some("application/vnd.x+json"), None),
            (Some("*/*;q=0"), None),
        ] {
            let got = Accepted::from_header(accept).map(|a| (a.list, a.object));
            assert_eq!(got, expected, "{accept:?}");
        }
    }

    #[test]
    fn json_is_possible_unless_only_xml_is_named() {
        for (accept, expected) in [
            (None, true),
            (Some("*/*"), true),
            (Some("application/json"), true),
            (Some("text/html,application/xml;q=0.9,*/*;q=0.8"), true),
            (Some("application/xml"), false),
        ] {
            let accepted = Accepted::from_header(accept).unwrap();
            assert_eq!(accepted.json_possible, expected, "{accept:?}");
        }
    }

    #[test]
    fn gzip_is_sent_only_to_those_who_ask() {
        for (header, expected) in [
            (None, false),
            (Some("gzip, deflate"), true),
            (Some("gzip"), true),
            (Some("x-gzip"), true),
            (Some("GZIP"), true),
            (Some("deflate, gzip;q=0.5"), true),
            (Some("gzip;q=0"), false),
            (Some("identity"), false),
            (Some("deflate"), false),
        ] {
            assert_eq!(accepts_gzip(header), expected, "{header:?}");
        }
    }

    #[test]
    fn a_body_is_taken_at_its_word_or_by_its_first_byte() {
        for (header, body, expected) in [
            (Some("application/json"), "{}", Some(Some(Json))),
            (
                Some("application/json; charset=utf-8"),
                "{}",
                Some(Some(Json)),
            ),
            (
                Some("Application/JSON;charset=\"UTF-8\""),
                "{}",
                Some(Some(Json)),
            ),
            (
                Some("application/xml;charset=ISO-8859-1"),
                "<a/>",
                Some(Some(Xml)),
            ),
            (Some("application/vnd.x+json"), " {}", Some(Some(Json))),
            (Some("text/xml"), "\n<a/>", Some(Some(Xml))),
            (None, "{}", Some(Some(Json))),
            (None, "hello", Some(None)),
            (Some("text/plain"), "{}", None),
            (Some("application/json;charset=utf-16"), "{}", None),
        ] {
            let got = BodyType::from_header(header).map(|t| t.format_of(body));
            assert_eq!(got, expected, "{header:?}");
        }
    }

    #[test]
    fn compact_is_a_word_in_any_case() {
        for (header, expected) in [
            (None, false),
            (Some("COMPACT"), true),
            (Some("compact"), true),
            (Some("full"), false),
            (Some("tiny"), false),
        ] {
            assert_eq!(wants_compact(header), expected);
        }
    }
}
