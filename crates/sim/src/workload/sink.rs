use core::time::Duration;

use sheave_engine::Time;

use super::{Stamp, Workload};
use crate::{Progress, Standing, Transport};

/// The amount that a [`Sink`] waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Whatever comes, until the connection ends.
    Everything,
    /// That many messages.
    Messages(u64),
    /// That many bytes.
    Bytes(u64),
}

/// The record that a [`Sink`] keeps of each message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    Counts,
    Receipts,
    ReceiptsOf(u16),
}

/// The delivery of a message of a [`Messages`](super::Messages) workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Number of the message, from 0 on.
    pub number: u64,
    /// The stream that it came on.
    pub stream: u16,
    /// Length of the message, in bytes.
    pub len: usize,
    /// When it came into being.
    pub created: Time,
    /// When it was delivered.
    pub delivered: Time,
}

impl Receipt {
    /// Time from the creation of the message to its delivery.
    #[must_use]
    pub const fn delay(&self) -> Duration {
        self.delivered.since(self.created)
    }
}

/// Takes in whatever arrives.
#[derive(Debug)]
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
    /// Counts messages and bytes.
    #[must_use]
    pub const fn counting(expected: Expected) -> Self {
        Self {
            expected,
            keep: Keep::Counts,
            messages: 0,
            bytes: 0,
            opened: None,
            first: None,
            last: None,
            ended: None,
            receipts: Vec::new(),
        }
    }

    /// Also keeps a [`Receipt`] of each message; all must come from a
    /// [`Messages`](super::Messages) workload, over a transport that keeps their boundaries.
    #[must_use]
    pub fn with_receipts(expected: Expected) -> Self {
        Self {
            keep: Keep::Receipts,
            ..Self::counting(expected)
        }
    }

    /// Makes a sink like [`with_receipts`](Self::with_receipts) for the messages on one stream
    /// only; the others may come from anywhere.
    #[must_use]
    pub fn with_receipts_of(stream: u16, expected: Expected) -> Self {
        Self {
            keep: Keep::ReceiptsOf(stream),
            ..Self::counting(expected)
        }
    }

    /// Whether a [`Receipt`] of the messages on that stream is kept.
    fn keeps(&self, stream: u16) -> bool {
        match self.keep {
            Keep::Counts => false,
            Keep::Receipts => true,
            Keep::ReceiptsOf(chosen) => chosen == stream,
        }
    }

    /// Messages delivered.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// Bytes delivered.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// When the connection came up.
    #[must_use]
    pub const fn opened(&self) -> Option<Time> {
        self.opened
    }

    /// When the first message was delivered.
    #[must_use]
    pub const fn first(&self) -> Option<Time> {
        self.first
    }

    /// When the last message so far was delivered.
    #[must_use]
    pub const fn last(&self) -> Option<Time> {
        self.last
    }

    /// When the connection ended.
    #[must_use]
    pub const fn ended(&self) -> Option<Time> {
        self.ended
    }

    /// A receipt for each message, in the order of delivery.
    #[must_use]
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
