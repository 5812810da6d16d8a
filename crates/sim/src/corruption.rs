use sheave_engine::Time;

use crate::error_model::{BitErrors, ErrorModel, Hit};
use crate::{BitErrorRate, Errors, Packet, Random};

/// The choice of bits that arrive wrong. They are flipped in the packet's own bytes; the checksums
/// of those who read the packet may find them.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Corruption {
    /// None.
    #[default]
    None,
    /// Each bit with the same probability.
    BitErrors(BitErrorRate),
    /// Some bits of those packets that an error model hits.
    Packets {
        /// The packets that are hit.
        errors: Errors,
        /// The number of bits that are flipped in each.
        flips: Flips,
    },
}

/// The bits that are flipped in a packet: from `least` to `most`, all numbers equally likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flips {
    /// At least that many, 1 up.
    pub least: u16,
    /// At most that many.
    pub most: u16,
    /// Their places in the whole IP packet.
    pub placement: Placement,
}

/// The places of flipped bits in a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Different ones, all equally likely.
    #[default]
    Scattered,
    /// A run of neighbours; all places are equally likely that hold it whole.
    Burst,
}

/// The effect of corruption on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    /// Nothing.
    None,
    /// Bits of the transport's bytes are wrong.
    Payload,
    /// Bits of the IP header are wrong, which its checksum finds: the packet is useless.
    Header,
}

/// A link's corruption at work.
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
    /// The corruption at work, `None` where nothing can go wrong.
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
    /// Flips what is to be flipped in a packet whose last bit leaves at `now`.
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
    /// Different places below `bits`.
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

/// Different places below `bits`: flipping one twice would undo it.
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
        // A packet that is shorter than the burst is wrong from end to end.
        assert_eq!(burst.places(&mut random, 2), [0, 1]);
    }
}
