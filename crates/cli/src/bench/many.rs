//! Associations in number: how fast they are set up, and what each takes while it does nothing.

use std::fs;

use serde_json::json;
use sheave::Options;
use sheave_measure::pair::SheavePair;
use sheave_measure::{Pair, Spread, cpu_time};

use super::report::{column, fields};
use super::{BenchArgs, Session};
use crate::failure::{Failure, While};

/// Associations of a sample of their setting up.
const SAMPLE: u32 = 2000;

/// Measures both.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let before = resident()?;
    let mut pair = SheavePair::new(Options::default());
    let begin = cpu_time();
    for number in 0..args.associations {
        if number % 1000 == 0 {
            session.step(&format!("{number} of {} associations", args.associations))?;
        }
        pair.connect();
    }
    let all = (cpu_time() - begin).as_secs_f64();
    let held = resident()?.saturating_sub(before);
    // Of both ends.
    let bytes = held as f64 / (2.0 * f64::from(args.associations));
    // On top of so many, and with none there.
    let crowded = setting_up(&mut pair, args.rounds);
    let footprint = pair.footprint() / pair_count(args);
    let alone = setting_up(&mut SheavePair::new(Options::default()), args.rounds);
    let mut table = session.report.table(
        "many: associations at the same time, and set up",
        &[
            column("what"),
            column("min"),
            column("median"),
            column("max"),
        ],
    );
    let us = |spread: Spread| {
        [spread.min, spread.median, spread.max].map(|each| format!("{:.2}", each * 1e6))
    };
    for (what, spread) in [
        ("us of CPU to set one up, both ends, as the first", alone),
        (
            "us of CPU to set one up, both ends, on top of them all",
            crowded,
        ),
    ] {
        let mut cells = vec![what.to_owned()];
        cells.extend(us(spread));
        let fields = json!({ "what": what, "seconds": fields(spread) });
        session.report.sample("many", fields.clone())?;
        table.row(fields, cells);
    }
    let count = args.associations;
    let rate = f64::from(count) / all;
    let facts = [
        (format!("set up per CPU-second, of {count}"), rate),
        (
            format!("bytes of memory for each end of {count} idle ones"),
            bytes,
        ),
        (
            "bytes of one by its own count, heap blocks included".to_owned(),
            footprint as f64,
        ),
    ];
    for (what, figure) in facts {
        let cells = vec![what.clone(), String::new(), format!("{figure:.0}")];
        let fields = json!({ "what": what, "figure": figure });
        session.report.sample("many", fields.clone())?;
        table.row(fields, cells);
    }
    table.print();
    Ok(())
}

/// Associations of the pair after [`setting_up`] on top of those asked for.
fn pair_count(args: &BenchArgs) -> usize {
    usize::try_from(args.associations + SAMPLE * args.rounds).unwrap_or(usize::MAX)
}

/// CPU-seconds for each of some associations more.
fn setting_up(pair: &mut SheavePair, rounds: u32) -> Spread {
    let samples = (0..rounds).map(|_| {
        let begin = cpu_time();
        for _ in 0..SAMPLE {
            pair.connect();
        }
        (cpu_time() - begin).as_secs_f64() / f64::from(SAMPLE)
    });
    Spread::of(samples.collect::<Vec<_>>())
}

/// Bytes of this process that stand in memory.
fn resident() -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status").while_doing("cannot read /proc")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes
        .map(|kilobytes| kilobytes * 1024)
        .ok_or_else(|| Failure::new("/proc/self/status does not tell the resident memory"))
}
