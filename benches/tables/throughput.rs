//! User bytes per CPU-second, one association, one ordered stream.

use std::io;

use serde_json::json;

use crate::runner::Runner;
use crate::{Args, Lane, Report, Row, Spread, Table};

/// Minimum ratio of our speed to the best rival's that meets the goal.
const WANTED: f64 = 2.0;

/// A message size, with our goal for it.
pub(crate) struct Size {
    pub(crate) name: &'static str,
    pub(crate) bytes: usize,
    /// Goal: minimum user bytes per CPU-second, in millions.
    target: Option<f64>,
}

/// Measured message sizes.
pub(crate) const SIZES: [Size; 6] = [
    size("64B", 64, Some(120.0)),
    size("256B", 256, None),
    size("1KiB", 1 << 10, Some(700.0)),
    size("8KiB", 8 << 10, None),
    size("12KiB", 12 << 10, None),
    size("64KiB", 64 << 10, Some(1000.0)),
];

const fn size(name: &'static str, bytes: usize, target: Option<f64>) -> Size {
    Size {
        name,
        bytes,
        target,
    }
}

/// A column of the summary table: all samples of a message size.
struct Column {
    size: &'static Size,
    /// User bytes per CPU-second and ns per packet of each runner, round by round.
    samples: Vec<[Vec<f64>; 2]>,
}

/// Measures every selected size with freshly written messages and, if selected by name, with one
/// shared message.
pub(crate) fn run(args: &Args, report: &Report) -> io::Result<()> {
    run_lane(args, report, Lane::Fresh)?;
    if args.names(table_of(Lane::Shared)) {
        run_lane(args, report, Lane::Shared)?;
    }
    Ok(())
}

/// Name of a lane's table.
const fn table_of(lane: Lane) -> &'static str {
    match lane {
        Lane::Fresh => "throughput",
        Lane::Shared => "shared",
    }
}

fn run_lane(args: &Args, report: &Report, lane: Lane) -> io::Result<()> {
    let sizes: Vec<&'static Size> = SIZES
        .iter()
        .filter(|size| args.wants(&format!("{}/{}", table_of(lane), size.name)))
        .collect();
    if sizes.is_empty() {
        return Ok(());
    }
    let mut runners = Runner::all(args);
    let mut columns = Vec::new();
    for size in sizes {
        report.progress(&format!("{} of {}", table_of(lane), size.name));
        columns.push(Column {
            size,
            samples: measure(args, report, (lane, size), &mut runners)?,
        });
        if let Some(column) = columns.last() {
            report.print(&table(args, (lane, column), &runners));
        }
    }
    report.print(&rivals(lane, &columns, &runners));
    Ok(())
}

/// Samples of each runner.
fn measure(
    args: &Args,
    report: &Report,
    (lane, size): (Lane, &Size),
    runners: &mut [Runner],
) -> io::Result<Vec<[Vec<f64>; 2]>> {
    for runner in &mut *runners {
        runner.warm(lane, size.bytes, args.sample_seconds())?;
    }
    let turns = (table_of(lane), args.rounds());
    let keys = ["bytes_per_cpu_second", "ns_per_packet"];
    let describe = |runner: &Runner| {
        let name = runner.name();
        let fields = json!({ "message_bytes": size.bytes, "stack": name });
        (format!("{name}, {}", size.name), fields)
    };
    report.in_turns(turns, runners, keys, describe, |runner| {
        runner.sample(lane, size.bytes)
    })
}

fn speeds(samples: &[Vec<f64>; 2]) -> Spread {
    Spread::of(samples[0].iter().map(|rate| rate / 1e6))
}

/// Ratio of our speed to theirs, round by round.
fn ratio(ours: &[Vec<f64>; 2], theirs: &[Vec<f64>; 2]) -> Spread {
    Spread::of_ratios(&ours[0], &theirs[0])
}

fn table(args: &Args, (lane, column): (Lane, &Column), runners: &[Runner]) -> Table {
    let size = column.size;
    let target = match size.target {
        Some(target) => format!("; wanted: at least {target:.0} MB/s"),
        None => String::new(),
    };
    let title = format!(
        "{}/{}: user bytes per CPU-second, both ends, packets of 1472 bytes, with checksum, {}, {} \
         rounds{target}",
        table_of(lane),
        size.name,
        match lane {
            Lane::Fresh => "each message written before it is sent",
            Lane::Shared => "one message sent again and again",
        },
        args.rounds(),
    );
    let mut table = Table::new(title);
    let ours = runners.iter().position(Runner::is_ours);
    for (runner, samples) in runners.iter().zip(&column.samples) {
        let speed = speeds(samples);
        let packet = Spread::of(&samples[1]);
        let beside = match ours.and_then(|ours| column.samples.get(ours)) {
            Some(ours) if !runner.is_ours() => ratio(ours, samples),
            _ => Spread::NONE,
        };
        let target = match size.target {
            Some(target) if runner.is_ours() && speed.median >= target => "met",
            Some(_) if runner.is_ours() => "missed",
            _ => "",
        };
        let row = Row::new()
            .text("stack", "stack", runner.name())
            .spread("megabytes_per_second", "MB/s", speed, (1.0, 1))
            .median("ns_per_packet", "ns/packet", packet, (1.0, 0))
            .ratio("ratio", "sheave is faster by", beside)
            .cell("target", target);
        table.push(row);
    }
    table
}

/// Prints all sizes side by side, and our speed beside the best rival's.
fn rivals(lane: Lane, columns: &[Column], runners: &[Runner]) -> Table {
    let mut table = Table::new(format!(
        "rivals: medians of the tables {} above; wanted: {WANTED} times the best rival of each size",
        table_of(lane)
    ));
    let first = |name: &str| Row::new().text("what", "MB/s per CPU-second", name);
    for (index, runner) in runners.iter().enumerate() {
        table.push(columns.iter().fold(first(&runner.name()), |row, column| {
            let speed = speeds(&column.samples[index]).median;
            row.cell(column.size.name, format!("{speed:.0}"))
        }));
    }
    for (index, name) in ["best rival", "sheave to it", "target"].iter().enumerate() {
        table.push(columns.iter().fold(first(name), |row, column| {
            let summary = summary(column, runners).unwrap_or_default();
            row.cell(column.size.name, &summary[index])
        }));
    }
    table
}

/// The best rival for a size, our ratio to it, and the verdict.
fn summary(column: &Column, runners: &[Runner]) -> Option<[String; 3]> {
    let ours = column
        .samples
        .get(runners.iter().position(Runner::is_ours)?)?;
    let theirs = runners.iter().zip(&column.samples);
    let (best, samples) = theirs
        .filter(|(runner, _)| !runner.is_ours())
        .max_by(|(_, a), (_, b)| speeds(a).median.total_cmp(&speeds(b).median))?;
    let ratio = ratio(ours, samples);
    let verdict = if ratio.median >= WANTED {
        "met"
    } else {
        "missed"
    };
    let Spread { min, median, max } = ratio;
    let shown = format!("{median:.2} ({min:.2}..{max:.2})");
    Some([best.name(), shown, verdict.into()])
}
