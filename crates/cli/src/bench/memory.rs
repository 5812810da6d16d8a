//! The engine only: both ends in one thread, in virtual time.

use serde_json::json;
use sheave_measure::pair::{SheavePair, UserData};
use sheave_measure::{Goal, Pair, Row, Spread, Table};

use super::setups::Conditions;
use super::{BenchArgs, Session};
use crate::failure::Failure;

/// Approximate CPU time per sample, seconds.
const SAMPLE: f64 = 0.04;
/// Default message sizes.
const SIZES: [u64; 6] = [64, 256, 1 << 10, 8 << 10, 12 << 10, 64 << 10];

/// Minimum size of messages that fill packets without much bundling, bytes.
pub(super) const FULL: usize = 1 << 10;
/// Maximum CPU time of both ends per packet, ns, if packets arrive one by one.
const GOAL: Goal = Goal::AtMost(600.0);

/// A table row.
struct Case {
    size: usize,
    setup: Conditions,
    pair: SheavePair,
    data: UserData,
    /// Messages per sample.
    count: u64,
}

/// Measures every size under every condition.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let mut cases = Vec::new();
    for size in sizes(args) {
        for setup in args.setups.all() {
            session.step(&format!("{size} bytes, {setup}"))?;
            cases.push(Case::new(size, setup));
        }
    }
    let keys = ["bytes_per_cpu_second", "ns_per_packet"];
    let describe = |case: &Case| {
        let (size, setup) = (case.size, case.setup);
        let fields =
            json!({ "message_bytes": size, "stack": "sheave", "conditions": setup.fields() });
        (format!("{size} bytes, {setup}"), fields)
    };
    let samples = session.in_turns("memory", &mut cases, keys, describe, |case| {
        Ok(case.sample())
    })?;
    print(session, &cases, &samples)
}

/// The requested sizes, or the default ones.
pub fn sizes(args: &BenchArgs) -> Vec<usize> {
    let sizes = if args.size.is_empty() {
        &SIZES[..]
    } else {
        &args.size
    };
    let sizes = sizes.iter().map(|size| (*size).clamp(1, 16 << 20));
    sizes
        .map(|size| usize::try_from(size).unwrap_or(1))
        .collect()
}

impl Case {
    fn new(size: usize, setup: Conditions) -> Self {
        let mut case = Self {
            size,
            setup,
            pair: setup.pair(size),
            data: UserData::fresh(size),
            count: 16,
        };
        while case.pair.cost(&mut case.data, case.count).0 < SAMPLE * 0.7 {
            case.count *= 2;
        }
        case
    }

    /// Goal for the CPU time per packet, if it applies.
    fn goal(&self) -> Option<Goal> {
        let has_goal = self.setup.is_one_by_one() && self.size >= FULL;
        has_goal.then_some(GOAL)
    }

    /// Takes one sample: user bytes per CPU-second, and nanoseconds per packet with data.
    fn sample(&mut self) -> [f64; 2] {
        let (seconds, packets) = self.pair.cost(&mut self.data, self.count);
        let bytes = self.count as f64 * self.size as f64;
        [bytes / seconds, seconds * 1e9 / packets as f64]
    }
}

fn print(session: &Session<'_>, cases: &[Case], samples: &[[Vec<f64>; 2]]) -> Result<(), Failure> {
    let mut table = Table::new(
        "memory: user data per CPU-second, both ends, one association, full packets where messages \
         allow; the ceiling is an SCTP that only copies and takes checksums, at MTU 1500",
    );
    let mut first: &[f64] = &[];
    let mut size = 0;
    for (case, [rates, nanos]) in cases.iter().zip(samples) {
        if case.size != size {
            (first, size) = (rates, case.size);
        }
        let rate = Spread::of(rates);
        let packet = Spread::of(nanos).median;
        let message = size as f64 * 1e9 / rate.median;
        let ceiling = rate.median / session.limits()?.packets;
        let row = Row::new()
            .count("message_bytes", "messages", size)
            .text("setup", "setup", case.setup)
            .field("conditions", case.setup.fields())
            .spread("bytes_per_cpu_second", "MB/s", rate, (1e-6, 0))
            .cell("Gb/s", format!("{:.1}", rate.median * 8e-9))
            .figure("ns_per_message", "ns/message", message, (1.0, 0))
            .figure("ns_per_packet", "ns/packet", packet, (1.0, 0))
            .goal("", case.goal(), packet)
            .ratio("ratio", "to the first row", Spread::of_ratios(rates, first))
            .share("share_of_ceiling", "of the ceiling", ceiling);
        table.push(row);
    }
    session.report.print(&table);
    Ok(())
}
