//! Other nodes over HTTP/1.1: one request per connection at a time, so that ending a call ends its connection.
//!
//! A call that is given up must not be carried out later. When a call fails or is dropped, its connection is
//! closed; what the system still holds of the request is thrown away once it has not been acknowledged for as
//! long as an answer may take (`TCP_USER_TIMEOUT`), so no batch comes out of a healed network late.

use std::cell::OnceCell;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::rc::Rc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Client, ClientBuilder, Method, RequestBuilder, Response, redirect};
use rustls::crypto::{CryptoProvider, ring};

use super::secure::Secure;
use super::{
    Answer, Awaited, Call, CallFailed, Network, NodeApi, NodeSign, SIGN, innermost, names,
};
use crate::model::{ClientTls, NodeUrl};

/// What a node is told about whoever asks; `/` and a version as everywhere, and what is asked for.
const USER_AGENT: &str = concat!("heureka/", env!("CARGO_PKG_VERSION"), " (replication)");
/// A list may take so many times as long in all as one may wait for the next part of it.
const PATIENCE_WITH_LISTS: u32 = 12;
/// The longest answer that is about one batch or one page. A batch has 250 items, each of which may bring back a
/// record; records are limited to 1 MiB as they come, and real ones have 1 or 2 kB.
const LONGEST_ANSWER: usize = 64 << 20;
/// The longest list: as many instances as a registry may hold, 1 kB each.
const LONGEST_LIST: usize = 1 << 30;

/// How nodes are asked.
#[derive(Clone)]
pub struct HttpOptions {
    /// How long a connection may take to come about.
    pub connect_timeout: Duration,
    /// How long nothing may come of an answer.
    pub read_timeout: Duration,
    /// How long an idle connection is kept.
    pub idle_timeout: Duration,
    /// How many idle connections to one node are kept.
    pub idle_per_host: usize,
    /// The address of this node, for nodes that count who asks (server.md §13.5).
    pub ip_addr: String,
    /// What it shows and whom it trusts over TLS.
    pub tls: ClientTls,
    /// What this node says of itself, at each call.
    pub sign: Rc<dyn Fn() -> NodeSign>,
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("connect_timeout", &self.connect_timeout)
            .field("read_timeout", &self.read_timeout)
            .field("idle_timeout", &self.idle_timeout)
            .field("idle_per_host", &self.idle_per_host)
            .field("ip_addr", &self.ip_addr)
            .finish_non_exhaustive()
    }
}

/// The real network.
#[derive(Clone, Debug)]
pub struct HttpNetwork(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    options: HttpOptions,
    /// Made when the first node is asked; it knows no certificates, which are long to read.
    plain: OnceCell<Client>,
    secure: Secure,
}

impl HttpNetwork {
    /// The network; nothing is opened and nothing is read yet.
    pub fn new(options: HttpOptions) -> Self {
        let secure = Secure::new(options.tls.clone());
        Self(Rc::new(Shared {
            options,
            plain: OnceCell::new(),
            secure,
        }))
    }
}

impl Network for HttpNetwork {
    fn node(&self, url: &NodeUrl) -> Rc<dyn NodeApi> {
        Rc::new(HttpNode {
            url: url.clone(),
            network: self.0.clone(),
        })
    }

    fn addresses(&self, host: &str) -> Awaited<io::Result<Vec<IpAddr>>> {
        let host = host.to_string();
        Box::pin(async move { names::addresses(&host).await })
    }

    fn texts(&self, name: &str) -> Awaited<io::Result<Vec<String>>> {
        let name = name.to_string();
        Box::pin(async move { names::texts(&name).await })
    }
}

impl Shared {
    fn client(&self, url: &NodeUrl) -> Result<Client, CallFailed> {
        if url.as_str().starts_with("https:") {
            return self.secure.client(|| self.options.builder());
        }
        if let Some(client) = self.plain.get() {
            return Ok(client.clone());
        }
        let client = self.options.builder().tls_certs_only([]).build();
        let client = client.map_err(|error| CallFailed::Unreachable(innermost(&error)))?;
        Ok(self.plain.get_or_init(|| client).clone())
    }
}

impl HttpOptions {
    /// A client that trusts the system's authorities, unless something else is said.
    fn builder(&self) -> ClientBuilder {
        if CryptoProvider::get_default().is_none() {
            // Another thread may have been quicker, with the same or a better one.
            _ = ring::default_provider().install_default();
        }
        let builder = Client::builder()
            .user_agent(USER_AGENT)
            .http1_only()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            .connect_timeout(self.connect_timeout)
            .read_timeout(self.read_timeout)
            .pool_idle_timeout(self.idle_timeout)
            .pool_max_idle_per_host(self.idle_per_host);
        #[cfg(target_os = "linux")]
        let builder = builder.tcp_user_timeout(self.read_timeout);
        builder
    }
}

