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
struct Row {
    window: u64,
    decrease: u64,
}

/// The table of RFC 3649, in whole packets as in its Appendix B: computed from its formulas
/// b(w) and a(w) (§7), with p(w) = 0.078/w^1.2 (§5).
const ROWS: [Row; 73] = [
    Row {
        window: 38,
        decrease: 128,
    },
    Row {
        window: 118,
        decrease: 113,
    },
    Row {
        window: 221,
        decrease: 105,
    },
    Row {
        window: 347,
        decrease: 99,
    },
    Row {
        window: 494,
        decrease: 94,
    },
    Row {
        window: 662,
        decrease: 90,
    },
    Row {
        window: 849,
        decrease: 87,
    },
    Row {
        window: 1056,
        decrease: 84,
    },
    Row {
        window: 1282,
        decrease: 81,
    },
    Row {
        window: 1527,
        decrease: 79,
    },
    Row {
        window: 1791,
        decrease: 77,
    },
    Row {
        window: 2073,
        decrease: 75,
    },
    Row {
        window: 2375,
        decrease: 73,
    },
    Row {
        window: 2695,
        decrease: 71,
    },
    Row {
        window: 3035,
        decrease: 70,
    },
    Row {
        window: 3395,
        decrease: 68,
    },
    Row {
        window: 3774,
        decrease: 67,
    },
    Row {
        window: 4173,
        decrease: 65,
    },
    Row {
        window: 4592,
        decrease: 64,
    },
    Row {
        window: 5032,
        decrease: 63,
    },
    Row {
        window: 5493,
        decrease: 62,
    },
    Row {
        window: 5975,
        decrease: 61,
    },
    Row {
        window: 6479,
        decrease: 60,
    },
    Row {
        window: 7005,
        decrease: 59,
    },
    Row {
        window: 7554,
        decrease: 58,
    },
    Row {
        window: 8126,
        decrease: 57,
    },
    Row {
        window: 8722,
        decrease: 56,
    },
    Row {
        window: 9342,
        decrease: 55,
    },
    Row {
        window: 9987,
        decrease: 54,
    },
    Row {
        window: 10_658,
        decrease: 53,
    },
    Row {
        window: 11_355,
        decrease: 52,
    },
    Row {
        window: 12_080,
        decrease: 51,
    },
    Row {
        window: 12_832,
        decrease: 50,
    },
    Row {
        window: 13_613,
        decrease: 50,
    },
    Row {
        window: 14_424,
        decrease: 49,
    },
    Row {
        window: 15_265,
        decrease: 48,
    },
    Row {
        window: 16_138,
        decrease: 47,
    },
    Row {
        window: 17_044,
        decrease: 47,
    },
    Row {
        window: 17_984,
        decrease: 46,
    },
    Row {
        window: 18_959,
        decrease: 45,
    },
    Row {
        window: 19_971,
        decrease: 45,
    },
    Row {
        window: 21_020,
        decrease: 44,
    },
    Row {
        window: 22_110,
        decrease: 43,
    },
    Row {
        window: 23_240,
        decrease: 43,
    },
    Row {
        window: 24_413,
        decrease: 42,
    },
    Row {
        window: 25_632,
        decrease: 41,
    },
    Row {
        window: 26_897,
        decrease: 41,
    },
    Row {
        window: 28_211,
        decrease: 40,
    },
    Row {
        window: 29_578,
        decrease: 39,
    },
    Row {
        window: 30_998,
        decrease: 39,
    },
    Row {
        window: 32_477,
        decrease: 38,
    },
    Row {
        window: 34_015,
        decrease: 37,
    },
    Row {
        window: 35_618,
        decrease: 37,
    },
    Row {
        window: 37_289,
        decrease: 36,
    },
    Row {
        window: 39_032,
        decrease: 36,
    },
    Row {
        window: 40_853,
        decrease: 35,
    },
    Row {
        window: 42_756,
        decrease: 34,
    },
    Row {
        window: 44_748,
        decrease: 34,
    },
    Row {
        window: 46_836,
        decrease: 33,
    },
    Row {
        window: 49_027,
        decrease: 33,
    },
    Row {
        window: 51_330,
        decrease: 32,
    },
    Row {
        window: 53_757,
        decrease: 31,
    },
    Row {
        window: 56_318,
        decrease: 31,
    },
    Row {
        window: 59_029,
        decrease: 30,
    },
    Row {
        window: 61_906,
        decrease: 30,
    },
    Row {
        window: 64_970,
        decrease: 29,
    },
    Row {
        window: 68_246,
        decrease: 28,
    },
    Row {
        window: 71_765,
        decrease: 28,
    },
    Row {
        window: 75_567,
        decrease: 27,
    },
    Row {
        window: 79_705,
        decrease: 26,
    },
    Row {
        window: 84_250,
        decrease: 25,
    },
    Row {
        window: 89_302,
        decrease: 25,
    },
    Row {
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
