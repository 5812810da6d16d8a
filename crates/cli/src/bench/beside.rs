//! A small message during bulk transfer on another stream: its round-trip time, and the bulk's
//! remaining throughput.

use std::iter;

use serde_json::json;
use sheave_measure::Spread;

use super::contender::{Contender, Load};
use super::end::{Order, Over, Work};
use super::goal::Goal;
use super::latency::ECHO;
use super::report::{column, fields, show};
use super::transfer::{in_turns, series};
use super::{BenchArgs, Session};
use crate::failure::Failure;

/// Round trips per measurement.
const TRIPS: u32 = 1000;
/// Maximum median and 99th percentile of the round-trip time, microseconds, if the small message
/// has priority.
const GOALS: [Goal; 2] = [Goal::AtMost(300.0), Goal::AtMost(1000.0)];
/// Maximum size of a bulk message, bytes.
const MOST: u64 = 256 << 20;

/// Measures round trips of small messages during transfer of bulk messages of `bulk` bytes.
pub(super) fn run(args: &BenchArgs, session: &Session<'_>, bulk: u64) -> Result<(), Failure> {
    if !(1..=MOST).contains(&bulk) {
        return Err(Failure::usage("--beside takes 1 byte to 256 MiB"));
    }
    let load = Load {
        work: Work::EchoBeside,
        size: ECHO,
        connections: 1,
        amount: TRIPS,
        bulk: usize::try_from(bulk).unwrap_or(usize::MAX),
    };
    let mut tcp = Contender::here(Over::Tcp);
    tcp.name = "TCP, a connection each".into();
    let orders = [Order::Priority, Order::ShortQueue, Order::FirstCome];
    let mut contenders = vec![tcp];
    contenders.extend(orders.map(Contender::ordered));
    let orders = iter::once(None).chain(orders.map(Some));
    let outcomes = in_turns(&contenders, load, args.rounds, session)?;
    let mut table = session.report.table(
        &format!(
            "latency beside bulk: a message of 64 bytes to another process and back on stream 1, one \
             each millisecond at most, while messages of {bulk} bytes go there on stream 0; us of \
             wall time: the median of the rounds (least..greatest), and Gb/s of the bulk"
        ),
        &[
            column("over"),
            column("there p50"),
            column("there p99"),
            column("p50"),
            column("goal"),
            column("p99"),
            column("goal"),
            column("p99.9"),
            column("bulk Gb/s"),
        ],
    );
    for ((contender, order), outcomes) in contenders.iter().zip(orders).zip(&outcomes) {
        let way_p50 = Spread::of(series(outcomes, |tells| tells.way_p50));
        let way_p99 = Spread::of(series(outcomes, |tells| tells.way_p99));
        let p50 = Spread::of(series(outcomes, |tells| tells.p50));
        let p99 = Spread::of(series(outcomes, |tells| tells.p99));
        let p999 = Spread::of(series(outcomes, |tells| tells.p999));
        let rates = outcomes.iter().map(|one| one.bytes_per_second * 8.0);
        let rate = Spread::of(rates);
        let mut object = json!({
            "over": contender.name,
            "message_bytes": ECHO,
            "bulk_bytes": bulk,
            "way_p50_us": fields(way_p50),
            "way_p99_us": fields(way_p99),
            "p50_us": fields(p50),
            "p99_us": fields(p99),
            "p99.9_us": fields(p999),
            "bits_per_second": fields(rate),
        });
        let mut cells = [String::new(), String::new()];
        if matches!(order, Some(Order::Priority | Order::ShortQueue)) {
            let [half, most] = GOALS;
            object["p50_goal"] = half.fields(p50.median);
            object["p99_goal"] = most.fields(p99.median);
            cells = [half.cell(p50.median), most.cell(p99.median)];
        }
        let [p50_goal, p99_goal] = cells;
        table.row(
            object,
            vec![
                contender.name.clone(),
                short(way_p50),
                short(way_p99),
                short(p50),
                p50_goal,
                short(p99),
                p99_goal,
                short(p999),
                show(Spread {
                    min: rate.min / 1e9,
                    median: rate.median / 1e9,
                    max: rate.max / 1e9,
                }),
            ],
        );
    }
    table.print();
    Ok(())
}

/// Median, minimum and maximum, in whole microseconds.
fn short(spread: Spread) -> String {
    format!(
        "{:.0} ({:.0}..{:.0})",
        spread.median, spread.min, spread.max
    )
}
