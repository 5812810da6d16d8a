use std::collections::{BTreeMap, VecDeque};

use sheave_sim::engine::Time;
use sheave_sim::{Limit, NewQueue, PacketQueue, QueuedPacket};

/// Flows take turns, a packet each; where the queue is full, the longest flow loses its newest
/// packet.
#[derive(Debug)]
pub(crate) struct FairQueue {
    most: usize,
    len: usize,
    flows: BTreeMap<u32, VecDeque<QueuedPacket>>,
    /// The flows that have packets, in the order of their turns.
    turns: VecDeque<u32>,
}

impl FairQueue {
    pub(crate) fn new(new: &NewQueue) -> Self {
        Self {
            most: match new.limit {
                Limit::Packets(packets) => packets,
                Limit::Bytes(_) | Limit::None => usize::MAX,
            },
            len: 0,
            flows: BTreeMap::new(),
            turns: VecDeque::new(),
        }
    }

    fn drop_of_the_longest(&mut self) -> Option<QueuedPacket> {
        let longest = self
            .flows
            .iter_mut()
            .max_by_key(|(_, waiting)| waiting.len());
        let (flow, waiting) = longest?;
        let (flow, dropped) = (*flow, waiting.pop_back());
        if waiting.is_empty() {
            self.turns.retain(|turn| *turn != flow);
        }
        self.len -= 1;
        dropped
    }
}

impl PacketQueue for FairQueue {
    fn push(&mut self, _now: Time, packet: QueuedPacket) -> Option<QueuedPacket> {
        let flow = packet.flow();
        let waiting = self.flows.entry(flow).or_default();
        if waiting.is_empty() {
            self.turns.push_back(flow);
        }
        waiting.push_back(packet);
        self.len += 1;
        if self.len > self.most {
            return self.drop_of_the_longest();
        }
        None
    }

    fn pop(&mut self, _now: Time, _dropped: &mut Vec<QueuedPacket>) -> Option<QueuedPacket> {
        let flow = self.turns.pop_front()?;
        let waiting = self.flows.get_mut(&flow)?;
        let next = waiting.pop_front();
        if !waiting.is_empty() {
            self.turns.push_back(flow);
        }
        self.len -= 1;
        next
    }

    fn len(&self) -> usize {
        self.len
    }
}
