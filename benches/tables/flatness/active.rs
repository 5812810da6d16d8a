//! Cost per packet when many active associations take turns.

use std::io;

use serde_json::json;
use sheave_engine::Options;

use crate::pair::{SheavePair, UserData};
use crate::{Args, Pair, Report, Row, Spread, Table, cpu_time};

/// Message size, bytes; one message per packet.
const MESSAGE: usize = 1024;
/// Associations that transfer concurrently.
const AT_A_TIME: usize = 32;
/// Messages per association and turn.
const EACH: u64 = 4;
/// Turns per sample, each with different associations.
const TURNS: usize = 500;

/// Measures 1 to 100,000 associations.
pub(crate) fn run(args: &Args, report: &Report) -> io::Result<()> {
    let mut table = Table::new(format!(
        "flatness/active: of so many associations in use {AT_A_TIME} at random move {EACH} \
         messages of {MESSAGE} bytes each, then {AT_A_TIME} others; ns of CPU for each packet \
         with data, both ends"
    ));
    let mut data = UserData::fresh(MESSAGE);
    let mut pair = SheavePair::new(Options::default());
    let last = if args.quick { 4 } else { 5 };
    for power in 0..=last {
        let wanted = 10_usize.pow(power);
        report.progress(&format!("{wanted} associations in use"));
        while pair.associations() < wanted {
            pair.connect();
        }
        let at_a_time = AT_A_TIME.min(wanted);
        // Use about seven of eight associations before measuring.
        for _ in 0..2 * wanted.div_ceil(at_a_time) {
            pair.transfer_among(&mut data, at_a_time, EACH);
        }
        let mut costs = Vec::new();
        for round in 0..args.rounds() {
            let begin = cpu_time();
            let mut packets = 0;
            for _ in 0..TURNS * AT_A_TIME / at_a_time {
                packets += pair.transfer_among(&mut data, at_a_time, EACH);
            }
            let nanos = (cpu_time() - begin).as_secs_f64() * 1e9 / packets as f64;
            report.sample(
                "flatness/active",
                json!({
                    "associations": wanted,
                    "round": round,
                    "ns_per_packet": nanos,
                }),
            )?;
            costs.push(nanos);
        }
        let row = Row::new().count("associations", "associations", wanted);
        table.push(row.spread("ns_per_packet", "ns a packet", Spread::of(costs), (1.0, 0)));
    }
    report.print(&table);
    Ok(())
}
