//! Associations set up per CPU-second, both ends.

use std::io;

use serde_json::json;
use sheave_bench::{Align, Args, Sheet, Spread, Table, cpu_time};

/// Measures every stack, round after round.
pub(crate) fn run(args: &Args, sheet: &mut Sheet) -> io::Result<()> {
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
            sheet.sample(&json!({
                "table": "handshakes",
                "stack": stack.to_string(),
                "round": round,
                "us_each": each,
            }))?;
            micros.push(each);
        }
    }
    let mut table = Table::new(
        format!("handshakes: {count} associations set up one after the other, both ends"),
        &[
            ("stack", Align::Left),
            ("us each min", Align::Right),
            ("median", Align::Right),
            ("max", Align::Right),
            ("per CPU-second", Align::Right),
        ],
    );
    for (stack, micros) in stacks.iter().zip(micros) {
        let spread = Spread::of(micros);
        table.row(vec![
            stack.to_string(),
            format!("{:.2}", spread.min),
            format!("{:.2}", spread.median),
            format!("{:.2}", spread.max),
            format!("{:.0}", 1e6 / spread.median),
        ]);
    }
    sheet.print(&table);
    Ok(())
}
