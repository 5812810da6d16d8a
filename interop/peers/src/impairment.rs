use std::time::Duration;

use crate::Random;

/// The impairments of packets, in both directions alike.
#[derive(Clone, Copy, Debug)]
pub struct Impairment {
    /// Time that a packet takes.
    pub delay: Duration,
    /// Packets lost, per cent.
    pub loss: u64,
    /// Packets that arrive twice, per cent.
    pub duplication: u64,
    /// Packets that take up to four times as long, per cent.
    pub reordering: u64,
    /// Packets with one bit flipped, per cent.
    pub corruption: u64,
}

impl Impairment {
    /// Every packet arrives after 5 ms.
    pub const CLEAN: Self = Self {
        delay: Duration::from_millis(5),
        loss: 0,
        duplication: 0,
        reordering: 0,
        corruption: 0,
    };

    /// Loss of two packets in a hundred.
    pub const LOSSY: Self = Self {
        loss: 2,
        ..Self::CLEAN
    };

    /// A little of every impairment.
    pub const IMPAIRED: Self = Self {
        loss: 3,
        duplication: 2,
        reordering: 10,
        corruption: 1,
        ..Self::CLEAN
    };

    /// Hands on what becomes of a packet: each copy that arrives, and how long it takes.
    pub(crate) fn apply(
        &self,
        random: &mut Random,
        packet: &[u8],
        mut arrive: impl FnMut(Duration, Vec<u8>),
    ) {
        if random.percent(self.loss) {
            return;
        }
        let copies = 1 + u32::from(random.percent(self.duplication));
        for _ in 0..copies {
            let mut delay = self.delay;
            if random.percent(self.reordering) {
                delay += delay * u32::try_from(random.below(4)).unwrap_or(0);
            }
            let mut copy = packet.to_vec();
            if random.percent(self.corruption) {
                let bit = random.below(copy.len() * 8);
                copy[bit / 8] ^= 1 << (bit % 8);
            }
            arrive(delay, copy);
        }
    }
}
