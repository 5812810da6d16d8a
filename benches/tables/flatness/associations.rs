//! Cost per message and per new association with many idle associations.

use std::io;

use serde_json::json;
use sheave_engine::Options;

use crate::pair::{SheavePair, UserData};
use crate::{Args, Pair, Report, Row, Spread, Table};

/// Message size, bytes.
const MESSAGE: usize = 64;
/// Messages per sample.
const SAMPLE: u64 = 100_000;
/// Associations set up per sample.
const MORE: u32 = 200;

/// CPU time per message, and per association set up.
const KEYS: [&str; 2] = ["ns_per_message", "us_per_handshake"];

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
        let turns = ("flatness/associations", args.rounds());
        let describe = |_: &()| (format!("{idle} associations"), json!({ "idle": idle }));
        let costs = report.in_turns(turns, &mut [()], KEYS, describe, |()| {
            let handshake = pair.set_up(MORE);
            let (seconds, _) = pair.cost(&mut data, SAMPLE);
            io::Result::Ok([seconds * 1e9 / SAMPLE as f64, handshake])
        })?;
        there += MORE * args.rounds();
        let [messages, handshakes] = costs[0].each_ref().map(Spread::of);
        let row = Row::new()
            .count("idle", "idle", idle)
            .spread(KEYS[0], "ns a message", messages, (1.0, 1))
            .spread(KEYS[1], "us to set up", handshakes, (1.0, 2));
        table.push(row);
    }
    report.print(&table);
    Ok(())
}
