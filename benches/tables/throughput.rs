//! User bytes per CPU-second, one association, one ordered stream.

use std::io;

use bytes::Bytes;
use serde_json::json;
use sheave_bench::{Align, Args, Pair, Sheet, Spread, Stack, Table, cpu_time};

/// A size of messages, with what is expected of us there.
pub(crate) struct Size {
    pub(crate) name: &'static str,
    pub(crate) bytes: usize,
    /// User bytes per CPU-second, in millions, at least.
    target: Option<f64>,
}

/// The sizes that are measured.
pub(crate) const SIZES: [Size; 5] = [
    size("64B", 64, Some(120.0)),
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

/// One stack on its track.
struct Runner {
    stack: Stack,
    pair: Box<dyn Pair>,
    /// Messages that make up a sample.
    count: u64,
    samples: Vec<Sample>,
}

struct Sample {
    bytes_per_second: f64,
    nanos_per_packet: f64,
}

/// Measures every size that is wanted.
pub(crate) fn run(args: &Args, sheet: &mut Sheet) -> io::Result<()> {
    for size in &SIZES {
        if args.wants(&format!("throughput/{}", size.name)) {
            measure(args, sheet, size)?;
        }
    }
    Ok(())
}

fn measure(args: &Args, sheet: &mut Sheet, size: &Size) -> io::Result<()> {
    let message = Bytes::from(vec![0x5a; size.bytes]);
    let stacks = args.stacks();
    let mut runners: Vec<Runner> = stacks
        .into_iter()
        .map(|stack| Runner::warm(stack, &message, args.sample_seconds()))
        .collect();
    for round in 0..args.rounds() {
        for runner in &mut runners {
            let sample = runner.sample(&message);
            sheet.sample(&json!({
                "table": "throughput",
                "message_bytes": size.bytes,
                "stack": runner.stack.to_string(),
                "round": round,
                "bytes_per_cpu_second": sample.bytes_per_second,
                "ns_per_packet": sample.nanos_per_packet,
            }))?;
            runner.samples.push(sample);
        }
    }
    sheet.print(&table(args, size, &runners));
    Ok(())
}

impl Runner {
    fn warm(stack: Stack, message: &Bytes, seconds: f64) -> Self {
        let mut runner = Self {
            stack,
            pair: stack.connect(1),
            count: 64,
            samples: Vec::new(),
        };
        while runner.time(message) < seconds * 0.7 {
            runner.count *= 2;
        }
        runner
    }

    /// Seconds that a sample takes.
    fn time(&mut self, message: &Bytes) -> f64 {
        let bytes = self.count as f64 * message.len() as f64;
        bytes / self.sample(message).bytes_per_second
    }

    fn sample(&mut self, message: &Bytes) -> Sample {
        let before = cpu_time();
        let packets = self.pair.transfer(message, self.count);
        let spent = (cpu_time() - before).as_secs_f64();
        self.pair.settle();
        let bytes = self.count as f64 * message.len() as f64;
        Sample {
            bytes_per_second: bytes / spent,
            nanos_per_packet: spent * 1e9 / packets as f64,
        }
    }

    /// How often our own speed, round by round.
    fn ratio_to(&self, ours: &Self) -> Spread {
        let rounds = ours.samples.iter().zip(&self.samples);
        Spread::of(rounds.map(|(ours, theirs)| ours.bytes_per_second / theirs.bytes_per_second))
    }
}

fn table(args: &Args, size: &Size, runners: &[Runner]) -> Table {
    let target = match size.target {
        Some(target) => format!("; wanted: at least {target:.0} MB/s"),
        None => String::new(),
    };
    let title = format!(
        "throughput/{}: user bytes per CPU-second, both ends, packets of 1472 bytes, with checksum, \
         {} rounds{target}",
        size.name,
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
    let ours = runners.iter().find(|runner| runner.stack.is_ours());
    for runner in runners {
        let speed = Spread::of(runner.samples.iter().map(|s| s.bytes_per_second / 1e6));
        let packet = Spread::of(runner.samples.iter().map(|s| s.nanos_per_packet));
        let ratio = match ours {
            Some(ours) if !runner.stack.is_ours() => {
                let ratio = runner.ratio_to(ours);
                format!("{:.2} ({:.2}..{:.2})", ratio.median, ratio.min, ratio.max)
            }
            _ => String::new(),
        };
        let target = match size.target {
            Some(target) if runner.stack.is_ours() && speed.median >= target => "met",
            Some(_) if runner.stack.is_ours() => "missed",
            _ => "",
        };
        table.row(vec![
            runner.stack.to_string(),
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
