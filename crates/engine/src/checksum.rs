//! Computation and verification of the CRC32c of packets (RFC 9260 §6.8), by the engine or its
//! driver.

use sheave_wire::{self as wire, Packet, Verifier};

use crate::Transmit;

/// The party that computes the CRC32c of packets (RFC 9260 §6.8).
///
/// Not to be confused with an agreement of the two ends to do without (RFC 9653): the peer hears
/// nothing of this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Checksum {
    /// The engine: it writes and verifies it.
    #[default]
    Computed,
    /// Whoever carries the packets, as a network card does: the engine writes zero and takes
    /// packets as verified. Only for carriers that do, or that cannot corrupt.
    Offloaded,
}

/// Knowledge of a packet's checksum before the engine sees it: a driver with several processors
/// verifies packets while another one has the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Integrity {
    /// Nothing: the engine verifies it, if its association wants that.
    #[default]
    Unknown,
    /// The checksum is right.
    Intact,
    /// The checksum is wrong.
    Damaged,
}

impl Integrity {
    /// Verifies a packet. One with a checksum of zero stays [`Unknown`](Self::Unknown): only its
    /// association can tell whether that will do (RFC 9653 §5.3).
    #[must_use]
    pub fn of(packet: &[u8]) -> Self {
        Self::found_by(&mut Verifier::default(), packet)
    }

    /// Verifies like [`of`](Self::of), for one packet of several: `verifier` has seen those before
    /// it.
    #[must_use]
    pub fn found_by(verifier: &mut Verifier, packet: &[u8]) -> Self {
        match Packet::parse(packet) {
            Ok(packet) if packet.checksum() == 0 => Self::Unknown,
            Ok(packet) if verifier.is_valid(&packet) => Self::Intact,
            Ok(_) => Self::Damaged,
            Err(_) => Self::Unknown,
        }
    }
}

/// A packet or train that still lacks its checksums.
#[derive(Clone, Copy, Debug)]
#[must_use = "without its checksums the peer drops it"]
pub struct Unsealed {
    pub(crate) transmit: Transmit,
    pub(crate) checksum: Checksum,
}

impl Unsealed {
    /// Writes the checksums into `train`, the buffer that it stands in.
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
