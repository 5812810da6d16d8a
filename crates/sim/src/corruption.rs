use sheave_engine::Time;

use crate::error_model::{BitErrors, ErrorModel, Hit};
use crate::{BitErrorRate, Errors, Packet, Random};

/// Selection of flipped bits. The packet's own bytes change; receivers' checksums may detect that.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Corruption {
    /// No bits.
    #[default]
    None,
    /// Each bit with equal probability.
    BitErrors(BitErrorRate),
    /// Some bits of the packets that an error model selects.
    Packets {
        /// Selects the packets.
        errors: Errors,
        /// Number of bits flipped in each packet.
        flips: Flips,
    },
}

/// Number and position of flipped bits in a packet; the number is uniform from `least` to `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flips {
    /// Fewest bits, at least 1.
    pub least: u16,
    /// Most bits.
    pub most: u16,
    /// Their positions in the IP packet.
    pub placement: Placement,
}

/// Positions of flipped bits in a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Distinct positions, uniformly distributed.
    #[default]
    Scattered,
    /// A single burst of adjacent bits, uniformly placed within the packet.
    Burst,
}

/// Effect of corruption on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    /// No bits are flipped.
    None,
    /// Bits of the transport's bytes are flipped.
    Payload,
    /// Bits of the IP header are flipped; its checksum detects that, so the packet is dropped.
    Header,
}

/// Corruption state of a link.
#[derive(Debug)]
pub(crate) enum Corruptor {
    Bits(BitErrors),
    Packets {
        model: Box<dyn ErrorModel>,
        flips: Flips,
        places: Random,
    },
}

impl Corruption {
    /// Creates the state; `None` if no bits can be flipped.
    pub(crate) fn corruptor(&self, random: &Random) -> Option<Corruptor> {
        match self {
            Self::None => None,
            Self::BitErrors(rate) => {
                Some(Corruptor::Bits(BitErrors::new(*rate, random.fork("bits"))))
            }
            Self::Packets { errors, flips } => Some(Corruptor::Packets {
                model: errors.model(random.fork("packets"))?,
                flips: *flips,
                places: random.fork("places"),
            }),
        }
    }
}

impl Corruptor {
    /// Flips bits of a packet whose last bit leaves at `now`.
    pub(crate) fn corrupt(&mut self, now: Time, packet: &mut Packet) -> Damage {
        let len = packet.len() as u64;
        let mut damage = Damage::None;
        match self {
            Self::Bits(errors) => {
                errors.next(len * 8, |bit| damage = damage.worse(flip(packet, bit)));
            }
            Self::Packets {
                model,
                flips,
                places,
            } => {
                let bytes = u32::try_from(len).unwrap_or(u32::MAX);
                if model.judge(now, bytes) == Hit::Hit {
                    for bit in flips.places(places, len * 8) {
                        damage = damage.worse(flip(packet, bit));
                    }
                }
            }
        }
        damage
    }
}

impl Damage {
    const fn worse(self, other: Self) -> Self {
        match (self, other) {
            (Self::Header, _) | (_, Self::Header) => Self::Header,
            (Self::Payload, _) | (_, Self::Payload) => Self::Payload,
            (Self::None, Self::None) => Self::None,
        }
    }
}

/// Flips one bit of an IP packet, counted from the beginning of its IP header.
fn flip(packet: &mut Packet, bit: u64) -> Damage {
    let byte = usize::try_from(bit / 8).unwrap_or(usize::MAX);
    let at = byte.checked_sub(packet.header_len());
    match at.and_then(|at| packet.payload.get_mut(at)) {
        Some(byte) => {
            *byte ^= 0x80 >> (bit % 8);
            Damage::Payload
        }
        None => Damage::Header,
    }
}

impl Flips {
    /// Distinct positions below `bits`.
    fn places(self, random: &mut Random, bits: u64) -> Vec<u64> {
        let spread = u64::from(self.most.saturating_sub(self.least)) + 1;
        let count = (u64::from(self.least.max(1)) + random.below(spread)).min(bits);
        match self.placement {
            Placement::Scattered => distinct(random, count, bits),
            Placement::Burst => {
                let first = random.below(bits - count + 1);
                (first..first + count).collect()
            }
        }
    }
}

/// Distinct positions below `bits`; a position drawn twice would be flipped back.
fn distinct(random: &mut Random, count: u64, bits: u64) -> Vec<u64> {
    let mut places: Vec<u64> = Vec::new();
    while (places.len() as u64) < count {
        let place = random.below(bits);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_of_neighbours_within_the_packet() {
        let burst = Flips {
            least: 3,
            most: 5,
            placement: Placement::Burst,
        };
        let mut random = Random::new(1);
        let mut firsts = Vec::new();
        for _ in 0..200 {
            let places = burst.places(&mut random, 8);
            assert!((3..=5).contains(&places.len()), "{places:?}");
            assert!(places.windows(2).all(|pair| pair[1] == pair[0] + 1));
            assert!(places.last().is_some_and(|last| *last < 8));
            firsts.push(places[0]);
        }
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts, [0, 1, 2, 3, 4, 5]);
        // A packet shorter than the burst is flipped completely.
        assert_eq!(burst.places(&mut random, 2), [0, 1]);
    }
}
