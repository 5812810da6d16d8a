//! Cost per message when many streams take turns.

use std::io;

use serde_json::json;
use sheave_engine::Profile;

use crate::pair::{Setup, SheavePair, UserData};
use crate::{Args, Pair, Report, Row, Spread, Table, cpu_time};

/// Message size, bytes.
const MESSAGE: usize = 64;
/// Messages per sample, some on every stream.
const SAMPLE: u64 = 200_000;
const STREAMS: [u16; 6] = [1, 10, 100, 1000, 10_000, 65_535];

/// Measures 1 to 65535 streams in turns.
pub(crate) fn run(args: &Args, report: &Report) -> io::Result<()> {
    let mut data = UserData::fresh(MESSAGE);
    let mut pairs: Vec<(u16, SheavePair, Vec<f64>)> = STREAMS
        .map(|streams| {
            let setup = Setup {
                streams,
                ..Setup::new(Profile::Datacenter.options())
            };
            let mut pair = SheavePair::with(setup);
            pair.connect();
            // Afterwards, every stream has allocated its state.
            pair.transfer(&mut data, SAMPLE);
            (streams, pair, Vec::new())
        })
        .into();
    for round in 0..args.rounds() {
        for (streams, pair, costs) in &mut pairs {
            let before = cpu_time();
            pair.transfer(&mut data, SAMPLE);
            let each = (cpu_time() - before).as_secs_f64() * 1e9 / SAMPLE as f64;
            pair.settle();
            report.sample(
                "flatness/streams",
                json!({
                    "streams": streams,
                    "round": round,
                    "ns_per_message": each,
                }),
            )?;
            costs.push(each);
        }
    }
    let mut table = Table::new(
        "flatness/streams: ns of CPU for each message of 64 bytes, both ends, sent on so many streams \
         in turns",
    );
    for (streams, _, costs) in pairs {
        let row = Row::new().count("streams", "streams", streams);
        table.push(row.spread("ns_per_message", "", Spread::of(costs), (1.0, 1)));
    }
    report.print(&table);
    Ok(())
}
