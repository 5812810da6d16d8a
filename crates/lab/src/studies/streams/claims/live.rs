//! The claims judged by the live runs, with the simulated counterparts as a reference.

use super::super::{NAME, live};
use crate::{Cell, Evidence, Judgement, Rule, Settings, Summary};

const RATE: &str = "mbit_per_s";

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("ST-1 live", delays),
        Rule::new("ST-2 live", no_loss),
        Rule::new("ST-3 live", some_loss),
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

/// The cells for one loss rate: TCP's, and SCTP's by number of streams.
struct Row<'a> {
    tcp: Twins<'a>,
    sctp: Vec<(f64, Twins<'a>)>,
}

impl<'a> Row<'a> {
    fn new(summary: &'a Summary, loss: f64) -> Option<Self> {
        let some = Settings::new().with("loss_percent", loss);
        let tcp = some.clone().with("transport", "tcp");
        let tcp = Twins::new(summary, live::COUNT, &tcp)?;
        let sctp = some.with("transport", "sctp");
        let twins = |count: f64| {
            let some = sctp.clone().with("streams", count);
            Some((count, Twins::new(summary, live::COUNT, &some)?))
        };
        let counts = summary.numbers(NAME, live::COUNT, "streams").into_iter();
        let sctp: Vec<_> = counts.filter_map(twins).collect();
        (!sctp.is_empty()).then_some(Self { tcp, sctp })
    }

    fn told(&self) -> Option<Vec<String>> {
        let one = |(count, twins): &(f64, Twins<'_>)| {
            Some(format!(
                "{} with {count} streams",
                twins.over(self.tcp, RATE)?
            ))
        };
        self.sctp.iter().map(one).collect()
    }

    fn of(&self, streams: f64) -> Option<&'a Cell> {
        let found = self.sctp.iter().find(|(count, _)| *count == streams)?;
        Some(found.1.live)
    }

    /// Collects evidence for each number of streams.
    fn each(&self, evidence: impl Fn(&Cell) -> Option<Evidence>) -> Option<Vec<Evidence>> {
        let all = self.sctp.iter();
        all.map(|(_, twins)| evidence(twins.live)).collect()
    }

    /// Tests whether one number of streams is faster than all others.
    fn is_best(&self, streams: f64) -> Option<Evidence> {
        let best = self.of(streams)?;
        let others = self.sctp.iter().filter(|(count, _)| *count != streams);
        let above = others.map(|(_, other)| best.is_above(other.live, RATE));
        let above: Option<Vec<Evidence>> = above.collect();
        above.map(Evidence::all)
    }
}

fn no_loss(summary: &Summary) -> Option<Judgement> {
    if let Some(judgement) = skipped(summary, live::COUNT) {
        return Some(judgement);
    }
    let row = Row::new(summary, 0.0)?;
    let parts = row.each(|cell| cell.is_near(row.tcp.live, RATE, 0.05))?;
    Some(judged(parts, &row.told()?))
}

fn some_loss(summary: &Summary) -> Option<Judgement> {
    if let Some(judgement) = skipped(summary, live::COUNT) {
        return Some(judgement);
    }
    let row = Row::new(summary, 5.0)?;
    let below = row.each(|cell| cell.is_below(row.tcp.live, RATE))?;
    let mut level = Vec::new();
    for (_, other) in &row.sctp {
        level.extend(row.each(|cell| cell.falls_short(other.live, RATE, 1.1))?);
    }
    let parts = vec![
        Evidence::all(below),
        row.is_best(6.0)?,
        Evidence::all(level),
    ];
    Some(judged(parts, &row.told()?))
}

fn much_loss(summary: &Summary) -> Option<Judgement> {
    let Some(row) = Row::new(summary, 10.0) else {
        let none = summary.numbers(NAME, live::COUNT, "loss_percent");
        return (none.contains(&10.0)).then(|| skipped(summary, live::COUNT))?;
    };
    let (one, two, four) = (row.of(1.0)?, row.of(2.0)?, row.of(4.0)?);
    let mut parts = Vec::new();
    for other in [one, row.tcp.live] {
        let both = [two.is_above(other, RATE)?, four.is_above(other, RATE)?];
        parts.push(Evidence::all(both.to_vec()));
    }
    parts.push(row.is_best(2.0)?);
    Some(judged(parts, &row.told()?))
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
