use core::net::IpAddr;
use core::time::Duration;

use sheave_engine::{AssocStats, PathState, PathStats, Time};

/// The state of a path at a moment at which some of it had changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When.
    pub time: Time,
    /// The peer address that the path leads to.
    pub remote: IpAddr,
    /// Whether it can carry data.
    pub state: PathState,
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow-start threshold, bytes.
    pub ssthresh: u64,
    /// In flight, bytes. A change of this alone makes no sample.
    pub flight: u64,
    /// Retransmission timeout.
    pub rto: Duration,
    /// The last round trip that was measured, as it was.
    pub rtt: Option<Duration>,
    /// Round trips measured so far, modulo 2^32.
    pub round_trips: u32,
    /// Smoothed round-trip time, once measured.
    pub srtt: Option<Duration>,
    /// Round-trip time variation, once measured.
    pub rttvar: Option<Duration>,
    /// Consecutive unanswered sends.
    pub errors: u32,
    /// DATA chunks sent so far, retransmissions included.
    pub chunks_sent: u64,
    /// DATA chunks retransmitted so far.
    pub retransmissions: u64,
    /// Retransmissions because of gap reports.
    pub fast_retransmissions: u64,
    /// T3-rtx expirations so far.
    pub timeouts: u64,
    /// The peer's last advertised receiver window, less what is in flight, bytes; it belongs to
    /// the association. A change of this alone makes no sample.
    pub peer_rwnd: u32,
    /// The window that this end would advertise, bytes; likewise.
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

    /// Whether nothing of note lies between the two.
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

/// A receiver window that was told to the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advertised {
    /// When.
    pub time: Time,
    /// The window, bytes.
    pub rwnd: u32,
}

/// The history that a [`Watch`] keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The last statistics only.
    Last,
    /// The whole history.
    Samples,
}

/// Keeps what changes on the paths of an association. It costs time and, with samples, memory, and
/// changes nothing of the run.
#[derive(Debug)]
pub(crate) struct Watch {
    keep: Keep,
    samples: Vec<Sample>,
    /// The last sample of each path, in the order of the paths.
    latest: Vec<Sample>,
    advertised: Vec<Advertised>,
    /// SACKs sent so far.
    sacks: u64,
    last: Option<Stats>,
}

/// The state of an association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Statistics of the association as a whole.
    pub assoc: AssocStats,
    /// Statistics of each path.
    pub paths: Vec<PathStats>,
}

impl Watch {
    pub(crate) const fn new(keep: Keep) -> Self {
        Self {
            keep,
            samples: Vec::new(),
            latest: Vec::new(),
            advertised: Vec::new(),
            sacks: 0,
            last: None,
        }
    }

    pub(crate) fn wants_samples(&self) -> bool {
        self.keep == Keep::Samples
    }

    /// Keeps the state of an association that may end now, if there still is one.
    pub(crate) fn keep(&mut self, stats: Option<Stats>) {
        if stats.is_some() {
            self.last = stats;
        }
    }

    /// Samples the paths that have changed.
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
