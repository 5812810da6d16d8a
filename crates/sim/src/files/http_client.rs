use bytes::Bytes;
use sheave_engine::Time;

use super::lines::Lines;
use super::{FileReceipts, Files};
use crate::{Admission, Progress, Standing, Transport, Workload};

/// When the next file is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Requests {
    /// After the previous file has arrived.
    #[default]
    OneByOne,
    /// At once: pipelining (RFC 9112 §9.3.2).
    Pipelined,
}

/// Downloads files over HTTP/1.1 on one persistent connection (RFC 9112 §9.3). The transport is a
/// byte stream.
#[derive(Debug)]
pub struct HttpClient {
    requests: Requests,
    files: Files,
    asked: u32,
    responses: Lines,
    response: Response,
    receipts: FileReceipts,
}

/// The response being parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Response {
    /// The head of a response; holds Content-Length once parsed.
    Head { len: Option<u64> },
    /// The body: its length, and the bytes still missing.
    Body { len: u64, left: u64 },
}

impl HttpClient {
    /// A client that fetches `files`.
    #[must_use]
    pub fn new(files: Files, requests: Requests) -> Self {
        Self {
            requests,
            files,
            asked: 0,
            responses: Lines::default(),
            response: Response::Head { len: None },
            receipts: FileReceipts::new(files),
        }
    }

    /// The files received.
    pub const fn receipts(&self) -> &FileReceipts {
        &self.receipts
    }

    fn may_ask(&self) -> bool {
        let there = self.receipts.receipts().len() as u64;
        let may = match self.requests {
            Requests::OneByOne => u64::from(self.asked) == there,
            Requests::Pipelined => true,
        };
        may && self.asked < self.files.count
    }

    fn ask(&mut self, now: Time, transport: &mut dyn Transport) {
        while self.may_ask() {
            match transport.send(now, 0, request(self.asked)) {
                Admission::Full => return,
                Admission::Taken => self.asked += 1,
            }
        }
    }

    /// Parses one step further; returns whether progress was made.
    fn read(&mut self, now: Time) -> bool {
        match self.response {
            Response::Head { len } => {
                let Some(line) = self.responses.poll_line() else {
                    return false;
                };
                self.response = self.on_head(&line, len);
            }
            Response::Body { len, left: 0 } => {
                let number = u32::try_from(self.receipts.receipts().len()).unwrap_or(u32::MAX);
                self.receipts.on_file(now, number, len);
                self.response = Response::Head { len: None };
            }
            Response::Body { len, left } => {
                let left = left - self.responses.discard(left);
                self.response = Response::Body { len, left };
                return left == 0;
            }
        }
        true
    }

    fn on_head(&mut self, line: &str, len: Option<u64>) -> Response {
        if line.starts_with("HTTP/") && !line.contains(" 200 ") {
            self.receipts.on_failure();
        }
        match (line.split_once(": "), len) {
            (None, Some(len)) if line.is_empty() => Response::Body { len, left: len },
            (Some(("Content-Length", value)), _) => Response::Head {
                len: value.parse().ok(),
            },
            _ => Response::Head { len },
        }
    }
}

/// A minimal request.
fn request(number: u32) -> Bytes {
    let name = Files::name(number);
    let text = format!(
        "GET /{name} HTTP/1.1\r\nHost: files.example.org\r\nUser-Agent: sheave\r\nAccept: */*\r\n\r\n"
    );
    text.into()
}

impl Workload for HttpClient {
    fn run(&mut self, now: Time, transport: &mut dyn Transport) {
        while let Some(arrival) = transport.receive(now) {
            self.responses.push(&arrival.payload);
        }
        while self.read(now) {}
        match transport.standing() {
            Standing::Opening => {}
            Standing::Open => self.ask(now, transport),
            Standing::Closed => self.receipts.on_failure(),
        }
    }

    fn progress(&self) -> Progress {
        self.receipts.progress()
    }
}
