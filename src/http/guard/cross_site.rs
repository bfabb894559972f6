//! Requests that a page of another site makes a browser send: refused where they would change something. Eureka's
//! clients are no browsers and say nothing of sites. Pure.

use actix_web::http::header::{HOST, HeaderMap, HeaderName, ORIGIN};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether a browser sends this for the sake of another site. Who is no browser sends neither header.
pub(in crate::http) fn is_cross_site(headers: &HeaderMap) -> bool {
    let text = |name: &HeaderName| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    if let Some(site) = text(&FETCH_SITE) {
        return !matches!(site, "same-origin" | "none");
    }
    let Some(origin) = text(&ORIGIN) else {
        return false;
    };
    let origin = origin.split_once("://").map(|(_, authority)| authority);
    origin.is_none() || origin != text(&HOST)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn browsers_say_for_whose_sake_they_ask() {
        for (site, origin, is_refused) in [
            (None, None, false),
            (Some("same-origin"), None, false),
            (Some("none"), None, false),
            (Some("same-site"), None, true),
            (Some("cross-site"), None, true),
            // What the browser says counts more than what can be compared.
            (Some("same-origin"), Some("http://proxy"), false),
            (None, Some("http://node:8761"), false),
            (None, Some("https://node:8761"), false),
            (None, Some("http://node"), true),
            (None, Some("http://evil.example"), true),
            (None, Some("null"), true),
            (None, Some(""), true),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_static("node:8761"));
            if let Some(site) = site {
                headers.insert(FETCH_SITE, HeaderValue::from_static(site));
            }
            if let Some(origin) = origin {
                headers.insert(ORIGIN, HeaderValue::from_static(origin));
            }
            assert_eq!(is_cross_site(&headers), is_refused, "{site:?} {origin:?}");
        }
    }
}
