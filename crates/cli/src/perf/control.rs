//! The control messages of a measurement: JSON on stream 0.
//!
//! The client sends `Begin` on its first association and, after `Welcome`, `Join` on each further
//! one. The server answers `Ready` on the first one once all have joined, and both ends begin.
//! Where the number of bytes is limited, the server says `Done` on each association once all that it
//! was to send there has arrived. `End` comes from the client when the time is over; both ends then say
//! what they counted.

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
/// Associations of one test at most.
pub const MAX_ASSOCIATIONS: u16 = 128;
/// Largest message, bytes.
pub const MAX_LENGTH: u64 = 16 << 20;
/// No control message is longer, bytes.
const MAX_CONTROL: usize = 256 << 10;

/// Which way the bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the client to the server.
    Forward,
    /// From the server to the client.
    Reverse,
    /// Both ways at the same time.
    Both,
}

/// When a test ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// After that many milliseconds; 0: when the client says so.
    Millis(u64),
    /// After that many bytes each way, of all associations together.
    Bytes(u64),
}

/// The parameters of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    version: u16,
    /// Names the test, so that further associations find it.
    pub cookie: String,
    /// Associations.
    pub associations: u16,
    /// Streams of each that carry load.
    pub streams: u16,
    /// Bytes of a message.
    pub length: u64,
    /// When it ends.
    pub limit: Limit,
    /// Milliseconds at the beginning that do not count.
    pub omit: u64,
    /// Which way the bytes go.
    pub direction: Direction,
    /// Bits per second of each association at most.
    pub bitrate: Option<u64>,
    /// Messages that leave at once where the rate is limited.
    #[serde(default)]
    pub burst: u32,
    /// Milliseconds after which a message is no longer sent.
    #[serde(default)]
    pub lifetime: Option<u64>,
    /// Retransmissions of each chunk at most.
    #[serde(default)]
    pub max_retransmissions: Option<u8>,
    /// Tests of the same client that follow: a server that serves one client stays for them.
    #[serde(default)]
    pub further: u32,
    /// Whether the client wants to see what the server prints.
    #[serde(default)]
    pub server_output: ServerOutput,
}

/// Whether the client wants to see what the server prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerOutput {
    /// The client does not want it.
    #[default]
    Unwanted,
    /// The server sends it behind the result.
    Wanted,
}

/// A part of what the server printed, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Printed {
    /// Of a text for people.
    Text(String),
    /// Of a JSON document.
    Json(String),
    /// Nothing is left.
    End,
}

/// The counters of an end.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// User bytes sent, per association.
    pub sent: Vec<u64>,
    /// User bytes received, per association.
    pub received: Vec<u64>,
    /// DATA chunks retransmitted, per association.
    pub retransmits: Vec<u64>,
    /// Messages given up, per association.
    #[serde(default)]
    pub abandoned: Vec<Abandoned>,
    /// The windows and round trips that each association's sender saw; empty where it only received.
    #[serde(default)]
    pub seen: Vec<Seen>,
    /// The congestion control, as Linux calls it.
    #[serde(default)]
    pub congestion: String,
    /// Seconds that it counted.
    pub seconds: f64,
    /// Time spent computing.
    pub cpu: Cpu,
    /// The paths of each association.
    #[serde(skip_deserializing)]
    pub paths: Vec<Vec<PathReport>>,
}

/// Time spent computing, per cent of the time that passed.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Cpu {
    /// In all.
    pub total: f64,
    /// In the program itself.
    pub user: f64,
    /// In the kernel on its behalf.
    pub system: f64,
}

/// A message on stream 0.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Control {
    /// The client wants a test.
    Begin(Plan),
    /// The server takes it.
    Welcome,
    /// The server does not.
    Refused(String),
    /// A further association of the test of that name.
    Join(String),
    /// All have joined: both ends begin now.
    Ready,
    /// All that the server was to send on this association has arrived, or was given up.
    Done,
    /// The client ends the test.
    End,
    /// The counters of this end.
    Result(Tally),
    /// The server's output, if the plan wants it.
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

    /// Checks what a client asks for.
    ///
    /// # Errors
    /// What is out of range.
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

    /// The time that does not count.
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
    ///
    /// # Errors
    /// It is none of this protocol.
    pub fn parse(payload: &[u8]) -> Result<Self, String> {
        if payload.len() > MAX_CONTROL {
            return Err("a control message is too long".to_owned());
        }
        serde_json::from_slice(payload).map_err(|error| format!("no control message: {error}"))
    }

    /// Sends the message on stream 0.
    ///
    /// # Errors
    /// The association is closed or closing.
    pub fn send(&self, association: &Association) -> Result<(), SendError> {
        let payload = serde_json::to_vec(self).unwrap_or_default();
        association.send(Message::new(StreamId(0), payload).with_ppid(CONTROL))
    }
}

#[cfg(test)]
mod tests;
