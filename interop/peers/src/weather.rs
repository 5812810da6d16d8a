use std::time::Duration;

use crate::Random;

/// What the network does to packets, in both directions alike.
#[derive(Clone, Copy, Debug)]
pub struct Weather {
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

impl Weather {
    /// Every packet arrives after 5 ms.
    pub const FAIR: Self = Self {
        delay: Duration::from_millis(5),
        loss: 0,
        duplication: 0,
        reordering: 0,
        corruption: 0,
    };

    /// Of 100 packets two are lost.
    pub const LOSSY: Self = Self {
        loss: 2,
        ..Self::FAIR
    };

    /// Of all troubles some.
    pub const FOUL: Self = Self {
        loss: 3,
        duplication: 2,
        reordering: 10,
        corruption: 1,
        ..Self::FAIR
    };

    /// Hands on what becomes of a packet: each copy that arrives, and how long it takes.
    pub(crate) fn befall(
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
