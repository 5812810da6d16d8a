//! Associations set up per CPU-second, both ends.

use std::io;

use crate::{Args, Report, Row, Spread, Stack, Table};

/// Measures every stack, round after round.
pub(crate) fn run(args: &Args, report: &Report) -> io::Result<()> {
    if !args.wants("handshakes") {
        return Ok(());
    }
    let count = if args.quick { 500 } else { 2000 };
    let mut stacks = args.stacks();
    let turns = ("handshakes", args.rounds());
    let key = "us_each";
    let micros = report.in_turns(turns, &mut stacks, [key], Stack::describe, |stack| {
        io::Result::Ok([stack.connect(1).set_up(count)])
    })?;
    let mut table = Table::new(format!(
        "handshakes: {count} associations set up one after the other, both ends"
    ));
    for (stack, [micros]) in stacks.iter().zip(&micros) {
        let spread = Spread::of(micros);
        let row = Row::new().text("stack", "stack", stack);
        let row = row.spread(key, "us each", spread, (1.0, 2));
        table.push(row.cell("per CPU-second", format!("{:.0}", 1e6 / spread.median)));
    }
    report.print(&table);
    Ok(())
}
