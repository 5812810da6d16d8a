use super::alone::{ALONE, BYTES, LOST, RATE, REPEATED};
use super::claims::{Pair, beside, of_linux, pairs};
use super::grid::AMOUNTS;
use super::shared::{RIVALS, SHARE, SHARED};
use super::{grid, live};
use crate::estimate::shown;
use crate::{Cell, Exhibit, Settings, Summary, Table};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let mut all = pairs(summary, ALONE);
    let mut exhibits: Vec<Exhibit> = grid::RATES_MBIT
        .into_iter()
        .map(|mbit| Exhibit::Table(map(&all, mbit)))
        .collect();
    sort(&mut all);
    exhibits.push(Exhibit::Table(cells(&all)));
    exhibits.push(Exhibit::Table(shares(summary, SHARED)));
    exhibits.push(Exhibit::Table(live_cells(summary)));
    exhibits.push(Exhibit::Table(shares(summary, live::SHARED)));
    exhibits
}

/// The ratios at one link rate, with a row per network and a column per amount.
fn map(pairs: &[Pair<'_>], mbit: u32) -> Table {
    let amounts = AMOUNTS.map(|amount| amount.to_string());
    let mut head = vec!["round trip (ms)", "loss (%)", "queue"];
    let first = head.len();
    head.extend(amounts.iter().map(String::as_str));
    let title = format!("SCTP's rate over TCP's at {mbit} Mb/s, by network and amount");
    let rate = format!("mbit = {mbit},");
    let mut table = Table::new(&title, &head)
        .with_runs(ALONE, &[&rate])
        .with_ratios_from(first);
    let at = |pair: &&Pair<'_>| pair.sctp.settings.number("mbit") == f64::from(mbit);
    let here: Vec<&Pair<'_>> = pairs.iter().filter(at).collect();
    let network = |pair: &Pair<'_>| {
        let settings = &pair.sctp.settings;
        (
            settings.number("rtt_ms"),
            settings.number("loss_percent"),
            settings.text("queue").to_owned(),
        )
    };
    let mut networks: Vec<(f64, f64, String)> = here.iter().map(|pair| network(pair)).collect();
    networks.sort_by(|one, other| {
        (one.0.total_cmp(&other.0))
            .then(one.1.total_cmp(&other.1))
            .then(one.2.cmp(&other.2))
    });
    networks.dedup();
    for row in networks {
        let ratios = amounts.iter().map(|amount| {
            let mut all = here.iter();
            let pair = all
                .find(|pair| pair.sctp.settings.text("amount") == amount && network(pair) == row);
            let ratio = pair.and_then(|pair| pair.ratio());
            ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"))
        });
        let (rtt, loss, queue) = (row.0.to_string(), row.1.to_string(), row.2.clone());
        table.push([rtt, loss, queue].into_iter().chain(ratios));
    }
    table
}

/// The table of all cells, the slowest first.
fn cells(pairs: &[Pair<'_>]) -> Table {
    let head = [
        "amount",
        "Mb/s",
        "round trip (ms)",
        "loss (%)",
        "queue",
        "SCTP, Mb/s",
        "TCP, Mb/s",
        "ratio",
        "packets lost",
        "chunks again",
        "timeouts",
        "TCP's timeouts",
        "SCTP, bytes sent",
        "TCP, bytes sent",
    ];
    let mut table = Table::new("Each cell of the grid, the slowest first", &head);
    table = table.with_runs(ALONE, &[]);
    for pair in pairs {
        let settings = &pair.sctp.settings;
        let mean = |metric| pair.sctp.mean(metric).map(shown).unwrap_or_default();
        let of_tcp = |metric| pair.tcp.mean(metric).map(shown).unwrap_or_default();
        let figures = [
            mean(RATE),
            of_tcp(RATE),
            pair.ratio().map(shown).unwrap_or_default(),
            mean(LOST),
            mean(REPEATED),
            mean("timeouts"),
            of_tcp("timeouts"),
            mean(BYTES),
            of_tcp(BYTES),
        ];
        table.push(place(settings).into_iter().chain(figures));
    }
    table
}

/// The table of all live cells with their simulated counterparts, the slowest first.
fn live_cells(summary: &Summary) -> Table {
    let head = [
        "amount",
        "Mb/s",
        "round trip (ms)",
        "loss (%)",
        "queue",
        "SCTP live, Mb/s",
        "the kernel's TCP, Mb/s",
        "ratio live",
        "ratio simulated",
        "packets lost",
        "packets of TCP lost",
    ];
    let title = "Each cell that was run live, the slowest first";
    let mut table = Table::new(title, &head).with_runs(live::ALONE, &[]);
    let simulated = pairs(summary, ALONE);
    let mut all = pairs(summary, live::ALONE);
    sort(&mut all);
    for pair in all {
        let settings = &pair.sctp.settings;
        let twin = (simulated.iter()).find(|twin| twin.sctp.settings == *settings);
        let ratio = |pair: &Pair<'_>| {
            pair.sctp
                .ratio(pair.tcp, RATE)
                .map(|ratio| ratio.to_string())
        };
        let of = |cell: &Cell, metric| cell.estimate(metric).map(|of| of.to_string());
        let figures = [
            of(pair.sctp, RATE).unwrap_or_default(),
            of(pair.tcp, RATE).unwrap_or_default(),
            ratio(&pair).unwrap_or_default(),
            twin.and_then(ratio).unwrap_or_default(),
            of(pair.sctp, LOST).unwrap_or_default(),
            of(pair.tcp, LOST).unwrap_or_default(),
        ];
        table.push(place(settings).into_iter().chain(figures));
    }
    table
}

/// Amount and network of a cell, as table columns.
fn place(settings: &Settings) -> [String; 5] {
    [
        settings.text("amount").to_owned(),
        settings.number("mbit").to_string(),
        settings.number("rtt_ms").to_string(),
        settings.number("loss_percent").to_string(),
        settings.text("queue").to_owned(),
    ]
}

/// Sorts cells, the slowest first.
fn sort(pairs: &mut [Pair<'_>]) {
    pairs.sort_by(|one, other| {
        let ratio = |pair: &Pair<'_>| pair.ratio().unwrap_or(f64::NAN);
        ratio(one).total_cmp(&ratio(other))
    });
}

fn shares(summary: &Summary, experiment: &str) -> Table {
    let head = [
        "Mb/s",
        "round trip (ms)",
        "queue",
        "rival",
        "Mb/s of SCTP",
        "Mb/s of TCP",
        "ratio",
        "ratio of TCP with CUBIC there",
    ];
    let title = match experiment {
        SHARED => "Both over one bottleneck",
        _ => "Both over one bottleneck, live",
    };
    let mut table = Table::new(title, &head).with_runs(experiment, &[]);
    for rival in RIVALS {
        for cell in beside(summary, experiment, rival) {
            let of = |cell: &Cell, metric| {
                let estimate = cell.estimate(metric);
                estimate.map_or_else(String::new, |estimate| estimate.to_string())
            };
            let linux = of_linux(summary, experiment, cell).map(|linux| of(linux, SHARE));
            table.push([
                cell.settings.number("mbit").to_string(),
                cell.settings.number("rtt_ms").to_string(),
                cell.settings.text("queue").to_owned(),
                rival.to_owned(),
                of(cell, "mbit_per_s"),
                of(cell, "rival_mbit_per_s"),
                of(cell, SHARE),
                linux.unwrap_or_default(),
            ]);
        }
    }
    table
}
