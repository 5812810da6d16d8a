//! User bytes per CPU-second, one association, one ordered stream.

use std::io;

use serde_json::json;
use sheave_bench::{Align, Args, Lane, Sheet, Spread, Table};

use crate::runner::{Runner, Sample};

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
    samples: Vec<Vec<Sample>>,
}

/// Measures every selected size with freshly written messages and, if selected by name, with one
/// shared message.
pub(crate) fn run(args: &Args, sheet: &mut Sheet) -> io::Result<()> {
    run_lane(args, sheet, Lane::Fresh)?;
    if args.names(table_of(Lane::Shared)) {
        run_lane(args, sheet, Lane::Shared)?;
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

fn run_lane(args: &Args, sheet: &mut Sheet, lane: Lane) -> io::Result<()> {
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
        sheet.progress(&format!("{} of {}", table_of(lane), size.name));
        columns.push(Column {
            size,
            samples: measure(args, sheet, (lane, size), &mut runners)?,
        });
        if let Some(column) = columns.last() {
            sheet.print(&table(args, (lane, column), &runners));
        }
    }
    sheet.print(&rivals(lane, &columns, &runners));
    Ok(())
}

/// Samples of each runner.
fn measure(
    args: &Args,
    sheet: &mut Sheet,
    (lane, size): (Lane, &Size),
    runners: &mut [Runner],
) -> io::Result<Vec<Vec<Sample>>> {
    for runner in &mut *runners {
        runner.warm(lane, size.bytes, args.sample_seconds())?;
    }
    let mut samples: Vec<Vec<Sample>> = runners.iter().map(|_| Vec::new()).collect();
    for round in 0..args.rounds() {
        for (runner, samples) in runners.iter_mut().zip(&mut samples) {
            let sample = runner.sample(lane, size.bytes)?;
            sheet.sample(&json!({
                "table": table_of(lane),
                "message_bytes": size.bytes,
                "stack": runner.name(),
                "round": round,
                "bytes_per_cpu_second": sample.bytes_per_second,
                "ns_per_packet": sample.nanos_per_packet,
            }))?;
            samples.push(sample);
        }
    }
    Ok(samples)
}

fn speeds(samples: &[Sample]) -> Spread {
    Spread::of(samples.iter().map(|sample| sample.bytes_per_second / 1e6))
}

/// Ratio of our speed to theirs, round by round.
fn ratio(ours: &[Sample], theirs: &[Sample]) -> Spread {
    let rounds = ours.iter().zip(theirs);
    Spread::of(rounds.map(|(ours, theirs)| ours.bytes_per_second / theirs.bytes_per_second))
}

fn show(ratio: Spread) -> String {
    format!("{:.2} ({:.2}..{:.2})", ratio.median, ratio.min, ratio.max)
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
    let mut table = Table::new(
        title,
        &[
            ("stack", Align::Left),
            ("MB/s min", Align::Right),
            ("median", Align::Right),
            ("max", Align::Right),
            ("ns/packet", Align::Right),
            ("sheave is faster by", Align::Right),
            ("target", Align::Right),
        ],
    );
    let ours = runners.iter().position(Runner::is_ours);
    for (runner, samples) in runners.iter().zip(&column.samples) {
        let speed = speeds(samples);
        let packet = Spread::of(samples.iter().map(|s| s.nanos_per_packet));
        let ratio = match ours.and_then(|ours| column.samples.get(ours)) {
            Some(ours) if !runner.is_ours() => show(ratio(ours, samples)),
            _ => String::new(),
        };
        let target = match size.target {
            Some(target) if runner.is_ours() && speed.median >= target => "met",
            Some(_) if runner.is_ours() => "missed",
            _ => "",
        };
        table.row(vec![
            runner.name(),
            format!("{:.1}", speed.min),
            format!("{:.1}", speed.median),
            format!("{:.1}", speed.max),
            format!("{:.0}", packet.median),
            ratio,
            target.into(),
        ]);
    }
    table
}

/// Prints all sizes side by side, and our speed beside the best rival's.
fn rivals(lane: Lane, columns: &[Column], runners: &[Runner]) -> Table {
    let mut heads = vec![("MB/s per CPU-second", Align::Left)];
    heads.extend(
        columns
            .iter()
            .map(|column| (column.size.name, Align::Right)),
    );
    let mut table = Table::new(
        format!(
            "rivals: medians of the tables {} above; wanted: {WANTED} times the best rival of each size",
            table_of(lane)
        ),
        &heads,
    );
    for (index, runner) in runners.iter().enumerate() {
        let mut row = vec![runner.name()];
        let samples = columns
            .iter()
            .filter_map(|column| column.samples.get(index));
        row.extend(samples.map(|samples| format!("{:.0}", speeds(samples).median)));
        table.row(row);
    }
    let summaries: Vec<[String; 3]> = columns
        .iter()
        .map(|column| summary(column, runners).unwrap_or_default())
        .collect();
    for (index, name) in ["best rival", "sheave to it", "target"].iter().enumerate() {
        let mut row = vec![(*name).to_owned()];
        let cells = summaries.iter().filter_map(|cells| cells.get(index));
        row.extend(cells.cloned());
        table.row(row);
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
    Some([best.name(), show(ratio), verdict.into()])
}
