//! Associations set up per CPU-second, both ends.

use std::io;

use serde_json::json;

use crate::{Args, Report, Row, Spread, Table, cpu_time};

/// Measures every stack, round after round.
pub(crate) fn run(args: &Args, report: &Report) -> io::Result<()> {
    if !args.wants("handshakes") {
        return Ok(());
    }
    let count = if args.quick { 500 } else { 2000 };
    let stacks = args.stacks();
    let mut micros: Vec<Vec<f64>> = vec![Vec::new(); stacks.len()];
    for round in 0..args.rounds() {
        for (stack, micros) in stacks.iter().zip(&mut micros) {
            let mut pair = stack.connect(1);
            let before = cpu_time();
            for _ in 0..count {
                pair.connect();
            }
            let each = (cpu_time() - before).as_secs_f64() * 1e6 / f64::from(count);
            report.sample(
                "handshakes",
                json!({
                    "stack": stack.to_string(),
                    "round": round,
                    "us_each": each,
                }),
            )?;
            micros.push(each);
        }
    }
    let mut table = Table::new(format!(
        "handshakes: {count} associations set up one after the other, both ends"
    ));
    for (stack, micros) in stacks.iter().zip(micros) {
        let spread = Spread::of(micros);
        let row =
            Row::new()
                .text("stack", "stack", stack)
                .spread("us_each", "us each", spread, (1.0, 2));
        table.push(row.cell("per CPU-second", format!("{:.0}", 1e6 / spread.median)));
    }
    report.print(&table);
    Ok(())
}
