//! The two processes of an association.

use core::time::Duration;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};
use sheave::{Association, Options};

use super::{MESSAGE, SOON, options};
use crate::live::{Parent, call, say, serve};

/// Longer than any run.
const LATER: Duration = Duration::from_secs(300);

/// Acts as the server or the client, depending on the part, until the parent ends the process.
pub(in super::super) fn take_part(part: &Value, parent: &Parent) -> Result<(), String> {
    let buffer = part["buffer"].as_u64();
    let buffer = buffer.and_then(|bytes| usize::try_from(bytes).ok());
    let options = options(buffer.ok_or("the part names no buffer")?);
    match part["to"].as_str() {
        None => count(options, parent),
        Some(to) => send(options, to),
    }
}

fn count(options: Options, parent: &Parent) -> Result<(), String> {
    let (_endpoint, association) = serve(parent, Ipv4Addr::LOCALHOST, options, SOON)?;
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
    let (_endpoint, association) = call(Ipv4Addr::LOCALHOST, to, options, SOON)?;
    loop {
        say(&association, 0, vec![0; MESSAGE])?;
    }
}
