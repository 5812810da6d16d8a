//! What the runs tell.

use sheave_engine::{Event, PathChange, Time};
use sheave_sim::scenario::Run;
use sheave_sim::{Sample, Sctp, VantagePoint};

use super::DEATH_AT;
use crate::{Estimate, Measured, Series};

/// User bytes of the transfer.
const BYTES: f64 = 400_000.0;

fn end(run: &Run, end: VantagePoint) -> Option<&Sctp> {
    run.sctp("main", end)
}

/// The paper's scalars.
pub(super) fn transfer(run: &Run, measured: Measured) -> Measured {
    let (Some(sender), Some(sink)) = (end(run, VantagePoint::Client), run.sink("main")) else {
        return measured;
    };
    let lifetime = run.world.now().as_secs_f64();
    let received = sink.last().unwrap_or_default().as_secs_f64();
    let mut measured = measured
        .with("lifetime_s", lifetime)
        .with("received_s", received)
        .with("sent_bit_per_s", BYTES * 8.0 / lifetime)
        .with("received_bit_per_s", BYTES * 8.0 / received)
        .with("failovers", downs(sender).count() as f64);
    if let Some(stats) = sender.stats() {
        let again: f64 = stats.assoc.retransmissions as f64;
        let all: f64 = stats.paths.iter().map(|path| path.chunks_sent as f64).sum();
        // Chunks are of different lengths: the retransmitted ones count as the average one.
        let chunk = BYTES / (all - again);
        measured = measured
            .with("sent_bytes", all * chunk)
            .with("retransmitted_bytes", again * chunk)
            .with("timeouts", stats.assoc.timeouts as f64);
    }
    let primary: Vec<&Sample> = primary(sender).collect();
    let cwnd: Vec<f64> = primary.iter().map(|sample| sample.cwnd as f64).collect();
    let rto: Vec<f64> = primary.iter().map(|at| at.rto.as_secs_f64()).collect();
    let srtt = primary.iter().filter_map(|sample| sample.srtt);
    let srtt: Vec<f64> = srtt.map(|srtt| srtt.as_secs_f64()).collect();
    let receiver = end(run, VantagePoint::Server);
    let rwnd = receiver.into_iter().flat_map(Sctp::samples);
    let rwnd: Vec<f64> = rwnd.map(|sample| f64::from(sample.rwnd)).collect();
    for (name, values) in [
        ("cwnd", &cwnd),
        ("rto_s", &rto),
        ("srtt_s", &srtt),
        ("rwnd", &rwnd),
    ] {
        measured = spread(measured, name, values);
    }
    measured
}

/// Mean, extremes and deviation over the changes, as the paper's simulator reports its vectors.
fn spread(measured: Measured, name: &str, values: &[f64]) -> Measured {
    let Some(estimate) = Estimate::of(values) else {
        return measured;
    };
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    measured
        .with(&format!("{name}_mean"), estimate.mean)
        .with(&format!("{name}_deviation"), estimate.deviation)
        .with(&format!("{name}_max"), most)
        .with(&format!("{name}_min"), least)
}

/// The changes on the path that data takes first.
fn primary(sender: &Sctp) -> impl Iterator<Item = &Sample> {
    let remote = sender.samples().first().map(|sample| sample.remote);
    let samples = sender.samples().iter();
    samples.filter(move |sample| Some(sample.remote) == remote)
}

/// When paths were given up.
fn downs(sender: &Sctp) -> impl Iterator<Item = Time> + '_ {
    changes(sender, PathChange::Down)
}

fn changes(sender: &Sctp, wanted: PathChange) -> impl Iterator<Item = Time> + '_ {
    sender.log().iter().filter_map(move |(time, event)| {
        let is_it = matches!(event, Event::Path { change, .. } if *change == wanted);
        is_it.then_some(*time)
    })
}

/// The paper's vectors.
pub(super) fn course(run: &Run, mut measured: Measured) -> Measured {
    let Some(sender) = end(run, VantagePoint::Client) else {
        return measured;
    };
    let mut keep = |name: &str, points: Vec<(f64, f64)>| {
        measured.series.push(Series {
            name: name.to_owned(),
            points,
        });
    };
    let at = |sample: &Sample| sample.time.as_secs_f64();
    keep(
        "cwnd",
        primary(sender)
            .map(|one| (at(one), one.cwnd as f64))
            .collect(),
    );
    keep(
        "rto",
        primary(sender)
            .map(|one| (at(one), one.rto.as_secs_f64()))
            .collect(),
    );
    let srtt = primary(sender).filter_map(|one| Some((at(one), one.srtt?.as_secs_f64())));
    keep("srtt", srtt.collect());
    if let Some(sink) = run.sink("main") {
        let receipts = || sink.receipts().iter();
        let delays = receipts().map(|one| (one.delivered.as_secs_f64(), one.delay().as_secs_f64()));
        keep("delay", delays.collect());
        let mut sum = 0.0;
        let received = receipts().map(|one| {
            sum += one.len as f64;
            (one.delivered.as_secs_f64(), sum)
        });
        keep("received", received.collect());
    }
    if let Some(receiver) = end(run, VantagePoint::Server) {
        let samples = receiver.samples().iter();
        keep(
            "rwnd",
            samples.map(|one| (at(one), f64::from(one.rwnd))).collect(),
        );
    }
    measured
}

/// How long it took to find out that the path is dead.
pub(super) fn death(run: &Run, measured: Measured) -> Measured {
    let Some(sender) = end(run, VantagePoint::Client) else {
        return measured;
    };
    let died = Time::ZERO + DEATH_AT;
    let since = |time: Option<Time>| time.map(|time| time.since(died).as_secs_f64());
    let down = since(downs(sender).next());
    let doubted = since(changes(sender, PathChange::PotentiallyFailed).next());
    let left = match (down, doubted) {
        (Some(down), Some(doubted)) => Some(doubted.min(down)),
        (one, other) => one.or(other),
    };
    let measured = match down {
        Some(down) => measured.with("given_up_s", down),
        None => measured,
    };
    match left {
        Some(left) => measured.with("left_s", left),
        None => measured,
    }
}
