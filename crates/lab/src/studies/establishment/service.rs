use core::time::Duration;

use sheave_sim::tcp::{Flags, Segment};
use sheave_wire::{ChunkType, CommonHeader};

use super::opening::Opening;

/// Service time of the server's processor per kind of packet, including the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ServiceTimes {
    pub(super) init: Duration,
    pub(super) cookie_echo: Duration,
    pub(super) syn: Duration,
    /// Service time of any other packet.
    pub(super) other: Duration,
}

impl ServiceTimes {
    /// The service time of a packet of the transport with this opening.
    pub(super) fn of(&self, opening: Opening, packet: &[u8]) -> Duration {
        match opening {
            Opening::Init => self.of_sctp(packet),
            Opening::Syn => self.of_tcp(packet),
        }
    }

    /// The service times if only `percent` of a processor is available.
    pub(super) fn with_budget(self, percent: u32) -> Self {
        let slowed = |time: Duration| time * 100 / percent;
        Self {
            init: slowed(self.init),
            cookie_echo: slowed(self.cookie_echo),
            syn: slowed(self.syn),
            other: slowed(self.other),
        }
    }

    fn of_sctp(&self, packet: &[u8]) -> Duration {
        match packet.get(CommonHeader::LEN).copied().map(ChunkType) {
            Some(ChunkType::INIT) => self.init,
            Some(ChunkType::COOKIE_ECHO) => self.cookie_echo,
            _ => self.other,
        }
    }

    fn of_tcp(&self, packet: &[u8]) -> Duration {
        let flags = Segment::parse(packet).map(|segment| segment.header.flags);
        if flags.is_ok_and(|flags| flags.contains(Flags::SYN)) {
            self.syn
        } else {
            self.other
        }
    }
}

#[cfg(test)]
mod tests;
