//! Heartbeats on every path of an association.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::thread;
use std::time::{Duration, Instant};

use sheave::options::EarlyData;
use sheave::stats::PathStats;
use sheave::{Association, Endpoint, Options};

use super::{Answer, PingArgs, PingOutcome, Probe};
use crate::failure::Failure;
use crate::network::Role;

/// Time between two looks at the paths' counters.
const LOOK: Duration = Duration::from_micros(250);
/// Bytes of a heartbeat as it is counted here: the paths do not tell.
const BYTES: usize = 64;

/// Asks with heartbeats.
pub struct Heartbeat {
    association: Association,
    /// Must live as long as the association is used.
    _endpoint: Endpoint,
    /// 1/2^n of a round-trip time enters the smoothed one.
    alpha_shift: u8,
    open: Vec<Question>,
    ready: VecDeque<Answer>,
}

struct Question {
    remote: IpAddr,
    seq: u64,
    sent: Instant,
    acked: u64,
    srtt: Option<Duration>,
}

impl Heartbeat {
    /// A probe on an association made for it.
    ///
    /// # Errors
    /// Nobody answers there.
    pub fn new(args: &PingArgs, host: &str, port: u16) -> Result<Self, Failure> {
        let endpoint = args.network.bind(Role::Client)?;
        // Heartbeats leave once the association is established, not when the peer has answered.
        let options = Options {
            early_data: EarlyData::Off,
            ..args.network.options()
        };
        let alpha_shift = options.rto_alpha_shift;
        let association = args.peer.connect(&endpoint, host, port, options)?;
        Ok(Self {
            association,
            _endpoint: endpoint,
            alpha_shift,
            open: Vec::new(),
            ready: VecDeque::new(),
        })
    }

    fn look(&mut self) {
        let paths = self.association.path_stats();
        let shift = self.alpha_shift;
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
                    rtt: question.rtt(path, shift),
                },
            });
            false
        });
        self.open = open;
    }
}

impl Question {
    /// The round trip of this heartbeat: the smoothed time moved by 1/2^n of the difference
    /// (RFC 9260 §6.3.1). Looking at the counters is coarser, and an upper bound.
    fn rtt(&self, path: &PathStats, shift: u8) -> Duration {
        let elapsed = self.sent.elapsed();
        let measured = match (self.srtt, path.srtt) {
            (Some(before), Some(after)) => {
                let (before, after) = (before.as_secs_f64(), after.as_secs_f64());
                before + (after - before) * f64::from(1_u32 << shift.min(16))
            }
            (None, Some(first)) => first.as_secs_f64(),
            _ => return elapsed,
        };
        match Duration::try_from_secs_f64(measured) {
            Ok(measured) if measured <= elapsed && !measured.is_zero() => measured,
            _ => elapsed,
        }
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
        self.open
            .retain(|question| question.sent.elapsed() < Duration::from_secs(60));
        let mut asked = 0;
        for path in paths {
            let question = Question {
                remote: path.remote,
                seq,
                sent: Instant::now(),
                acked: path.heartbeats_acked,
                srtt: path.srtt,
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
                // Once all is answered there is nothing to look for.
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
