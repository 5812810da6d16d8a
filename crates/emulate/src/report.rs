use core::time::Duration;

use sheave_sim::LinkStats;

/// Packet counts by outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Time since the emulator started.
    pub elapsed: Duration,
    /// The links, in the order of the scenario.
    pub links: Vec<LinkReport>,
    /// Number of known clients.
    pub clients: usize,
    /// Packets dropped by the emulator itself.
    pub losses: Losses,
}

/// A link in both directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkReport {
    /// The name of the link.
    pub name: String,
    /// From its first end to its second.
    pub there: Direction,
    /// From its second end to its first.
    pub back: Direction,
}

/// Counters of one direction of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Direction {
    /// Counters of the link.
    pub stats: LinkStats,
    /// Packets in the queue now.
    pub queue: usize,
}

impl Direction {
    /// Packets that were not delivered, for any reason.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        let LinkStats {
            cut,
            too_long,
            lost,
            dropped,
            bad_header,
            ..
        } = self.stats;
        cut + too_long + lost + dropped + bad_header
    }
}

/// Packets dropped by the emulator, not by a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Too many packets or clients.
    pub refused: u64,
    /// From an unknown sender, or not parsable.
    pub foreign: u64,
    /// With a damaged UDP header, or for a client that is gone.
    pub misdirected: u64,
    /// The system refused to send them.
    pub unsent: u64,
}

impl core::ops::AddAssign for Losses {
    fn add_assign(&mut self, other: Self) {
        self.refused += other.refused;
        self.foreign += other.foreign;
        self.misdirected += other.misdirected;
        self.unsent += other.unsent;
    }
}
