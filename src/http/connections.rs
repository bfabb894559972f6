//! Connections: counted, bounded, and given up where the client sends nothing, or takes nothing.
//!
//! | what a client leaves out | what ends its connection |
//! |---|---|
//! | the first byte | `head-time-in-ms`, here: 408 |
//! | the rest of the first head | the same once more, actix: 408 |
//! | the rest of a body | `body-time-in-ms`, `body.rs`: 408 |
//! | the rest of a later request | both times together, [`Patience`] |
//! | to take an answer | `answer-time-in-ms`, the system: TCP's user time-out |

use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_http::Protocol;
use actix_http::error::DispatchError;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;

use super::addresses::{Addresses, Share};
use super::channel::Channel;
use crate::config::{LimitsConfig, keys};
use crate::metrics::{HttpMetrics, Refusal};
use crate::tls::Serving;

/// The way in for connections.
#[derive(Clone)]
pub struct Connections {
    limits: LimitsConfig,
    metrics: HttpMetrics,
    addresses: Arc<Addresses>,
    open: Arc<AtomicUsize>,
}

impl Connections {
    /// No connection yet.
    pub(super) fn new(
        limits: LimitsConfig,
        metrics: HttpMetrics,
        addresses: Arc<Addresses>,
    ) -> Self {
        Self {
            limits,
            metrics,
            addresses,
            open: Arc::default(),
        }
    }

    /// Lets a connection in, or turns it away. Without TLS the first bytes tell the protocol, with TLS the two sides
    /// agree about it.
    pub async fn admit(&self, stream: TcpStream, tls: Option<&Serving>) -> Admitted {
        let peer = stream.peer_addr().ok();
        let place = self.place(&stream, peer)?;
        let socket = SockRef::from(&stream);
        // Where the system knows no such option, a client that reads nothing costs its connection.
        let _ = socket.set_tcp_user_timeout(Some(self.limits.answer_time));
        let _ = socket.set_tcp_nodelay(true);
        let (channel, protocol) = match tls {
            None => self.plain(stream, place).await?,
            Some(tls) => self.secure(stream, place, tls).await?,
        };
        Ok((channel, protocol, peer))
    }

    fn place(&self, stream: &TcpStream, peer: Option<SocketAddr>) -> Result<Place, DispatchError> {
        let (mut place, open) = Place::take(self);
        if self.limits.connections.is_some_and(|most| open > most) {
            let why = "too many connections";
            return Err(self.turn_away(stream, Refusal::Connections, why, keys::MAX_CONNECTIONS));
        }
        if let Some(peer) = peer {
            let Some(share) = self.addresses.connect(peer.ip()) else {
                let why = "too many connections from one address";
                let key = keys::MAX_ADDRESS_CONNECTIONS;
                return Err(self.turn_away(stream, Refusal::Address, why, key));
            };
            place.share = Some(share);
        }
        Ok(place)
    }

    fn turn_away(
        &self,
        stream: &TcpStream,
        reason: Refusal,
        why: &str,
        key: &str,
    ) -> DispatchError {
        self.metrics.refused(reason);
        let status = match reason {
            Refusal::Address => "429 Too Many Requests",
            _ => "503 Service Unavailable",
        };
        dismiss(stream, status, why, key);
        DispatchError::Io(io::ErrorKind::ConnectionRefused.into())
    }

    /// The first thing that comes on a connection, or its end if nothing does.
    async fn first<T>(
        &self,
        stream: &TcpStream,
        first: impl Future<Output = io::Result<T>>,
    ) -> Result<T, DispatchError> {
        let Ok(first) = timeout(self.limits.head_time, first).await else {
            self.metrics.refused(Refusal::Slow);
            dismiss(
                stream,
                "408 Request Timeout",
                "no request came",
                keys::HEAD_TIME,
            );
            return Err(DispatchError::SlowRequestTimeout);
        };
        Ok(first?)
    }

    async fn plain(
        &self,
        stream: TcpStream,
        place: Place,
    ) -> Result<(Channel, Protocol), DispatchError> {
        let protocol = self.first(&stream, protocol_of(&stream)).await?;
        let patience = self.patience(protocol);
        let connection = Connection {
            stream,
            patience,
            place,
        };
        Ok((Channel::Plain(connection), protocol))
    }

