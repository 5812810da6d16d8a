use super::claims::{beside, many};
use super::radio::{RADIO, SCTP_BBR};
use super::streams::{MEAN, P95, P99, STREAMS};
use super::{ALONE, NAME, QUIC, QUIC_BBR, QUIC_RENO, SCTP, SHARED, SIDES, TCP, versus};
use crate::of_cells::{self, Column, curve};
use crate::{Cell, Chart, ERROR, Exhibit, Settings, Summary, Table};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let choices = choices(summary);
    vec![
        Exhibit::Note(counted(&choices)),
        Exhibit::Table(choices),
        Exhibit::Chart(delays(summary)),
        Exhibit::Chart(radio(summary)),
        Exhibit::Table(shares(summary)),
        Exhibit::Table(alone(summary)),
        Exhibit::Table(streams(summary)),
    ]
}

/// Values of a metric that a user wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Large,
    Small,
}

/// A task, and how it is measured.
struct Task<'a> {
    name: &'a str,
    metric: &'a str,
    wanted: Wanted,
    experiment: &'a str,
    some: Settings,
}

fn tasks() -> [Task<'static>; 5] {
    let amount = |amount: &str| Settings::new().with("amount", amount);
    let transfer = |name, of: &str| Task {
        name,
        metric: "seconds",
        wanted: Wanted::Small,
        experiment: ALONE,
        some: amount(of),
    };
    [
        transfer("10 kB, first packet to last byte (s)", "10 kB"),
        transfer("1 MB, first packet to last byte (s)", "1 MB"),
        Task {
            name: "bulk (Mb/s)",
            metric: versus::RATE,
            wanted: Wanted::Large,
            experiment: ALONE,
            some: amount("bulk"),
        },
        Task {
            name: "messages on many streams, mean delay (s)",
            metric: MEAN,
            wanted: Wanted::Small,
            experiment: STREAMS,
            some: many(),
        },
        Task {
            name: "bulk over the radio (Mb/s)",
            metric: versus::RATE,
            wanted: Wanted::Large,
            experiment: RADIO,
            some: Settings::new(),
        },
    ]
}

