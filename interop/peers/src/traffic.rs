use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use sheave_engine::wire::{Ppid, StreamId};
use sheave_engine::{Delivery, Message};

use crate::{Admission, Pair, Random, Side, Stack};

/// Virtual time within which an exchange must be over.
const LIMIT: Duration = Duration::from_secs(3600);

/// The messages that one end sends to the other.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// Number of messages.
    pub count: u32,
    /// The shortest, bytes.
    pub shortest: usize,
    /// The longest, bytes.
    pub longest: usize,
    /// Streams that they are spread over.
    pub streams: u16,
    /// Unordered ones, per cent.
    pub unordered: u64,
}

impl Traffic {
    /// No messages.
    pub const NONE: Self = Self::uniform(0, 1, 1);

    /// Ordered messages of one size.
    pub const fn uniform(count: u32, size: usize, streams: u16) -> Self {
        Self {
            count,
            shortest: size,
            longest: size,
            streams,
            unordered: 0,
        }
    }

    /// The messages. PPIDs are 51 and 53, since WebRTC stacks know few others.
    pub fn messages(&self, seed: u64) -> VecDeque<Message> {
        let mut random = Random::new(seed);
        let spread = self.longest - self.shortest + 1;
        (0..self.count)
            .map(|_| {
                let size = self.shortest + random.below(spread);
                let payload: Bytes = (0..size).map(|_| random.next().to_le_bytes()[0]).collect();
                let stream = random.below(self.streams.max(1).into());
                let stream = StreamId(u16::try_from(stream).unwrap_or(0));
                let ppid = Ppid(51 + 2 * u32::from(random.percent(50)));
                let message = Message::new(stream, payload).with_ppid(ppid);
                match random.percent(self.unordered) {
                    true => message.unordered(),
                    false => message,
                }
            })
            .collect()
    }
}

/// Sends both ends' traffic at the same time and checks that every message arrives exactly once,
/// ordered ones in order on their stream.
pub fn exchange<L: Stack, R: Stack>(
    pair: &mut Pair<L, R>,
    left: &Traffic,
    right: &Traffic,
    seed: u64,
) {
    let mut flows = [
        Flow::new(Side::Left, left, seed),
        Flow::new(Side::Right, right, !seed),
    ];
    let over = pair.run_until(LIMIT, |pair| {
        for flow in &mut flows {
            flow.advance(pair);
        }
        flows.iter().all(Flow::is_over)
    });
    for flow in &flows {
        assert!(
            over,
            "seed {seed} at {}: {} not sent, {} not arrived from {:?}; {:?} {:?}",
            pair.now(),
            flow.unsent.len(),
            flow.missing,
            flow.from,
            pair.left.condition(),
            pair.right.condition(),
        );
    }
}

/// A direction of an exchange.
struct Flow {
    from: Side,
    unsent: VecDeque<Message>,
    ordered: BTreeMap<StreamId, VecDeque<(Ppid, Bytes)>>,
    unordered: BTreeMap<(StreamId, u32, Bytes), usize>,
    missing: usize,
}

impl Flow {
    fn new(from: Side, traffic: &Traffic, seed: u64) -> Self {
        let unsent = traffic.messages(seed);
        let mut flow = Self {
            from,
            missing: unsent.len(),
            unsent,
            ordered: BTreeMap::new(),
            unordered: BTreeMap::new(),
        };
        for message in &flow.unsent {
            let content = (message.ppid, message.payload.clone());
            match message.delivery {
                Delivery::Ordered => {
                    let stream = flow.ordered.entry(message.stream).or_default();
                    stream.push_back(content);
                }
                Delivery::Unordered => {
                    let key = (message.stream, content.0.0, content.1);
                    *flow.unordered.entry(key).or_default() += 1;
                }
            }
        }
        flow
    }

    const fn is_over(&self) -> bool {
        self.missing == 0
    }

    fn advance<L: Stack, R: Stack>(&mut self, pair: &mut Pair<L, R>) {
        let now = pair.now();
        while let Some(message) = self.unsent.front() {
            if pair.stack(self.from).send(now, message) == Admission::Full {
                break;
            }
            self.unsent.pop_front();
        }
        while let Some(message) = pair.stack(self.from.other()).receive(now) {
            self.take(&message);
        }
    }

    fn take(&mut self, message: &Message) {
        self.missing = self
            .missing
            .checked_sub(1)
            .expect("no more messages than were sent");
        if let Some(stream) = self.ordered.get_mut(&message.stream)
            && stream
                .front()
                .is_some_and(|(ppid, payload)| *ppid == message.ppid && *payload == message.payload)
        {
            stream.pop_front();
            return;
        }
        let key = (message.stream, message.ppid.0, message.payload.clone());
        let left = self.unordered.get_mut(&key).filter(|left| **left > 0);
        *left.unwrap_or_else(|| {
            panic!(
                "unexpected message of {} bytes from {:?} on stream {}",
                message.payload.len(),
                self.from,
                message.stream.0
            )
        }) -= 1;
    }
}
