//! Throughput test: sends messages for a given time; the receiver counts them.
//!
//! The channel label is `load`. Its opener sends binary messages, then the text `{"done":true}`;
//! the receiver answers with `{"bytes":N,"messages":N,"seconds":S}`.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sheave_datachannel::{ChannelConfig, Kind, Message};

use super::session::json_of;
use crate::units::iperf_rate;

/// Most messages per turn, so that acknowledgements are processed in between.
const BURST: usize = 256;

/// The sender's side.
pub struct Load {
    time: Duration,
    size: usize,
    sent: u64,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting,
    Until(Instant),
    Sent,
    Done,
}

impl Load {
    /// The label of the load channel.
    pub const LABEL: &str = "load";

    /// Creates a test of this duration and message size.
    pub fn new(time: Duration, size: usize) -> Self {
        Self {
            time,
            size,
            sent: 0,
            stage: Stage::Waiting,
        }
    }

    /// The configuration of the load channel.
    pub fn channel() -> ChannelConfig {
        ChannelConfig::new(Self::LABEL)
    }

    /// Starts sending once the channel is open.
    pub fn start(&mut self, now: Instant) {
        self.stage = Stage::Until(now + self.time);
    }

    /// Sends while there is room.
    pub fn pump(&mut self, now: Instant, send: &mut dyn FnMut(Message) -> bool) {
        let Stage::Until(end) = self.stage else {
            return;
        };
        if now >= end {
            if send(Message::text(json!({ "done": true }).to_string())) {
                self.stage = Stage::Sent;
            }
            return;
        }
        for _ in 0..BURST {
            // Allocates each message, as an application would.
            let [byte, ..] = self.sent.to_le_bytes();
            if !send(Message::binary(vec![byte; self.size])) {
                return;
            }
            self.sent += 1;
        }
    }

    /// Handles the receiver's report.
    pub fn on_report(&mut self, message: &Message) -> Option<(Value, String)> {
        let report = json_of(message)?;
        let bytes = report["bytes"].as_u64()?;
        let seconds = report["seconds"]
            .as_f64()
            .filter(|seconds| *seconds > 0.0)?;
        self.stage = Stage::Done;
        let rate = bytes as f64 * 8.0 / seconds;
        let fields = json!({
            "bytes": bytes, "messages": report["messages"], "seconds": seconds,
            "bits_per_second": rate,
        });
        Some((
            fields,
            format!(
                "{}/s in {seconds:.1} s",
                iperf_rate(rate).trim_end_matches("/sec")
            ),
        ))
    }

    /// Whether the report has arrived.
    pub fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }
}

/// The receiver's side.
#[derive(Debug, Default)]
pub struct Counter {
    bytes: u64,
    messages: u64,
    began: Option<Instant>,
}

impl Counter {
    /// Counts a message; returns the report after the last one.
    pub fn on_message(&mut self, now: Instant, message: &Message) -> Option<String> {
        let began = *self.began.get_or_insert(now);
        if message.kind == Kind::Binary {
            self.bytes += message.payload.len() as u64;
            self.messages += 1;
            return None;
        }
        let seconds = now.saturating_duration_since(began).as_secs_f64();
        let report = json!({
            "bytes": self.bytes, "messages": self.messages, "seconds": seconds,
        });
        Some(report.to_string())
    }
}
