use super::full_pipe::FullPipe;
use super::max_filter::MaxFilter;
use super::rounds::Rounds;
use crate::Time;
use crate::congestion::{Ack, Rate};

/// Round trips in each of the two spans of the maximum filter; together they make up
/// `BBR.ExtraAckedFilterLen`.
const SPAN: u64 = 5;

/// Bytes acknowledged beyond the expected number, on paths that deliver or acknowledge in bursts
/// (§5.5.9).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    began: Time,
    /// Bytes acknowledged since.
    acked: u64,
    most: MaxFilter,
    /// The round trip in which the current span began.
    span_began: u64,
}

impl Aggregation {
    /// `BBR.extra_acked`, bytes.
    pub(super) fn extra(&self) -> u64 {
        self.most.most()
    }

    /// Excludes idle time, in which nothing was expected.
    pub(super) const fn restart(&mut self, now: Time) {
        (self.began, self.acked) = (now, 0);
    }

    pub(super) fn on_acked(
        &mut self,
        ack: &Ack,
        rate: Option<Rate>,
        cwnd: u64,
        rounds: &Rounds,
        pipe: &FullPipe,
    ) {
        let since = ack.now.since(self.began);
        let mut expected = rate.map_or(0, |rate| rate.bytes_in(since));
        if self.acked <= expected {
            self.restart(ack.now);
            expected = 0;
        }
        self.acked = self.acked.saturating_add(ack.bytes);
        let span = if pipe.was_reached() { SPAN } else { 1 };
        if rounds.count() >= self.span_began + span {
            self.most.advance();
            self.span_began = rounds.count();
        }
        self.most
            .on_value(self.acked.saturating_sub(expected).min(cwnd));
    }
}