/// One node.
struct HttpNode {
    url: NodeUrl,
    network: Rc<Shared>,
}

impl NodeApi for HttpNode {
    fn call(&self, call: Call) -> Awaited<Result<Answer, CallFailed>> {
        let longest = match &call {
            Call::Apps => LONGEST_LIST,
            Call::Batch { .. } | Call::Page { .. } => LONGEST_ANSWER,
        };
        let request = self.request(call);
        let patience = self.network.options.read_timeout;
        Box::pin(async move {
            let response = request?.send().await;
            let response = response.map_err(|error| why(error, patience))?;
            read(response, longest, patience).await
        })
    }
}

impl HttpNode {
    fn request(&self, call: Call) -> Result<RequestBuilder, CallFailed> {
        let options = &self.network.options;
        let request = call.into_request();
        let method = match request.method {
            "POST" => Method::POST,
            _ => Method::GET,
        };
        // Trickles are cut off: an answer to a batch is short, a list comes in many parts.
        let in_all = match method {
            Method::POST => 2,
            _ => PATIENCE_WITH_LISTS,
        };
        let mut builder = self
            .network
            .client(&self.url)?
            .request(method, format!("{}{}", self.url, request.path))
            .timeout(options.read_timeout.saturating_mul(in_all))
            .header(SIGN, (options.sign)().to_string())
            // Java lets callers of this name pass its rate limits.
            .header("DiscoveryIdentity-Name", "DefaultServer")
            .header("DiscoveryIdentity-Version", "1.0")
            .header("DiscoveryIdentity-Id", &options.ip_addr)
            .body(request.body);
        if let Some((user, password)) = self.url.credentials() {
            builder = builder.basic_auth(user, Some(password));
        }
        for (name, value) in request.headers {
            builder = builder.header(name, value);
        }
        Ok(builder)
    }
}

/// Reads an answer to its end.
async fn read(
    mut response: Response,
    longest: usize,
    patience: Duration,
) -> Result<Answer, CallFailed> {
    let status = response.status().as_u16();
    let sign = said(response.headers(), SIGN);
    let retry_after = said(response.headers(), RETRY_AFTER.as_str()).map(Duration::from_secs);
    let body = body(&mut response, longest, patience).await?;
    Ok(Answer {
        status,
        body,
        sign,
        retry_after,
    })
}

async fn body(
    response: &mut Response,
    longest: usize,
    patience: Duration,
) -> Result<Bytes, CallFailed> {
    let mut body = BytesMut::new();
    while let Some(part) = response
        .chunk()
        .await
        .map_err(|error| why(error, patience))?
    {
        if body.len() + part.len() > longest {
            let text = format!("it is longer than {longest} bytes");
            return Err(CallFailed::Broken(text));
        }
        body.extend_from_slice(&part);
    }
    Ok(body.freeze())
}

/// What a header says, if it can be read.
fn said<T: std::str::FromStr>(headers: &HeaderMap, name: &str) -> Option<T> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

