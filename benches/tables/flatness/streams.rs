//! Cost per message when many streams take turns.

use std::io;

use serde_json::json;
use sheave_engine::Profile;

use crate::pair::{Setup, SheavePair, UserData};
use crate::{Args, Pair, Report, Row, Spread, Table};

/// Message size, bytes.
const MESSAGE: usize = 64;
/// Messages per sample, some on every stream.
const SAMPLE: u64 = 200_000;
const STREAMS: [u16; 6] = [1, 10, 100, 1000, 10_000, 65_535];

/// Measures 1 to 65535 streams in turns.
pub(crate) fn run(args: &Args, report: &Report) -> io::Result<()> {
    let mut data = UserData::fresh(MESSAGE);
    let mut pairs = STREAMS.map(|streams| {
        let mut pair = SheavePair::with(Setup {
            streams,
            ..Setup::new(Profile::Datacenter.options())
        });
        pair.connect();
        // Afterwards, every stream has allocated its state.
        pair.transfer(&mut data, SAMPLE);
        (streams, pair)
    });
    let turns = ("flatness/streams", args.rounds());
    let key = "ns_per_message";
    let describe = |(streams, _): &(u16, SheavePair)| {
        (format!("{streams} streams"), json!({ "streams": streams }))
    };
    let costs = report.in_turns(turns, &mut pairs, [key], describe, |(_, pair)| {
        io::Result::Ok([pair.cost(&mut data, SAMPLE).0 * 1e9 / SAMPLE as f64])
    })?;
    let mut table = Table::new(
        "flatness/streams: ns of CPU for each message of 64 bytes, both ends, sent on so many streams \
         in turns",
    );
    for ((streams, _), [costs]) in pairs.iter().zip(&costs) {
        let row = Row::new().count("streams", "streams", *streams);
        table.push(row.spread(key, "", Spread::of(costs), (1.0, 1)));
    }
    report.print(&table);
    Ok(())
}
