use core::time::Duration;
use std::collections::VecDeque;

use bytes::Bytes;
use sheave_engine::Time;
use sheave_sim::{Admission, Standing, Transport, Workload};

/// Writes messages at a fixed interval, on streams if available, and keeps the connection open.
#[derive(Debug)]
pub(super) struct Writer {
    messages: VecDeque<(u16, Bytes)>,
    interval: Duration,
    /// When the next message is due; `None` before the first, and while the send buffer is full.
    next: Option<Time>,
    stage: WriterStage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriterStage {
    Opening,
    Writing,
}

impl Writer {
    /// Creates a writer of `messages`, given with their streams, one per `interval`.
    pub(super) fn new(
        messages: impl IntoIterator<Item = (u16, Bytes)>,
        interval: Duration,
    ) -> Self {
        Self {
            messages: messages.into_iter().collect(),
            interval,
            next: None,
            stage: WriterStage::Opening,
        }
    }

    /// Creates `count` messages of `len` bytes that start with their number, on `streams` streams
    /// in turn.
    pub(super) fn numbered(count: u32, len: usize, streams: u32, interval: Duration) -> Self {
        let message = |number: u32| {
            let mut payload = number.to_be_bytes().to_vec();
            payload.resize(len.max(4), 0);
            let stream = u16::try_from(number % streams.max(1)).unwrap_or(0);
            (stream, payload.into())
        };
        Self::new((0..count).map(message), interval)
    }
}

/// The number at the start of a message.
pub(super) fn number(payload: &[u8]) -> Option<u32> {
    payload
        .first_chunk()
        .map(|number| u32::from_be_bytes(*number))
}

impl Workload for Writer {
    fn run(&mut self, now: Time, transport: &mut dyn Transport) {
        if transport.standing() != Standing::Open {
            return;
        }
        if self.stage == WriterStage::Opening {
            self.stage = WriterStage::Writing;
            self.next = Some(now);
        }
        // `next` is `None` after waiting for buffer space; then the message is due now.
        let mut due = self.next.unwrap_or(now);
        while due <= now
            && let Some((stream, payload)) = self.messages.front()
        {
            if transport.send(now, *stream, payload.clone()) == Admission::Full {
                self.next = None;
                return;
            }
            self.messages.pop_front();
            due = due + self.interval;
        }
        self.next = Some(due);
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.next.filter(|_| !self.messages.is_empty())
    }
}