    async fn secure(
        &self,
        stream: TcpStream,
        place: Place,
        tls: &Serving,
    ) -> Result<(Channel, Protocol), DispatchError> {
        if self.first(&stream, first_byte(&stream)).await? != HANDSHAKE {
            self.metrics.refused(Refusal::Handshake);
            let why = "this port speaks https only";
            dismiss(&stream, "400 Bad Request", why, keys::SSL_ENABLED);
            return Err(DispatchError::Io(io::ErrorKind::InvalidData.into()));
        }
        let connection = Connection {
            stream,
            patience: None,
            place,
        };
        let acceptor = TlsAcceptor::from(tls.current());
        let shaken = timeout(self.limits.head_time, acceptor.accept(connection)).await;
        let shaken = shaken.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        let mut stream = shaken.map_err(|error| {
            self.metrics.refused(Refusal::Handshake);
            let why = error.to_string();
            tracing::debug!(why, "no TLS came about");
            DispatchError::Io(error)
        })?;
        let (connection, session) = stream.get_mut();
        let protocol = match session.alpn_protocol() {
            Some(b"h2") => Protocol::Http2,
            _ => Protocol::Http1,
        };
        connection.patience = self.patience(protocol);
        Ok((Channel::Secure(Box::new(stream)), protocol))
    }

    /// HTTP/2 clients send what needs no answer; their connections are kept alive by pings.
    fn patience(&self, protocol: Protocol) -> Option<Patience> {
        (protocol == Protocol::Http1).then(|| Patience::new(&self.limits))
    }
}

/// A connection that was let in, what is spoken on it, and with whom.
type Admitted = Result<(Channel, Protocol, Option<SocketAddr>), DispatchError>;

/// How every connection with TLS begins.
const HANDSHAKE: u8 = 22;

async fn first_byte(stream: &TcpStream) -> io::Result<u8> {
    let mut byte = [0];
    match stream.peek(&mut byte).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(byte[0]),
    }
}

/// HTTP/2 begins with a line that no HTTP/1 request has.
async fn protocol_of(stream: &TcpStream) -> io::Result<Protocol> {
    const HTTP_2: &[u8] = b"PRI * HTTP/2";
    let mut begin = [0; HTTP_2.len()];
    let read = stream.peek(&mut begin).await?;
    Ok(match &begin[..read] == HTTP_2 {
        true => Protocol::Http2,
        false => Protocol::Http1,
    })
}

/// Answers a connection without having read a request, as far as that goes without waiting, and ends it.
fn dismiss(stream: &TcpStream, status: &str, why: &str, key: &str) {
    let body = format!("{why} ({key})");
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Retry-After: 1\r\nConnection: close\r\n\r\n{body}"
    );
    let socket = SockRef::from(stream);
    let _ = socket.send(answer.as_bytes());
    // Closing with something unread would take the answer back.
    let _ = (&*socket).read(&mut [0; 4096]);
    let _ = socket.shutdown(Shutdown::Both);
}

/// An open connection, for as long as it is counted.
struct Place {
    metrics: HttpMetrics,
    open: Arc<AtomicUsize>,
    /// What its address has of it.
    share: Option<Share>,
}

impl Place {
    /// A place, and how many are taken with it.
    fn take(connections: &Connections) -> (Self, usize) {
        let (metrics, open) = (connections.metrics.clone(), connections.open.clone());
        let taken = open.fetch_add(1, Ordering::Relaxed) + 1;
        metrics.connections.set(taken as f64);
        let place = Self {
            metrics,
            open,
            share: None,
        };
        (place, taken)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let open = self.open.fetch_sub(1, Ordering::Relaxed) - 1;
        self.metrics.connections.set(open as f64);
    }
}

/// A connection that was let in.
pub struct Connection {
    stream: TcpStream,
    patience: Option<Patience>,
    place: Place,
}

/// How long what a client has begun to send may stay without an answer.
struct Patience {
    limit: Duration,
    /// When the first byte came that no answer followed.
    began: Option<Instant>,
    /// Set when it is first needed, and from then on only when it has run out: not for every request.
    timer: Option<Pin<Box<Sleep>>>,
}

impl Patience {
    /// The body's own limit answers 408; this one must not come before.
    const SLACK: Duration = Duration::from_secs(1);

    fn new(limits: &LimitsConfig) -> Self {
        Self {
            limit: limits.head_time + limits.body_time + Self::SLACK,
            began: None,
            timer: None,
        }
    }

    /// Ready when it is at its end.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(began) = self.began else {
            return Poll::Pending;
        };
        let end = began + self.limit;
        let new = || Box::pin(sleep_until(end));
        let timer = self.timer.get_or_insert_with(new);
        ready!(timer.as_mut().poll(cx));
        if timer.deadline() < end {
            // It was set for a request that was answered.
            timer.as_mut().reset(end);
            return timer.as_mut().poll(cx);
        }
        Poll::Ready(())
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(cx, buffer);
        let Some(patience) = &mut this.patience else {
            return read;
        };
        if read.is_pending() {
            ready!(patience.poll(cx));
            this.place.metrics.refused(Refusal::Slow);
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        if buffer.filled().len() > before {
            patience.began.get_or_insert_with(Instant::now);
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Some(patience) = &mut self.patience {
            patience.began = None;
        }
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
