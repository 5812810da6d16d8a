//! Round-trip time and CPU cost of a small message between two processes.

use sheave_measure::{Goal, Row, Spread, Table};

use super::beside;
use super::contender::{Contender, Load};
use super::end::{Over, Work};
use super::transfer::{TransferCost, in_turns, series};
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
        None => alone(args, session),
        Some(bulk) => beside::run(args, session, bulk),
    }
}

fn alone(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let load = Load {
        work: Work::Echo,
        size: ECHO,
        connections: 1,
        amount: TRIPS,
        bulk: 0,
    };
    let contenders = [Over::Tcp, Over::Sctp, Over::SctpWithoutGso];
    let outcomes = in_turns(&contenders.map(Contender::here), load, args.rounds, session)?;
    let mut table = Table::new(
        "latency: a message of 64 bytes to another process and back, us of wall time; the median \
         round's, and of the 99.9th percentile all rounds'; us of CPU time of both ends for each",
    );
    let tcp = outcomes.first().map_or(&[][..], Vec::as_slice);
    for (over, outcomes) in contenders.iter().zip(&outcomes) {
        let p50 = series(outcomes, |tells| tells.p50);
        let ratio = Spread::of_ratios(&p50, &series(tcp, |tells| tells.p50));
        let (cpu, tcp_cpu) = (cpu(outcomes), cpu(tcp));
        let cpu_ratio = Spread::of_ratios(&cpu, &tcp_cpu);
        let [p50, cpu] = [p50, cpu].map(Spread::of);
        let p99 = Spread::of(series(outcomes, |tells| tells.p99));
        let p999 = Spread::of(series(outcomes, |tells| tells.p999));
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

/// CPU time of both ends per round trip, microseconds, round by round.
fn cpu(outcomes: &[TransferCost]) -> Vec<f64> {
    let each = outcomes
        .iter()
        .map(|outcome| outcome.cpu * 1e6 / f64::from(TRIPS));
    each.collect()
}
