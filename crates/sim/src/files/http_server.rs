use std::collections::VecDeque;

use bytes::Bytes;
use sheave_engine::Time;

use super::Files;
use super::lines::Lines;
use crate::{Admission, Transport, Workload};

/// Serves files over HTTP/1.1, in the order of the requests. The transport is a byte stream.
#[derive(Debug)]
pub struct HttpServer {
    files: Files,
    requests: Lines,
    /// First line of the request being parsed.
    request: Option<String>,
    /// Responses still to be sent.
    outgoing: VecDeque<Outgoing>,
}

#[derive(Clone, Debug)]
enum Outgoing {
    Head(Bytes),
    Body { left: u64 },
}

impl HttpServer {
    /// A server of `files`.
    #[must_use]
    pub fn new(files: Files) -> Self {
        Self {
            files,
            requests: Lines::default(),
            request: None,
            outgoing: VecDeque::new(),
        }
    }

    fn on_line(&mut self, line: String) {
        if !line.is_empty() {
            self.request.get_or_insert(line);
            return;
        }
        let Some(request) = self.request.take() else {
            return;
        };
        let name = request
            .strip_prefix("GET /")
            .and_then(|rest| rest.strip_suffix(" HTTP/1.1"));
        let found = name.and_then(|name| self.files.find(name)).is_some();
        let (status, len) = if found {
            ("200 OK", self.files.len)
        } else {
            ("404 Not Found", 0)
        };
        self.outgoing.push_back(Outgoing::Head(head(status, len)));
        self.outgoing.push_back(Outgoing::Body { left: len });
    }

    fn send(&mut self, now: Time, transport: &mut dyn Transport) {
        while let Some(outgoing) = self.outgoing.front_mut() {
            let payload = match outgoing {
                Outgoing::Head(head) => head.clone(),
                Outgoing::Body { left } => Files::content(*left),
            };
            let len = payload.len() as u64;
            if len > 0 && transport.send(now, 0, payload) == Admission::Full {
                return;
            }
            match outgoing {
                Outgoing::Body { left } if *left > len => *left -= len,
                Outgoing::Head(_) | Outgoing::Body { .. } => {
                    self.outgoing.pop_front();
                }
            }
        }
    }
}

/// A minimal response head.
fn head(status: &str, len: u64) -> Bytes {
    let text = format!(
        "HTTP/1.1 {status}\r\nServer: sheave\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\
         Content-Type: application/octet-stream\r\nContent-Length: {len}\r\n\r\n"
    );
    text.into()
}

impl Workload for HttpServer {
    fn run(&mut self, now: Time, transport: &mut dyn Transport) {
        while let Some(arrival) = transport.receive(now) {
            self.requests.push(&arrival.payload);
        }
        while let Some(line) = self.requests.poll_line() {
            self.on_line(line);
        }
        self.send(now, transport);
    }
}
