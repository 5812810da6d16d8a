//! Probes of tails (RFC 8985 §7): after the last packet nothing is delivered that could show it to
//! be lost, so it is asked for.

use core::time::Duration;

use super::super::Search;
use crate::Time;

/// The state of the tail probe of a path; at most one is in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::outbound) enum Tail {
    #[default]
    Quiet,
    /// A packet that was to leave in any case is the probe, now and not when the window lets it;
    /// answered as soon as this chunk or a later one is delivered.
    Hastened { seq: u64 },
    /// A probe that was sent before is on its way.
    Again(Again),
    /// The probe was delivered, and unless the peer got it twice the first transmission was lost.
    Repaired(Again),
}

/// The last chunk, sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::outbound) struct Again {
    pub(in crate::outbound) seq: u64,
    /// When it was sent before.
    pub(in crate::outbound) first_at: Time,
    pub(in crate::outbound) at: Time,
}

impl Tail {
    /// Whether a probe is on its way, where all below `base` is acknowledged.
    pub(in crate::outbound) const fn is_probed(self, base: u64) -> bool {
        match self {
            Self::Hastened { seq } | Self::Again(Again { seq, .. }) => seq >= base,
            Self::Quiet | Self::Repaired(_) => false,
        }
    }

    /// A chunk was delivered. One that was as quick as no round trip is the first transmission.
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

    /// The peer got that chunk twice. Whether it was the probe.
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

    /// When the chunk was sent first that a probe has repaired, once something that was sent after
    /// the probe is acknowledged (all below `base`) and no duplicate was reported.
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
    /// A loss that a probe repaired is a loss (RFC 8985 §7.4.2). Whether a window is to be cut.
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

/// The delay of a peer's answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MaxAckDelay {
    /// Packets without a SACK.
    pub(crate) packets: u8,
    /// The longest delay.
    pub(crate) delay: Duration,
}

/// Whether new data could be the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewData {
    Waits,
    None,
}
