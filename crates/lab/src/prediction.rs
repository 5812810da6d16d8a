//! Estimates the number of packets of a run from its scenario, before anything is run.
//!
//! The estimate may be off by a constant factor, since a [`Forecast`](crate::forecast::Forecast)
//! measures the time per estimated packet. It only has to distinguish a run of a hundred packets
//! from one of a million.

use sheave_sim::scenario::{Flow, FlowKind, FlowWorkload, LinkPair, Scenario};
use sheave_sim::{Arrivals, Errors, LinkSpec, Pace};

/// Size of a full packet, bytes.
const PACKET: f64 = 1500.0;
/// Fixed cost of a run (building it, writing its record), in simulated packets.
const BUILT: f64 = 200.0;
/// Lower bound on the round-trip time, seconds.
const LEAST_ROUND_TRIP: f64 = 50e-6;

/// Path properties between two hosts, combined over all links of the scenario.
struct Way {
    /// Packets per second.
    rate: f64,
    /// Round-trip time, seconds.
    round_trip: f64,
    /// Random loss, as a share of packets.
    loss: f64,
}

/// The expected number of data packets of a run, plus the fixed cost of a run.
pub(crate) fn packets(scenario: &Scenario) -> f64 {
    let way = Way::of(scenario);
    let seconds = scenario.duration.as_secs_f64();
    let flows = scenario.flows.iter();
    let wanted: f64 = flows.map(|flow| flow_packets(flow, &way, seconds)).sum();
    // The links bound the total, regardless of the number of flows.
    BUILT + wanted.min(2.0 * way.rate * seconds)
}

impl Way {
    fn of(scenario: &Scenario) -> Self {
        let rates = scenario.links.iter().map(link_rate);
        let delays = scenario.links.iter().map(|pair| {
            let delay = pair.there.delay.base + pair.back.delay.base;
            delay.as_secs_f64()
        });
        let losses = scenario.links.iter().map(|pair| chance(&pair.there));
        // Without routers, the links are parallel paths.
        let round_trip = match scenario.routers.is_empty() {
            true => delays.fold(0.0, f64::max),
            false => delays.sum(),
        };
        Self {
            rate: rates.fold(f64::INFINITY, f64::min),
            round_trip: round_trip.max(LEAST_ROUND_TRIP),
            loss: losses.fold(0.0, f64::max),
        }
    }

    /// Packets per second of a transport with windows of `window` bytes: the smallest of the link
    /// rate, the window's rate, and the square-root law's (Mathis et al., 1997).
    fn transport_rate(&self, window: usize) -> f64 {
        let by_window = (window as f64 / PACKET).max(1.0);
        let by_loss = match self.loss > 0.0 {
            true => (1.5 / self.loss).sqrt(),
            false => f64::INFINITY,
        };
        self.rate.min(by_window.min(by_loss) / self.round_trip)
    }
}

/// Packets per second, in the faster direction.
fn link_rate(pair: &LinkPair) -> f64 {
    let rate = |link: &LinkSpec| match &link.pace {
        Pace::Constant(rate) => rate.0 as f64 / (8.0 * PACKET),
        Pace::Instant | Pace::Trace(_) => f64::INFINITY,
    };
    rate(&pair.there).max(rate(&pair.back))
}

/// Approximate share of packets lost at random on a link.
fn chance(link: &LinkSpec) -> f64 {
    match &link.loss {
        Errors::Uniform(probability) => probability.value(),
        Errors::BitErrors(rate) => (rate.0.value() * 8.0 * PACKET).min(1.0),
        Errors::None | Errors::Gilbert(_) | Errors::Pattern(_) => 0.0,
    }
}

/// Number of data packets of a flow.
fn flow_packets(flow: &Flow, way: &Way, duration: f64) -> f64 {
    let seconds = (duration - flow.start.as_secs_f64()).max(0.0);
    let (wanted, window) = match &flow.kind {
        FlowKind::Sctp {
            options, workload, ..
        } => (workload_packets(workload), options.receive_buffer),
        FlowKind::Tcp { options, workload } => (workload_packets(workload), options.receive_buffer),
        FlowKind::Custom { workload, .. } => (workload_packets(workload), usize::MAX),
        FlowKind::Files { files, .. } => {
            let each = (files.len as f64 / PACKET).ceil();
            (f64::from(files.count) * each, usize::MAX)
        }
        FlowKind::Udp {
            arrivals, lasts, ..
        } => {
            let lasts = lasts.map_or(seconds, |lasts| lasts.as_secs_f64().min(seconds));
            return lasts / interval(*arrivals);
        }
    };
    wanted.min(seconds * way.transport_rate(window))
}

/// Number of packets for all messages of a workload; infinite for an endless one.
fn workload_packets(workload: &FlowWorkload) -> f64 {
    match workload {
        FlowWorkload::Bulk { count: None, .. } | FlowWorkload::UrgentAndBulk(_) => f64::INFINITY,
        FlowWorkload::Bulk {
            message,
            count: Some(count),
            ..
        } => *count as f64 * (*message as f64 / PACKET).max(1.0),
        FlowWorkload::Messages(outgoing) => {
            outgoing.count as f64 * (outgoing.len as f64 / PACKET).max(1.0)
        }
    }
}

/// Mean time between packets, seconds.
fn interval(arrivals: Arrivals) -> f64 {
    let seconds = match arrivals {
        Arrivals::Constant { interval } => interval.as_secs_f64(),
        Arrivals::Poisson { mean } => mean.as_secs_f64(),
        Arrivals::OnOff { interval, on, off } => {
            let share = on.as_secs_f64() / (on + off).as_secs_f64().max(1e-9);
            interval.as_secs_f64() / share.max(1e-9)
        }
    };
    seconds.max(1e-9)
}

#[cfg(test)]
mod tests;
