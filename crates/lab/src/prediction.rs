//! A guess at the packets of a run, made from its scenario before anything is run.
//!
//! The guess need not be right: a [`Forecast`](crate::forecast::Forecast) measures what a guessed packet
//! takes. It has to tell a run of a hundred packets from one of a million.

use sheave_sim::scenario::{Flow, FlowKind, FlowWorkload, LinkPair, Scenario};
use sheave_sim::{Arrivals, Errors, LinkSpec, Pace};

/// Bytes of a full packet.
const PACKET: f64 = 1500.0;
/// Packets that could be simulated while a run is built and its record written.
const BUILT: f64 = 200.0;
/// The shortest round trip that is believed, seconds.
const LEAST_ROUND_TRIP: f64 = 50e-6;

/// The properties of the way between two hosts, all links of the scenario taken together.
struct Way {
    /// Packets a second that go through.
    rate: f64,
    /// Seconds.
    round_trip: f64,
    /// Share of packets that are lost by chance.
    loss: f64,
}

/// The packets with data that a run of that scenario is likely to send, and those that it might send while
/// it is built.
pub(crate) fn packets(scenario: &Scenario) -> f64 {
    let way = Way::of(scenario);
    let seconds = scenario.duration.as_secs_f64();
    let flows = scenario.flows.iter();
    let wanted: f64 = flows.map(|flow| flow_packets(flow, &way, seconds)).sum();
    // However many flows there are, the links bound what gets through.
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
        // Without routers the links lie side by side.
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

    /// Packets a second of a transport with windows of that many bytes: the rate of the links, of the
    /// window, or of the square-root law (Mathis and others, 1997), whichever is least.
    fn transport_rate(&self, window: usize) -> f64 {
        let by_window = (window as f64 / PACKET).max(1.0);
        let by_loss = match self.loss > 0.0 {
            true => (1.5 / self.loss).sqrt(),
            false => f64::INFINITY,
        };
        self.rate.min(by_window.min(by_loss) / self.round_trip)
    }
}

/// Packets a second, in the faster direction.
fn link_rate(pair: &LinkPair) -> f64 {
    let rate = |link: &LinkSpec| match &link.pace {
        Pace::Constant(rate) => rate.0 as f64 / (8.0 * PACKET),
        Pace::Instant | Pace::Trace(_) => f64::INFINITY,
    };
    rate(&pair.there).max(rate(&pair.back))
}

/// Share of the packets that a link loses by chance, roughly.
fn chance(link: &LinkSpec) -> f64 {
    match &link.loss {
        Errors::Uniform(probability) => probability.value(),
        Errors::BitErrors(rate) => (rate.0.value() * 8.0 * PACKET).min(1.0),
        Errors::None | Errors::Gilbert(_) | Errors::Pattern(_) => 0.0,
    }
}

/// Packets with data of a flow.
fn flow_packets(flow: &Flow, way: &Way, duration: f64) -> f64 {
    let seconds = (duration - flow.start.as_secs_f64()).max(0.0);
    let (wanted, window) = match &flow.kind {
        FlowKind::Sctp {
            options, workload, ..
        } => (workload_packets(workload), options.receive_buffer),
        FlowKind::Tcp { options, workload } => (workload_packets(workload), options.receive_buffer),
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

/// Packets that carry all messages of a workload; no bound where it has no end.
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

/// Seconds from one packet to the next on average.
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
