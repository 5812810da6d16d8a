//! Round-trip time and CPU cost of a small message between two processes.

use serde_json::json;
use sheave_measure::Spread;

use super::beside;
use super::contender::{Contender, Load};
use super::end::{Over, Work};
use super::goal::Goal;
use super::report::{column, fields, ratios, show};
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
    let mut table = session.report.table(
        "latency: a message of 64 bytes to another process and back, us of wall time; the median \
         round's, and of the 99.9th percentile all rounds'; us of CPU time of both ends for each",
        &[
            column("over"),
            column("p50"),
            column("p99"),
            column("p99.9"),
            column("p50 to TCP"),
            column("goal"),
            column("CPU us"),
            column("CPU to TCP"),
            column("goal"),
        ],
    );
    let tcp = outcomes.first().map_or(&[][..], Vec::as_slice);
    for (over, outcomes) in contenders.iter().zip(&outcomes) {
        let p50 = series(outcomes, |tells| tells.p50);
        let ratio = ratios(&p50, &series(tcp, |tells| tells.p50));
        let (cpu, tcp_cpu) = (cpu(outcomes), cpu(tcp));
        let cpu_ratio = ratios(&cpu, &tcp_cpu);
        let [p50, cpu] = [p50, cpu].map(Spread::of);
        let p99 = Spread::of(series(outcomes, |tells| tells.p99));
        let p999 = Spread::of(series(outcomes, |tells| tells.p999));
        let mut object = json!({
            "over": over.name(),
            "p50_us": fields(p50),
            "p99_us": fields(p99),
            "p99.9_us": fields(p999),
            "ratio_to_tcp": fields(ratio),
            "cpu_us": fields(cpu),
            "cpu_ratio_to_tcp": fields(cpu_ratio),
        });
        let (mut goal, mut cpu_goal) = (String::new(), String::new());
        if *over == Over::Sctp {
            object["ratio_to_tcp_goal"] = GOAL.fields(ratio.median);
            object["cpu_ratio_to_tcp_goal"] = CPU_GOAL.fields(cpu_ratio.median);
            goal = GOAL.cell(ratio.median);
            cpu_goal = CPU_GOAL.cell(cpu_ratio.median);
        }
        table.row(
            object,
            vec![
                over.name().into(),
                format!("{:.1}", p50.median),
                format!("{:.1}", p99.median),
                show(p999),
                show(ratio),
                goal,
                show(cpu),
                show(cpu_ratio),
                cpu_goal,
            ],
        );
    }
    table.print();
    Ok(())
}

/// CPU time of both ends per round trip, microseconds, round by round.
fn cpu(outcomes: &[TransferCost]) -> Vec<f64> {
    let each = outcomes
        .iter()
        .map(|outcome| outcome.cpu * 1e6 / f64::from(TRIPS));
    each.collect()
}
