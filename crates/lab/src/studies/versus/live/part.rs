//! The processes of a live run: a sender and a receiver.

mod tally;

use core::time::Duration;
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::thread;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sheave::Options;
use sheave::error::ReceiveError;

use self::tally::Tally;
use crate::live::{
    FAR, NEAR, Parent, STAMP, call, clock, say, serve, stamp, tcp_accept, tcp_socket, tcp_stream,
    text,
};
use crate::studies::versus::{MESSAGE, TCP};

/// Longer than any run.
const LATER: Duration = Duration::from_secs(600);
/// Time limit for a client to connect.
const SOON: Duration = Duration::from_secs(60);

/// Task of a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) side: String,
    pub(super) work: Work,
    /// Congestion control of a TCP connection, by the kernel's name.
    pub(super) congestion: String,
    /// Delay before the sender starts.
    pub(super) start: Duration,
    /// The receiver's address, for the sender.
    pub(super) to: Option<SocketAddr>,
}

/// The amount of data, or the duration, of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Work {
    /// A number of bytes.
    Bytes(u64),
    /// An unlimited amount; only bytes between these times after the sender's start are counted.
    During { from: Duration, until: Duration },
}

/// Receives or sends, depending on the part, until the parent ends the process.
pub(in super::super) fn take_part(part: &Value, parent: &Parent) -> Result<(), String> {
    let part = Part::deserialize(part).map_err(|error| format!("no part: {error}"))?;
    let tally = Tally::new(part.work);
    match (part.side.as_str(), part.to) {
        (TCP, None) => serve_tcp(&part, tally, parent)?,
        (TCP, Some(to)) => send_tcp(&part, to)?,
        (_, None) => serve_sctp(tally, parent)?,
        (_, Some(to)) => send_sctp(&part, to)?,
    }
    // The other side may still need this process.
    thread::sleep(LATER);
    Ok(())
}

/// The messages of a sender that starts now; endless if the work has no size.
fn messages(part: &Part) -> impl Iterator<Item = Vec<u8>> {
    let (len, count) = match part.work {
        Work::Bytes(bytes) => {
            let len = bytes.min(MESSAGE as u64);
            (len, bytes.div_ceil(len))
        }
        Work::During { .. } => (MESSAGE as u64, u64::MAX),
    };
    let began = stamp(clock());
    (0..count).map(move |number| {
        let mut message = vec![0; usize::try_from(len).unwrap_or(MESSAGE)];
        if number == 0 {
            message[..STAMP].copy_from_slice(&began);
        }
        message
    })
}

fn serve_sctp(mut tally: Tally, parent: &Parent) -> Result<(), String> {
    let (_endpoint, association) = serve(parent, FAR, Options::default(), SOON)?;
    while !tally.is_over() {
        match association.receive_timeout(tally.patience()) {
            Ok(Some(received)) => tally.take(&received.message.payload),
            Ok(None) => return Err("the client ended early".to_owned()),
            Err(ReceiveError::NotYet) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    tally.tell(parent)?;
    thread::sleep(LATER);
    Ok(())
}

fn send_sctp(part: &Part, to: SocketAddr) -> Result<(), String> {
    thread::sleep(part.start);
    let messages = messages(part);
    let (_endpoint, association) = call(NEAR, to, Options::default(), SOON)?;
    for message in messages {
        say(&association, 0, message)?;
    }
    thread::sleep(LATER);
    Ok(())
}

fn serve_tcp(part: &Part, mut tally: Tally, parent: &Parent) -> Result<(), String> {
    let socket = tcp_socket(&part.congestion)?;
    let mut stream = tcp_accept(socket, parent)?;
    let mut buffer = vec![0; 1 << 16];
    while !tally.is_over() {
        let patience = tally.patience().max(Duration::from_micros(1));
        stream.set_read_timeout(Some(patience)).map_err(text)?;
        match stream.read(&mut buffer) {
            Ok(0) => return Err("the client ended early".to_owned()),
            Ok(len) => tally.take(&buffer[..len]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(text(error)),
        }
    }
    tally.tell(parent)?;
    thread::sleep(LATER);
    Ok(())
}

fn send_tcp(part: &Part, to: SocketAddr) -> Result<(), String> {
    let socket = tcp_socket(&part.congestion)?;
    thread::sleep(part.start);
    let messages = messages(part);
    let mut stream = tcp_stream(socket, to)?;
    for message in messages {
        stream.write_all(&message).map_err(text)?;
    }
    thread::sleep(LATER);
    Ok(())
}
