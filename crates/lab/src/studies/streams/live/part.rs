//! The two processes of a live run.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sheave::options::PathMtuDiscovery;
use sheave::{Options, Profile};

use super::{INTERVAL, LATER, SOON};
use crate::Settings;
use crate::live::{
    Parent, call, clock, say, serve, stamp, stamped, tcp_accept, tcp_socket, tcp_stream, text,
};
use crate::settings::whole;

/// TCP's congestion control, the same as in the simulated counterpart.
const CONGESTION: &str = "reno";

/// Size of a file's messages, bytes, the same as in the simulated counterpart; larger ones would be fragmented, since
/// the packets also have a UDP header.
const MESSAGE: usize = 1440;

/// The messages to send.
struct Load {
    count: u64,
    len: usize,
    streams: u16,
    /// Time between messages; `None` sends all at once.
    interval: Option<Duration>,
    /// Size of the receive buffer, bytes.
    buffer: usize,
}

/// Counts received messages.
struct Tally {
    began: Instant,
    left: u64,
    bytes: u64,
    delays: Vec<f64>,
}

/// Acts as the server or the client, depending on the part.
pub(in super::super) fn take_part(part: &Value, parent: &Parent) -> Result<(), String> {
    let settings: Settings = serde_json::from_value(part["settings"].clone())
        .map_err(|error| format!("no settings: {error}"))?;
    let load = Load::new(&settings);
    let to = part["to"].as_str().and_then(|to| to.parse().ok());
    match (settings.text("transport"), to) {
        ("tcp", None) => serve_tcp(&load, parent),
        ("tcp", Some(to)) => send_tcp(&load, to),
        (_, None) => serve_sctp(&load, parent),
        (_, Some(to)) => send_sctp(&load, to),
    }
}

/// Keeps the process alive, since the other side may still need it; the parent ends it.
#[expect(clippy::unnecessary_wraps, reason = "the end of what can fail")]
fn stay() -> Result<(), String> {
    thread::sleep(LATER);
    Ok(())
}

impl Load {
    fn new(settings: &Settings) -> Self {
        let (count, len, interval) = match settings.value("messages") {
            Some(_) => (settings.number("messages"), 1000, Some(INTERVAL)),
            None => (settings.number("bytes") / MESSAGE as f64, MESSAGE, None),
        };
        Self {
            count: whole(count.ceil()),
            len,
            streams: settings.whole::<u16>("streams").max(1),
            interval,
            buffer: whole(settings.number("buffer_kib") * 1024.0),
        }
    }

    /// Calls `send` with each message and its stream when the message is due.
    fn each(&self, mut send: impl FnMut(u16, Vec<u8>) -> Result<(), String>) -> Result<(), String> {
        let began = Instant::now();
        for number in 0..self.count {
            if let Some(interval) = self.interval {
                let due = interval.mul_f64(number as f64);
                thread::sleep(due.saturating_sub(began.elapsed()));
            }
            let stream = u16::try_from(number % u64::from(self.streams)).unwrap_or(0);
            let mut message = stamp(clock()).to_vec();
            message.resize(self.len, 0);
            send(stream, message)?;
        }
        Ok(())
    }
}

impl Tally {
    fn new(load: &Load) -> Self {
        Self {
            began: Instant::now(),
            left: load.count,
            bytes: 0,
            delays: Vec::new(),
        }
    }

    fn take(&mut self, message: &[u8]) {
        self.left -= 1;
        self.bytes += message.len() as u64;
        if let Some(sent) = stamped(message) {
            let delay = clock().saturating_sub(sent);
            self.delays.push(delay.as_nanos() as f64 * 1e-9);
        }
    }

    fn tell(&self, parent: &Parent) -> Result<(), String> {
        let seconds = self.began.elapsed().as_secs_f64();
        parent.tell(&json!({ "bytes": self.bytes, "seconds": seconds, "delays": self.delays }))
    }
}

fn serve_sctp(load: &Load, parent: &Parent) -> Result<(), String> {
    let (_endpoint, association) = serve(parent, Ipv4Addr::LOCALHOST, options(load), SOON)?;
    let mut tally = Tally::new(load);
    while tally.left > 0 {
        let received = association.receive_timeout(LATER);
        let received = received.map_err(|error| error.to_string())?;
        let received = received.ok_or("the client ended early")?;
        tally.take(&received.message.payload);
    }
    tally.tell(parent)?;
    stay()
}

/// Default options, with the same maximum packet size as TCP's and the run's receive buffer.
fn options(load: &Load) -> Options {
    let usual = Profile::Rfc9260.options();
    Options {
        path_mtu_discovery: PathMtuDiscovery::Off,
        partial_delivery_point: usual.partial_delivery_point.min(load.buffer / 2),
        receive_buffer: load.buffer,
        ..usual
    }
}

fn send_sctp(load: &Load, to: SocketAddr) -> Result<(), String> {
    let (_endpoint, association) = call(Ipv4Addr::LOCALHOST, to, options(load), LATER)?;
    load.each(|stream, message| say(&association, stream, message))?;
    stay()
}

fn serve_tcp(load: &Load, parent: &Parent) -> Result<(), String> {
    let socket = tcp_socket(CONGESTION)?;
    // The kernel doubles the size for its own overhead.
    socket.set_recv_buffer_size(load.buffer).map_err(text)?;
    let mut stream = tcp_accept(socket, parent)?;
    let mut tally = Tally::new(load);
    let mut message = vec![0; load.len];
    while tally.left > 0 {
        stream.read_exact(&mut message).map_err(text)?;
        tally.take(&message);
    }
    tally.tell(parent)?;
    stay()
}

fn send_tcp(load: &Load, to: SocketAddr) -> Result<(), String> {
    let mut stream = tcp_stream(tcp_socket(CONGESTION)?, to)?;
    load.each(|_, message| stream.write_all(&message).map_err(text))?;
    stay()
}
