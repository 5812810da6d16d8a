//! The claims judged by the live runs, with the simulated counterparts as a reference.

use super::super::{NAME, live};
use super::{Parts, RATE, Row, below, equal, gains};
use crate::{Cell, Evidence, Judgement, Rule, Settings, Summary};

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("ST-1 live", delays),
        Rule::new("ST-2 live", |summary| if_tested(summary, 0.0, equal)),
        Rule::new("ST-3 live", |summary| if_tested(summary, 5.0, below)),
        Rule::new("ST-4 live", much_loss),
        Rule::new("ST-5 live", blocking),
    ]
}

/// A live cell and its simulated counterpart.
#[derive(Clone, Copy)]
struct Twins<'a> {
    live: &'a Cell,
    simulated: &'a Cell,
}

impl<'a> Twins<'a> {
    fn new(summary: &'a Summary, experiment: &str, some: &Settings) -> Option<Self> {
        let cell = |how: &str| summary.cell(NAME, experiment, &some.clone().with("how", how));
        Some(Self {
            live: cell("live")?,
            simulated: cell("simulated")?,
        })
    }

    /// The ratios of a metric to another's in words: live, and simulated.
    fn over(self, other: Self, metric: &str) -> Option<String> {
        let live = self.live.ratio(other.live, metric)?;
        let simulated = self.simulated.ratio(other.simulated, metric)?;
        Some(format!("{live} (simulated {})", simulated))
    }
}

/// The judgement if the kernel's TCP could not be run.
fn skipped(summary: &Summary, experiment: &str) -> Option<Judgement> {
    summary
        .skipped(NAME, experiment)
        .map(Judgement::not_testable)
}

fn delays(summary: &Summary) -> Option<Judgement> {
    if let Some(judgement) = skipped(summary, live::DELAY) {
        return Some(judgement);
    }
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for delay in summary.numbers(NAME, live::DELAY, "delay_ms") {
        let some = Settings::new().with("delay_ms", delay);
        let twins = |transport: &str| {
            let some = some.clone().with("transport", transport);
            Twins::new(summary, live::DELAY, &some)
        };
        let (sctp, tcp) = (twins("sctp")?, twins("tcp")?);
        parts.push(sctp.live.is_above(tcp.live, RATE)?);
        ours.push(format!("{} at {delay} ms", sctp.over(tcp, RATE)?));
    }
    (!parts.is_empty()).then(|| judged(parts, &ours))
}

fn judged(parts: Vec<Evidence>, ours: &[String]) -> Judgement {
    Judgement::counted(parts, format!("SCTP / TCP live: {}", ours.join(", ")))
}

/// The cells for one loss rate, live and simulated.
struct Rows<'a> {
    live: Row<'a>,
    simulated: Row<'a>,
}

impl<'a> Rows<'a> {
    fn new(summary: &'a Summary, loss: f64) -> Option<Self> {
        let row = |how: &str| {
            let some = Settings::new().with("loss_percent", loss).with("how", how);
            let tcp = some.clone().with("transport", "tcp");
            let tcps = vec![("tcp", summary.cell(NAME, live::COUNT, &tcp)?)];
            Row::of_cells(summary, live::COUNT, tcps, &some.with("transport", "sctp"))
        };
        Some(Self {
            live: row("live")?,
            simulated: row("simulated")?,
        })
    }

    fn judge(&self, of: Parts) -> Option<Judgement> {
        let ratio = |row: &Row<'_>, streams| row.of(streams)?.ratio(row.tcp(), RATE);
        let told = self.live.sctp.iter().map(|(count, _)| {
            let (live, simulated) = (ratio(&self.live, *count)?, ratio(&self.simulated, *count)?);
            Some(format!(
                "{live} (simulated {simulated}) with {count} streams"
            ))
        });
        Some(judged(of(&self.live)?, &told.collect::<Option<Vec<_>>>()?))
    }
}

fn if_tested(summary: &Summary, loss: f64, of: Parts) -> Option<Judgement> {
    Judgement::if_tested((summary, NAME, live::COUNT), || {
        Rows::new(summary, loss)?.judge(of)
    })
}

fn much_loss(summary: &Summary) -> Option<Judgement> {
    let Some(rows) = Rows::new(summary, 10.0) else {
        let none = summary.numbers(NAME, live::COUNT, "loss_percent");
        return (none.contains(&10.0)).then(|| skipped(summary, live::COUNT))?;
    };
    rows.judge(gains)
}

fn blocking(summary: &Summary) -> Option<Judgement> {
    let metric = "delay_mean_s";
    if let Some(judgement) = skipped(summary, live::BLOCKING) {
        return Some(judgement);
    }
    let most = *summary.numbers(NAME, live::BLOCKING, "streams").last()?;
    let losses = summary.numbers(NAME, live::BLOCKING, "loss_percent");
    Judgement::count_each(losses, |loss| {
        let twins = |transport: &str, streams: f64| {
            let some = Settings::new()
                .with("loss_percent", loss)
                .with("transport", transport)
                .with("streams", streams);
            Twins::new(summary, live::BLOCKING, &some)
        };
        let (tcp, one) = (twins("tcp", 1.0)?, twins("sctp", 1.0)?);
        let many = twins("sctp", most)?;
        let parts = vec![
            many.live.is_below(one.live, metric)?,
            !one.live.is_above(tcp.live, metric)?,
        ];
        let ms = |twins: Twins<'_>| {
            let live = twins.live.estimate(metric)? * 1e3;
            let simulated = twins.simulated.estimate(metric)? * 1e3;
            Some(format!("{live} ms (simulated {simulated})"))
        };
        let told = format!(
            "mean delay live at {loss} %: TCP {}, 1 stream {}, {most} streams {}",
            ms(tcp)?,
            ms(one)?,
            ms(many)?
        );
        Some((parts, told))
    })
}
