//! The two processes of an association.

use core::time::Duration;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};
use sheave::{Association, Config, Endpoint, Message, Options, StreamId, Target};

use super::{MESSAGE, SOON, options};
use crate::live::Parent;

/// The SCTP port.
const PORT: u16 = 7;
/// Longer than any run.
const LATER: Duration = Duration::from_secs(300);

/// Acts as the server or the client, depending on the part, until the parent ends the process.
pub(in super::super) fn take_part(part: &Value, parent: &Parent) -> Result<(), String> {
    let buffer = part["buffer"].as_u64();
    let buffer = buffer.and_then(|bytes| usize::try_from(bytes).ok());
    let options = options(buffer.ok_or("the part names no buffer")?);
    match part["to"].as_str() {
        None => serve(options, parent),
        Some(to) => send(options, to),
    }
}

fn serve(options: Options, parent: &Parent) -> Result<(), String> {
    let endpoint = bind()?;
    let listener = endpoint.listen(PORT, options);
    let listener = listener.map_err(|error| error.to_string())?;
    parent.tell(&json!({ "port": endpoint.udp_port() }))?;
    let association = listener.accept_timeout(SOON).ok_or("no client came")?;
    parent.tell(&json!("open"))?;
    let bytes = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&bytes);
    thread::spawn(move || receive(&association, &counter));
    let began = Instant::now();
    loop {
        parent.hear(LATER)?;
        let seconds = began.elapsed().as_secs_f64();
        let bytes = bytes.load(Ordering::Relaxed);
        parent.tell(&json!({ "bytes": bytes, "seconds": seconds }))?;
    }
}

/// Receives messages until the association ends.
fn receive(association: &Association, bytes: &AtomicU64) {
    while let Ok(Some(received)) = association.receive_timeout(LATER) {
        let len = received.message.payload.len() as u64;
        bytes.fetch_add(len, Ordering::Relaxed);
    }
}

fn send(options: Options, to: &str) -> Result<(), String> {
    let to: SocketAddr = to.parse().map_err(|_| format!("no address: {to}"))?;
    let endpoint = bind()?;
    let target = Target::over_udp([to.ip()], to.port(), PORT).with_options(options);
    let association = endpoint
        .connect_timeout(target, SOON)
        .map_err(|error| error.to_string())?;
    loop {
        let sent = association.send(Message::new(StreamId(0), vec![0; MESSAGE]));
        sent.map_err(|error| error.to_string())?;
    }
}

fn bind() -> Result<Endpoint, String> {
    let config = Config::udp([Ipv4Addr::LOCALHOST.into()], 0);
    Endpoint::bind(config).map_err(|error| error.to_string())
}
