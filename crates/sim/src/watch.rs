use core::net::IpAddr;
use core::time::Duration;

use sheave_engine::{AssocStats, PathState, PathStats, Time};

/// A snapshot of a path's state, taken when some of it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Time of the snapshot.
    pub time: Time,
    /// The peer's address on the path.
    pub remote: IpAddr,
    /// Whether the path can carry data.
    pub state: PathState,
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow-start threshold, bytes.
    pub ssthresh: u64,
    /// Bytes in flight. Changes of this value alone are not sampled.
    pub flight: u64,
    /// Retransmission timeout.
    pub rto: Duration,
    /// The last measured round trip, without smoothing.
    pub rtt: Option<Duration>,
    /// Number of round trips measured so far, modulo 2^32.
    pub round_trips: u32,
    /// Smoothed round-trip time, once measured.
    pub srtt: Option<Duration>,
    /// Round-trip time variation, once measured.
    pub rttvar: Option<Duration>,
    /// Error counter of the path (RFC 9260 §8.2).
    pub errors: u32,
    /// DATA chunks sent so far, including retransmissions.
    pub chunks_sent: u64,
    /// DATA chunks retransmitted so far.
    pub retransmissions: u64,
    /// DATA chunks retransmitted because of gap reports so far.
    pub fast_retransmissions: u64,
    /// T3-rtx expirations so far.
    pub timeouts: u64,
    /// The association's peer receiver window: last advertised value minus bytes in flight. Changes
    /// of this value alone are not sampled.
    pub peer_rwnd: u32,
    /// The association's receiver window that this end would advertise, bytes. Changes of this
    /// value alone are not sampled.
    pub rwnd: u32,
}

impl Sample {
    fn new(time: Time, path: &PathStats, windows: (u32, u32)) -> Self {
        Self {
            time,
            remote: path.remote,
            state: path.state,
            cwnd: path.cwnd,
            ssthresh: path.ssthresh,
            flight: path.flight,
            rto: path.rto,
            rtt: path.rtt,
            round_trips: path.round_trips,
            srtt: path.srtt,
            rttvar: path.rttvar,
            errors: path.errors,
            chunks_sent: path.chunks_sent,
            retransmissions: path.retransmissions,
            fast_retransmissions: path.fast_retransmissions,
            timeouts: path.timeouts,
            peer_rwnd: windows.0,
            rwnd: windows.1,
        }
    }

    /// Whether the samples differ in nothing worth recording.
    fn resembles(&self, earlier: &Self) -> bool {
        let Self {
            time,
            flight,
            chunks_sent,
            peer_rwnd,
            rwnd,
            ..
        } = *earlier;
        let later = Self {
            time,
            flight,
            chunks_sent,
            peer_rwnd,
            rwnd,
            ..self.clone()
        };
        later == *earlier
    }
}

/// A receiver window advertised to the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advertised {
    /// Time of the SACK.
    pub time: Time,
    /// The window, bytes.
    pub rwnd: u32,
}

/// The amount of history that a [`Watch`] keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Only the last statistics.
    #[default]
    Last,
    /// Every sample.
    Samples,
}

/// Records changes on the paths of an association. Recording costs time and, with samples, memory,
/// but does not affect the run.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    keep: Keep,
    samples: Vec<Sample>,
    /// The last sample of each path, in path order.
    latest: Vec<Sample>,
    advertised: Vec<Advertised>,
    /// Number of SACKs sent.
    sacks: u64,
    last: Option<Stats>,
}

/// Statistics of an association and its paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Statistics of the association as a whole.
    pub assoc: AssocStats,
    /// Statistics of each path.
    pub paths: Vec<PathStats>,
}

impl Watch {
    pub(crate) fn new(keep: Keep) -> Self {
        Self {
            keep,
            ..Self::default()
        }
    }

    pub(crate) fn wants_samples(&self) -> bool {
        self.keep == Keep::Samples
    }

    /// Saves the statistics of an association that may end now, if it still exists.
    pub(crate) fn keep(&mut self, stats: Option<Stats>) {
        if stats.is_some() {
            self.last = stats;
        }
    }

    /// Samples the paths that changed.
    pub(crate) fn look(&mut self, now: Time, stats: Option<Stats>) {
        let Some(Stats { assoc, paths }) = stats else {
            return;
        };
        for path in paths {
            let sample = Sample::new(now, &path, (assoc.peer_rwnd, assoc.rwnd));
            let known = self.latest.iter_mut().find(|old| old.remote == path.remote);
            match known {
                Some(old) if sample.resembles(old) => continue,
                Some(old) => *old = sample.clone(),
                None => self.latest.push(sample.clone()),
            }
            self.samples.push(sample);
        }
        if assoc.sacks_sent > self.sacks {
            self.advertised.push(Advertised {
                time: now,
                rwnd: assoc.rwnd,
            });
        }
        self.sacks = assoc.sacks_sent;
    }

    pub(crate) const fn last(&self) -> Option<&Stats> {
        self.last.as_ref()
    }

    pub(crate) fn advertised(&self) -> &[Advertised] {
        &self.advertised
    }

    pub(crate) fn samples(&self) -> &[Sample] {
        &self.samples
    }
}
