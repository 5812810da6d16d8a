//! Hash of an engine's state, computed from its `Debug` output.
//!
//! No string is built: pieces are hashed as they are written. Two things are changed:
//!
//! - Instants are relative to the end's clock, so that equal states at different times are equal.
//!   This is exact except for cookies, whose age is not part of the hash of the end that made them;
//!   either cookies outlive every run, or the clock is part of the state (`Matters`).
//! - Counters and measured round trips are omitted. In these worlds RTO.Min equals RTO.Max, so that
//!   no timer depends on a round trip; if losses are detected by time, round trips are included.

use core::fmt;
use std::fmt::Write as _;

use sheave_engine::Time;

/// Fields that do not influence the engine's behaviour in a world.
const LEFT_OUT: [&str; 7] = [
    "counters",
    "gains",
    "options",
    "sacks_received",
    "sacks_sent",
    "stats",
    "work",
];

/// Measured round trips; irrelevant if no timer depends on them.
const ROUND_TRIPS: [&str; 3] = ["rtt", "rttvar", "srtt"];

/// Parts of the state that matter only with some options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Matters {
    /// Measured round trips.
    pub(crate) round_trips: bool,
    /// The clock, which makes cookies stale.
    pub(crate) clock: bool,
}

/// Age beyond which all instants count as equal, ns. The engine rarely uses ages: after this many
/// idle RTOs of 1 s, the congestion window is at its minimum.
const LONG_AGO: i64 = -10_000_000_000;

/// Distance beyond which all future instants count as a cookie's expiry, ns.
const FAR_AHEAD: i64 = 600_000_000_000;

/// Hashes `shown` as of time `now`.
pub(crate) fn digest(now: Time, matters: Matters, shown: &impl fmt::Debug) -> u64 {
    let mut writer = Digest {
        hash: Hash::default(),
        now: now.as_nanos(),
        matters,
        last: LastWritten::Text,
    };
    if matters.clock {
        writer.hash.add(writer.now);
    }
    // Writing to memory does not fail.
    let _ = write!(writer, "{shown:?}");
    writer.hash.finish()
}

/// Kind of the last written piece.
enum LastWritten {
    Text,
    /// Name of an omitted field.
    Name,
    /// Inside an omitted field, at this bracket depth.
    LeftOut {
        depth: usize,
    },
    /// The word `Time`.
    Time,
    /// The word `Time` and its bracket.
    Instant,
}

struct Digest {
    hash: Hash,
    now: u64,
    matters: Matters,
    last: LastWritten,
}

impl fmt::Write for Digest {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.last = match self.last {
            LastWritten::LeftOut { depth } => self.leave_out(piece, depth),
            LastWritten::Name if piece == ": " => LastWritten::LeftOut { depth: 0 },
            LastWritten::Time if piece == "(" => LastWritten::Instant,
            LastWritten::Instant => self.instant(piece),
            _ => self.text(piece),
        };
        Ok(())
    }

    /// A payload byte, never a bracket.
    fn write_char(&mut self, c: char) -> fmt::Result {
        if !matches!(self.last, LastWritten::LeftOut { .. }) {
            self.hash.add(u64::from(c));
            self.last = LastWritten::Text;
        }
        Ok(())
    }
}

impl Digest {
    fn text(&mut self, piece: &str) -> LastWritten {
        self.hash.add_bytes(piece.as_bytes());
        match piece {
            "Time" => LastWritten::Time,
            name if LEFT_OUT.contains(&name) => LastWritten::Name,
            name if !self.matters.round_trips && ROUND_TRIPS.contains(&name) => LastWritten::Name,
            _ => LastWritten::Text,
        }
    }

    fn leave_out(&mut self, piece: &str, depth: usize) -> LastWritten {
        match (piece, depth) {
            (", " | " }" | ", .. }" | ")" | "]" | "}", 0) => self.text(piece),
            (" }" | ", .. }" | ")" | "]" | "}", _) => LastWritten::LeftOut { depth: depth - 1 },
            (" { " | "(" | "[" | "{", _) => LastWritten::LeftOut { depth: depth + 1 },
            _ => LastWritten::LeftOut { depth },
        }
    }

    /// The minimum and maximum time mean "never" and are not shifted.
    fn instant(&mut self, digits: &str) -> LastWritten {
        let nanos: u64 = digits.parse().expect("an instant is a number");
        let fixed = nanos == 0 || nanos == u64::MAX;
        self.hash.add(u64::from(fixed));
        self.hash.add(if fixed {
            nanos
        } else {
            let ahead = nanos.cast_signed() - self.now.cast_signed();
            ahead.clamp(LONG_AGO, FAR_AHEAD).cast_unsigned()
        });
        LastWritten::Text
    }
}

/// A fast hash of 64 bits, by folded multiplication.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0x243f_6a88_85a3_08d3)
    }
}

impl Hash {
    /// A second hash function of the same kind.
    pub(crate) const fn other() -> Self {
        Self(0x1319_8a2e_0370_7344)
    }

    pub(crate) fn add(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64 ^ self.0.rotate_left(23);
    }

    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        self.add(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    pub(crate) fn finish(mut self) -> u64 {
        self.add(0);
        self.0
    }
}
