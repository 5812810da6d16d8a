//! Goodput under random packet loss, in virtual time.

use std::io;
use std::time::Duration;

use serde_json::json;
use sheave_engine::{LossDetection, Options, Profile};

use crate::pair::{Impairment, PACKET, SheavePair, Stall, Troubles, UserData};
use crate::{Args, Pair, Report, Row, Spread, Stack, Table};

/// Message size, bytes.
const MESSAGE: usize = 8 << 10;
/// Buffer size, bytes, as in all these tables.
const BUFFER: usize = 1 << 20;
/// Header size of a packet with one chunk, bytes.
const HEADERS: usize = 28;
/// Seeds of the loss patterns, one run each; the same for every contestant.
const SEEDS: [u64; 3] = [2026, 2027, 2028];

/// Conditions: round-trip time in ms, lost packets per thousand.
const CONDITIONS: [Conditions; 6] = [
    Conditions::new(1, 0),
    Conditions::new(1, 10),
    Conditions::new(1, 50),
    Conditions::new(20, 0),
    Conditions::new(20, 10),
    Conditions::new(20, 50),
];

/// Network conditions of one column.
#[derive(Clone, Copy)]
struct Conditions {
    rtt_ms: u32,
    lost_per_mille: u16,
}

/// A stack under measurement.
#[derive(Clone, Copy)]
enum Contestant {
    Ours(Ours),
    Rival(Stack),
}

/// Loss recovery and congestion control of our own runs.
#[derive(Clone, Copy)]
enum Ours {
    /// RFC 9260 to the letter.
    MissingReports,
    /// RFC 9260 with RACK-TLP.
    Rack,
    /// The default of an association: RACK-TLP and CUBIC.
    Modern,
}

/// Result of one transfer.
struct Outcome {
    bits_per_second: Result<f64, Stall>,
    troubles: Option<Troubles>,
}

/// Results of one contestant for each condition and seed.
struct Results {
    name: String,
    cells: Vec<Vec<Outcome>>,
}

/// Measures every stack under every condition.
pub(crate) fn run(args: &Args, report: &Report) -> io::Result<()> {
    if !args.wants("loss") {
        return Ok(());
    }
    let mut rows = Vec::new();
    for contestant in contestants(args) {
        report.progress(&format!("{} under loss", contestant.name()));
        let mut cells = Vec::new();
        for conditions in CONDITIONS {
            cells.push(contestant.measure(args, report, conditions)?);
        }
        rows.push(Results {
            name: contestant.name(),
            cells,
        });
    }
    report.print(&goodput(&rows));
    report.print(&windows(&rows));
    Ok(())
}

fn goodput(rows: &[Results]) -> Table {
    let mut table = Table::new(
        "loss: goodput in virtual time, mean of the runs, the same losses for all, of data packets \
         only; buffers of 1 MiB, no limit on the path. In brackets, of ours, all runs together: \
         expirations of the timer, and chunks that arrived twice",
    );
    for row in rows {
        let first = Row::new().text("stack", "Mb/s", &row.name);
        let cells = CONDITIONS.iter().zip(&row.cells);
        table.push(cells.fold(first, |row, (conditions, outcomes)| {
            row.cell(conditions.head(), goodput_cell(outcomes))
        }));
    }
    table.push(law_row("Mb/s", CONDITIONS.iter(), |conditions, window| {
        conditions.bits_per_second(window) / 1e6
    }));
    table
}

/// The row of the square-root law, in the unit of the table.
fn law_row<'a>(
    head: &str,
    conditions: impl Iterator<Item = &'a Conditions>,
    figure: fn(&Conditions, f64) -> f64,
) -> Row {
    let first = Row::new().text("stack", head, "square-root law");
    conditions.fold(first, |row, conditions| {
        let law = conditions.law().map(|window| figure(conditions, window));
        let text = law.map_or_else(String::new, |law| format!("{law:.1}"));
        row.cell(conditions.head(), text)
    })
}

fn goodput_cell(outcomes: &[Outcome]) -> String {
    let rate = match mean(outcomes) {
        Ok(rate) => format!("{:.1}", rate / 1e6),
        Err(stall) => return told(stall),
    };
    let troubles: Vec<Troubles> = outcomes.iter().filter_map(|run| run.troubles).collect();
    if troubles.is_empty() {
        return rate;
    }
    let timeouts: u64 = troubles.iter().map(|troubles| troubles.timeouts).sum();
    let duplicates: u64 = troubles.iter().map(|troubles| troubles.duplicates).sum();
    format!("{rate} ({timeouts}, {duplicates})")
}

/// The lossy conditions' results in packets per round trip, the unit of the law.
fn windows(rows: &[Results]) -> Table {
    let mut table = Table::new(
        "loss/windows: the same in packets for each round trip, least and greatest run in brackets, \
         and the mean's share of the law",
    );
    let head = "packets a round trip";
    for row in rows {
        let first = Row::new().text("stack", head, &row.name);
        let cells = CONDITIONS.iter().zip(&row.cells);
        let lossy = cells.filter(|(conditions, _)| conditions.lost_per_mille > 0);
        table.push(lossy.fold(first, |row, (conditions, outcomes)| {
            row.cell(conditions.head(), conditions.window_cell(outcomes))
        }));
    }
    let lossy = CONDITIONS
        .iter()
        .filter(|conditions| conditions.lost_per_mille > 0);
    table.push(law_row(head, lossy, |_, window| window));
    table
}

