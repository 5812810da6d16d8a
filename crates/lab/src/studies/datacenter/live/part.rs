//! The processes of a live run: one sends, one receives.

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

/// Time after which a part gives up.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// The task of a process of a live run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Part {
    /// Sending or receiving.
    Carry(Carry),
    /// Weighing associations.
    Weigh,
}

/// The task of one end of a transfer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Carry {
    pub(super) role: Role,
    pub(super) load: Load,
    /// The network to set up, for the end that does it.
    pub(super) stage: Option<Network>,
}

/// The network of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Network {
    pub(super) segmentation: Segmentation,
    /// Packets that are lost by chance, if any are.
    pub(super) loss_percent: Option<f64>,
}

/// The end of a transfer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Role {
    Receive,
    /// An address of the receiver for each connection.
    Send(Vec<SocketAddr>),
}

/// The messages of a transfer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Load {
    pub(super) variant: String,
    /// Bytes of a message.
    pub(super) message: usize,
    pub(super) connections: u16,
    /// Streams of each connection, with a sending thread each.
    pub(super) streams: u16,
    /// Bytes of the send and receive buffers.
    pub(super) buffer: usize,
    /// Messages that are sent; without end if `None`.
    pub(super) count: Option<u64>,
    pub(super) processors: Processors,
}

/// The processors on which the processes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Processors {
    /// A processor for each process, another one each.
    One,
    /// Any.
    All,
}

/// The work of a process within the time that was measured.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) bytes: u64,
    pub(super) cost: Cost,
    /// Bytes and packets on the interface.
    pub(super) carried: Option<(u64, u64)>,
}

/// Bytes that this end has handed over so far.
pub(super) type Count = Arc<AtomicU64>;

impl Load {
    pub(super) fn variant(&self) -> Result<Variant, String> {
        let variant = Variant::named(&self.variant, self.buffer);
        variant.ok_or_else(|| format!("there is no variant {}", self.variant))
    }

    /// The address of one of the connections: each has a loopback address of its own.
    pub(super) fn address(connection: u16) -> IpAddr {
        let [high, low] = connection.saturating_add(1).to_be_bytes();
        Ipv4Addr::new(127, 0, high, low).into()
    }
}

/// Plays the part that the parent has given us.
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
    // Not where callgrind counts: it cannot run what reads the clock of the meter.
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

/// From the parent's first word to its second.
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

/// Until so many bytes have been handed over.
fn await_all(parent: &Parent, count: &Count, bytes: u64) -> Result<(), String> {
    while count.load(Ordering::Relaxed) < bytes {
        // Callgrind counts the looking, too.
        thread::sleep(Duration::from_millis(10));
    }
    parent.tell(&json!({ "bytes": bytes }))?;
    wait_for_the_end(parent)
}

/// The process ends with its input; the sockets are open until then.
fn wait_for_the_end(parent: &Parent) -> Result<(), String> {
    parent.hear(PATIENCE).map(|_| ())
}

/// Binds this process to one processor: the receiver to the second one of those that it may use.
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
