//! One connection that is kept, with one request at a time; opened when it is needed.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpSocket, TcpStream, lookup_host};
use tokio::time::timeout;

use super::server::Server;

/// How long an answer may take, and a connection to come about.
const PATIENCE: Duration = Duration::from_secs(10);

/// What came back.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    /// Bytes of the body, as they came.
    pub(super) bytes: u64,
}

/// Why nothing came back.
#[derive(Debug)]
pub(super) enum NoAnswer {
    Connect(io::Error),
    Broken(hyper::Error),
    TooLate,
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => write!(f, "no connection: {error}"),
            Self::Broken(error) => write!(f, "{error}"),
            Self::TooLate => write!(f, "no answer within {PATIENCE:?}"),
        }
    }
}

/// A connection to one of the servers; after a failure the next one is tried, as clients do.
pub(super) struct Link {
    servers: Arc<[Server]>,
    at: usize,
    from: IpAddr,
    open: Option<SendRequest<Full<Bytes>>>,
}

impl Link {
    /// The link with this number, from one of so many addresses of this machine.
    pub(super) fn new(servers: Arc<[Server]>, number: usize, addresses: u8) -> Self {
        let from = match addresses {
            1 => Ipv4Addr::UNSPECIFIED,
            _ => Ipv4Addr::new(127, 0, 0, 1 + (number % usize::from(addresses)) as u8),
        };
        Self {
            at: number % servers.len(),
            servers,
            from: from.into(),
            open: None,
        }
    }

    /// Asks for a path below the base path. The connection is closed where anything but an answer comes.
    pub(super) async fn ask(
        &mut self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<Answer, NoAnswer> {
        let answer = timeout(PATIENCE, self.exchange(method, path, body)).await;
        let answer = answer.unwrap_or(Err(NoAnswer::TooLate));
        if answer.is_err() {
            self.open = None;
            self.at = (self.at + 1) % self.servers.len();
        }
        answer
    }

    async fn exchange(
        &mut self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<Answer, NoAnswer> {
        // What the server closed in the meantime is opened anew.
        let kept = match self.open.take() {
            Some(mut sender) => sender.ready().await.is_ok().then_some(sender),
            None => None,
        };
        let mut sender = match kept {
            Some(sender) => sender,
            None => self.connect().await?,
        };
        let request = self.request(method, path, body);
        let answer = sender
            .send_request(request)
            .await
            .map_err(NoAnswer::Broken)?;
        let answer = read(answer).await?;
        self.open = Some(sender);
        Ok(answer)
    }

    fn request(&self, method: Method, path: &str, body: Bytes) -> Request<Full<Bytes>> {
        let server = &self.servers[self.at];
        let is_read = method == Method::GET;
        let mut request = Request::new(Full::new(body.clone()));
        *request.method_mut() = method;
        // Made of a path that was read from a URL, and of names that need no escapes.
        *request.uri_mut() = format!("{}{path}", server.path).parse().unwrap_or_default();
        let headers = request.headers_mut();
        let text = |text: &'static str| hyper::header::HeaderValue::from_static(text);
        if let Ok(host) = server.authority.parse() {
            headers.insert(HOST, host);
        }
        headers.insert(ACCEPT, text("application/json"));
        if is_read {
            headers.insert(ACCEPT_ENCODING, text("gzip"));
        }
        if !body.is_empty() {
            headers.insert(CONTENT_TYPE, text("application/json"));
        }
        if let Some(value) = &server.authorization {
            headers.insert(AUTHORIZATION, value.clone());
        }
        request
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, NoAnswer> {
        let stream = self.stream().await.map_err(NoAnswer::Connect)?;
        let shaken = http1::handshake(TokioIo::new(stream)).await;
        let (sender, connection) = shaken.map_err(NoAnswer::Broken)?;
        // How it ends is told by the request that it breaks.
        tokio::task::spawn_local(async move { _ = connection.await });
        Ok(sender)
    }

    async fn stream(&self) -> io::Result<TcpStream> {
        let mut last = io::Error::other("the name has no address");
        for address in lookup_host(&self.servers[self.at].authority).await? {
            let socket = match address {
                SocketAddr::V4(_) => TcpSocket::new_v4()?,
                SocketAddr::V6(_) => TcpSocket::new_v6()?,
            };
            if address.is_ipv4() && !self.from.is_unspecified() {
                socket.set_reuseaddr(true)?;
                socket.bind(SocketAddr::new(self.from, 0))?;
            }
            socket.set_nodelay(true)?;
            match socket.connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

async fn read(answer: Response<hyper::body::Incoming>) -> Result<Answer, NoAnswer> {
    let status = answer.status();
    let mut body = answer.into_body();
    let mut bytes = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(NoAnswer::Broken)?;
        bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
    }
    Ok(Answer { status, bytes })
}
