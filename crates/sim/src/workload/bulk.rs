use bytes::Bytes;
use sheave_engine::Time;

use super::Workload;
use crate::{Admission, Progress, Standing, Transport};

/// The contents of messages that are no longer: to copy and drop what has no owner costs nothing.
static ZEROES: [u8; 64 << 10] = [0; 64 << 10];

/// Sends as much as the transport takes: equal messages, on the streams in turn.
#[derive(Debug)]
pub struct Bulk {
    message: Bytes,
    streams: u16,
    /// Messages still to send, `None` for no end.
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
    /// Messages of `len` bytes on streams 0 to `streams`, exclusive, for as long as the
    /// connection lives.
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

    /// `count` messages, and then a close in good order.
    #[must_use]
    pub fn counted(len: usize, streams: u16, count: u64) -> Self {
        Self {
            left: Some(count),
            ..Self::endless(len, streams)
        }
    }

    /// Messages that the transport has taken.
    #[must_use]
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
