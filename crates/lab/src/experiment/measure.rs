use core::time::Duration;
use std::sync::atomic::{AtomicBool, Ordering};

use sheave_sim::scenario::{Flow, FlowKind, FlowWorkload, Run, Scenario};
use sheave_sim::tcp::ConnectionStats;
use sheave_sim::{
    Counter, Files, LinkStats, Outcome, Progress, Receipt, Sink, Source, Stats, Time, VantagePoint,
    Workload,
};

use super::Case;
use super::window::Watch;
use crate::{Measured, Series, quic};

/// Most points of a series.
const POINTS: usize = 400;

/// Carries out a run and measures its flows, links and windows.
pub(super) fn run(case: &Case, seed: u64, stop: &AtomicBool) -> Result<Option<Measured>, String> {
    let scenario = &case.scenario;
    let kept = if seed == 1 {
        Course::new(scenario)
    } else {
        Course::nothing(scenario)
    };
    let mut watches = case.measures.watches(scenario);
    let finished = finish(scenario, seed, kept, &mut watches, stop)?;
    Ok(finished.map(|(run, series)| {
        let measured = measured(scenario, &run, series);
        let measured = watches.into_iter().fold(measured, |measured, watch| {
            watch.measured(scenario, &run, measured)
        });
        case.measures.define(measured)
    }))
}

