//! Reports of an association's paths.

use std::net::IpAddr;
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use sheave::events::PathChange;
use sheave::stats::{PathState, PathStats};
use sheave::{Association, Event};

use crate::screen::Screen;
use crate::units::{bytes, millis};

/// Counters and state of a path; the names are those of the library.
#[derive(Clone, Debug, Serialize)]
pub struct PathReport {
    /// The local address.
    pub local: IpAddr,
    /// The peer's address.
    pub remote: IpAddr,
    /// The peer's UDP port, if packets travel in UDP.
    pub udp_port: Option<u16>,
    /// `active`, `inactive` or `unconfirmed`.
    pub state: &'static str,
    /// Whether this is the primary path.
    pub primary: bool,
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow-start threshold, bytes.
    pub ssthresh: u64,
    /// Path MTU, bytes.
    pub pmtu: u16,
    /// Smoothed round-trip time, microseconds.
    pub srtt_us: Option<u64>,
    /// The variation of the round trip, microseconds.
    pub rttvar_us: Option<u64>,
    /// Retransmission timeout, microseconds.
    pub rto_us: u64,
    pub packets_sent: u64,
    pub packets_received: u64,
    /// DATA chunks sent, retransmissions included.
    pub chunks_sent: u64,
    /// DATA chunks retransmitted.
    pub retransmissions: u64,
    /// Fast retransmissions, caused by gap reports.
    pub fast_retransmissions: u64,
    pub timeouts: u64,
}

impl From<&PathStats> for PathReport {
    fn from(stats: &PathStats) -> Self {
        Self {
            local: stats.local,
            remote: stats.remote,
            udp_port: stats.encapsulation,
            state: match stats.state {
                PathState::Active => "active",
                PathState::PotentiallyFailed => "potentially failed",
                PathState::Inactive => "inactive",
                PathState::Unconfirmed => "unconfirmed",
            },
            primary: stats.primary,
            cwnd: stats.cwnd,
            ssthresh: stats.ssthresh,
            pmtu: stats.pmtu,
            srtt_us: stats.srtt.map(micros),
            rttvar_us: stats.rttvar.map(micros),
            rto_us: micros(stats.rto),
            packets_sent: stats.packets_sent,
            packets_received: stats.packets_received,
            chunks_sent: stats.chunks_sent,
            retransmissions: stats.retransmissions,
            fast_retransmissions: stats.fast_retransmissions,
            timeouts: stats.timeouts,
        }
    }
}

impl PathReport {
    /// The paths of an association; empty once it is closed.
    pub fn of(association: &Association) -> Vec<Self> {
        association.path_stats().iter().map(Self::from).collect()
    }

    /// Each path on an indented line, after a line feed.
    pub fn lines(paths: &[Self]) -> String {
        paths
            .iter()
            .map(|path| format!("\n  {}", path.line()))
            .collect()
    }

    /// The path as one line of text.
    pub fn line(&self) -> String {
        let primary = if self.primary { ", primary" } else { "" };
        let rtt = match self.srtt_us {
            Some(srtt) => format!("{} ms", millis(Duration::from_micros(srtt))),
            None => "unknown".to_owned(),
        };
        format!(
            "path {} -> {} ({}{primary}): {} packets sent, {} received, {} of {} chunks \
             retransmitted, {} timeouts, cwnd {}, rtt {rtt}",
            self.local,
            self.remote,
            self.state,
            self.packets_sent,
            self.packets_received,
            self.retransmissions,
            self.chunks_sent,
            self.timeouts,
            bytes(self.cwnd),
        )
    }
}

/// Prints path changes of the association with `peer` from a new thread until the association ends.
pub fn watch(association: &Association, screen: &Screen, peer: &str) {
    let (events, screen, peer) = (association.events(), screen.clone(), peer.to_owned());
    thread::spawn(move || {
        while let Some(event) = events.next() {
            match event {
                Event::Path { remote, change } => tell(&screen, &peer, remote, change),
                Event::Failover { from, to, silence } => {
                    let fields = json!({
                        "peer": peer, "from": from, "to": to, "silence_ms": silence.as_secs_f64() * 1e3,
                    });
                    screen.event("failover", fields, || {
                        format!(
                            "{peer}: {from} has not answered for {silence:.1?}; its data goes to {to}"
                        )
                    });
                }
                Event::Restarted => screen.event("restarted", json!({ "peer": peer }), || {
                    format!("{peer} lost its state and began anew")
                }),
                Event::Closed { .. } => break,
                _ => {}
            }
        }
    });
}

fn tell(screen: &Screen, peer: &str, remote: IpAddr, change: PathChange) {
    let (change, text) = match change {
        PathChange::Confirmed => ("confirmed", "is confirmed"),
        PathChange::PotentiallyFailed => ("potentially_failed", "may have failed"),
        PathChange::Down => ("down", "is DOWN"),
        PathChange::Up => ("up", "is up again"),
        PathChange::Primary => ("primary", "is the primary path now"),
        PathChange::Added => ("added", "is another address of the peer"),
        PathChange::Removed => ("removed", "is no address of the peer any more"),
    };
    let fields = json!({ "peer": peer, "remote": remote, "change": change });
    screen.event("path", fields, || {
        format!("{peer}: path to {remote} {text}")
    });
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}
