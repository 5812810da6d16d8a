//! The paper's vectors: quantities that its simulator records during a run.

use sheave_sim::scenario::Run;
use sheave_sim::{Sample, Sctp, VantagePoint};

use super::measure::end;
use crate::{Estimate, Measured, Series};

/// A time series, with an entry for each event that updates it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Vector {
    name: &'static str,
    /// Pairs of time in seconds and value.
    entries: Vec<(f64, f64)>,
}

impl Vector {
    fn new(name: &'static str, entries: impl Iterator<Item = (f64, f64)>) -> Self {
        Self {
            name,
            entries: entries.collect(),
        }
    }

    /// Measures count, mean, extremes and deviation over the entries with equal weights, like the
    /// vectors of the paper's simulator.
    pub(super) fn measure(&self, measured: Measured) -> Measured {
        let values: Vec<f64> = self.entries.iter().map(|(_, value)| *value).collect();
        let Some(estimate) = Estimate::of(&values) else {
            return measured;
        };
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let name = self.name;
        measured
            .with(&format!("{name}_count"), values.len() as f64)
            .with(&format!("{name}_mean"), estimate.mean)
            .with(&format!("{name}_deviation"), estimate.deviation)
            .with(&format!("{name}_max"), most)
            .with(&format!("{name}_min"), least)
    }

    pub(super) fn series(self) -> Series {
        Series {
            name: self.name.to_owned(),
            points: self.entries,
        }
    }
}

/// The six vectors.
pub(super) fn vectors(run: &Run) -> Vec<Vector> {
    let mut vectors = Vec::new();
    if let Some(sender) = end(run, VantagePoint::Client) {
        let at = |sample: &Sample| sample.time.as_secs_f64();
        let cwnd = told(sender, |one, other| one.cwnd == other.cwnd);
        vectors.push(Vector::new(
            "cwnd",
            cwnd.map(|one| (at(one), one.cwnd as f64)),
        ));
        // A measurement that leaves the RTO unchanged is also an entry.
        let rto = told(sender, |one, other| {
            (one.rto, one.round_trips) == (other.rto, other.round_trips)
        });
        let rto = rto.filter(|one| one.round_trips > 0);
        vectors.push(Vector::new(
            "rto_s",
            rto.map(|one| (at(one), one.rto.as_secs_f64())),
        ));
        let rtt = told(sender, |one, other| one.round_trips == other.round_trips);
        let rtt = rtt.filter_map(|one| Some((at(one), one.rtt?.as_secs_f64())));
        vectors.push(Vector::new("rtt_s", rtt));
    }
    if let Some(sink) = run.sink("main") {
        let receipts = || sink.receipts().iter();
        let delays = receipts().map(|one| (one.delivered.as_secs_f64(), one.delay().as_secs_f64()));
        vectors.push(Vector::new("delay_s", delays));
        let received = receipts().scan(0.0, |sum, one| {
            *sum += one.len as f64;
            Some((one.delivered.as_secs_f64(), *sum))
        });
        vectors.push(Vector::new("received_bytes", received));
    }
    if let Some(receiver) = end(run, VantagePoint::Server) {
        let told = receiver.advertised().iter();
        let told = told.map(|one| (one.time.as_secs_f64(), f64::from(one.rwnd)));
        vectors.push(Vector::new("rwnd", told));
    }
    vectors
}

/// The samples of the primary path that differ from their predecessor.
fn told<'a>(
    sender: &'a Sctp,
    is_old: impl Fn(&Sample, &Sample) -> bool + 'a,
) -> impl Iterator<Item = &'a Sample> {
    let mut last: Option<&Sample> = None;
    primary(sender).filter(move |sample| {
        let new = last.is_none_or(|last| !is_old(sample, last));
        if new {
            last = Some(sample);
        }
        new
    })
}

/// The samples of the initial primary path.
pub(super) fn primary(sender: &Sctp) -> impl Iterator<Item = &Sample> {
    let remote = sender.samples().first().map(|sample| sample.remote);
    let samples = sender.samples().iter();
    samples.filter(move |sample| Some(sample.remote) == remote)
}

#[cfg(test)]
mod tests;
