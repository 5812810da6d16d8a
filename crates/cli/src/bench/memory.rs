//! The engine alone: both ends in one thread, in virtual time.

use serde_json::json;
use sheave::{Bytes, Options};
use sheave_engine::{Checksum, Delivery};
use sheave_measure::pair::{Setup, SheavePair};
use sheave_measure::{Pair, Spread, cpu_time};

use super::report::{Report, column, fields, ratios, show};
use super::{BenchArgs, Limits};
use crate::failure::Failure;

/// Bytes of the send buffer and of the receive buffer.
const BUFFER: usize = 1 << 20;
/// CPU-seconds that a sample takes about.
const SAMPLE: f64 = 0.04;
/// The sizes that are measured unless others are asked for.
const SIZES: [u64; 6] = [64, 256, 1 << 10, 8 << 10, 12 << 10, 64 << 10];

/// One row.
struct Case {
    size: usize,
    name: &'static str,
    pair: SheavePair,
    message: Bytes,
    /// Messages of a sample.
    count: u64,
    /// User bytes per CPU-second.
    rates: Vec<f64>,
    nanos_per_packet: Vec<f64>,
}

/// Measures every size in every setup.
pub fn run(args: &BenchArgs, report: &Report, limits: Limits) -> Result<(), Failure> {
    let sizes = if args.size.is_empty() {
        &SIZES[..]
    } else {
        &args.size
    };
    let mut cases: Vec<Case> = Vec::new();
    for size in sizes {
        let size = usize::try_from((*size).clamp(1, 16 << 20)).unwrap_or(1);
        cases.extend(setups().map(|(name, setup)| Case::new(size, name, setup)));
    }
    for _ in 0..args.rounds {
        for case in &mut cases {
            case.sample();
        }
    }
    print(report, &cases, limits);
    Ok(())
}

/// What is measured of each size; the first is what the others are compared with.
fn setups() -> impl Iterator<Item = (&'static str, Setup)> {
    let plain = || {
        Setup::new(Options {
            send_buffer: BUFFER,
            receive_buffer: BUFFER,
            ..Options::default()
        })
    };
    let mut large = plain();
    large.options.initial_pmtu = 9000;
    [
        ("MTU 1500, checksum", plain()),
        ("MTU 9000, checksum", large),
        (
            "MTU 1500, no checksum",
            Setup {
                checksum: Checksum::Offloaded,
                ..plain()
            },
        ),
        (
            "1000 streams",
            Setup {
                streams: 1000,
                ..plain()
            },
        ),
        (
            "unordered",
            Setup {
                delivery: Delivery::Unordered,
                ..plain()
            },
        ),
        (
            "1 % lost",
            Setup {
                lost_per_mille: 10,
                ..plain()
            },
        ),
        (
            "5 % lost",
            Setup {
                lost_per_mille: 50,
                ..plain()
            },
        ),
    ]
    .into_iter()
}

impl Case {
    fn new(size: usize, name: &'static str, mut setup: Setup) -> Self {
        let largest = setup.options.max_message_size.max(size);
        setup.options.max_message_size = largest;
        let mut pair = SheavePair::with(setup);
        pair.connect();
        let mut case = Self {
            size,
            name,
            pair,
            message: Bytes::from(vec![0x5a; size]),
            count: 16,
            rates: Vec::new(),
            nanos_per_packet: Vec::new(),
        };
        while case.measure().0 < SAMPLE * 0.7 {
            case.count *= 2;
        }
        case
    }

    fn sample(&mut self) {
        let (seconds, packets) = self.measure();
        let bytes = self.count as f64 * self.size as f64;
        self.rates.push(bytes / seconds);
        self.nanos_per_packet.push(seconds * 1e9 / packets as f64);
    }

    /// CPU-seconds of one sample, and the packets with data that it took.
    fn measure(&mut self) -> (f64, u64) {
        let before = cpu_time();
        let packets = self.pair.transfer(&self.message, self.count);
        let spent = (cpu_time() - before).as_secs_f64();
        self.pair.settle();
        (spent.max(1e-9), packets)
    }
}

fn print(report: &Report, cases: &[Case], limits: Limits) {
    let mut table = report.table(
        "memory: user data per CPU-second, both ends, one association, full packets where messages \
         allow; the roof is an SCTP that only copies and takes checksums, at MTU 1500",
        &[
            column("messages"),
            column("setup"),
            column("MB/s min"),
            column("median"),
            column("max"),
            column("Gb/s"),
            column("ns/message"),
            column("ns/packet"),
            column("to the first row"),
            column("of the roof"),
        ],
    );
    let mut first: &[f64] = &[];
    let mut size = 0;
    for case in cases {
        if case.size != size {
            (first, size) = (&case.rates, case.size);
        }
        let rate = Spread::of(case.rates.iter().copied());
        let packet = Spread::of(case.nanos_per_packet.iter().copied()).median;
        let ratio = ratios(&case.rates, first);
        let (message, roof) = (
            size as f64 * 1e9 / rate.median,
            rate.median / limits.packets,
        );
        table.row(
            json!({
                "message_bytes": size,
                "setup": case.name,
                "bytes_per_cpu_second": fields(rate),
                "ns_per_message": message,
                "ns_per_packet": packet,
                "ratio": fields(ratio),
                "share_of_roof": roof,
            }),
            vec![
                size.to_string(),
                case.name.into(),
                format!("{:.0}", rate.min / 1e6),
                format!("{:.0}", rate.median / 1e6),
                format!("{:.0}", rate.max / 1e6),
                format!("{:.1}", rate.median * 8.0 / 1e9),
                format!("{message:.0}"),
                format!("{packet:.0}"),
                show(ratio),
                format!("{:.0} %", 100.0 * roof),
            ],
        );
    }
    table.print();
}
