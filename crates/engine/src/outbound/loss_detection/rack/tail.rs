//! Tail loss probes (RFC 8985 §7): nothing is delivered after the last packet to show its loss, so
//! a probe elicits a SACK.

use core::time::Duration;

use super::super::Search;
use crate::Time;

/// Tail probe state of a path; at most one probe is in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::outbound) enum Tail {
    #[default]
    Quiet,
    /// A packet due anyway is the probe, sent now although the window would delay it. Answered when
    /// this chunk or a later one is delivered.
    Hastened { seq: u64 },
    /// A retransmission is in flight as the probe.
    Again(Again),
    /// The probe was delivered; unless the peer received the chunk twice, the first transmission
    /// was lost.
    Repaired(Again),
}

/// The last chunk, retransmitted as a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::outbound) struct Again {
    pub(in crate::outbound) seq: u64,
    /// Time of the previous transmission.
    pub(in crate::outbound) first_at: Time,
    pub(in crate::outbound) at: Time,
}

impl Tail {
    /// Whether a probe is in flight, if everything below `base` is acknowledged.
    pub(in crate::outbound) const fn is_probed(self, base: u64) -> bool {
        match self {
            Self::Hastened { seq } | Self::Again(Again { seq, .. }) => seq >= base,
            Self::Quiet | Self::Repaired(_) => false,
        }
    }

    /// A chunk was delivered. If its answer came sooner than the minimum round trip, the first
    /// transmission was delivered.
    pub(in crate::outbound) fn on_delivered(
        &mut self,
        seq: u64,
        now: Time,
        least: Option<Duration>,
    ) {
        *self = match *self {
            Self::Hastened { seq: probe } if seq >= probe => Self::Quiet,
            Self::Again(again) if seq == again.seq => {
                if least.is_some_and(|least| now.since(again.at) < least) {
                    Self::Quiet
                } else {
                    Self::Repaired(again)
                }
            }
            unmoved => unmoved,
        };
    }

    /// The peer received the chunk twice. Returns whether it was the probe.
    fn was_idle(&mut self, seq: u64) -> bool {
        let idle = match *self {
            Self::Again(again) | Self::Repaired(again) => again.seq == seq,
            Self::Quiet | Self::Hastened { .. } => false,
        };
        if idle {
            *self = Self::Quiet;
        }
        idle
    }
}

impl super::Track {
    pub(in crate::outbound) fn tail_was_idle(&mut self, seq: u64) -> bool {
        self.tail.was_idle(seq)
    }

    /// The chunk repaired by a probe and its first transmission time, once a chunk sent after the
    /// probe is acknowledged (all below `base`) without a duplicate report.
    fn take_repair(&mut self, base: u64) -> Option<(u64, Time)> {
        let Tail::Repaired(again) = self.tail else {
            return None;
        };
        if base <= again.seq + 1 {
            return None;
        }
        self.tail = Tail::Quiet;
        Some((again.seq, again.first_at))
    }
}

impl super::Rack {
    /// Responds to a loss repaired by a probe as to any loss (RFC 8985 §7.4.2). Returns whether to
    /// cut a window.
    pub(in crate::outbound) fn answer_tail_repairs(&mut self, search: &mut Search<'_>) -> bool {
        let base = search.ring.first_seq();
        let mut any = false;
        for (track, share) in self.tracks.iter_mut().zip(search.shares.iter_mut()) {
            if let Some((seq, first_at)) = track.take_repair(base)
                && track.was_news(first_at)
            {
                track.on_cut(search.now);
                share.on_loss_reported(seq);
                any = true;
            }
        }
        if any {
            search.enter_recovery();
            search.enter_path_recoveries();
        }
        any
    }
}

/// Bounds on how long the peer may delay a SACK.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MaxAckDelay {
    /// Packets that the peer may leave without a SACK.
    pub(crate) packets: u8,
    /// The longest delay.
    pub(crate) delay: Duration,
}

/// Whether new data could serve as the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewData {
    Waits,
    None,
}
