//! The page under Spring's path: the same figures, and besides them those that a Spring application's dashboards
//! look for, by Micrometer's names.
//!
//! They are taken from the finished page, so that a request is not counted twice. Micrometer's `_max` is not among
//! them: it is a maximum of the last minutes, which nobody keeps here. Figures of the Java machine are not either.

use std::fmt::Write;

use metrics_exporter_prometheus::formatting::{write_help_line, write_type_line};

use super::HTTP_SECONDS;

const REQUESTS: &str = "http_server_requests_seconds";
const REQUESTS_HELP: &str = "Requests by what they asked for, as Spring counts them";

/// Figures that both have, by other names.
const RENAMED: [(&str, &str); 2] = [
    ("process_open_fds", "process_files_open_files"),
    ("process_max_fds", "process_files_max_files"),
];

/// Adds to `page` what Spring calls otherwise. `uri` gives the template that stands for a route.
pub(super) fn add(page: &mut String, uri: impl Fn(&str) -> &'static str) {
    let mut requests = String::new();
    let mut renamed = String::new();
    for line in page.lines() {
        if let Some(rest) = line.strip_prefix(HTTP_SECONDS) {
            add_request(&mut requests, rest, &uri);
        }
        let value = |name: &str| line.strip_prefix(name)?.strip_prefix(' ');
        for (name, springs) in RENAMED {
            if let Some(value) = value(name) {
                write_type_line(&mut renamed, springs, None, None, "gauge");
                _ = writeln!(renamed, "{springs} {value}\n");
            }
        }
    }
    write_help_line(page, REQUESTS, None, None, REQUESTS_HELP);
    write_type_line(page, REQUESTS, None, None, "summary");
    page.push_str(&requests);
    page.push('\n');
    page.push_str(&renamed);
}

/// `rest` is what follows the name: `_count{route="app",method="GET",status="200"} 7`.
fn add_request(page: &mut String, rest: &str, uri: impl Fn(&str) -> &'static str) {
    let Some((suffix, rest)) = rest.split_once('{') else {
        return;
    };
    if !matches!(suffix, "_count" | "_sum") {
        return;
    }
    let mut parts = rest.split('"');
    let (Some(route), Some(method), Some(status), Some(value)) = (
        parts.nth(1),
        parts.nth(1),
        parts.nth(1),
        rest.rsplit(' ').next(),
    ) else {
        return;
    };
    let (uri, outcome) = (uri(route), outcome(status));
    // Writing to a text cannot fail.
    _ = writeln!(
        page,
        "{REQUESTS}{suffix}{{error=\"none\",exception=\"none\",method=\"{method}\",outcome=\"{outcome}\",status=\"{status}\",uri=\"{uri}\"}} {value}"
    );
}

/// Spring's word for a class of statuses.
fn outcome(status: &str) -> &'static str {
    match status.as_bytes().first() {
        Some(b'1') => "INFORMATIONAL",
        Some(b'2') => "SUCCESS",
        Some(b'3') => "REDIRECTION",
        Some(b'4') => "CLIENT_ERROR",
        Some(b'5') => "SERVER_ERROR",
        _ => "UNKNOWN",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_files_have_spring_s_names_too_and_nothing_else_changes() {
        let given = "# TYPE eureka_http_request_seconds histogram\n\
            eureka_http_request_seconds_bucket{route=\"app\",method=\"GET\",status=\"200\",le=\"0.1\"} 3\n\
            eureka_http_request_seconds_sum{route=\"app\",method=\"GET\",status=\"200\"} 0.25\n\
            eureka_http_request_seconds_count{route=\"app\",method=\"GET\",status=\"200\"} 3\n\
            eureka_http_request_seconds_count{route=\"x\",method=\"PUT\",status=\"5xx\"} 1\n\
            process_open_fds 12\n";
        let mut page = given.to_string();
        add(&mut page, |route| {
            if route == "app" {
                "/eureka/apps/{app}"
            } else {
                "UNKNOWN"
            }
        });
        let added = page.strip_prefix(given).unwrap();
        let wanted = r##"# HELP http_server_requests_seconds Requests by what they asked for, as Spring counts them
# TYPE http_server_requests_seconds summary
http_server_requests_seconds_sum{error="none",exception="none",method="GET",outcome="SUCCESS",status="200",uri="/eureka/apps/{app}"} 0.25
http_server_requests_seconds_count{error="none",exception="none",method="GET",outcome="SUCCESS",status="200",uri="/eureka/apps/{app}"} 3
http_server_requests_seconds_count{error="none",exception="none",method="PUT",outcome="SERVER_ERROR",status="5xx",uri="UNKNOWN"} 1

# TYPE process_files_open_files gauge
process_files_open_files 12

"##;
        assert_eq!(added, wanted);
    }
}
