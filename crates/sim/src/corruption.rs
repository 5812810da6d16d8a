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

/// The number of bits that are flipped in a packet: from `least` to `most`, all equally likely, at
/// different places of the whole IP packet, all equally likely too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flips {
    /// At least that many, 1 up.
    pub least: u16,
    /// At most that many.
    pub most: u16,
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
                    for bit in distinct(places, *flips, len * 8) {
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

/// Different places below `bits`: flipping one twice would undo it.
fn distinct(random: &mut Random, flips: Flips, bits: u64) -> Vec<u64> {
    let spread = u64::from(flips.most.saturating_sub(flips.least)) + 1;
    let count = (u64::from(flips.least.max(1)) + random.below(spread)).min(bits);
    let mut places: Vec<u64> = Vec::new();
    while (places.len() as u64) < count {
        let place = random.below(bits);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}
