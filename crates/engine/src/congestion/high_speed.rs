use super::{Ack, CongestionControl, Loss, NewReno, Recovery, WindowRules};
use crate::Time;

/// HighSpeed TCP (RFC 3649) for SCTP: above 38 packets the window grows by more than one packet per
/// round trip and is cut by less than half, so that large windows recover within reasonable time.
/// Below, and in slow start and after a timeout, it is [`NewReno`].
#[derive(Clone, Debug)]
pub struct HighSpeed {
    reno: NewReno,
    /// Bytes acknowledged since the window last grew.
    partial_bytes_acked: u64,
}

/// From which window on, packets, it grows by one packet more per round trip than the row before;
/// and by how much a loss cuts it, in 256ths.
#[derive(Clone, Copy, Debug)]
struct ResponseRow {
    window: u64,
    decrease: u64,
}

/// The table of RFC 3649, in whole packets as in its Appendix B: computed from its formulas
/// b(w) and a(w) (§7), with p(w) = 0.078/w^1.2 (§5).
const ROWS: [ResponseRow; 73] = [
    ResponseRow {
        window: 38,
        decrease: 128,
    },
    ResponseRow {
        window: 118,
        decrease: 113,
    },
    ResponseRow {
        window: 221,
        decrease: 105,
    },
    ResponseRow {
        window: 347,
        decrease: 99,
    },
    ResponseRow {
        window: 494,
        decrease: 94,
    },
    ResponseRow {
        window: 662,
        decrease: 90,
    },
    ResponseRow {
        window: 849,
        decrease: 87,
    },
    ResponseRow {
        window: 1056,
        decrease: 84,
    },
    ResponseRow {
        window: 1282,
        decrease: 81,
    },
    ResponseRow {
        window: 1527,
        decrease: 79,
    },
    ResponseRow {
        window: 1791,
        decrease: 77,
    },
    ResponseRow {
        window: 2073,
        decrease: 75,
    },
    ResponseRow {
        window: 2375,
        decrease: 73,
    },
    ResponseRow {
        window: 2695,
        decrease: 71,
    },
    ResponseRow {
        window: 3035,
        decrease: 70,
    },
    ResponseRow {
        window: 3395,
        decrease: 68,
    },
    ResponseRow {
        window: 3774,
        decrease: 67,
    },
    ResponseRow {
        window: 4173,
        decrease: 65,
    },
    ResponseRow {
        window: 4592,
        decrease: 64,
    },
    ResponseRow {
        window: 5032,
        decrease: 63,
    },
    ResponseRow {
        window: 5493,
        decrease: 62,
    },
    ResponseRow {
        window: 5975,
        decrease: 61,
    },
    ResponseRow {
        window: 6479,
        decrease: 60,
    },
    ResponseRow {
        window: 7005,
        decrease: 59,
    },
    ResponseRow {
        window: 7554,
        decrease: 58,
    },
    ResponseRow {
        window: 8126,
        decrease: 57,
    },
    ResponseRow {
        window: 8722,
        decrease: 56,
    },
    ResponseRow {
        window: 9342,
        decrease: 55,
    },
    ResponseRow {
        window: 9987,
        decrease: 54,
    },
    ResponseRow {
        window: 10_658,
        decrease: 53,
    },
    ResponseRow {
        window: 11_355,
        decrease: 52,
    },
    ResponseRow {
        window: 12_080,
        decrease: 51,
    },
    ResponseRow {
        window: 12_832,
        decrease: 50,
    },
    ResponseRow {
        window: 13_613,
        decrease: 50,
    },
    ResponseRow {
        window: 14_424,
        decrease: 49,
    },
    ResponseRow {
        window: 15_265,
        decrease: 48,
    },
    ResponseRow {
        window: 16_138,
        decrease: 47,
    },
    ResponseRow {
        window: 17_044,
        decrease: 47,
    },
    ResponseRow {
        window: 17_984,
        decrease: 46,
    },
    ResponseRow {
        window: 18_959,
        decrease: 45,
    },
    ResponseRow {
        window: 19_971,
        decrease: 45,
    },
    ResponseRow {
        window: 21_020,
        decrease: 44,
    },
    ResponseRow {
        window: 22_110,
        decrease: 43,
    },
    ResponseRow {
        window: 23_240,
        decrease: 43,
    },
    ResponseRow {
        window: 24_413,
        decrease: 42,
    },
    ResponseRow {
        window: 25_632,
        decrease: 41,
    },
    ResponseRow {
        window: 26_897,
        decrease: 41,
    },
    ResponseRow {
        window: 28_211,
        decrease: 40,
    },
    ResponseRow {
        window: 29_578,
        decrease: 39,
    },
    ResponseRow {
        window: 30_998,
        decrease: 39,
    },
    ResponseRow {
        window: 32_477,
        decrease: 38,
    },
    ResponseRow {
        window: 34_015,
        decrease: 37,
    },
    ResponseRow {
        window: 35_618,
        decrease: 37,
    },
    ResponseRow {
        window: 37_289,
        decrease: 36,
    },
    ResponseRow {
        window: 39_032,
        decrease: 36,
    },
    ResponseRow {
        window: 40_853,
        decrease: 35,
    },
    ResponseRow {
        window: 42_756,
        decrease: 34,
    },
    ResponseRow {
        window: 44_748,
        decrease: 34,
    },
    ResponseRow {
        window: 46_836,
        decrease: 33,
    },
    ResponseRow {
        window: 49_027,
        decrease: 33,
    },
    ResponseRow {
        window: 51_330,
        decrease: 32,
    },
    ResponseRow {
        window: 53_757,
        decrease: 31,
    },
    ResponseRow {
        window: 56_318,
        decrease: 31,
    },
    ResponseRow {
        window: 59_029,
        decrease: 30,
    },
    ResponseRow {
        window: 61_906,
        decrease: 30,
    },
    ResponseRow {
        window: 64_970,
        decrease: 29,
    },
    ResponseRow {
        window: 68_246,
        decrease: 28,
    },
    ResponseRow {
        window: 71_765,
        decrease: 28,
    },
    ResponseRow {
        window: 75_567,
        decrease: 27,
    },
    ResponseRow {
        window: 79_705,
        decrease: 26,
    },
    ResponseRow {
        window: 84_250,
        decrease: 25,
    },
    ResponseRow {
        window: 89_302,
        decrease: 25,
    },
    ResponseRow {
        window: 95_010,
        decrease: 24,
    },
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

    /// The packets by which the window grows per round trip, and the 256ths that a loss takes away.
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

    fn on_idle(&mut self, rtos: u32) {
        self.reno.on_idle(rtos);
    }

    fn on_resume(&mut self, cwnd: u64, ssthresh: u64) {
        self.reno.on_resume(cwnd, ssthresh);
    }

    fn on_pmdcs(&mut self, pmdcs: u64) {
        self.reno.on_pmdcs(pmdcs);
    }

    fn cwnd(&self) -> u64 {
        self.reno.cwnd()
    }

    fn ssthresh(&self) -> u64 {
        self.reno.ssthresh()
    }
}

#[cfg(test)]
mod tests;
