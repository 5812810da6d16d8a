//! Heartbeats on every path of an association.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::thread;
use std::time::{Duration, Instant};

use sheave::options::{EarlyData, Heartbeats, UNLIMITED};
use sheave::stats::{PathState, PathStats};
use sheave::{Association, Endpoint, Options};

use super::{Answer, PingArgs, PingOutcome, Probe};
use crate::failure::Failure;
use crate::network::Role;

/// Interval of polling the paths' counters.
const LOOK: Duration = Duration::from_micros(250);
/// Size of a heartbeat in reports; the paths do not provide the real one.
const BYTES: usize = 64;

/// The shortest retransmission timeout of the engine.
const LEAST_TIMEOUT: Duration = Duration::from_millis(10);

/// Probes with heartbeats.
pub struct Heartbeat {
    association: Association,
    /// Must live as long as the association is used.
    _endpoint: Endpoint,
    open: Vec<Question>,
    ready: VecDeque<Answer>,
}

struct Question {
    remote: IpAddr,
    seq: u64,
    sent: Instant,
    acked: u64,
}

impl Heartbeat {
    /// Establishes an association to probe.
    pub fn new(args: &PingArgs, host: &str, port: u16) -> Result<Self, Failure> {
        let endpoint = args.network.bind(Role::Client)?;
        let mut options = Options {
            // Heartbeats require an established association, not just the peer's answer.
            early_data: EarlyData::Off,
            // Disables automatic heartbeats, and keeps losses from ending the association.
            heartbeats: Heartbeats::Off,
            association_max_retrans: UNLIMITED,
            path_max_retrans: UNLIMITED,
            potentially_failed_max_retrans: None,
            primary_switchover_max_retrans: None,
            dead_peer_timeout: None,
            ..args.network.options()
        };
        let association =
            args.peer
                .connect((&args.network, &endpoint), host, port, options.clone())?;
        await_confirmation(&association, args.timeout);
        let paths = association.path_stats();
        let srtt = paths.iter().filter_map(|path| path.srtt).max();
        // Shorter than the interval, but long enough for answers slower than those of the
        // handshake.
        let patience = (args.interval / 10 * 9).max(srtt.unwrap_or_default() * 3);
        let patience = patience.clamp(LEAST_TIMEOUT, args.timeout.max(LEAST_TIMEOUT));
        (options.rto_min, options.rto_max) = (patience, patience);
        association.retune(&options).map_err(Failure::new)?;
        Ok(Self {
            association,
            _endpoint: endpoint,
            open: Vec::new(),
            ready: VecDeque::new(),
        })
    }

    /// Whether the last heartbeat of the path was answered or lost, so that the next can be sent.
    fn is_free(&self, path: &PathStats) -> bool {
        let mut open = self.open.iter().filter(|open| open.remote == path.remote);
        // The engine's timer expires slightly later than this one.
        !open.any(|open| open.sent.elapsed() < path.rto + LOOK)
    }

    fn look(&mut self) {
        let paths = self.association.path_stats();
        let mut open = std::mem::take(&mut self.open);
        open.retain(|question| {
            let path = paths.iter().find(|path| path.remote == question.remote);
            let Some(path) = path.filter(|path| path.heartbeats_acked > question.acked) else {
                return true;
            };
            self.ready.push_back(Answer {
                from: question.remote.to_string(),
                seq: question.seq,
                outcome: PingOutcome::Reply {
                    bytes: BYTES,
                    rtt: question.rtt(path),
                },
            });
            false
        });
        self.open = open;
    }
}

impl Question {
    /// The round trip of the last heartbeat; polling the counters only gives an upper bound.
    fn rtt(&self, path: &PathStats) -> Duration {
        let elapsed = self.sent.elapsed();
        path.rtt.map_or(elapsed, |rtt| rtt.min(elapsed))
    }
}

/// Waits until the peer's other addresses are confirmed, so that no heartbeat of the handshake is
/// in flight when probing begins.
fn await_confirmation(association: &Association, most: Duration) {
    let deadline = Instant::now() + most;
    let is_open = |path: &PathStats| path.state == PathState::Unconfirmed;
    while association.path_stats().iter().any(is_open) && Instant::now() < deadline {
        thread::sleep(LOOK);
    }
}

impl Probe for Heartbeat {
    fn send(&mut self, seq: u64) -> Result<u64, Failure> {
        let paths = self.association.path_stats();
        if paths.is_empty() {
            let why = self.association.close_reason();
            let error = why.map(sheave::error::ReceiveError::Closed);
            let text = error.map_or("it is closed".to_owned(), |error| error.to_string());
            return Err(Failure::new(text));
        }
        let mut asked = 0;
        for path in paths {
            if !self.is_free(&path) {
                continue;
            }
            let question = Question {
                remote: path.remote,
                seq,
                sent: Instant::now(),
                acked: path.heartbeats_acked,
            };
            if self.association.request_heartbeat(path.remote).is_ok() {
                self.open.retain(|open| open.remote != path.remote);
                self.open.push(question);
                asked += 1;
            }
        }
        Ok(asked)
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<Answer>, Failure> {
        let deadline = Instant::now() + wait;
        loop {
            if let Some(answer) = self.ready.pop_front() {
                return Ok(Some(answer));
            }
            self.look();
            if self.ready.is_empty() {
                let rest = deadline.saturating_duration_since(Instant::now());
                if rest.is_zero() {
                    return Ok(None);
                }
                // Polls only while an answer is awaited.
                let pause = if self.open.is_empty() { rest } else { LOOK };
                thread::sleep(pause.min(rest));
            }
        }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        let _ = self.association.shutdown_timeout(Duration::from_secs(1));
    }
}
