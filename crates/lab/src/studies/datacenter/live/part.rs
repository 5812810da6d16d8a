//! The processes of a live run: a sender and a receiver.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rustix::thread::{CpuSet, sched_setaffinity};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::variant::{Transport, Variant};
use super::{block, sctp_ends, tcp_ends};
use crate::live::{Cost, Meter, Parent, Segmentation, Stage, carried};

/// Time-out of a part.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Task of a process in a live run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Part {
    /// Send or receive.
    Carry(Carry),
    /// Measure the memory of associations.
    Weigh,
}

/// Task of one end of a transfer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Carry {
    pub(super) role: Role,
    pub(super) load: Load,
    /// The network to configure; set at one end only.
    pub(super) stage: Option<Network>,
}

/// Network of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Network {
    pub(super) segmentation: Segmentation,
    /// Random loss, per cent; `None` without loss.
    pub(super) loss_percent: Option<f64>,
}

/// The end of a transfer that the process is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Role {
    Receive,
    /// The sender, with an address of the receiver for each connection.
    Send(Vec<SocketAddr>),
}

/// The load of a transfer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Load {
    pub(super) variant: String,
    /// Message size, bytes.
    pub(super) message: usize,
    pub(super) connections: u16,
    /// Streams per connection, each with its own sending thread.
    pub(super) streams: u16,
    /// Size of the send and receive buffers, bytes.
    pub(super) buffer: usize,
    /// Number of messages; `None` sends until the process ends.
    pub(super) count: Option<u64>,
    pub(super) processors: Processors,
}

/// The processors that the processes may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Processors {
    /// A single processor per process, a different one for each.
    One,
    /// Every processor.
    All,
}

/// Result of a process for the measured interval.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) bytes: u64,
    pub(super) cost: Cost,
    /// Bytes and packets on the interface, if known.
    pub(super) carried: Option<(u64, u64)>,
}

/// Counts bytes transferred at this end.
pub(super) type Count = Arc<AtomicU64>;

impl Load {
    pub(super) fn variant(&self) -> Result<Variant, String> {
        let variant = Variant::named(&self.variant, self.buffer);
        variant.ok_or_else(|| format!("there is no variant {}", self.variant))
    }

    /// The loopback address of a connection; each connection has its own.
    pub(super) fn address(connection: u16) -> IpAddr {
        let [high, low] = connection.saturating_add(1).to_be_bytes();
        Ipv4Addr::new(127, 0, high, low).into()
    }
}

/// Executes the task that the parent passed.
pub(in super::super) fn take(part: &Value, parent: &Parent) -> Result<(), String> {
    match serde_json::from_value(part.clone()).map_err(|error| error.to_string())? {
        Part::Carry(part) => carry(&part, parent),
        Part::Weigh => {
            parent.tell(&json!({ "block_bytes": block::weigh() }))?;
            wait_for_the_end(parent)
        }
    }
}

fn carry(part: &Carry, parent: &Parent) -> Result<(), String> {
    // No meter under callgrind, which cannot execute the instruction that reads the meter's clock.
    let mut meter = part.load.count.is_none().then(Meter::of_this);
    if let Some(network) = part.stage {
        Stage::set(network.segmentation)?;
        if let Some(percent) = network.loss_percent {
            Stage::lose(percent)?;
        }
    }
    if part.load.processors == Processors::One {
        stay(part.role == Role::Receive)?;
    }
    let count = Count::default();
    let transport = part.load.variant()?.transport;
    match (&part.role, transport) {
        (Role::Receive, Transport::Tcp(_)) => {
            let ends = tcp_ends::listen(&part.load)?;
            parent.tell(&json!({ "listening": ends.addresses() }))?;
            ends.receive(&count);
        }
        (Role::Receive, Transport::Sctp { options, offload }) => {
            let ends = sctp_ends::listen(&part.load, &options, offload)?;
            parent.tell(&json!({ "listening": ends.addresses() }))?;
            ends.receive(&count);
        }
        (Role::Send(to), Transport::Tcp(nagle)) => {
            tcp_ends::send(&part.load, to, nagle, &count)?;
        }
        (Role::Send(to), Transport::Sctp { options, offload }) => {
            sctp_ends::send(&part.load, to, &options, offload, &count)?;
        }
    }
    if part.role != Role::Receive {
        parent.tell(&json!({ "sending": true }))?;
    }
    if let Some(meter) = &mut meter {
        return measure(parent, meter, &count);
    }
    let messages = part.load.count.unwrap_or_default();
    let streams = u64::from(part.load.streams) * u64::from(part.load.connections);
    let bytes = messages * streams * part.load.message as u64;
    await_all(parent, &count, bytes)
}

/// Measures between two messages from the parent.
fn measure(parent: &Parent, meter: &mut Meter, count: &Count) -> Result<(), String> {
    parent.hear(PATIENCE)?;
    let (bytes, before) = (count.load(Ordering::Relaxed), carried());
    meter.start();
    parent.hear(PATIENCE)?;
    let cost = meter.stop();
    let carried = carried().zip(before);
    let outcome = Outcome {
        bytes: count.load(Ordering::Relaxed) - bytes,
        cost,
        carried: carried.map(|(now, before)| (now.0 - before.0, now.1 - before.1)),
    };
    let mut value = serde_json::to_value(outcome).map_err(|error| error.to_string())?;
    value["missing_counters"] = json!(meter.missing_counters());
    parent.tell(&value)?;
    wait_for_the_end(parent)
}

/// Waits until that many bytes have been transferred.
fn await_all(parent: &Parent, count: &Count, bytes: u64) -> Result<(), String> {
    while count.load(Ordering::Relaxed) < bytes {
        // Sleeps, since callgrind would also count the polling.
        thread::sleep(Duration::from_millis(10));
    }
    parent.tell(&json!({ "bytes": bytes }))?;
    wait_for_the_end(parent)
}

/// Keeps sockets open until the process ends, when its standard input closes.
fn wait_for_the_end(parent: &Parent) -> Result<(), String> {
    parent.hear(PATIENCE).map(|_| ())
}

/// Pins this process to a processor: the receiver to the second one allowed, the sender to the
/// first.
fn stay(is_receiver: bool) -> Result<(), String> {
    let failed = |error| format!("cannot choose a processor: {error}");
    let allowed = rustix::thread::sched_getaffinity(None).map_err(failed)?;
    let mut usable = (0..CpuSet::MAX_CPU).filter(|processor| allowed.is_set(*processor));
    let first = usable.next().unwrap_or(0);
    let mut one = CpuSet::new();
    one.set(if is_receiver {
        usable.next().unwrap_or(first)
    } else {
        first
    });
    sched_setaffinity(None, &one).map_err(failed)
}
