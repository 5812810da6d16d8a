//! Round-trip time and CPU cost of a small message between two processes.

use sheave_measure::{Goal, Load, Row, Spread, Table, Work};

use super::beside;
use super::contender::Contender;
use super::end::Over;
use super::transfer::{ClientTells, in_turns};
use super::{BenchArgs, Beside, Session};
use crate::failure::Failure;

/// Round trips per measurement.
const TRIPS: u32 = 4000;
/// Message size, bytes.
pub(super) const ECHO: usize = 64;
/// Maximum ratios of our medians to TCP's, for wall time and for CPU time of both ends.
const GOAL: Goal = Goal::AtMost(1.3);
const CPU_GOAL: Goal = Goal::AtMost(1.5);

/// Measures round trips, on an idle link or during bulk transfer.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let mut sizes = args.beside.iter().filter_map(|beside| match beside {
        Beside::Messages(bytes) => Some(*bytes),
        #[cfg(target_os = "linux")]
        Beside::Rival(_) => None,
    });
    match sizes.next_back() {
        None => alone(session),
        Some(bulk) => beside::run(session, bulk),
    }
}

fn alone(session: &Session<'_>) -> Result<(), Failure> {
    let load = Load {
        work: Work::Echo,
        size: ECHO,
        connections: 1,
        amount: TRIPS,
        bulk: 0,
    };
    let ways = [Over::Tcp, Over::Sctp, Over::SctpWithoutGso];
    let keys = ["p50_us", "p99_us", "p99.9_us", "cpu_seconds"];
    let mut contenders = ways.map(Contender::here);
    let samples = in_turns("latency", &mut contenders, load, session, keys, |both| {
        let ClientTells { p50, p99, p999, .. } = both.client;
        [p50, p99, p999, Some(both.cpu)].map(|figure| figure.unwrap_or(f64::NAN))
    })?;
    let mut table = Table::new(
        "latency: a message of 64 bytes to another process and back, us of wall time; the median \
         round's, and of the 99.9th percentile all rounds'; us of CPU time of both ends for each",
    );
    for (over, series) in ways.iter().zip(&samples) {
        let [p50, p99, p999, _] = series.each_ref().map(Spread::of);
        let cpu = Spread::of(series[3].iter().map(|cpu| cpu * 1e6 / f64::from(TRIPS)));
        let [ratio, cpu_ratio] = [0, 3].map(|at| Spread::of_ratios(&series[at], &samples[0][at]));
        let has_goal = *over == Over::Sctp;
        let row = Row::new()
            .text("over", "over", over.name())
            .median("p50_us", "p50", p50, (1.0, 1))
            .median("p99_us", "p99", p99, (1.0, 1))
            .ratio("p99.9_us", "p99.9", p999)
            .ratio("ratio_to_tcp", "p50 to TCP", ratio)
            .goal("ratio_to_tcp_goal", has_goal.then_some(GOAL), ratio.median)
            .ratio("cpu_us", "CPU us", cpu)
            .ratio("cpu_ratio_to_tcp", "CPU to TCP", cpu_ratio)
            .goal(
                "cpu_ratio_to_tcp_goal",
                has_goal.then_some(CPU_GOAL),
                cpu_ratio.median,
            );
        table.push(row);
    }
    session.report.print(&table);
    Ok(())
}
