//! Measurements of the runs.

use core::time::Duration;

use sheave_engine::{Event, PathChange, PathState, Time};
use sheave_sim::scenario::Run;
use sheave_sim::{Sctp, Sink, VantagePoint};

use super::vector;
use crate::Measured;

/// When the primary path fails.
const DEATH_AT: Duration = Duration::from_secs(10);

/// User data of the transfer, bytes.
const BYTES: f64 = 400_000.0;
/// Interval between checks for the end of an association.
const PATIENCE: Duration = Duration::from_millis(100);

pub(super) fn end(run: &Run, end: VantagePoint) -> Option<&Sctp> {
    run.sctp("main", end)
}

/// Runs until the association is closed at both ends, which takes longer than the last message.
pub(super) fn outlast(run: &mut Run) {
    let is_over = |run: &Run| {
        let ends = [VantagePoint::Client, VantagePoint::Server];
        ends.iter()
            .all(|at| end(run, *at).is_none_or(|sctp| closed(sctp).is_some()))
    };
    while !is_over(run) && run.world.now() < run.end {
        run.world.run_for(PATIENCE);
    }
}

fn closed(sctp: &Sctp) -> Option<Time> {
    let mut log = sctp.log().iter();
    let closed = log.find(|(_, event)| matches!(event, Event::Closed { .. }));
    closed.map(|(time, _)| *time)
}

/// Time from Established to Closed at one end, seconds.
fn life(sctp: &Sctp) -> Option<f64> {
    let mut log = sctp.log().iter();
    let opened = log.find(|(_, event)| matches!(event, Event::Established { .. }))?;
    Some(closed(sctp)?.since(opened.0).as_secs_f64())
}

/// Measures the paper's scalars, and the statistics of its vectors.
pub(super) fn transfer(run: &Run, mut measured: Measured) -> Measured {
    let (Some(sender), Some(receiver)) = (
        end(run, VantagePoint::Client),
        end(run, VantagePoint::Server),
    ) else {
        return measured;
    };
    for (name, sctp) in [("sender", sender), ("receiver", receiver)] {
        if let Some(life) = life(sctp) {
            measured = measured
                .with(&format!("{name}_life_s"), life)
                .with(&format!("{name}_bit_per_s"), BYTES * 8.0 / life);
        }
    }
    if let Some(last) = run.sink("main").and_then(Sink::last) {
        measured = measured.with("received_s", last.as_secs_f64());
    }
    measured = counts(sender, measured);
    for vector in vector::vectors(run) {
        measured = vector.measure(measured);
    }
    measured
}

/// Adds the sender's counters.
fn counts(sender: &Sctp, measured: Measured) -> Measured {
    let Some(stats) = sender.stats() else {
        return measured;
    };
    let assoc = &stats.assoc;
    let again = assoc.bytes_retransmitted as f64;
    let primary = stats.paths.first();
    let heartbeats = primary.map_or(0, |path| path.heartbeats_sent);
    let fast: u64 = (stats.paths.iter())
        .map(|path| path.fast_retransmissions)
        .sum();
    measured
        .with("sent_bytes", assoc.bytes_sent as f64 + again)
        .with("again_bytes", again)
        .with("timeouts", assoc.timeouts as f64)
        .with("fast_retransmissions", fast as f64)
        .with("primary_heartbeats", heartbeats as f64)
        .with("failovers", failovers(sender) as f64)
}

/// Number of path failures.
fn failovers(sender: &Sctp) -> usize {
    changes(sender, PathChange::Down).count()
}

fn changes(sender: &Sctp, wanted: PathChange) -> impl Iterator<Item = Time> + '_ {
    sender.log().iter().filter_map(move |(time, event)| {
        let is_it = matches!(event, Event::Path { change, .. } if *change == wanted);
        is_it.then_some(*time)
    })
}

/// Measures temporary congestion: how often, and for how long, new data left the primary path
/// although it was working.
pub(super) fn spell(run: &Run, measured: Measured) -> Measured {
    let Some(sender) = end(run, VantagePoint::Client) else {
        return measured;
    };
    let away = away(sender, run.world.now());
    let delivered = run.sink("main").map_or(0, Sink::bytes);
    counts(sender, measured)
        .with("primary_changes", away.times)
        .with("away_s", away.span.as_secs_f64())
        .with(
            "potentially_failed",
            changes(sender, PathChange::PotentiallyFailed).count() as f64,
        )
        .with("delivered_bytes", delivered as f64)
}

/// Count and total duration of periods in which new data used another path than the primary one.
#[derive(Debug, Default, PartialEq)]
struct Away {
    times: f64,
    span: Duration,
}

fn away(sender: &Sctp, end: Time) -> Away {
    let samples = vector::primary(sender);
    let (mut away, mut since) = (Away::default(), None);
    for sample in samples {
        match (sample.state, since) {
            (PathState::Active, Some(left)) => {
                away.span += sample.time.since(left);
                since = None;
            }
            (PathState::Inactive | PathState::PotentiallyFailed, None) => {
                away.times += 1.0;
                since = Some(sample.time);
            }
            _ => {}
        }
    }
    away.span += since.map_or(Duration::ZERO, |left| end.since(left));
    away
}

/// Measures the time to detect the path's failure; adds no time if the path was left before it
/// failed.
pub(super) fn death(run: &Run, mut measured: Measured) -> Measured {
    let Some(sender) = end(run, VantagePoint::Client) else {
        return measured;
    };
    let died = Time::ZERO + DEATH_AT;
    let mut before = vector::primary(sender).take_while(|sample| sample.time < died);
    let in_time = before
        .by_ref()
        .last()
        .is_none_or(|sample| sample.state == PathState::Active);
    measured = measured.with("left_too_soon", f64::from(u8::from(!in_time)));
    if !in_time {
        return measured;
    }
    let first = |change| changes(sender, change).find(|time| *time >= died);
    let down = first(PathChange::Down);
    let left = down
        .into_iter()
        .chain(first(PathChange::PotentiallyFailed))
        .min();
    for (name, time) in [("given_up_s", down), ("left_s", left)] {
        if let Some(time) = time {
            measured = measured.with(name, time.since(died).as_secs_f64());
        }
    }
    measured
}
