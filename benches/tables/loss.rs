//! Goodput where packets are lost at random, in virtual time.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use sheave_bench::pair::{PACKET, SheavePair, Troubles, Weather};
use sheave_bench::{Align, Args, Pair, Sheet, Stack, Table};
use sheave_engine::{LossDetection, Options};

/// Bytes of a message.
const MESSAGE: usize = 8 << 10;
/// Bytes of the buffers, as everywhere in these tables.
const BUFFER: usize = 1 << 20;
/// Bytes of the headers of a packet with one chunk.
const HEADERS: usize = 28;
/// Of the losses, the same ones for all.
const SEED: u64 = 2026;

/// Round-trip times, ms, and packets lost of a thousand.
const WEATHERS: [(u32, u16); 6] = [(1, 0), (1, 10), (1, 50), (20, 0), (20, 10), (20, 50)];

/// Who is measured.
#[derive(Clone, Copy)]
enum Contestant {
    Ours(LossDetection),
    Rival(Stack),
}

/// What came of one transfer.
struct Outcome {
    /// None of a stack that came to a standstill.
    bits_per_second: Option<f64>,
    troubles: Option<Troubles>,
}

/// Measures every stack in every weather.
pub(crate) fn run(args: &Args, sheet: &mut Sheet) -> io::Result<()> {
    if !args.wants("loss") {
        return Ok(());
    }
    let mut columns = vec![("Mb/s", Align::Left)];
    columns.extend(HEADS.iter().map(|head| (*head, Align::Right)));
    let mut table = Table::new(
        "loss: goodput in virtual time, the same losses for all, of data packets only; buffers of \
         1 MiB, no limit on the path. In brackets, of ours: expirations of the timer, and chunks \
         that arrived twice",
        &columns,
    );
    for contestant in contestants(args) {
        sheet.progress(&format!("{} under loss", contestant.name()));
        let mut row = vec![contestant.name()];
        for (rtt, lost) in WEATHERS {
            let outcome = contestant.transfer(args, rtt, lost);
            let troubles = outcome.troubles;
            sheet.sample(&json!({
                "table": "loss",
                "stack": contestant.name(),
                "rtt_ms": rtt,
                "lost_per_mille": lost,
                "bits_per_second": outcome.bits_per_second,
                "timeouts": troubles.map(|troubles| troubles.timeouts),
                "retransmissions": troubles.map(|troubles| troubles.retransmissions),
                "duplicates": troubles.map(|troubles| troubles.duplicates),
            }))?;
            row.push(outcome.cell());
        }
        table.row(row);
    }
    let mut row = vec!["square-root law".to_owned()];
    row.extend(WEATHERS.map(|(rtt, lost)| law(rtt, lost)));
    table.row(row);
    sheet.print(&table);
    Ok(())
}

/// Of the columns, in the order of [`WEATHERS`].
const HEADS: [&str; 6] = [
    "1 ms, 0 %",
    "1 ms, 1 %",
    "1 ms, 5 %",
    "20 ms, 0 %",
    "20 ms, 1 %",
    "20 ms, 5 %",
];

fn contestants(args: &Args) -> Vec<Contestant> {
    let stacks = args.stacks();
    let ours = [LossDetection::MissingReports, LossDetection::Rack];
    let ours = ours.into_iter().filter(|_| stacks.contains(&Stack::Sheave));
    let rivals = stacks.iter().copied().filter(|stack| !stack.is_ours());
    ours.map(Contestant::Ours)
        .chain(rivals.map(Contestant::Rival))
        .collect()
}

/// What Reno reaches on average where so many packets are lost and each is acknowledged (Mathis,
/// Semke, Mahdavi and Ott 1997): a window of the square root of 3/2p.
fn law(rtt: u32, lost: u16) -> String {
    if lost == 0 {
        return String::new();
    }
    let window = (1.5 / (f64::from(lost) / 1000.0)).sqrt();
    let bits = window * 8.0 * (PACKET - HEADERS) as f64;
    format!("{:.1}", bits / (f64::from(rtt) / 1000.0) / 1e6)
}

impl Contestant {
    fn name(self) -> String {
        match self {
            Self::Ours(LossDetection::MissingReports) => "sheave, missing reports".into(),
            Self::Ours(LossDetection::Rack) => "sheave, RACK".into(),
            Self::Rival(stack) => stack.to_string(),
        }
    }

    fn transfer(self, args: &Args, rtt: u32, lost: u16) -> Outcome {
        let mut pair: Box<dyn Pair> = match self {
            Self::Rival(stack) => stack.connect(1),
            Self::Ours(loss_detection) => {
                let mut pair = SheavePair::new(Options {
                    send_buffer: BUFFER,
                    receive_buffer: BUFFER,
                    loss_detection,
                    ..Options::default()
                });
                pair.connect();
                Box::new(pair)
            }
        };
        pair.set_weather(Weather {
            delay: Duration::from_millis(rtt.into()) / 2,
            lost_per_mille: lost,
            seed: SEED,
        });
        let message = Bytes::from(vec![0x5a; MESSAGE]);
        let (span, bytes) = if args.quick {
            (20, 20_000_000)
        } else {
            (60, 100_000_000)
        };
        let rate = pair.goodput(&message, Duration::from_secs(span), bytes);
        Outcome {
            bits_per_second: rate.map(|rate| rate * 8.0),
            troubles: pair.troubles(),
        }
    }
}

impl Outcome {
    fn cell(&self) -> String {
        let Some(rate) = self.bits_per_second else {
            // The pair came to a standstill: whose fault that is, this table does not know.
            return "no figure".into();
        };
        let rate = format!("{:.1}", rate / 1e6);
        match self.troubles {
            Some(Troubles {
                timeouts,
                duplicates,
                ..
            }) => format!("{rate} ({timeouts}, {duplicates})"),
            None => rate,
        }
    }
}
