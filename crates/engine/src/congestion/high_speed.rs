use super::{Ack, CongestionControl, Loss, NewReno, Recovery, WindowRules};
use crate::Time;

/// HighSpeed TCP (RFC 3649) for SCTP: above 38 packets the window grows by more than one packet per
/// round trip and is cut by less than half, so that large windows recover in reasonable time.
/// Smaller windows, slow start and timeouts follow [`NewReno`].
#[derive(Clone, Debug)]
pub struct HighSpeed {
    reno: NewReno,
    /// Bytes acknowledged since the window last grew.
    partial_bytes_acked: u64,
}

/// A row: the window (packets) from which growth is one more packet per round trip than in the
/// previous row, and the cut on a loss, in 256ths.
#[derive(Clone, Copy, Debug)]
struct ResponseRow {
    window: u64,
    decrease: u64,
}

const fn row(window: u64, decrease: u64) -> ResponseRow {
    ResponseRow { window, decrease }
}

/// The table of RFC 3649, in whole packets as in its Appendix B: computed from its formulas
/// b(w) and a(w) (§7), with p(w) = 0.078/w^1.2 (§5).
const ROWS: [ResponseRow; 73] = [
    row(38, 128),
    row(118, 113),
    row(221, 105),
    row(347, 99),
    row(494, 94),
    row(662, 90),
    row(849, 87),
    row(1056, 84),
    row(1282, 81),
    row(1527, 79),
    row(1791, 77),
    row(2073, 75),
    row(2375, 73),
    row(2695, 71),
    row(3035, 70),
    row(3395, 68),
    row(3774, 67),
    row(4173, 65),
    row(4592, 64),
    row(5032, 63),
    row(5493, 62),
    row(5975, 61),
    row(6479, 60),
    row(7005, 59),
    row(7554, 58),
    row(8126, 57),
    row(8722, 56),
    row(9342, 55),
    row(9987, 54),
    row(10_658, 53),
    row(11_355, 52),
    row(12_080, 51),
    row(12_832, 50),
    row(13_613, 50),
    row(14_424, 49),
    row(15_265, 48),
    row(16_138, 47),
    row(17_044, 47),
    row(17_984, 46),
    row(18_959, 45),
    row(19_971, 45),
    row(21_020, 44),
    row(22_110, 43),
    row(23_240, 43),
    row(24_413, 42),
    row(25_632, 41),
    row(26_897, 41),
    row(28_211, 40),
    row(29_578, 39),
    row(30_998, 39),
    row(32_477, 38),
    row(34_015, 37),
    row(35_618, 37),
    row(37_289, 36),
    row(39_032, 36),
    row(40_853, 35),
    row(42_756, 34),
    row(44_748, 34),
    row(46_836, 33),
    row(49_027, 33),
    row(51_330, 32),
    row(53_757, 31),
    row(56_318, 31),
    row(59_029, 30),
    row(61_906, 30),
    row(64_970, 29),
    row(68_246, 28),
    row(71_765, 28),
    row(75_567, 27),
    row(79_705, 26),
    row(84_250, 25),
    row(89_302, 25),
    row(95_010, 24),
];

impl HighSpeed {
    /// A window as [`NewReno::new`] makes it.
    #[must_use]
    pub fn new(pmdcs: u64, rules: WindowRules, initial: u64) -> Self {
        Self {
            reno: NewReno::new(pmdcs, rules, initial),
            partial_bytes_acked: 0,
        }
    }

    /// Window growth per round trip in packets, and the cut on a loss in 256ths.
    fn response(&self) -> (u64, u64) {
        let packets = self.reno.cwnd() / self.reno.pmdcs().max(1);
        let rows = ROWS.partition_point(|row| row.window <= packets).max(1);
        let decrease = ROWS.get(rows - 1).map_or(128, |row| row.decrease);
        (rows as u64, decrease)
    }

    fn congestion_avoidance(&mut self, ack: &Ack) {
        if !self.reno.was_full(ack) {
            return;
        }
        self.partial_bytes_acked += ack.bytes;
        let (increase, _) = self.response();
        let step = (self.reno.cwnd() / increase).max(1);
        let packets = self.partial_bytes_acked / step;
        self.partial_bytes_acked %= step;
        self.reno.set(
            self.reno.cwnd() + packets * self.reno.pmdcs(),
            self.reno.ssthresh(),
        );
    }

    fn decrease(&mut self) {
        let (_, decrease) = self.response();
        let kept = self.reno.cwnd() * (256 - decrease) / 256;
        let kept = kept.max(self.reno.least());
        self.reno
            .set(kept.min(self.reno.cwnd()).max(self.reno.pmdcs()), kept);
        self.partial_bytes_acked = 0;
    }
}

impl CongestionControl for HighSpeed {
    fn on_ack(&mut self, ack: &Ack) {
        if self.reno.is_slow_start() || ack.recovery == Recovery::Fast {
            self.reno.on_ack(ack);
        } else {
            self.reno.on_sign_of_use();
            self.congestion_avoidance(ack);
        }
    }

    fn on_loss(&mut self, now: Time, loss: Loss) {
        match loss {
            Loss::GapReports | Loss::Unmarked => self.decrease(),
            Loss::Timeout => self.reno.on_loss(now, loss),
        }
    }

    fn on_mark(&mut self, _now: Time) {
        self.decrease();
    }

    super::as_new_reno!();
}

#[cfg(test)]
mod tests;
