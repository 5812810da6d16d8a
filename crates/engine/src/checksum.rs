//! CRC32c of packets (RFC 9260 §6.8), computed and verified by the engine or its driver.

use sheave_wire::{self as wire, Packet};

use crate::Transmit;

/// The party that computes the CRC32c of packets (RFC 9260 §6.8).
///
/// Unrelated to an agreement with the peer to omit the checksum (RFC 9653): this setting is
/// invisible to the peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Checksum {
    /// The engine writes and verifies it.
    #[default]
    Computed,
    /// The packets' carrier, such as a network card: the engine writes zero and accepts received
    /// packets as verified. Only for carriers that do this or cannot corrupt packets.
    Offloaded,
}

/// Result of checking a packet's checksum before the engine handles it. A driver on several
/// processors can verify packets while another thread uses the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Integrity {
    /// Not checked: the engine verifies it if the association requires this.
    #[default]
    Unknown,
    /// The checksum is correct.
    Intact,
    /// The checksum is wrong.
    Damaged,
}

impl Integrity {
    /// Verifies a packet. A checksum of zero gives [`Unknown`](Self::Unknown): only the packet's
    /// association knows whether it is acceptable (RFC 9653 §5.3).
    #[must_use]
    pub fn of(packet: &[u8]) -> Self {
        match Packet::parse(packet) {
            Ok(packet) if packet.checksum() == 0 => Self::Unknown,
            Ok(packet) if packet.checksum_is_valid() => Self::Intact,
            Ok(_) => Self::Damaged,
            Err(_) => Self::Unknown,
        }
    }
}

/// A packet or train without its checksums.
#[derive(Clone, Copy, Debug)]
#[must_use = "without its checksums the peer drops it"]
pub struct Unsealed {
    pub(crate) transmit: Transmit,
    pub(crate) checksum: Checksum,
}

impl Unsealed {
    /// Writes the checksums into `train`, the buffer that contains the packets.
    pub fn seal(self, train: &mut [u8]) -> Transmit {
        match self.checksum {
            Checksum::Computed => {
                let segment = self.transmit.segment_size.unwrap_or(train.len()).max(1);
                train.chunks_mut(segment).for_each(wire::seal);
            }
            Checksum::Offloaded => {}
        }
        self.transmit
    }
}

#[cfg(test)]
mod tests;
