use core::time::Duration;

use sheave_sim::LinkStats;

/// Counts of packets by what became of them so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Since the emulator began to work.
    pub elapsed: Duration,
    /// Each link of the network, in the order of the scenario.
    pub links: Vec<LinkReport>,
    /// Clients that are known now.
    pub clients: usize,
    /// Packets that the emulator itself dropped.
    pub losses: Losses,
}

/// A link, there and back.
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
    /// Counters of its packets.
    pub stats: LinkStats,
    /// Packets that wait now.
    pub queue: usize,
}

impl Direction {
    /// Packets that did not come through, for whatever reason.
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

/// Packets that the emulator did not pass on, without any link's doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// There were too many packets or clients already.
    pub refused: u64,
    /// From someone who is neither a client nor the server, or nothing that is understood.
    pub foreign: u64,
    /// Damaged in the UDP header, or for a client that is gone.
    pub misdirected: u64,
    /// The system did not take them.
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
