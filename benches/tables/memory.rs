//! Allocations per packet, and memory of idle associations.

use std::io;

use serde_json::json;
use sheave_bench::pair::{SheavePair, UserData};
use sheave_bench::{Align, Args, Pair, Sheet, Stack, Table, count};
use sheave_engine::Options;

use crate::throughput::SIZES;

/// Memory of an idle association: hard limit and goal, bytes.
const FOOTPRINT: (usize, usize) = (2048, 1024);

/// Measures allocations and memory.
pub(crate) fn run(args: &Args, sheet: &mut Sheet) -> io::Result<()> {
    if args.wants("allocations") {
        allocations(args, sheet)?;
    }
    if args.wants("idle") {
        idle(args, sheet)?;
    }
    Ok(())
}

fn allocations(args: &Args, sheet: &mut Sheet) -> io::Result<()> {
    let mut columns = vec![("stack", Align::Left)];
    columns.extend(SIZES.iter().map(|size| (size.name, Align::Right)));
    let mut table = Table::new(
        "allocations: heap blocks asked for by both ends, for each packet with data (for each message)",
        &columns,
    );
    for stack in args.stacks() {
        let mut row = vec![stack.to_string()];
        for size in &SIZES {
            // Shared data keeps the application's allocations out of the count.
            let mut data = UserData::shared(size.bytes);
            let messages = ((1 << 20) / size.bytes) as u64;
            let mut pair = stack.connect(1);
            // Warm-up: buffers have grown afterwards.
            pair.transfer(&mut data, 4 * messages);
            pair.settle();
            let (packets, counts) = count(|| pair.transfer(&mut data, messages));
            let made = counts.allocations as f64;
            sheet.sample(&json!({
                "table": "allocations",
                "stack": stack.to_string(),
                "message_bytes": size.bytes,
                "per_packet": made / packets as f64,
                "per_message": made / messages as f64,
            }))?;
            row.push(format!(
                "{:.2} ({:.2})",
                made / packets as f64,
                made / messages as f64
            ));
        }
        table.row(row);
    }
    sheet.print(&table);
    Ok(())
}

fn idle(args: &Args, sheet: &mut Sheet) -> io::Result<()> {
    let associations = if args.quick { 1000 } else { 10_000 };
    let mut table = Table::new(
        format!(
            "idle: bytes on the heap of each end of {associations} associations, tables of the endpoint \
             included; wanted of ours: at most {}, better {}",
            FOOTPRINT.0, FOOTPRINT.1
        ),
        &[("stack", Align::Left), ("bytes", Align::Right)],
    );
    for stack in args.stacks() {
        let (pair, counts) = count(|| stack.connect(associations));
        drop(pair);
        let each = counts.held as f64 / (2 * associations) as f64;
        sheet.sample(&json!({
            "table": "idle",
            "stack": stack.to_string(),
            "associations": associations,
            "bytes_each": each,
        }))?;
        table.row(vec![stack.to_string(), format!("{each:.0}")]);
    }
    if args.stacks().contains(&Stack::Sheave) {
        let footprint = footprint();
        sheet.sample(&json!({
            "table": "idle",
            "stack": "sheave, Assoc::footprint",
            "associations": 1,
            "bytes_each": footprint,
        }))?;
        table.row(vec![
            "sheave, by Assoc::footprint".into(),
            footprint.to_string(),
        ]);
    }
    sheet.print(&table);
    Ok(())
}

fn footprint() -> usize {
    let mut pair = SheavePair::new(Options::default());
    pair.connect();
    pair.footprint()
}
