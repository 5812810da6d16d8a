use super::claims::cell;
use super::{BLACK_HOLE, PART, ROUTERS, TRANSPORTS};
use crate::of_cells;
use crate::of_cells::Column::{EstimateOr, Mean, Setting};
use crate::studies::extensions::NAME;
use crate::{Cell, Chart, Curve, Exhibit, Summary, Table};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let mut exhibits = Vec::new();
    for mtu in summary.numbers(NAME, BLACK_HOLE, "mtu") {
        for router in ROUTERS {
            exhibits.push(Exhibit::Chart(over_time(summary, mtu, router)));
        }
        exhibits.push(Exhibit::Table(table(summary, mtu)));
    }
    exhibits
}

fn over_time(summary: &Summary, mtu: f64, router: &str) -> Chart {
    let title = format!("A path that narrows to {mtu} bytes at 10 s; the router: {router}");
    let mut chart = Chart::new(&title, "time (s)", "delivered (Mb/s)");
    for transport in TRANSPORTS {
        let cell = cell(summary, mtu, router, transport);
        if let Some(series) = cell.and_then(|cell| cell.series("delivered (Mb/s)")) {
            chart.push(Curve::of_series(transport, &series.points));
        }
    }
    chart
}

fn table(summary: &Summary, mtu: f64) -> Table {
    let columns = [
        ("router", Setting("router")),
        ("transport", Setting("transport")),
        ("before (Mb/s)", Mean("before_mbit_per_s")),
        ("after (Mb/s)", Mean("after_mbit_per_s")),
        ("last 10 s (Mb/s)", Mean("last_mbit_per_s")),
        ("again after (s)", EstimateOr("again_s", "never")),
        ("MTU at the end", Mean("pmtu")),
        ("timeouts", Mean("timeouts")),
    ];
    let title = format!("Before and after a path narrows from 1500 to {mtu} bytes");
    let narrowed = |cell: &&Cell| cell.settings.number("mtu") == mtu;
    of_cells::table(&title, &columns, PART.cells(summary).filter(narrowed))
}
