use bytes::Bytes;
use sheave_engine::Time;
use sheave_sim::{Progress, Transport, Workload};

use super::writer::number;

/// A received message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) stream: u16,
    pub(super) payload: Bytes,
}

/// A period in which a [`Reader`] does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pause {
    pub(super) from: Time,
    pub(super) until: Time,
}

/// Reads and keeps all messages, except during a pause.
#[derive(Debug)]
pub(super) struct Reader {
    pause: Option<Pause>,
    /// The number of messages after which the run may end.
    enough: usize,
    read: Vec<Read>,
    /// The time of the latest call.
    now: Time,
}

/// The amount of reordering among numbered messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    /// Number of messages delivered while an earlier one was missing.
    pub(super) ahead: u64,
    /// Number of messages delivered before an earlier one of the same stream.
    pub(super) ahead_within: u64,
}

impl Reader {
    pub(super) const fn new(enough: usize) -> Self {
        Self {
            pause: None,
            enough,
            read: Vec::new(),
            now: Time::ZERO,
        }
    }

    pub(super) const fn pausing(mut self, pause: Pause) -> Self {
        self.pause = Some(pause);
        self
    }

    pub(super) fn read(&self) -> &[Read] {
        &self.read
    }

    /// The concatenated bytes of all messages.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let payloads = self.read.iter().map(|read| read.payload.as_ref());
        payloads.collect::<Vec<&[u8]>>().concat()
    }

    /// Number of distinct streams with messages.
    pub(super) fn streams(&self) -> usize {
        let mut streams: Vec<u16> = self.read.iter().map(|read| read.stream).collect();
        streams.sort_unstable();
        streams.dedup();
        streams.len()
    }

    /// Evaluates the order of numbered messages, written on `streams` streams in turn.
    pub(super) fn order(&self, streams: u32) -> Order {
        let streams = streams.max(1);
        // The next number expected on each stream.
        let mut next: Vec<u32> = (0..streams).collect();
        let mut early: Vec<u32> = Vec::new();
        let mut order = Order::default();
        for number in self.read.iter().filter_map(|read| number(&read.payload)) {
            let lane = usize::try_from(number % streams).unwrap_or(0);
            let within = next[lane] < number;
            let before = next.iter().any(|missing| *missing < number);
            order.ahead += u64::from(before);
            order.ahead_within += u64::from(within);
            early.push(number);
            while let Some(at) = early.iter().position(|number| *number == next[lane]) {
                early.swap_remove(at);
                next[lane] += streams;
            }
        }
        order
    }

    fn pauses(&self, now: Time) -> bool {
        self.pause
            .is_some_and(|pause| pause.from <= now && now < pause.until)
    }
}

impl Workload for Reader {
    fn run(&mut self, now: Time, transport: &mut dyn Transport) {
        self.now = now;
        while !self.pauses(now)
            && let Some(arrival) = transport.receive(now)
        {
            self.read.push(Read {
                stream: arrival.stream,
                payload: arrival.payload,
            });
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        let until = self.pause.map(|pause| pause.until);
        until.filter(|until| *until > self.now)
    }

    fn progress(&self) -> Progress {
        if self.read.len() >= self.enough {
            Progress::Done
        } else {
            Progress::Working
        }
    }
}

#[cfg(test)]
mod tests;
