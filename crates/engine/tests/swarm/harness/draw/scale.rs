//! Large runs: a message on each of very many streams, or messages of many MiB.

use super::super::plan::End;
use super::super::random::Random;
use super::Draw;

/// Runs per thousand with very many streams, and with long messages.
const CROWDS: u16 = 30;
const BULKS: u16 = 8;

/// Maximum total size of the messages on many streams, bytes, except with the maximum number of
/// streams.
const CROWD_BYTES: u32 = 3_000_000;

/// Memory per message in flight, bytes.
const RECORD: u32 = 512;

impl Draw {
    /// Draws from a separate generator, so that existing runs stay unchanged.
    pub(super) fn scale(&mut self, seed: u64) {
        self.random = Random::new(seed ^ 0x0c40_3d5e);
        if self.random.chance(CROWDS) {
            self.crowd();
        } else if self.random.chance(BULKS) {
            self.bulk();
        }
    }

    fn crowd(&mut self) {
        let most = if self.has("memory") {
            40_000 / RECORD
        } else {
            u32::MAX
        };
        let all = self.is_clean() && self.random.chance(20);
        let streams = if all {
            u32::from(u16::MAX)
        } else {
            self.pick(&[20, 60, 300, 300, 1000, 4000])
        };
        let streams = streams.min(most);
        for end in End::BOTH {
            self.put(end, "outbound_streams", &[u16::MAX.into()]);
            self.put(end, "inbound_streams", &[u16::MAX.into()]);
            self.put(end, "interleaving", &[1]);
            let scheduler = self.pick(&[1, 1, 2, 3, 4]);
            self.put(end, "scheduler", &[scheduler]);
            let send = self.pick(&[30_000, 1 << 20, 256 << 20]);
            self.put(end, "send_buffer", &[send]);
            let receive = self.pick(&[4096, 9000, 30_000, 212_992, 1 << 20]);
            self.put(end, "receive_buffer", &[receive]);
        }
        for _ in 0..=self.random.below(2) {
            let end = self.end();
            let at = self.below(self.span);
            let bytes = match all {
                true => 1600,
                false => 4 + self.below(20_000.min(CROWD_BYTES / streams)),
            };
            let unordered = self.below(2);
            self.put(end, "spread", &[at, streams, bytes, unordered]);
        }
    }

    fn bulk(&mut self) {
        let bytes = if self.is_clean() {
            self.pick(&[1 << 20, 4 << 20, 4 << 20, 64 << 20])
        } else {
            self.pick(&[100_000, 400_000, 1 << 20])
        };
        for end in End::BOTH {
            let buffer = self.pick(&[30_000, 212_992, 1 << 20, 8 << 20]);
            self.put(end, "send_buffer", &[buffer]);
            let buffer = self.pick(&[30_000, 212_992, 1 << 20, 8 << 20]);
            self.put(end, "receive_buffer", &[buffer]);
            if self.random.chance(400) {
                self.put(end, "auto_buffers", &[64 << 20]);
            }
        }
        for _ in 0..=self.random.below(2) {
            let (end, at) = (self.end(), self.below(self.span));
            let stream = self.below(6);
            self.put(end, "send", &[at, 1, stream, bytes, 0, 0, 0]);
        }
    }

    /// Whether the network neither loses nor changes packets.
    fn is_clean(&self) -> bool {
        let troubles = ["loss", "corrupt", "reorder", "cut", "hole", "rate", "warn"];
        !troubles.iter().any(|verb| self.has(verb))
    }
}
