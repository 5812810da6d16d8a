//! Counters of one association and direction, a line of the table.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::flow::Flow;
use crate::paths::PathReport;

/// Whether a row counts sent or received bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Sent,
    Received,
}

/// Counters of one association and direction.
pub struct Row {
    /// The flow's position.
    pub flow: usize,
    /// The direction.
    pub way: Way,
    /// The counted bytes, once the test is over.
    pub total: u64,
    /// The counted retransmissions of DATA chunks, once the test is over.
    pub retransmitted: u64,
    last: Counters,
    base: Counters,
    /// Windows and round trips at the ends of the intervals.
    pub seen: Seen,
}

/// A sender's windows and round trips at the ends of intervals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    max_cwnd: u64,
    max_rwnd: u64,
    max_rtt_us: u64,
    min_rtt_us: u64,
    sum_rtt_us: u64,
    rtts: u64,
}

impl Seen {
    fn add(&mut self, path: &PathReport, rwnd: u64) {
        self.max_cwnd = self.max_cwnd.max(path.cwnd);
        self.max_rwnd = self.max_rwnd.max(rwnd);
        let Some(rtt) = path.srtt_us else {
            return;
        };
        self.min_rtt_us = match self.rtts {
            0 => rtt,
            _ => self.min_rtt_us.min(rtt),
        };
        self.max_rtt_us = self.max_rtt_us.max(rtt);
        self.sum_rtt_us = self.sum_rtt_us.saturating_add(rtt);
        self.rtts += 1;
    }

    /// Writes iperf3's keys for the sender.
    fn write(&self, sender: &mut Value) {
        sender["max_snd_cwnd"] = self.max_cwnd.into();
        sender["max_snd_wnd"] = self.max_rwnd.into();
        sender["max_rtt"] = self.max_rtt_us.into();
        sender["min_rtt"] = self.min_rtt_us.into();
        sender["mean_rtt"] = (self.sum_rtt_us / self.rtts.max(1)).into();
    }
}

/// Counters of a row in one interval.
pub struct Interval {
    /// User bytes.
    pub bytes: u64,
    /// DATA chunks retransmitted.
    pub retransmits: u64,
    /// A sender's congestion window at the end of the interval.
    pub cwnd: Option<u64>,
    /// iperf3's keys.
    pub value: Value,
}

/// Both ends' counters of a row, or of a sum of rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Result {
    /// Bytes sent.
    pub sent: u64,
    /// Duration of sending.
    pub sent_in: Duration,
    /// Bytes received.
    pub received: u64,
    pub received_in: Duration,
    /// DATA chunks retransmitted.
    pub retransmits: u64,
}

#[derive(Clone, Copy, Default)]
struct Counters {
    bytes: u64,
    retransmits: u64,
}

impl Way {
    /// The bytes counted so far.
    pub fn count(self, flow: &Flow) -> u64 {
        match self {
            Self::Sent => flow.sent(),
            Self::Received => flow.received(),
        }
    }
}

impl Row {
    /// Creates a row for a flow.
    pub fn new(flow: usize, way: Way) -> Self {
        Self {
            flow,
            way,
            total: 0,
            retransmitted: 0,
            last: Counters::default(),
            base: Counters::default(),
            seen: Seen::default(),
        }
    }

    /// Starts counting.
    pub fn begin(&mut self, flow: &Flow) {
        self.base = self.counters(flow);
        self.last = self.base;
        self.seen = Seen::default();
    }

    /// Fixes the current counters as the result.
    pub fn settle(&mut self, flow: &Flow) {
        let now = self.counters(flow);
        self.total = now.bytes.saturating_sub(self.base.bytes);
        self.retransmitted = now.retransmits.saturating_sub(self.base.retransmits);
    }

    /// Whether bytes moved since the last interval ended.
    pub fn moves(&self, flow: &Flow) -> bool {
        self.counters(flow).bytes > self.last.bytes
    }

    pub fn interval(&mut self, flow: &Flow, start: Duration, end: Duration) -> Interval {
        let now = self.counters(flow);
        let bytes = now.bytes.saturating_sub(self.last.bytes);
        let retransmits = now.retransmits.saturating_sub(self.last.retransmits);
        self.last = now;
        let mut value = span(start, end, bytes);
        value["sender"] = (self.way == Way::Sent).into();
        let paths = PathReport::of(&flow.association);
        let mut cwnd = None;
        if self.way == Way::Sent {
            value["retransmits"] = retransmits.into();
            if let Some(path) = paths.iter().find(|path| path.primary).or(paths.first()) {
                cwnd = Some(path.cwnd);
                let stats = flow.association.stats();
                let rwnd = stats.map_or(0, |stats| stats.peer_rwnd).into();
                self.seen.add(path, rwnd);
                value["snd_cwnd"] = path.cwnd.into();
                value["snd_wnd"] = rwnd.into();
                value["rtt"] = path.srtt_us.into();
                value["rttvar"] = path.rttvar_us.into();
                value["pmtu"] = path.pmtu.into();
            }
        }
        value["sctp"] = json!({ "paths": paths });
        Interval {
            bytes,
            retransmits,
            cwnd,
            value,
        }
    }

    /// iperf3's keys for the result; `id` is the row's number, `seen` the sender's values.
    pub fn summary(&self, id: usize, result: &Result, seen: Option<&Seen>) -> Value {
        let is_sender = self.way == Way::Sent;
        let mut sender = span(Duration::ZERO, result.sent_in, result.sent);
        sender["socket"] = id.into();
        sender["retransmits"] = result.retransmits.into();
        sender["sender"] = is_sender.into();
        if let Some(seen) = seen {
            seen.write(&mut sender);
        }
        let mut receiver = span(Duration::ZERO, result.received_in, result.received);
        receiver["socket"] = id.into();
        receiver["sender"] = is_sender.into();
        json!({ "sender": sender, "receiver": receiver })
    }

    fn counters(&self, flow: &Flow) -> Counters {
        Counters {
            bytes: self.way.count(flow),
            retransmits: flow.retransmits(),
        }
    }
}

impl Result {
    /// Adds another row of the same duration.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.received += other.received;
        self.retransmits += other.retransmits;
        self.sent_in = other.sent_in;
        self.received_in = other.received_in;
    }
}

/// iperf3's keys for bytes in a time span.
pub fn span(start: Duration, end: Duration, bytes: u64) -> Value {
    let took = end.saturating_sub(start);
    json!({
        "start": start.as_secs_f64(),
        "end": end.as_secs_f64(),
        "seconds": took.as_secs_f64(),
        "bytes": bytes,
        "bits_per_second": bits_per_second(bytes, took),
    })
}

/// User bits per second.
pub fn bits_per_second(bytes: u64, took: Duration) -> f64 {
    bytes as f64 * 8.0 / took.as_secs_f64().max(1e-9)
}

#[cfg(test)]
mod tests;
