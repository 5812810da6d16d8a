//! Memory use of an association's state.

use core::time::Duration;
use std::fs;

use sheave_engine::{AssocId, Endpoint, Message, Node, SendOptions, Time};
use sheave_sim::Random;
use sheave_wire::StreamId;

use crate::studies::{memory, pair};

/// Number of associations measured together; each has state at both ends.
const COUNT: usize = 5000;
/// Number of batches in which associations are used and become idle. A single batch would leave
/// behind all memory that busy associations need at once.
const BATCHES: usize = 10;

/// Resident bytes per end of an idle association that was used in both directions, with both ends
/// in this process; `None` if the system does not report it.
pub(super) fn weigh() -> Option<f64> {
    let mut pair = Pair::new()?;
    // Warms up the allocator.
    pair.connect(COUNT / 10);
    let before = memory::resident()?;
    // Each batch reuses the memory that the previous one needed while busy.
    for _ in 0..BATCHES {
        pair.connect(COUNT / BATCHES);
    }
    let after = memory::resident()?;
    Some((after - before) * 1024.0 / (2 * COUNT) as f64)
}

/// Size of a TCP connection's kernel block without socket and file, bytes; or why it is unknown.
pub(super) fn tcp_bytes() -> Result<f64, String> {
    let table = fs::read_to_string("/proc/slabinfo");
    let table = table.map_err(|error| format!("/proc/slabinfo: {error}"))?;
    slab_bytes(&table).ok_or_else(|| "/proc/slabinfo has no line for TCP".to_owned())
}

/// The object size for TCP in the slab table.
fn slab_bytes(table: &str) -> Option<f64> {
    let line = table.lines().find_map(|line| line.strip_prefix("TCP "))?;
    line.split_whitespace().nth(2)?.parse().ok()
}

/// Two endpoints, joined without delay.
struct Pair {
    now: Time,
    ends: [Endpoint; 2],
    /// Number of associations used so far.
    used: usize,
}

impl Pair {
    fn new() -> Option<Self> {
        let mut random = Random::new(1);
        let client = pair::endpoint(pair::CLIENT, &mut random);
        Some(Self {
            now: Time::from_millis(1),
            ends: [client, pair::listener(&mut random).ok()?],
            used: 0,
        })
    }

    /// Establishes associations, sends a message in each direction on each, and lets them become
    /// idle.
    fn connect(&mut self, count: usize) {
        for _ in 0..count {
            if self.ends[0].connect(self.now, pair::connect()).is_ok() {
                self.exchange();
            }
        }
        for at in 0..2 {
            let new = self.ends[at].associations().skip(self.used);
            for id in new.collect::<Vec<AssocId>>() {
                let message = Message::new(StreamId(0), vec![7; 3000]);
                if let Some(mut assoc) = self.ends[at].assoc(id) {
                    let _ = assoc.send(self.now, message, SendOptions::default());
                }
                self.exchange();
            }
        }
        self.used += count;
        // The first heartbeat releases spare capacity.
        self.pass(Duration::from_secs(50));
    }

    /// Exchanges packets until none are left, and reads everything that events announce.
    fn exchange(&mut self) {
        let [client, listener] = &mut self.ends;
        pair::settle(self.now, client, listener);
        for end in [&mut *client, &mut *listener] {
            while let Some((id, _)) = end.poll_event() {
                if let Some(mut assoc) = end.assoc(id) {
                    while assoc.receive(self.now).is_some() {}
                }
            }
        }
        // What was read may have opened windows.
        pair::settle(self.now, client, listener);
    }

    fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            self.exchange();
            let next = self.ends.iter().filter_map(Node::poll_timeout).min();
            let Some(next) = next.filter(|next| *next <= until) else {
                break;
            };
            self.now = self.now.max(next);
            for end in &mut self.ends {
                end.handle_timeout(self.now);
            }
        }
        self.now = until;
    }
}

#[cfg(test)]
mod tests;
