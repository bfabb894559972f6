//! The address of a node's Eureka service: `http://host:8761/eureka/`.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// A service URL in its one form: scheme and host in lower case, no port that the scheme implies, a slash at its
/// end, and the credentials beside it, so that nothing that prints it can show them.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeUrl {
    text: String,
    host: String,
    port: u16,
    credentials: Option<(String, String)>,
}

/// A text is no service URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("wanted a URL like http://host:8761/eureka/")]
pub struct UrlRefused;

impl NodeUrl {
    /// Its text, without credentials; ends with a slash.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host, without brackets around an IPv6 address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The host, where it is an address and no name.
    pub fn ip(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }

    /// The port, also where it is that of the scheme.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// User and password, percent-decoded.
    pub fn credentials(&self) -> Option<(&str, &str)> {
        let (user, password) = self.credentials.as_ref()?;
        Some((user, password))
    }

    /// The same service at one of its host's addresses.
    pub fn with_host(&self, address: IpAddr) -> Self {
        let mut url = Url::parse(&self.text).ok();
        let placed = url.as_mut().map(|url| url.set_ip_host(address));
        debug_assert_eq!(placed, Some(Ok(())), "{self} was a URL with a host");
        Self {
            text: url.map_or_else(|| self.text.clone(), String::from),
            host: address.to_string(),
            port: self.port,
            credentials: self.credentials.clone(),
        }
    }
}

/// As people write it: blanks around it, no slash at its end, and credentials in it are accepted (config.md §4).
impl FromStr for NodeUrl {
    type Err = UrlRefused;

    fn from_str(text: &str) -> Result<Self, UrlRefused> {
        let mut url = Url::parse(text.trim()).map_err(|_| UrlRefused)?;
        let plain = url.query().is_none() && url.fragment().is_none();
        if !plain || !matches!(url.scheme(), "http" | "https") {
            return Err(UrlRefused);
        }
        let credentials = take_credentials(&mut url)?;
        if !url.path().ends_with('/') {
            let path = format!("{}/", url.path());
            url.set_path(&path);
        }
        let host = match url.host().ok_or(UrlRefused)? {
            Host::Domain(name) => name.to_string(),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let port = url.port_or_known_default().ok_or(UrlRefused)?;
        if port == 0 {
            return Err(UrlRefused);
        }
        Ok(Self {
            text: url.into(),
            host,
            port,
            credentials,
        })
    }
}

/// Takes `user:password@` out of the URL. A password may have colons in it.
fn take_credentials(url: &mut Url) -> Result<Option<(String, String)>, UrlRefused> {
    let decoded = |text: &str| {
        let text = percent_decode_str(text).decode_utf8();
        text.map(String::from).map_err(|_| UrlRefused)
    };
    let user = decoded(url.username())?;
    let password = decoded(url.password().unwrap_or_default())?;
    url.set_username("").map_err(|()| UrlRefused)?;
    url.set_password(None).map_err(|()| UrlRefused)?;
    let given = !user.is_empty() || !password.is_empty();
    Ok(given.then_some((user, password)))
}

/// A text that was meant for one URL, or for several with commas between them, as it may be shown: `***` in
/// place of credentials, also where it is not well-formed.
pub fn without_credentials(text: &str) -> String {
    let shown = |url: &str| match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, after))) => format!("{scheme}://***@{after}"),
        (None, Some((_, after))) => format!("***@{after}"),
        (_, None) => url.to_string(),
    };
    let mut urls: Vec<String> = Vec::new();
    for part in text.split(',') {
        let begins = part.trim_start().starts_with("http");
        match urls.last_mut().filter(|_| !begins) {
            // A comma may be in a password.
            Some(url) => *url = format!("{url},{part}"),
            None => urls.push(part.to_string()),
        }
    }
    let urls: Vec<_> = urls.iter().map(|url| shown(url)).collect();
    urls.join(",")
}

