use std::collections::VecDeque;

use bytes::Bytes;
use sheave_engine::Time;

use super::{Stamp, Workload};
use crate::traffic::Beat;
use crate::{Admission, Arrivals, Progress, Random, Standing, Transport};

/// Parameters of a [`Messages`] workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// Size of each message, bytes, at least 16.
    pub len: usize,
    /// Number of messages, after which the connection is closed gracefully.
    pub count: u64,
    /// Number of streams, used in turn.
    pub streams: u16,
    /// Creation times of messages, starting when the connection is open; `None` creates all at
    /// once.
    pub arrivals: Option<Arrivals>,
}

/// Sends messages created at certain times, even if the transport accepts them only later. A
/// [`Sink`](super::Sink) measures the delay of each from its creation.
#[derive(Debug)]
pub struct Messages {
    outgoing: Outgoing,
    beat: Option<Beat>,
    /// Creation time of the next message; `None` before the first and after the last.
    next: Option<Time>,
    created: u64,
    waiting: VecDeque<Stamp>,
    /// Payload of the first waiting message, once built.
    ready: Option<Bytes>,
    stage: MessageStage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MessageStage {
    Opening,
    Sending,
    Closed,
}

impl Messages {
    /// Creates the workload; `random` determines random creation times.
    #[must_use]
    pub fn new(outgoing: Outgoing, random: Random) -> Self {
        Self {
            beat: outgoing
                .arrivals
                .map(|arrivals| Beat::new(arrivals, random)),
            outgoing,
            next: None,
            created: 0,
            waiting: VecDeque::new(),
            ready: None,
            stage: MessageStage::Opening,
        }
    }

    /// Number of messages not yet accepted by the transport.
    pub fn backlog(&self) -> usize {
        self.waiting.len()
    }

    /// Whether the last message was sent.
    pub(super) fn is_over(&self) -> bool {
        self.stage == MessageStage::Closed
    }

    fn create(&mut self, now: Time) {
        while self.created < self.outgoing.count && self.next.is_some_and(|next| next <= now) {
            let created = self.next.unwrap_or(now);
            let number = self.created;
            self.waiting.push_back(Stamp { number, created });
            self.created += 1;
            if let Some(beat) = &mut self.beat {
                self.next = Some(beat.next(created));
            }
        }
        if self.created == self.outgoing.count {
            self.next = None;
        }
    }

    fn send(&mut self, now: Time, transport: &mut dyn Transport) {
        let streams = u64::from(self.outgoing.streams.max(1));
        while let Some(stamp) = self.waiting.front() {
            let stream = u16::try_from(stamp.number % streams).unwrap_or(0);
            let make = || stamp.payload(self.outgoing.len);
            let payload = self.ready.get_or_insert_with(make).clone();
            if transport.send(now, stream, payload) == Admission::Full {
                return;
            }
            self.ready = None;
            self.waiting.pop_front();
        }
    }
}

impl Workload for Messages {
    fn run(&mut self, now: Time, transport: &mut dyn Transport) {
        match (self.stage, transport.standing()) {
            (MessageStage::Opening, Standing::Open) => {
                self.stage = MessageStage::Sending;
                self.next = Some(now);
            }
            (MessageStage::Sending, Standing::Open) => {}
            _ => return,
        }
        self.create(now);
        self.send(now, transport);
        if self.waiting.is_empty() && self.created == self.outgoing.count {
            self.stage = MessageStage::Closed;
            transport.close(now);
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.next
    }

    fn progress(&self) -> Progress {
        Progress::Endless
    }
}
