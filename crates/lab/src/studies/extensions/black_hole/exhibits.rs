use super::{BLACK_HOLE, ROUTERS, TRANSPORTS};
use crate::estimate::shown;
use crate::studies::extensions::NAME;
use crate::{Cell, Chart, Curve, Exhibit, Settings, Summary, Table};

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

fn cell<'a>(summary: &'a Summary, mtu: f64, router: &str, transport: &str) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("mtu", mtu)
        .with("router", router)
        .with("transport", transport);
    summary.cell(NAME, BLACK_HOLE, &some)
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
    let head = [
        "router",
        "transport",
        "before (Mb/s)",
        "after (Mb/s)",
        "last 10 s (Mb/s)",
        "again after (s)",
        "MTU at the end",
        "timeouts",
    ];
    let title = format!("Before and after a path narrows from 1500 to {mtu} bytes");
    let mut table = Table::new(&title, &head);
    for router in ROUTERS {
        for transport in TRANSPORTS {
            let Some(cell) = cell(summary, mtu, router, transport) else {
                continue;
            };
            let plain = |metric| cell.mean(metric).map_or_else(|| "-".to_owned(), shown);
            let again = cell.estimate("again_s");
            table.push([
                router.to_owned(),
                transport.to_owned(),
                plain("before_mbit_per_s"),
                plain("after_mbit_per_s"),
                plain("last_mbit_per_s"),
                again.map_or_else(|| "never".to_owned(), |again| again.to_string()),
                plain("pmtu"),
                plain("timeouts"),
            ]);
        }
    }
    table
}
