//! Cost per packet when many active associations take turns.

use std::io;

use serde_json::json;
use sheave_engine::Options;

use sheave_measure::pair::{AT_A_TIME, EACH};

use crate::pair::{SheavePair, UserData};
use crate::{Args, Pair, Report, Row, Spread, Table};

/// Message size, bytes; one message per packet.
const MESSAGE: usize = 1024;
/// CPU time per packet with data, both ends.
const KEY: &str = "ns_per_packet";

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
        let turns = ("flatness/active", args.rounds());
        let describe = |_: &()| {
            let fields = json!({ "associations": wanted });
            (format!("{wanted} associations in use"), fields)
        };
        let costs = report.in_turns(turns, &mut [()], [KEY], describe, |()| {
            io::Result::Ok([pair.cost_in_use(&mut data) * 1e9])
        })?;
        let row = Row::new().count("associations", "associations", wanted);
        table.push(row.spread(KEY, "ns a packet", Spread::of(&costs[0][0]), (1.0, 0)));
    }
    report.print(&table);
    Ok(())
}
