//! Minimal HTTP for signalling: serves a page, and answers a POSTed offer.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::{Failure, While};

/// Largest request or response with head and body, bytes.
const LONGEST: usize = 256 << 10;

/// Most headers of a request.
const HEADERS: usize = 64;

/// Timeout for each request or response.
const PATIENCE: Duration = Duration::from_secs(5);

/// Listens for requests.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

/// A received request.
pub struct Request {
    stream: TcpStream,
    method: String,
    path: String,
    body: String,
}

impl Server {
    /// Listens at this address.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// The address, with the port chosen by the system.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next valid request, if one arrives in time.
    pub fn accept(&self, limit: Duration) -> Option<Request> {
        let deadline = Instant::now() + limit;
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => return Request::read(stream),
                Err(_) if Instant::now() >= deadline => return None,
                Err(_) => thread::sleep(Duration::from_millis(10)),
            }
        }
    }
}

impl Request {
    fn read(mut stream: TcpStream) -> Option<Self> {
        stream.set_nonblocking(false).ok()?;
        let mut bytes = Vec::new();
        let (head, method, path) = read_until(&mut stream, &mut bytes, |bytes| {
            let mut headers = [httparse::EMPTY_HEADER; HEADERS];
            let mut request = httparse::Request::new(&mut headers);
            match request.parse(bytes) {
                Ok(httparse::Status::Complete(length)) => {
                    let (method, path) = (request.method?.to_owned(), request.path?.to_owned());
                    let body = content_length(request.headers);
                    Some(Ok((Head { length, body }, method, path)))
                }
                Ok(httparse::Status::Partial) => None,
                Err(_) => Some(Err(())),
            }
        })?;
        let body = read_body(&mut stream, bytes, &head)?;
        Some(Self {
            stream,
            method,
            path,
            body,
        })
    }

    /// Whether the request has this method and path.
    pub fn is(&self, method: &str, path: &str) -> bool {
        let own = self.path.split('?').next().unwrap_or_default();
        self.method == method && own == path
    }

    /// The request body.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Replies with an HTML page.
    pub fn reply_page(&mut self, page: &str) {
        self.reply("200 OK", "text/html; charset=utf-8", page);
    }

    /// Replies with JSON.
    pub fn reply_json(&mut self, json: &str) {
        self.reply("200 OK", "application/json", json);
    }

    /// Replies with an error.
    pub fn refuse(&mut self, status: &str, why: &str) {
        self.reply(status, "text/plain; charset=utf-8", why);
    }

    fn reply(&mut self, status: &str, kind: &str, body: &str) {
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
             Cache-Control: no-store\r\nConnection: close\r\n\r\n",
            body.len()
        );
        // Ignores errors: the browser may be gone.
        let _ = self.stream.write_all(head.as_bytes());
        let _ = self.stream.write_all(body.as_bytes());
    }
}

/// Posts a body to `http://HOST[:PORT]` and returns the response body.
/// Errors: the URL is invalid, the server does not answer, or the server refuses.
pub fn post(url: &str, path: &str, body: &str) -> Result<String, Failure> {
    let usage = || {
        Failure::usage(format!("{url}: not a URL of `sheave dc serve`"))
            .fix("write it as http://HOST:PORT; there is no https")
    };
    let host = url.strip_prefix("http://").ok_or_else(usage)?;
    let host = host.trim_end_matches('/');
    if host.is_empty() || host.contains('/') {
        return Err(usage());
    }
    let has_port = host
        .rsplit_once(':')
        .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let target = if has_port {
        host.to_owned()
    } else {
        format!("{host}:80")
    };
    let mut stream = TcpStream::connect(&target).while_doing(&target)?;
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).while_doing(&target)?;
    let (status, reply) = read_response(&mut stream)
        .ok_or_else(|| Failure::new(format!("{target}: no answer that is HTTP")))?;
    match status {
        200 => Ok(reply),
        status => Err(Failure::new(format!(
            "{target} refuses ({status}): {}",
            reply.trim()
        ))),
    }
}

fn read_response(stream: &mut TcpStream) -> Option<(u16, String)> {
    let mut bytes = Vec::new();
    let (head, status) = read_until(stream, &mut bytes, |bytes| {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        match response.parse(bytes) {
            Ok(httparse::Status::Complete(length)) => {
                let body = content_length(response.headers);
                Some(Ok((Head { length, body }, response.code?)))
            }
            Ok(httparse::Status::Partial) => None,
            Err(_) => Some(Err(())),
        }
    })?;
    Some((status, read_body(stream, bytes, &head)?))
}

/// A parsed head: its length and the body's length.
struct Head {
    length: usize,
    body: usize,
}

/// Reads until `parse` returns a value.
fn read_until<T>(
    stream: &mut TcpStream,
    bytes: &mut Vec<u8>,
    parse: impl Fn(&[u8]) -> Option<Result<T, ()>>,
) -> Option<T> {
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let deadline = Instant::now() + PATIENCE;
    let mut part = [0; 8192];
    loop {
        if let Some(parsed) = parse(bytes) {
            return parsed.ok();
        }
        let length = stream.read(&mut part).ok().filter(|length| *length > 0)?;
        bytes.extend_from_slice(part.get(..length)?);
        if bytes.len() > LONGEST || Instant::now() > deadline {
            return None;
        }
    }
}

fn read_body(stream: &mut TcpStream, mut bytes: Vec<u8>, head: &Head) -> Option<String> {
    let end = head.length.checked_add(head.body)?;
    if end > LONGEST {
        return None;
    }
    read_until(stream, &mut bytes, |bytes| {
        (bytes.len() >= end).then_some(Ok(()))
    })?;
    String::from_utf8(bytes.get(head.length..end)?.to_vec()).ok()
}

fn content_length(headers: &[httparse::Header<'_>]) -> usize {
    let length = headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let text = length.and_then(|header| std::str::from_utf8(header.value).ok());
    text.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}