impl fmt::Display for NodeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for NodeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> NodeUrl {
        text.parse().unwrap()
    }

    /// config.md §4.1, §4.2, C4, C14.
    #[test]
    fn a_url_has_one_form_whatever_was_written() {
        for (written, text, host, port) in [
            ("http://a:8761/eureka/", "http://a:8761/eureka/", "a", 8761),
            (
                "  http://a:8761/eureka ",
                "http://a:8761/eureka/",
                "a",
                8761,
            ),
            (
                "HTTP://Node-1.Example:8761/Eureka",
                "http://node-1.example:8761/Eureka/",
                "node-1.example",
                8761,
            ),
            ("http://a", "http://a/", "a", 80),
            ("http://a:80/eureka/", "http://a/eureka/", "a", 80),
            ("https://a/eureka/v2", "https://a/eureka/v2/", "a", 443),
            (
                "http://10.0.0.7:1/e/",
                "http://10.0.0.7:1/e/",
                "10.0.0.7",
                1,
            ),
            ("http://[::1]:8761/e", "http://[::1]:8761/e/", "::1", 8761),
            (
                "http://u:p@a:8761/eureka/",
                "http://a:8761/eureka/",
                "a",
                8761,
            ),
        ] {
            let url = url(written);
            let parts = (url.as_str(), url.host(), url.port());
            assert_eq!(parts, (text, host, port), "{written}");
        }
    }

    #[test]
    fn credentials_are_decoded_and_never_shown() {
        for (written, credentials) in [
            ("http://a/", None),
            ("http://@a/", None),
            ("http://u:p%40q@a/", Some(("u", "p@q"))),
            ("http://u:p:q@a/", Some(("u", "p:q"))),
            ("http://u%3Ax:p@a/", Some(("u:x", "p"))),
            ("http://u@a/", Some(("u", ""))),
            ("http://:p@a/", Some(("", "p"))),
            ("http://u:100%@a/", Some(("u", "100%"))),
            ("http://u:%C3%BC@a/", Some(("u", "ü"))),
        ] {
            let url = url(written);
            assert_eq!(url.credentials(), credentials, "{written}");
            assert_eq!(format!("{url} {url:?}"), "http://a/ http://a/", "{written}");
        }
    }

    #[test]
    fn what_is_no_service_url_is_refused() {
        for text in [
            "",
            "/",
            "a",
            "a:8761/eureka/",
            "ftp://a/eureka/",
            "http://",
            "http://:8761/eureka/",
            "http://a:99999/",
            "http://a:0/",
            "http://a/eureka/?x=1",
            "http://a/eureka/#x",
            "http://a b/",
            "http://u:%ff@a/",
        ] {
            assert_eq!(text.parse::<NodeUrl>(), Err(UrlRefused), "{text}");
        }
    }

    #[test]
    fn urls_are_equal_with_and_without_slash_and_port_of_the_scheme_but_not_with_other_credentials()
    {
        assert_eq!(url("http://a:80/e"), url("http://A/e/"));
        assert_ne!(url("http://a/e/"), url("https://a/e/"));
        assert_ne!(url("http://a:1/e/"), url("http://a:2/e/"));
        assert_ne!(url("http://u:p@a/e/"), url("http://u:q@a/e/"));
    }

    #[test]
    fn a_service_at_one_of_its_addresses_keeps_all_but_the_host() {
        let named = url("http://u:p@nodes:8761/eureka/");
        for (address, text) in [
            ("10.0.0.7", "http://10.0.0.7:8761/eureka/"),
            ("fd00::7", "http://[fd00::7]:8761/eureka/"),
        ] {
            let placed = named.with_host(address.parse().unwrap());
            assert_eq!(placed.as_str(), text);
            assert_eq!(placed.ip().unwrap().to_string(), address);
            assert_eq!(placed.credentials(), Some(("u", "p")));
            assert_eq!(
                placed.to_string().parse(),
                Ok(NodeUrl {
                    credentials: None,
                    ..placed
                })
            );
        }
        assert_eq!(named.ip(), None);
    }

    #[test]
    fn a_text_is_shown_without_what_may_be_a_password() {
        for (text, shown) in [
            ("http://a/,b", "http://a/,b"),
            ("http://u:p@a/", "http://***@a/"),
            (
                "http://u:p@a/, http://v:q@w@b:1/e",
                "http://***@a/, http://***@b:1/e",
            ),
            ("http://u:p,w@a, b", "http://***@a, b"),
            ("u:p@a", "***@a"),
            ("htp//u:p@a", "***@a"),
        ] {
            assert_eq!(without_credentials(text), shown);
        }
    }
}
