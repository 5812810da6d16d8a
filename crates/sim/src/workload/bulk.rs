use bytes::Bytes;
use sheave_engine::Time;

use super::Workload;
use crate::{Admission, Progress, Standing, Transport};

/// Payload of messages up to this size: static bytes cost nothing to clone and drop.
static ZEROES: [u8; 64 << 10] = [0; 64 << 10];

/// Sends equal messages as fast as the transport accepts them, on all streams in turn.
#[derive(Debug)]
pub struct Bulk {
    message: Bytes,
    streams: u16,
    /// Number of messages still to send; `None` without limit.
    left: Option<u64>,
    sent: u64,
    closed: Closed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closed {
    No,
    Yes,
}

impl Bulk {
    /// Creates a workload that sends messages of `len` bytes on streams 0 to `streams`, exclusive,
    /// until the connection ends.
    #[must_use]
    pub fn endless(len: usize, streams: u16) -> Self {
        let message = ZEROES.get(..len).map(Bytes::from_static);
        Self {
            message: message.unwrap_or_else(|| vec![0; len].into()),
            streams: streams.max(1),
            left: None,
            sent: 0,
            closed: Closed::No,
        }
    }

    /// Creates a workload that sends `count` messages, then closes the connection gracefully.
    #[must_use]
    pub fn counted(len: usize, streams: u16, count: u64) -> Self {
        Self {
            left: Some(count),
            ..Self::endless(len, streams)
        }
    }

    /// Number of messages accepted by the transport.
    pub const fn sent(&self) -> u64 {
        self.sent
    }

    fn stream(&self) -> u16 {
        u16::try_from(self.sent % u64::from(self.streams)).unwrap_or(0)
    }
}

impl Workload for Bulk {
    fn run(&mut self, now: Time, transport: &mut dyn Transport) {
        if transport.standing() != Standing::Open || self.closed == Closed::Yes {
            return;
        }
        while self.left != Some(0) {
            match transport.send(now, self.stream(), self.message.clone()) {
                Admission::Full => return,
                Admission::Taken => {
                    self.sent += 1;
                    self.left = self.left.map(|left| left - 1);
                }
            }
        }
        self.closed = Closed::Yes;
        transport.close(now);
    }

    fn progress(&self) -> Progress {
        Progress::Endless
    }
}