/// Mean goodput of some runs, bits per second, or the first stall.
fn mean(outcomes: &[Outcome]) -> Result<f64, Stall> {
    let mut sum = 0.0;
    for outcome in outcomes {
        sum += outcome.bits_per_second?;
    }
    Ok(sum / outcomes.len() as f64)
}

fn told(stall: Stall) -> String {
    format!("stalls after {:.1} s", stall.after.as_secs_f64())
}

impl Conditions {
    const fn new(rtt_ms: u32, lost_per_mille: u16) -> Self {
        Self {
            rtt_ms,
            lost_per_mille,
        }
    }

    /// Heading of the column.
    fn head(self) -> String {
        format!("{} ms, {} %", self.rtt_ms, self.lost_per_mille / 10)
    }

    fn rtt(self) -> Duration {
        Duration::from_millis(self.rtt_ms.into())
    }

    /// Average window of Reno, in packets, at this loss probability if every packet is
    /// acknowledged: the square root of 3/2p (Mathis, Semke, Mahdavi and Ott 1997).
    fn law(self) -> Option<f64> {
        let lost = f64::from(self.lost_per_mille) / 1000.0;
        (self.lost_per_mille > 0).then(|| (1.5 / lost).sqrt())
    }

    /// Goodput of `window` full packets per round trip.
    fn bits_per_second(self, window: f64) -> f64 {
        window * 8.0 * (PACKET - HEADERS) as f64 / self.rtt().as_secs_f64()
    }

    /// Packets per round trip at that goodput.
    fn window(self, bits_per_second: f64) -> f64 {
        bits_per_second / self.bits_per_second(1.0)
    }

    fn window_cell(self, outcomes: &[Outcome]) -> String {
        let mean = match mean(outcomes) {
            Ok(rate) => self.window(rate),
            Err(stall) => return told(stall),
        };
        let runs = outcomes.iter().filter_map(|run| run.bits_per_second.ok());
        let spread = Spread::of(runs.map(|rate| self.window(rate)));
        let share = self.law().map_or(f64::NAN, |law| 100.0 * mean / law);
        format!(
            "{mean:.1} ({:.1}..{:.1}), {share:.0} %",
            spread.min, spread.max
        )
    }
}

fn contestants(args: &Args) -> Vec<Contestant> {
    let stacks = args.stacks();
    let ours = [Ours::MissingReports, Ours::Rack, Ours::Modern];
    let ours = ours.into_iter().filter(|_| stacks.contains(&Stack::Sheave));
    let rivals = stacks.iter().copied().filter(|stack| !stack.is_ours());
    ours.map(Contestant::Ours)
        .chain(rivals.map(Contestant::Rival))
        .collect()
}

impl Contestant {
    fn name(self) -> String {
        match self {
            Self::Ours(Ours::MissingReports) => "sheave, missing reports".into(),
            Self::Ours(Ours::Rack) => "sheave, RACK".into(),
            Self::Ours(Ours::Modern) => "sheave, modern".into(),
            Self::Rival(stack) => stack.to_string(),
        }
    }

    /// Runs each seed once; without losses all seeds are the same.
    fn measure(
        self,
        args: &Args,
        report: &Report,
        conditions: Conditions,
    ) -> io::Result<Vec<Outcome>> {
        let runs = match (conditions.lost_per_mille, args.quick) {
            (0, _) | (_, true) => 1,
            _ => SEEDS.len(),
        };
        let mut outcomes = Vec::new();
        for seed in SEEDS.into_iter().take(runs) {
            let outcome = self.transfer(args, conditions, seed);
            let (rate, troubles) = (outcome.bits_per_second, outcome.troubles);
            report.sample(
                "loss",
                json!({
                    "stack": self.name(),
                    "rtt_ms": conditions.rtt_ms,
                    "lost_per_mille": conditions.lost_per_mille,
                    "seed": seed,
                    "bits_per_second": rate.ok(),
                    "packets_per_round_trip": rate.ok().map(|rate| conditions.window(rate)),
                    "law_packets_per_round_trip": conditions.law(),
                    "stalled_after_seconds": rate.err().map(|stall| stall.after.as_secs_f64()),
                    "timeouts": troubles.map(|troubles| troubles.timeouts),
                    "retransmissions": troubles.map(|troubles| troubles.retransmissions),
                    "duplicates": troubles.map(|troubles| troubles.duplicates),
                }),
            )?;
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    fn transfer(self, args: &Args, conditions: Conditions, seed: u64) -> Outcome {
        let mut pair: Box<dyn Pair> = match self {
            Self::Rival(stack) => stack.connect(1),
            Self::Ours(ours) => {
                let mut pair = SheavePair::new(ours.options());
                pair.connect();
                Box::new(pair)
            }
        };
        pair.set_impairment(Impairment {
            delay: conditions.rtt() / 2,
            lost_per_mille: conditions.lost_per_mille,
            seed,
        });
        let mut data = UserData::fresh(MESSAGE);
        let (span, bytes) = if args.quick {
            (20, 20_000_000)
        } else {
            (60, 100_000_000)
        };
        let rate = pair.goodput(&mut data, Duration::from_secs(span), bytes);
        Outcome {
            bits_per_second: rate.map(|rate| rate * 8.0),
            troubles: pair.troubles(),
        }
    }
}

impl Ours {
    fn options(self) -> Options {
        let rules = match self {
            Self::MissingReports => Profile::Rfc9260.options(),
            Self::Rack => Options {
                loss_detection: LossDetection::Rack,
                ..Profile::Rfc9260.options()
            },
            Self::Modern => Profile::Modern.options(),
        };
        Options {
            send_buffer: BUFFER,
            receive_buffer: BUFFER,
            ..rules
        }
    }
}
