use super::claims::Coordinates;
use super::{CHUNKS, SCHEDULERS};
use crate::{Exhibit, Summary, Table};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let head = [
        "link, depth of the queue, large messages",
        "scheduler",
        "chunks",
        "delay, median (ms)",
        "delay, 99 % (ms)",
        "large messages (Mb/s)",
    ];
    let mut table = Table::new("Small messages beside large ones", &head);
    for place in Coordinates::all(summary) {
        for scheduler in SCHEDULERS {
            for chunks in CHUNKS {
                let Some(cell) = place.cell(summary, scheduler, chunks) else {
                    continue;
                };
                let of = |metric| cell.shown(metric);
                table.push([
                    place.named(),
                    scheduler.to_owned(),
                    chunks.to_owned(),
                    of("p50_ms"),
                    of("p99_ms"),
                    of("bulk_mbit_per_s"),
                ]);
            }
        }
    }
    vec![Exhibit::Table(table)]
}
