//! Allocations per packet, and memory of idle associations.

use std::io;

use serde_json::json;
use sheave_engine::Options;

use crate::pair::{SheavePair, UserData};
use crate::throughput::SIZES;
use crate::{Args, Pair, Report, Row, Stack, Table, count};

/// Memory of an idle association: hard limit and goal, bytes.
const FOOTPRINT: (usize, usize) = (2048, 1024);

/// Measures allocations and memory.
pub(crate) fn run(args: &Args, report: &Report) -> io::Result<()> {
    if args.wants("allocations") {
        allocations(args, report)?;
    }
    if args.wants("idle") {
        idle(args, report)?;
    }
    Ok(())
}

fn allocations(args: &Args, report: &Report) -> io::Result<()> {
    let mut table = Table::new(
        "allocations: heap blocks asked for by both ends, for each packet with data (for each message)",
    );
    for stack in args.stacks() {
        let mut row = Row::new().text("stack", "stack", stack);
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
            report.sample(
                "allocations",
                json!({
                    "stack": stack.to_string(),
                    "message_bytes": size.bytes,
                    "per_packet": made / packets as f64,
                    "per_message": made / messages as f64,
                }),
            )?;
            let each = (made / packets as f64, made / messages as f64);
            row = row.cell(size.name, format!("{:.2} ({:.2})", each.0, each.1));
        }
        table.push(row);
    }
    report.print(&table);
    Ok(())
}

fn idle(args: &Args, report: &Report) -> io::Result<()> {
    let associations = if args.quick { 1000 } else { 10_000 };
    let mut table = Table::new(format!(
        "idle: bytes on the heap of each end of {associations} associations, tables of the endpoint \
         included; wanted of ours: at most {}, better {}",
        FOOTPRINT.0, FOOTPRINT.1
    ));
    let mut note = |stack: String, associations: usize, each: f64| {
        let row = Row::new()
            .text("stack", "stack", stack)
            .field("associations", associations)
            .figure("bytes_each", "bytes", each, (1.0, 0));
        report.sample("idle", row.fields())?;
        table.push(row);
        io::Result::Ok(())
    };
    for stack in args.stacks() {
        let (pair, counts) = count(|| stack.connect(associations));
        drop(pair);
        note(
            stack.to_string(),
            associations,
            counts.held as f64 / (2 * associations) as f64,
        )?;
    }
    if args.stacks().contains(&Stack::Sheave) {
        let mut pair = SheavePair::new(Options::default());
        pair.connect();
        let footprint = pair.footprint() as f64;
        note("sheave, Assoc::footprint".into(), 1, footprint)?;
    }
    report.print(&table);
    Ok(())
}