/// The network of a cell in words.
fn place(settings: &Settings) -> String {
    let names = [
        ("rtt_ms", "round trip", " ms"),
        ("loss_percent", "", " % lost"),
        ("beta", "damage", ""),
    ];
    let known = names
        .iter()
        .filter(|(name, ..)| settings.value(name).is_some());
    let words = known.map(|(name, word, unit)| {
        let words = format!("{word} {}{unit}", settings.number(name));
        words.trim().to_owned()
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The sides that nothing shows to be worse than the best, beyond a tie.
fn best<'a>(cells: &[(&'a str, &Cell)], task: &Task<'_>) -> Vec<&'a str> {
    let is_worse = |cell: &Cell| {
        let mut others = cells.iter().map(|(_, other)| match task.wanted {
            Wanted::Large => other.is_above(cell, task.metric),
            Wanted::Small => other.is_below(cell, task.metric),
        });
        others.any(|evidence| evidence.is_some_and(|evidence| evidence.holds <= ERROR))
    };
    let best = cells.iter().filter(|(_, cell)| !is_worse(cell));
    best.map(|(side, _)| *side).collect()
}

fn choices(summary: &Summary) -> Table {
    let head = ["task", "network", "SCTP", "TCP", "QUIC", "best"];
    let mut table = Table::new("Which of the three a user would take", &head);
    for task in tasks() {
        let some = task.some.clone().with("side", SCTP);
        for sctp in summary.cells(NAME, task.experiment, &some) {
            let cells = SIDES.map(|side| Some((side, beside(summary, sctp, side)?)));
            let [Some(one), Some(two), Some(three)] = cells else {
                continue;
            };
            let cells = [one, two, three];
            let best = best(&cells, &task).join(", ").to_uppercase();
            let values = cells.map(|(_, cell)| cell.shown(task.metric));
            let row = [task.name.to_owned(), place(&sctp.settings)];
            table.push(row.into_iter().chain(values).chain([best]));
        }
    }
    table
}

fn counted(choices: &Table) -> String {
    let of = |side: &str| {
        let side = side.to_uppercase();
        let bests = choices.rows.iter().filter_map(|row| row.last());
        let (mut alone, mut with) = (0, 0);
        for best in bests.filter(|best| best.split(", ").any(|one| one == side)) {
            with += 1;
            alone += u32::from(*best == side);
        }
        format!("{side} in {with}, in {alone} of them alone")
    };
    format!(
        "Of {} tasks on a network, none of the others is shown to be better (95 % each, means \
         within 1 % are a tie) than {}; {}; {}.",
        choices.rows.len(),
        of(SCTP),
        of(TCP),
        of(QUIC)
    )
}

fn delays(summary: &Summary) -> Chart {
    let title = "Messages on many streams under loss";
    let mut chart = Chart::new(title, "loss (%)", "mean delay of the messages (s)");
    for side in [SCTP, QUIC] {
        let some = many().with("side", side);
        let cells = summary.cells(NAME, STREAMS, &some);
        let name = format!("{side}, many streams");
        chart.push(curve(&name, ("loss_percent", MEAN), cells));
    }
    for side in SIDES {
        let some = Settings::new().with("side", side).with("streams", 1_u16);
        let cells = summary.cells(NAME, STREAMS, &some);
        let name = format!("{side}, one stream");
        chart.push(curve(&name, ("loss_percent", MEAN), cells));
    }
    chart.with_runs(STREAMS, &[])
}

fn radio(summary: &Summary) -> Chart {
    let title = "Bulk over a radio that damages packets";
    let mut chart = Chart::new(title, "share of packets damaged in the bad state", "Mb/s");
    for side in [SCTP, SCTP_BBR, TCP, QUIC, QUIC_BBR, QUIC_RENO] {
        let some = Settings::new().with("side", side);
        let cells = summary.cells(NAME, RADIO, &some);
        chart.push(curve(side, ("beta", versus::RATE), cells));
    }
    chart.with_runs(RADIO, &[])
}

fn table(summary: &Summary, experiment: &str, title: &str, columns: &[(&str, Column)]) -> Table {
    let cells = summary.cells(NAME, experiment, &Settings::new());
    of_cells::table(title, columns, cells).with_runs(experiment, &[])
}

fn shares(summary: &Summary) -> Table {
    use Column::{Estimate, Setting};
    let columns = [
        ("Mb/s of the bottleneck", Setting("mbit")),
        ("round trip (ms)", Setting("rtt_ms")),
        ("queue", Setting("queue")),
        ("rival", Setting("rival")),
        ("side", Setting("side")),
        ("Mb/s", Estimate("mbit_per_s")),
        ("rival, Mb/s", Estimate("rival_mbit_per_s")),
        ("ratio", Estimate(versus::SHARE)),
    ];
    table(summary, SHARED, "Beside QUIC over one bottleneck", &columns)
}

fn alone(summary: &Summary) -> Table {
    use Column::{Estimate, Mean, Setting};
    let columns = [
        ("amount", Setting("amount")),
        ("round trip (ms)", Setting("rtt_ms")),
        ("loss (%)", Setting("loss_percent")),
        ("side", Setting("side")),
        ("seconds", Estimate("seconds")),
        ("Mb/s", Estimate(versus::RATE)),
        ("bytes of IP packets sent", Mean(versus::BYTES)),
    ];
    table(summary, ALONE, "Each alone at 50 Mb/s", &columns)
}

fn streams(summary: &Summary) -> Table {
    use Column::{Estimate, Mean, Setting};
    let columns = [
        ("loss (%)", Setting("loss_percent")),
        ("side", Setting("side")),
        ("streams", Setting("streams")),
        ("mean delay (s)", Estimate(MEAN)),
        ("95 % (s)", Estimate(P95)),
        ("99 % (s)", Estimate(P99)),
        ("bytes of IP packets sent", Mean(versus::BYTES)),
    ];
    table(
        summary,
        STREAMS,
        "Messages under loss, by streams",
        &columns,
    )
}
