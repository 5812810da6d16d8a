use std::collections::VecDeque;

use sheave_engine::Time;

use super::{Queue, Verdict, Waiting};
use crate::packets::PacketId;

/// The capacity of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// No limit.
    #[default]
    None,
    /// A number of packets.
    Packets(usize),
    /// Bytes of IP packets.
    Bytes(u64),
}

/// FIFO; packets that do not fit are dropped.
#[derive(Debug)]
pub(crate) struct DropTail {
    limit: Limit,
    waiting: VecDeque<Waiting>,
    bytes: u64,
}

impl DropTail {
    pub(super) const fn new(limit: Limit) -> Self {
        Self {
            limit,
            waiting: VecDeque::new(),
            bytes: 0,
        }
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn take(&mut self) -> Option<Waiting> {
        let next = self.waiting.pop_front()?;
        self.bytes -= u64::from(next.len);
        Some(next)
    }
}

impl Queue for DropTail {
    fn push(&mut self, _now: Time, waiting: Waiting) -> Verdict {
        let fits = match self.limit {
            Limit::None => true,
            Limit::Packets(packets) => self.waiting.len() < packets,
            Limit::Bytes(bytes) => self.bytes + u64::from(waiting.len) <= bytes,
        };
        if !fits {
            return Verdict::Dropped;
        }
        self.bytes += u64::from(waiting.len);
        self.waiting.push_back(waiting);
        Verdict::Queued
    }

    fn pop(&mut self, _now: Time, _dropped: &mut Vec<PacketId>) -> Option<Waiting> {
        self.take()
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }
}
