//! Cost per message and per new association with many idle associations.

use std::io;

use serde_json::json;
use sheave_engine::Options;

use crate::pair::{SheavePair, UserData};
use crate::{Args, Pair, Report, Row, Spread, Table, cpu_time};

/// Message size, bytes.
const MESSAGE: usize = 64;
/// Messages per sample.
const SAMPLE: u64 = 100_000;
/// Associations set up per sample.
const MORE: u32 = 200;

/// Measures 1 to 100,000 associations.
pub(crate) fn run(args: &Args, report: &Report) -> io::Result<()> {
    let mut table = Table::new(
        "flatness/associations: beside so many idle ones, ns of CPU for each message of 64 bytes of \
         one more, and us for setting one more up, both ends",
    );
    let mut data = UserData::fresh(MESSAGE);
    let mut pair = SheavePair::new(Options::default());
    let mut there = 0_u32;
    let last = if args.quick { 4 } else { 5 };
    for power in 0..=last {
        let idle = 10_u32.pow(power);
        report.progress(&format!("{idle} associations"));
        while there < idle {
            pair.connect();
            there += 1;
        }
        let (mut messages, mut handshakes) = (Vec::new(), Vec::new());
        for round in 0..args.rounds() {
            let begin = cpu_time();
            for _ in 0..MORE {
                pair.connect();
            }
            there += MORE;
            let set_up = cpu_time();
            pair.transfer(&mut data, SAMPLE);
            let moved = cpu_time();
            pair.settle();
            let each = (moved - set_up).as_secs_f64() * 1e9 / SAMPLE as f64;
            let handshake = (set_up - begin).as_secs_f64() * 1e6 / f64::from(MORE);
            report.sample(
                "flatness/associations",
                json!({
                    "idle": idle,
                    "round": round,
                    "ns_per_message": each,
                    "us_per_handshake": handshake,
                }),
            )?;
            messages.push(each);
            handshakes.push(handshake);
        }
        let [messages, handshakes] = [messages, handshakes].map(Spread::of);
        let row = Row::new()
            .count("idle", "idle", idle)
            .spread("ns_per_message", "ns a message", messages, (1.0, 1))
            .spread("us_per_handshake", "us to set up", handshakes, (1.0, 2));
        table.push(row);
    }
    report.print(&table);
    Ok(())
}
