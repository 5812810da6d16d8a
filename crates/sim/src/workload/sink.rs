use core::time::Duration;

use sheave_engine::Time;

use super::{Stamp, Workload};
use crate::{Progress, Standing, Transport};

/// The amount after which a [`Sink`] is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expected {
    /// Unlimited: it receives until the connection ends.
    #[default]
    Everything,
    /// A number of messages.
    Messages(u64),
    /// A number of bytes.
    Bytes(u64),
}

/// For which messages a [`Sink`] keeps receipts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Keep {
    #[default]
    Counts,
    Receipts,
    ReceiptsOf(u16),
}

/// Record of a delivered message of a [`Messages`](super::Messages) workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Number of the message, counted from 0.
    pub number: u64,
    /// Stream of the message.
    pub stream: u16,
    /// Size of the message, bytes.
    pub len: usize,
    /// When the message was created.
    pub created: Time,
    /// When the message was delivered.
    pub delivered: Time,
}

impl Receipt {
    /// Time from the creation of the message to its delivery.
    pub const fn delay(&self) -> Duration {
        self.delivered.since(self.created)
    }
}

/// Receives all messages.
#[derive(Debug, Default)]
pub struct Sink {
    expected: Expected,
    keep: Keep,
    messages: u64,
    bytes: u64,
    opened: Option<Time>,
    first: Option<Time>,
    last: Option<Time>,
    ended: Option<Time>,
    receipts: Vec<Receipt>,
}

impl Sink {
    /// Creates a sink that counts messages and bytes.
    #[must_use]
    pub fn counting(expected: Expected) -> Self {
        Self {
            expected,
            ..Self::default()
        }
    }

    /// Creates a sink that also keeps a [`Receipt`] per message. All messages must come from a
    /// [`Messages`](super::Messages) workload, over a transport that preserves message boundaries.
    #[must_use]
    pub fn with_receipts(expected: Expected) -> Self {
        Self {
            keep: Keep::Receipts,
            ..Self::counting(expected)
        }
    }

    /// Creates a sink like [`with_receipts`](Self::with_receipts) that keeps receipts for one
    /// stream only; messages on other streams may come from any workload.
    #[must_use]
    pub fn with_receipts_of(stream: u16, expected: Expected) -> Self {
        Self {
            keep: Keep::ReceiptsOf(stream),
            ..Self::counting(expected)
        }
    }

    /// Whether receipts are kept for the stream.
    fn keeps(&self, stream: u16) -> bool {
        match self.keep {
            Keep::Counts => false,
            Keep::Receipts => true,
            Keep::ReceiptsOf(chosen) => chosen == stream,
        }
    }

    /// Number of messages delivered.
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// Number of bytes delivered.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// When the connection was established.
    pub const fn opened(&self) -> Option<Time> {
        self.opened
    }

    /// When the first message was delivered.
    pub const fn first(&self) -> Option<Time> {
        self.first
    }

    /// When the latest message was delivered.
    pub const fn last(&self) -> Option<Time> {
        self.last
    }

    /// When the connection ended.
    pub const fn ended(&self) -> Option<Time> {
        self.ended
    }

    /// The receipts, in order of delivery.
    pub fn receipts(&self) -> &[Receipt] {
        &self.receipts
    }

    fn is_satisfied(&self) -> bool {
        match self.expected {
            Expected::Everything => false,
            Expected::Messages(messages) => self.messages >= messages,
            Expected::Bytes(bytes) => self.bytes >= bytes,
        }
    }
}

impl Workload for Sink {
    fn run(&mut self, now: Time, transport: &mut dyn Transport) {
        while let Some(arrival) = transport.receive(now) {
            self.messages += 1;
            self.bytes += arrival.payload.len() as u64;
            self.first.get_or_insert(now);
            self.last = Some(now);
            if self.keeps(arrival.stream)
                && let Some(Stamp { number, created }) = Stamp::read(&arrival.payload)
            {
                self.receipts.push(Receipt {
                    number,
                    stream: arrival.stream,
                    len: arrival.payload.len(),
                    created,
                    delivered: now,
                });
            }
        }
        match transport.standing() {
            Standing::Opening => {}
            Standing::Open => {
                self.opened.get_or_insert(now);
            }
            Standing::Closed => {
                self.ended.get_or_insert(now);
            }
        }
    }

    fn progress(&self) -> Progress {
        if self.is_satisfied() || self.ended.is_some() {
            Progress::Done
        } else {
            Progress::Working
        }
    }
}