fn why(error: reqwest::Error, patience: Duration) -> CallFailed {
    if error.is_connect() || error.is_builder() {
        CallFailed::Unreachable(innermost(&error))
    } else if error.is_timeout() {
        CallFailed::TimedOut(patience)
    } else {
        CallFailed::Broken(innermost(&error))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpSocket, TcpStream};
    use tokio::sync::mpsc;

    use super::*;

    /// Longer than any test takes.
    const LONG: Duration = Duration::from_secs(60);

    fn network(read_timeout: Duration) -> HttpNetwork {
        HttpNetwork::new(HttpOptions {
            connect_timeout: LONG,
            read_timeout,
            // A connection that is open and unused after all ends soon, so that no test waits for it.
            idle_timeout: read_timeout,
            idle_per_host: 4,
            ip_addr: "10.0.0.7".to_string(),
            tls: ClientTls::default(),
            sign: Rc::new(|| NodeSign {
                id: "1b4e".to_string(),
                version: "0.1.0".to_string(),
                open: false,
                instances: None,
            }),
        })
    }

    /// Asks the node at this URL, with patience.
    async fn ask(url: &str, call: Call) -> Result<Answer, CallFailed> {
        let node = network(LONG).node(&url.parse().unwrap());
        node.call(call).await
    }

    fn batch() -> Call {
        Call::Batch {
            body: Bytes::from_static(b"{\"replicationList\":[]}"),
            packed: false,
        }
    }

    async fn listener() -> (TcpListener, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        (listener, format!("http://{address}/eureka/"))
    }

    /// A node that gives every request this answer.
    async fn answering(answer: impl Into<Vec<u8>>) -> Heard {
        let (listener, url) = listener().await;
        let (tell, requests) = mpsc::unbounded_channel();
        let answer = answer.into();
        tokio::spawn(async move {
            for connection in 0.. {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (tell, answer) = (tell.clone(), answer.clone());
                tokio::spawn(async move {
                    while let Some(request) = request(&mut stream).await {
                        _ = tell.send((connection, request));
                        _ = stream.write_all(&answer).await;
                    }
                });
            }
        });
        Heard { url, requests }
    }

    struct Heard {
        url: String,
        /// Which connection, and what came.
        requests: mpsc::UnboundedReceiver<(usize, String)>,
    }

    /// A whole request, or nothing once the connection has ended.
    async fn request(stream: &mut TcpStream) -> Option<String> {
        let mut request = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&request);
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let length = head.to_lowercase();
                let length = length.split("content-length: ").nth(1);
                let length = length.map_or(0, |rest| {
                    rest.split("\r\n").next().unwrap().parse().unwrap()
                });
                if body.len() >= length {
                    return Some(text.into_owned());
                }
            }
            match stream.read_buf(&mut request).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => return None,
            }
        }
    }

    fn ok(body: &str) -> String {
        format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    /// server.md §13.5.
    #[tokio::test]
    async fn a_call_says_who_asks_and_for_what() {
        let mut node = answering(ok("{}")).await;
        let with_credentials = node.url.replace("http://", "http://u:p%40q@");
        let answer = ask(&with_credentials, batch()).await.unwrap();
        assert_eq!((answer.status, &answer.body[..]), (200, &b"{}"[..]));

        let (_, request) = node.requests.recv().await.unwrap();
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        assert_eq!(body, "{\"replicationList\":[]}");
        let mut lines: Vec<_> = head.lines().collect();
        assert_eq!(
            lines.remove(0),
            "POST /eureka/peerreplication/batch/ HTTP/1.1"
        );
        lines.sort_unstable();
        lines.retain(|line| !line.starts_with("host: "));
        let agent = format!("user-agent: {USER_AGENT}");
        assert_eq!(
            lines,
            [
                "accept-encoding: gzip",
                "accept: application/json",
                // u:p@q
                "authorization: Basic dTpwQHE=",
                "content-length: 22",
                "content-type: application/json",
                "discoveryidentity-id: 10.0.0.7",
                "discoveryidentity-name: DefaultServer",
                "discoveryidentity-version: 1.0",
                agent.as_str(),
                "x-heureka-node: 1b4e; 0.1.0; loading",
            ]
        );
    }

    #[tokio::test]
    async fn a_connection_is_used_again_and_the_sign_is_asked_for_each_time() {
        let mut node = answering(ok("[]")).await;
        let calls = Rc::new(Cell::new(0));
        let counted = calls.clone();
        let mut options = network(LONG).0.options.clone();
        options.sign = Rc::new(move || {
            counted.set(counted.get() + 1);
            NodeSign {
                id: counted.get().to_string(),
                version: "1".to_string(),
                open: true,
                instances: None,
            }
        });
        let api = HttpNetwork::new(options).node(&node.url.parse().unwrap());
        for call in 1..=3 {
            api.call(Call::Apps).await.unwrap();
            let (connection, request) = node.requests.recv().await.unwrap();
            assert_eq!(connection, 0);
            assert!(
                request.starts_with("GET /eureka/apps/ HTTP/1.1\r\n"),
                "{request}"
            );
            assert!(
                request.contains(&format!("{SIGN}: {call}; 1; open")),
                "{request}"
            );
        }
        assert_eq!(calls.get(), 3);
    }

    #[tokio::test]
    async fn an_answer_is_unpacked_and_its_headers_are_read() {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(b"[1,2,3]").unwrap();
        let packed = packed.finish().unwrap();
        let head = format!(
            "HTTP/1.1 503 Busy\r\ncontent-encoding: gzip\r\nretry-after: 7\r\n{SIGN}: 9; 2; open\r\n\
             content-length: {}\r\n\r\n",
            packed.len()
        );
        let node = answering([head.as_bytes(), &packed].concat()).await;
        let answer = ask(&node.url, Call::Apps).await.unwrap();
        let wanted = Answer {
            status: 503,
            body: Bytes::from_static(b"[1,2,3]"),
            sign: "9; 2; open".parse().ok(),
            retry_after: Some(Duration::from_secs(7)),
        };
        assert_eq!(answer, wanted);
    }

    #[tokio::test]
    async fn a_redirect_is_an_answer_and_nobody_follows_it() {
        let elsewhere = answering(ok("elsewhere")).await;
        let redirect = format!(
            "HTTP/1.1 302 Found\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n",
            elsewhere.url
        );
        let node = answering(redirect).await;
        let answer = ask(&node.url, batch()).await.unwrap();
        assert_eq!((answer.status, answer.retry_after), (302, None));
    }

    #[tokio::test]
    async fn nobody_was_reached_where_nobody_listens_or_the_name_is_none() {
        // Bound, so that nobody else takes the port, and not listening.
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let refused = format!("http://u:secret@{}/e/", socket.local_addr().unwrap());
        let nameless = format!("http://{}.example/e/", "x".repeat(70));
        for url in [refused, nameless] {
            let failed = ask(&url, batch()).await.unwrap_err();
            assert!(matches!(failed, CallFailed::Unreachable(_)), "{failed:?}");
            assert!(!failed.to_string().contains("secret"), "{failed}");
        }
    }

    #[tokio::test]
    async fn plain_http_where_tls_is_expected_reaches_nobody() {
        let (listener, url) = listener().await;
        let url = url.replace("http:", "https:");
        let served = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.read_u8().await.unwrap();
            let answer = b"HTTP/1.1 400 Bad Request\r\n\r\n";
            stream.write_all(answer).await.unwrap();
        };
        let (failed, ()) = tokio::join!(ask(&url, batch()), served);
        assert!(
            matches!(failed, Err(CallFailed::Unreachable(_))),
            "{failed:?}"
        );
    }

    #[tokio::test]
    async fn when_a_silent_node_is_given_up_its_connection_ends() {
        let (listener, url) = listener().await;
        let short = Duration::from_millis(100);
        let node = network(short).node(&url.parse().unwrap());
        let failed = node.call(batch()).await;
        assert_eq!(failed, Err(CallFailed::TimedOut(short)));
        let (mut stream, _) = listener.accept().await.unwrap();
        while request(&mut stream).await.is_some() {}
    }

    #[tokio::test]
    async fn when_a_call_is_dropped_its_connection_ends() {
        let (listener, url) = listener().await;
        let node = network(LONG).node(&url.parse().unwrap());
        let served = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            assert!(request(&mut stream).await.is_some());
            stream
        };
        let mut stream = tokio::select! {
            stream = served => stream,
            answer = node.call(batch()) => panic!("nobody answered {answer:?}"),
        };
        assert_eq!(request(&mut stream).await, None);
    }

    #[tokio::test]
    async fn an_answer_that_breaks_off_or_is_none_is_told_from_silence() {
        for answer in [
            "",
            "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhal",
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nhalf",
            "SSH-2.0-Server\r\n\r\n",
        ] {
            let (listener, url) = listener().await;
            let served = async {
                let (mut stream, _) = listener.accept().await.unwrap();
                request(&mut stream).await;
                stream.write_all(answer.as_bytes()).await.unwrap();
                stream.shutdown().await.unwrap();
            };
            let (failed, ()) = tokio::join!(ask(&url, batch()), served);
            assert!(matches!(failed, Err(CallFailed::Broken(_))), "{failed:?}");
        }
    }

    #[tokio::test]
    async fn an_answer_beyond_its_limit_is_not_read() {
        let node = answering(ok("12345")).await;
        let network = network(LONG);
        for (longest, is_whole) in [(5, true), (4, false)] {
            let url = node.url.parse().unwrap();
            let response = network.0.client(&url).unwrap().get(&node.url).send().await;
            let answer = read(response.unwrap(), longest, LONG).await;
            match answer {
                Ok(answer) => assert!(is_whole && &answer.body[..] == b"12345"),
                Err(failed) => assert!(!is_whole && matches!(failed, CallFailed::Broken(_))),
            }
        }
    }

    #[test]
    fn a_network_that_nobody_uses_opens_nothing() {
        let network = network(LONG);
        let url: NodeUrl = "http://node:8761/eureka/".parse().unwrap();
        // There is no runtime here that could.
        drop(network.node(&url));
        assert!(network.0.plain.get().is_none() && !network.0.secure.is_made());
    }
}
