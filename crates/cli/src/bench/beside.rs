//! A small message during bulk transfer on another stream: its round-trip time, and the bulk's
//! remaining throughput.

use std::iter;

use sheave_measure::{Goal, Load, Row, Spread, Table, Work};

use super::Session;
use super::contender::Contender;
use super::end::{Order, Over};
use super::latency::ECHO;
use super::transfer::in_turns;
use crate::failure::Failure;

/// Name of the table.
const TABLE: &str = "latency beside bulk";
/// Round trips per measurement.
const TRIPS: u32 = 1000;
/// Maximum median and 99th percentile of the round-trip time, microseconds, if the small message
/// has priority.
const GOALS: [Goal; 2] = [Goal::AtMost(300.0), Goal::AtMost(1000.0)];
/// Maximum size of a bulk message, bytes.
const MOST: u64 = 256 << 20;

/// Measures round trips of small messages during transfer of bulk messages of `bulk` bytes.
pub(super) fn run(session: &Session<'_>, bulk: u64) -> Result<(), Failure> {
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
    let keys = [
        "way_p50_us",
        "way_p99_us",
        "p50_us",
        "p99_us",
        "p99.9_us",
        "bits_per_second",
    ];
    let samples = in_turns(TABLE, &mut contenders, load, session, keys, |both| {
        let tells = &both.client;
        let rate = Some(both.bytes_per_second * 8.0);
        [
            tells.way_p50,
            tells.way_p99,
            tells.p50,
            tells.p99,
            tells.p999,
            rate,
        ]
        .map(|figure| figure.unwrap_or(f64::NAN))
    })?;
    let mut table = Table::new(format!(
        "{TABLE}: a message of 64 bytes to another process and back on stream 1, one \
         each millisecond at most, while messages of {bulk} bytes go there on stream 0; us of \
         wall time: the median of the rounds (least..greatest), and Gb/s of the bulk"
    ));
    for ((contender, order), series) in contenders.iter().zip(orders).zip(&samples) {
        let [way_p50, way_p99, p50, p99, p999, rate] = series.each_ref().map(Spread::of);
        let has_goal = matches!(order, Some(Order::Priority | Order::ShortQueue));
        let [half, most] = GOALS.map(|goal| has_goal.then_some(goal));
        let whole = (1.0, 0);
        let row = Row::new()
            .text("over", "over", &contender.name)
            .field("message_bytes", ECHO)
            .field("bulk_bytes", bulk)
            .within("way_p50_us", "there p50", way_p50, whole)
            .within("way_p99_us", "there p99", way_p99, whole)
            .within("p50_us", "p50", p50, whole)
            .goal("p50_goal", half, p50.median)
            .within("p99_us", "p99", p99, whole)
            .goal("p99_goal", most, p99.median)
            .within("p99.9_us", "p99.9", p999, whole)
            .within("bits_per_second", "bulk Gb/s", rate, (1e-9, 2));
        table.push(row);
    }
    session.report.print(&table);
    Ok(())
}
