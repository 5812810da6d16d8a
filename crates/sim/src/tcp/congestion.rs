//! Congestion control of this TCP: the trait, its inputs, and the algorithms.

mod cubic;
mod hystart;
mod new_reno;

use core::fmt::Debug;
use core::time::Duration;

pub use cubic::Cubic;
pub use new_reno::NewReno;
use sheave_engine::Time;

use super::{Congestion, InitialWindow, Options};

/// Facts from an acknowledgement of new data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Arrival time of the acknowledgement.
    pub now: Time,
    /// Bytes newly acknowledged, cumulatively.
    pub bytes: u64,
    /// Bytes outstanding after it.
    pub flight: u64,
    /// Round trip of the last acknowledged byte, if measured.
    pub rtt: Option<Duration>,
    /// Whether the window limited the sender.
    pub use_of_window: UseOfWindow,
    /// The smoothed round trip, once measured.
    pub srtt: Option<Duration>,
}

/// Whether the congestion window was full when an acknowledgement arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseOfWindow {
    /// No room for another segment.
    Full,
    /// Room was left: the application or the receiver is the limit (RFC 7661 §4).
    Partial,
}

/// The way in which a loss was detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Duplicate acknowledgements, or SACK blocks.
    Duplicates,
    /// The retransmission timer expired.
    Timeout,
    /// The timer expired during fast recovery, which had already reduced the window.
    TimeoutInRecovery,
    /// The timer expired for a segment that it had already retransmitted.
    RepeatedTimeout,
}

/// Decides how much may be in flight. All sizes are bytes.
pub trait CongestionControl: Debug + Send {
    /// New data was acknowledged, outside fast recovery.
    fn on_ack(&mut self, ack: &Ack);

    /// Data was lost while `flight` bytes were outstanding.
    fn on_loss(&mut self, loss: Loss, flight: u64);

    /// A fast recovery without SACK ended with `flight` bytes outstanding (RFC 6582 §3.2, step 3).
    fn on_recovered(&mut self, flight: u64);

    /// Nothing was sent for a whole timeout (RFC 5681 §4.1).
    fn on_idle(&mut self);

    /// The congestion window.
    fn cwnd(&self) -> u64;

    /// The slow-start threshold.
    fn ssthresh(&self) -> u64;
}

/// Whether the SYN needed its timer, which makes the first window one segment (RFC 5681 §3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SynLoss {
    None,
    Lost,
}

/// Creates the congestion control of a connection.
pub(crate) fn start(options: &Options, smss: u64, syn: SynLoss) -> Box<dyn CongestionControl> {
    let initial = initial_window(options.initial_window, smss, syn);
    let limit = u64::from(options.slow_start_limit) * smss;
    let start = SlowStart {
        smss,
        initial,
        limit,
    };
    match options.congestion {
        Congestion::NewReno => Box::new(NewReno::new(start, options.counting)),
        Congestion::Cubic => Box::new(Cubic::new(start, options.slow_start_exit)),
    }
}

fn initial_window(window: InitialWindow, smss: u64, syn: SynLoss) -> u64 {
    match (syn, window) {
        (SynLoss::Lost, _) => smss,
        (SynLoss::None, InitialWindow::Rfc5681) => match smss {
            0..=1095 => 4 * smss,
            1096..=2190 => 3 * smss,
            _ => 2 * smss,
        },
        (SynLoss::None, InitialWindow::Rfc6928) => (10 * smss).min((2 * smss).max(14_600)),
    }
}

/// Slow start, shared by all congestion controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowStart {
    /// The sender's maximum segment size, bytes.
    pub smss: u64,
    /// Initial window, and the maximum after an idle period, bytes.
    pub initial: u64,
    /// Most bytes by which one acknowledgement grows the window.
    pub limit: u64,
}

impl SlowStart {
    /// Window growth for an acknowledgement, bytes (RFC 5681 §3.1, equation 2).
    fn growth(&self, bytes: u64) -> u64 {
        bytes.min(self.limit)
    }
}

#[cfg(test)]
mod tests;
