//! The control messages of a measurement: JSON on stream 0.
//!
//! The client sends `Begin` on its first association and, after `Welcome`, `Join` on each further
//! one. After the last `Join` the server sends `Ready` on the first association, and both ends
//! begin. If the plan limits bytes, the server sends `Done` on each association once its share has
//! arrived. The client sends `End` when the time is over, and both ends then send their counters.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sheave::error::SendError;
use sheave::{Association, Message, Ppid, Reliability, StreamId};

use super::abandoned::Abandoned;
use super::row::Seen;
use crate::paths::PathReport;

/// The payload protocol identifier of control messages ("SHVP").
pub const CONTROL: Ppid = Ppid(0x5348_5650);
/// The payload protocol identifier of the bytes that are measured ("SHVD").
pub const LOAD: Ppid = Ppid(0x5348_5644);
/// The version of the protocol.
const VERSION: u16 = 2;
/// Most associations of a test.
pub const MAX_ASSOCIATIONS: u16 = 128;
/// Largest message, bytes.
pub const MAX_LENGTH: u64 = 16 << 20;
/// Longest control message, bytes.
const MAX_CONTROL: usize = 256 << 10;

/// The direction of the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the client to the server.
    Forward,
    /// From the server to the client.
    Reverse,
    /// Both directions at the same time.
    Both,
}

/// When a test ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// After this many milliseconds; 0 means until the client ends the test.
    Millis(u64),
    /// After this many bytes in each direction, over every association.
    Bytes(u64),
}

/// The parameters of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    version: u16,
    /// Identifies the test for further associations.
    pub cookie: String,
    /// Number of associations.
    pub associations: u16,
    /// Number of streams with load per association.
    pub streams: u16,
    /// Message size, bytes.
    pub length: u64,
    /// When the test ends.
    pub limit: Limit,
    /// Milliseconds at the start that are not counted.
    pub omit: u64,
    /// The direction of the load.
    pub direction: Direction,
    /// Limit of each association, bits per second.
    pub bitrate: Option<u64>,
    /// Messages sent at once under a rate limit.
    #[serde(default)]
    pub burst: u32,
    /// Lifetime of a message, milliseconds.
    #[serde(default)]
    pub lifetime: Option<u64>,
    /// Most retransmissions of a chunk.
    #[serde(default)]
    pub max_retransmissions: Option<u8>,
    /// Further tests of this client, for which a one-off server keeps running.
    #[serde(default)]
    pub further: u32,
    /// Whether the server sends its output to the client.
    #[serde(default)]
    pub server_output: ServerOutput,
}

/// Whether the server sends its output to the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerOutput {
    /// The output is not sent.
    #[default]
    Unwanted,
    /// The output follows the result.
    Wanted,
}

/// A part of the server's output, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Printed {
    /// Part of the text.
    Text(String),
    /// Part of the JSON document.
    Json(String),
    /// The end of the output.
    End,
}

/// Counters of one end.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// User bytes sent, per association.
    pub sent: Vec<u64>,
    /// User bytes received, per association.
    pub received: Vec<u64>,
    /// DATA chunks retransmitted, per association.
    pub retransmits: Vec<u64>,
    /// Messages abandoned, per association.
    #[serde(default)]
    pub abandoned: Vec<Abandoned>,
    /// Windows and round trips of each association's sender; empty for a receiver.
    #[serde(default)]
    pub seen: Vec<Seen>,
    /// The congestion control, by Linux's name.
    #[serde(default)]
    pub congestion: String,
    /// Measured time, seconds.
    pub seconds: f64,
    /// CPU time.
    pub cpu: Cpu,
    /// The paths of each association.
    #[serde(skip_deserializing)]
    pub paths: Vec<Vec<PathReport>>,
}

/// CPU time, per cent of elapsed time.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Cpu {
    pub total: f64,
    /// In user mode.
    pub user: f64,
    /// In the kernel.
    pub system: f64,
}

/// A message on stream 0.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Control {
    /// The client requests a test.
    Begin(Plan),
    /// The server accepts the test.
    Welcome,
    /// The server rejects the test.
    Refused(String),
    /// Adds an association to the test with this cookie.
    Join(String),
    /// Every association has joined; both ends begin.
    Ready,
    /// The server's share on this association has arrived or was abandoned.
    Done,
    /// The client ends the test.
    End,
    /// The counters of this end.
    Result(Tally),
    /// The server's output, if requested.
    Output(Printed),
}

impl Plan {
    /// A plan for one association and stream, ten seconds forward.
    pub fn new(cookie: String) -> Self {
        Self {
            version: VERSION,
            cookie,
            associations: 1,
            streams: 1,
            length: 64 << 10,
            limit: Limit::Millis(10_000),
            omit: 0,
            direction: Direction::Forward,
            bitrate: None,
            burst: 1,
            lifetime: None,
            max_retransmissions: None,
            further: 0,
            server_output: ServerOutput::Unwanted,
        }
    }

    /// Validates a client's plan.
    pub fn validate(&self) -> Result<(), String> {
        const DAY: u64 = 86_400_000;
        if self.version != VERSION {
            return Err(format!(
                "the server speaks version {VERSION}, not {}",
                self.version
            ));
        }
        let limit = match self.limit {
            Limit::Millis(millis) => millis <= DAY,
            Limit::Bytes(bytes) => bytes > 0,
        };
        let rules = [
            (
                (1..=MAX_ASSOCIATIONS).contains(&self.associations),
                "1 to 128 associations",
            ),
            ((1..u16::MAX).contains(&self.streams), "1 to 65534 streams"),
            (
                (1..=MAX_LENGTH).contains(&self.length),
                "messages of 1 byte to 16 MiB",
            ),
            (limit, "at most a day, and at least a byte"),
            (self.omit <= DAY, "at most a day omitted"),
            (self.bitrate != Some(0), "a bit rate above zero"),
            (self.cookie.len() <= 64, "a cookie of at most 64 bytes"),
        ];
        match rules.into_iter().find(|(holds, _)| !holds) {
            Some((_, rule)) => Err(format!("the server allows {rule}")),
            None => Ok(()),
        }
    }

    /// The uncounted time at the start.
    pub fn omitted(&self) -> Duration {
        Duration::from_millis(self.omit)
    }

    /// The reliability of the load's messages.
    pub fn reliability(&self) -> Reliability {
        match (self.lifetime, self.max_retransmissions) {
            (Some(millis), _) => Reliability::Timed(Duration::from_millis(millis)),
            (None, Some(most)) => Reliability::Retransmissions(most),
            (None, None) => Reliability::Reliable,
        }
    }

    /// Whether the client sends load.
    pub fn is_forward(&self) -> bool {
        self.direction != Direction::Reverse
    }

    /// Whether the server sends load.
    pub fn is_reverse(&self) -> bool {
        self.direction != Direction::Forward
    }
}

impl Control {
    /// Reads a message.
    /// Errors: the message does not belong to this protocol.
    pub fn parse(payload: &[u8]) -> Result<Self, String> {
        if payload.len() > MAX_CONTROL {
            return Err("a control message is too long".to_owned());
        }
        serde_json::from_slice(payload).map_err(|error| format!("no control message: {error}"))
    }

    /// Sends the message on stream 0.
    /// Errors: the association is closed or closing.
    pub fn send(&self, association: &Association) -> Result<(), SendError> {
        let payload = serde_json::to_vec(self).unwrap_or_default();
        association.send(Message::new(StreamId(0), payload).with_ppid(CONTROL))
    }
}

#[cfg(test)]
mod tests;