/// Carries out a run and records its time series.
pub(crate) fn series(
    scenario: &Scenario,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Option<Vec<Series>>, String> {
    let finished = finish(scenario, seed, Course::new(scenario), &mut [], stop)?;
    Ok(finished.map(|(_, series)| series))
}

/// The finished run with its course; `None` if it was stopped.
fn finish(
    scenario: &Scenario,
    seed: u64,
    mut course: Course,
    watches: &mut [Watch<'_>],
    stop: &AtomicBool,
) -> Result<Option<(Run, Vec<Series>)>, String> {
    let mut run = scenario
        .build_with_stats(seed)
        .map_err(|error| error.to_string())?;
    loop {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let nexts = watches.iter().map(Watch::next);
        let until = nexts.fold(run.end.min(course.next), Time::min);
        let outcome = run.world.run_to_completion(until);
        let over = outcome != Outcome::TimeUp || until >= run.end;
        let now = match outcome {
            Outcome::TimeUp => until,
            _ => run.world.now(),
        };
        if over || now >= course.next {
            course.note(now, &run);
        }
        for watch in watches
            .iter_mut()
            .filter(|watch| over || now >= watch.next())
        {
            watch.note(now, &run);
        }
        if over {
            break;
        }
        // Advances time to `until`, where the next step starts.
        run.world.run_until(until);
    }
    Ok(Some((run, course.series())))
}

fn measured(scenario: &Scenario, run: &Run, series: Vec<Series>) -> Measured {
    let mut measured = Measured::new();
    if quic::is_repeatable(scenario) {
        measured.fingerprint = Some(run.world.fingerprint().to_string());
    }
    measured.series = series;
    measured = measured.with("simulated_s", run.world.now().as_secs_f64());
    for flow in &scenario.flows {
        measured = match flow.kind {
            FlowKind::Udp { .. } => udp(run, flow, measured),
            FlowKind::Sctp { .. } | FlowKind::Tcp { .. } | FlowKind::Custom { .. } => {
                transport(run, flow, measured)
            }
            FlowKind::Files { files, .. } => of_files(run, flow, files, measured),
        };
    }
    for (pair, (there, back)) in scenario.links.iter().zip(&run.links) {
        let back_name = format!("{}-back", pair.name);
        for (name, link) in [(&pair.name, there), (&back_name, back)] {
            measured = of_link(name, run.world.link_stats(*link), measured);
        }
    }
    measured
}

fn udp(run: &Run, flow: &Flow, measured: Measured) -> Measured {
    let Some(ends) = run.flow(&flow.name) else {
        return measured;
    };
    let source: Option<&Source> = run.world.agent(ends.client);
    let counter: Option<&Counter> = run.world.agent(ends.server);
    let (Some(source), Some(counter)) = (source, counter) else {
        return measured;
    };
    let seconds = (run.world.now().as_secs_f64() - flow.start.as_secs_f64()).max(1e-9);
    let (sent, received) = (source.sent() as f64, counter.packets() as f64);
    let lost = (sent - received).max(0.0);
    let metrics = [
        ("packets_sent", sent),
        ("packets_received", received),
        ("lost_percent", 100.0 * lost / sent),
        ("mbit_per_s", counter.bytes() as f64 * 8e-6 / seconds),
        ("delay_mean_ms", counter.mean_delay().as_secs_f64() * 1e3),
        ("delay_max_ms", counter.longest_delay().as_secs_f64() * 1e3),
    ];
    of_flow(&flow.name, metrics, measured)
}

/// Adds metrics of a flow.
fn of_flow<const N: usize>(flow: &str, metrics: [(&str, f64); N], measured: Measured) -> Measured {
    let metrics = metrics.into_iter();
    metrics.fold(measured, |measured, (metric, value)| {
        measured.with(&format!("{flow}.{metric}"), value)
    })
}

fn transport(run: &Run, flow: &Flow, mut measured: Measured) -> Measured {
    if let Some(sink) = run.sink(&flow.name) {
        measured = delivered(run, flow, sink, measured);
    }
    if let Some(stats) = run.sctp_stats(&flow.name, VantagePoint::Client) {
        measured = of_sctp(&stats, &flow.name, measured);
    }
    if let Some(stats) = run.sctp_stats(&flow.name, VantagePoint::Server) {
        let duplicates = stats.assoc.duplicates_received as f64;
        measured = of_flow(&flow.name, [("duplicates_received", duplicates)], measured);
    }
    let tcp = run.tcp(&flow.name, VantagePoint::Client);
    if let Some(stats) = tcp.and_then(sheave_sim::tcp::Tcp::stats) {
        measured = of_tcp(stats, &flow.name, measured);
    }
    measured
}

/// Measures when files arrived, and the transport's work for them.
fn of_files(run: &Run, flow: &Flow, files: Files, mut measured: Measured) -> Measured {
    let start = Time::ZERO + flow.start;
    if let Some(receipts) = run.files(&flow.name) {
        let complete = receipts.is_complete();
        let metrics = [
            ("files", receipts.receipts().len() as f64),
            ("finished", f64::from(u8::from(complete))),
        ];
        measured = of_flow(&flow.name, metrics, measured);
        if let Some(first) = receipts.first(start) {
            let first = [("first_file_s", first.as_secs_f64())];
            measured = of_flow(&flow.name, first, measured);
        }
        if let Some(all) = receipts.all(start).map(|all| all.as_secs_f64()) {
            let bytes = f64::from(files.count) * files.len as f64;
            let metrics = [
                ("seconds", all),
                ("mbit_per_s", bytes * 8e-6 / all.max(1e-9)),
            ];
            measured = of_flow(&flow.name, metrics, measured);
        }
    }
    transport(run, flow, measured)
}

/// Measures messages, rate and delay of a flow.
fn delivered(run: &Run, flow: &Flow, sink: &Sink, mut measured: Measured) -> Measured {
    let named = |metric: &str| format!("{}.{metric}", flow.name);
    let finished = sink.progress() == Progress::Done;
    let began = sink.opened().unwrap_or(Time::ZERO + flow.start);
    let ended = if finished {
        sink.last().unwrap_or(began)
    } else {
        run.world.now()
    };
    let seconds = ended.since(began).as_secs_f64();
    let metrics = [
        ("bytes", sink.bytes() as f64),
        ("seconds", seconds),
        ("last_s", sink.last().unwrap_or_default().as_secs_f64()),
        ("mbit_per_s", sink.bytes() as f64 * 8e-6 / seconds.max(1e-9)),
    ];
    measured = of_flow(&flow.name, metrics, measured);
    if has_end(flow) {
        measured = measured.with(&named("finished"), f64::from(u8::from(finished)));
    }
    if sink.receipts().is_empty() {
        return measured;
    }
    measured = measured.with(&named("messages"), sink.messages() as f64);
    let delays = sink.receipts().iter().map(Receipt::delay);
    measured = of_delays(&named("delay"), delays, measured);
    let Some(client) = run.sctp(&flow.name, VantagePoint::Client) else {
        return measured;
    };
    let since_sent = sink.receipts().iter().filter_map(|receipt| {
        let sent = client.first_sent(receipt.stream, receipt.number)?;
        Some(receipt.delivered.since(sent))
    });
    of_delays(&named("first_send_delay"), since_sent, measured)
}

/// Measures message delays, under names that start with `name`: mean, quantiles and maximum.
pub(super) fn of_delays(
    name: &str,
    delays: impl Iterator<Item = Duration>,
    measured: Measured,
) -> Measured {
    let mut delays: Vec<f64> = delays.map(|delay| delay.as_secs_f64() * 1e3).collect();
    delays.sort_by(f64::total_cmp);
    let Some(last) = delays.len().checked_sub(1) else {
        return measured;
    };
    let sum: f64 = delays.iter().sum();
    measured
        .with(&format!("{name}_mean_ms"), sum / delays.len() as f64)
        .with(&format!("{name}_p50_ms"), delays[last / 2])
        .with(&format!("{name}_p99_ms"), delays[last * 99 / 100])
        .with(&format!("{name}_max_ms"), delays[last])
}

fn has_end(flow: &Flow) -> bool {
    match &flow.kind {
        FlowKind::Sctp { workload, .. }
        | FlowKind::Tcp { workload, .. }
        | FlowKind::Custom { workload, .. } => {
            !matches!(workload, FlowWorkload::Bulk { count: None, .. })
        }
        FlowKind::Files { .. } => true,
        FlowKind::Udp { .. } => false,
    }
}

fn of_sctp(stats: &Stats, flow: &str, mut measured: Measured) -> Measured {
    let sum = |count: fn(&sheave_engine::PathStats) -> u64| -> f64 {
        stats.paths.iter().map(count).sum::<u64>() as f64
    };
    let primary = stats.paths.iter().find(|path| path.primary);
    if let Some(path) = primary {
        measured = of_flow(flow, [("pmtu_bytes", f64::from(path.pmtu))], measured);
    }
    if let Some(srtt) = primary.and_then(|path| path.srtt) {
        measured = of_flow(flow, [("srtt_ms", srtt.as_secs_f64() * 1e3)], measured);
    }
    let chunks = stats.paths.iter().map(|path| path.chunks_sent);
    let (all, most) = (sum(|path| path.chunks_sent), chunks.max().unwrap_or(0));
    let others = 100.0 * (all - most as f64) / all.max(1.0);
    let metrics = [
        ("chunks_sent", all),
        ("other_paths_percent", others),
        ("retransmissions", sum(|path| path.retransmissions)),
        (
            "fast_retransmissions",
            sum(|path| path.fast_retransmissions),
        ),
        ("timeouts", sum(|path| path.timeouts)),
        ("packets_sent", stats.assoc.packets_sent as f64),
        ("packets_received", stats.assoc.packets_received as f64),
    ];
    of_flow(flow, metrics, measured)
}

fn of_tcp(stats: ConnectionStats, flow: &str, mut measured: Measured) -> Measured {
    if let Some(srtt) = stats.srtt {
        measured = of_flow(flow, [("srtt_ms", srtt.as_secs_f64() * 1e3)], measured);
    }
    let counts = stats.sent;
    let metrics = [
        ("segments_sent", counts.segments as f64),
        ("retransmissions", counts.retransmissions as f64),
        ("fast_retransmissions", counts.fast_retransmits as f64),
        ("timeouts", counts.timeouts as f64),
    ];
    of_flow(flow, metrics, measured)
}

fn of_link(name: &str, stats: LinkStats, measured: Measured) -> Measured {
    let LinkStats {
        offered,
        cut,
        too_long,
        lost,
        dropped,
        marked,
        corrupted,
        bad_header,
        delivered,
        bytes_sent,
        longest_queue,
        ..
    } = stats;
    let counts = [
        ("offered", offered),
        ("cut", cut),
        ("too_long", too_long),
        ("lost", lost),
        ("dropped", dropped),
        ("marked", marked),
        ("corrupted", corrupted + bad_header),
        ("delivered", delivered),
        ("bytes_sent", bytes_sent),
        ("longest_queue", longest_queue as u64),
    ];
    let counts = counts.map(|(metric, count)| (metric, count as f64));
    of_flow(&format!("link.{name}"), counts, measured)
}

/// Samples of a run at equal steps; the steps grow during the run.
struct Course {
    step: Duration,
    /// When it samples next.
    next: Time,
    curves: Vec<Curve>,
}

struct Curve {
    flow: String,
    /// Time, bytes delivered so far, and congestion window of the primary path in bytes.
    points: Vec<(Time, u64, Option<u64>)>,
}

impl Course {
    /// A course without curves, if no series are wanted.
    fn nothing(scenario: &Scenario) -> Self {
        Self {
            curves: Vec::new(),
            ..Self::new(scenario)
        }
    }

    fn new(scenario: &Scenario) -> Self {
        let transports = scenario
            .flows
            .iter()
            .filter(|flow| !matches!(flow.kind, FlowKind::Udp { .. }));
        let least = Duration::from_millis(1);
        Self {
            step: (scenario.duration / 20_000).max(least),
            next: Time::ZERO + (scenario.duration / 20_000).max(least),
            curves: transports
                .map(|flow| Curve {
                    flow: flow.name.clone(),
                    points: vec![(Time::ZERO, 0, None)],
                })
                .collect(),
        }
    }

    fn note(&mut self, now: Time, run: &Run) {
        for curve in &mut self.curves {
            let bytes = run.sink(&curve.flow).map_or(0, Sink::bytes);
            let window = window(run, &curve.flow);
            curve.points.push((now, bytes, window));
        }
        if self
            .curves
            .iter()
            .any(|curve| curve.points.len() > 2 * POINTS)
        {
            self.step *= 2;
            for curve in &mut self.curves {
                let mut at = 0;
                curve.points.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
            }
        }
        self.next = now + self.step;
    }

    fn series(self) -> Vec<Series> {
        let mut series = Vec::new();
        for Curve { flow, points } in self.curves {
            // The rate over one step is too noisy, so it is averaged over several.
            let stride = points.len().div_ceil(POINTS / 4).max(1);
            let coarse: Vec<_> = points.iter().step_by(stride).collect();
            let rates = coarse.windows(2).map(|two| {
                let (from, before, _) = *two[0];
                let (to, after, _) = *two[1];
                let seconds = to.since(from).as_secs_f64().max(1e-9);
                (to.as_secs_f64(), (after - before) as f64 * 8e-6 / seconds)
            });
            series.push(Series {
                name: format!("{flow}.mbit_per_s"),
                points: rates.collect(),
            });
            let windows = points.iter().filter_map(|(time, _, window)| {
                Some((time.as_secs_f64(), (*window)? as f64 / 1024.0))
            });
            series.push(Series {
                name: format!("{flow}.cwnd_kib"),
                points: windows.collect(),
            });
        }
        series.retain(|series| !series.points.is_empty());
        series
    }
}

fn window(run: &Run, flow: &str) -> Option<u64> {
    if let Some(tcp) = run.tcp(flow, VantagePoint::Client) {
        return Some(tcp.stats()?.cwnd);
    }
    let stats = run.sctp_stats(flow, VantagePoint::Client)?;
    let primary = stats.paths.iter().find(|path| path.primary)?;
    Some(primary.cwnd)
}
