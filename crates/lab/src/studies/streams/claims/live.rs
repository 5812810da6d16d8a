//! The claims judged by the live runs, with the simulated counterparts as a reference.

use super::super::{NAME, live};
use crate::verdict::{Shown, at_each};
use crate::{Cell, Evidence, Judgement, Rule, Settings, Summary};

const RATE: &str = "mbit_per_s";

pub(super) fn rules() -> Vec<Rule> {
    /// The rule of a claim that cannot be judged if the kernel's TCP could not be run.
    fn rule(id: &str, experiment: &'static str, judge: fn(&Summary) -> Option<Shown>) -> Rule {
        Rule::new(id, move |summary| {
            Judgement::if_tested((summary, NAME, experiment), || Some(judge(summary)?.into()))
        })
    }
    vec![
        rule("ST-1 live", live::DELAY, delays),
        rule("ST-2 live", live::COUNT, no_loss),
        rule("ST-3 live", live::COUNT, some_loss),
        Rule::new("ST-4 live", much_loss),
        rule("ST-5 live", live::BLOCKING, blocking),
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

fn delays(summary: &Summary) -> Option<Shown> {
    let shown = at_each(summary.numbers(NAME, live::DELAY, "delay_ms"), |delay| {
        let some = Settings::new().with("delay_ms", delay);
        let twins = |transport: &str| {
            let some = some.clone().with("transport", transport);
            Twins::new(summary, live::DELAY, &some)
        };
        let (sctp, tcp) = (twins("sctp")?, twins("tcp")?);
        let told = format!("{} at {delay} ms", sctp.over(tcp, RATE)?);
        Some(([sctp.live.is_above(tcp.live, RATE)?], told))
    });
    shown.map(told)
}

fn told((parts, ours): Shown) -> Shown {
    (parts, format!("SCTP / TCP live: {ours}"))
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

    /// The parts of a claim, and SCTP's ratios to TCP with each number of streams.
    fn shown(&self, parts: Vec<Evidence>) -> Option<Shown> {
        let one = |(count, twins): &(f64, Twins<'_>)| {
            let ratio = twins.over(self.tcp, RATE)?;
            Some(format!("{ratio} with {count} streams"))
        };
        let ours: Vec<String> = self.sctp.iter().map(one).collect::<Option<_>>()?;
        Some(told((parts, ours.join(", "))))
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

fn no_loss(summary: &Summary) -> Option<Shown> {
    let row = Row::new(summary, 0.0)?;
    row.shown(row.each(|cell| cell.is_near(row.tcp.live, RATE, 0.05))?)
}

fn some_loss(summary: &Summary) -> Option<Shown> {
    let row = Row::new(summary, 5.0)?;
    let below = row.each(|cell| cell.is_below(row.tcp.live, RATE))?;
    let mut level = Vec::new();
    for (_, other) in &row.sctp {
        level.extend(row.each(|cell| cell.falls_short(other.live, RATE, 1.1))?);
    }
    let [below, level] = [below, level].map(Evidence::all);
    row.shown(vec![below, row.is_best(6.0)?, level])
}

fn much_loss(summary: &Summary) -> Option<Judgement> {
    let Some(row) = Row::new(summary, 10.0) else {
        let none = summary.numbers(NAME, live::COUNT, "loss_percent");
        let reason = summary.skipped(NAME, live::COUNT)?;
        return (none.contains(&10.0)).then(|| Judgement::not_testable(reason));
    };
    let (one, two, four) = (row.of(1.0)?, row.of(2.0)?, row.of(4.0)?);
    let mut parts = Vec::new();
    for other in [one, row.tcp.live] {
        let both = [two.is_above(other, RATE)?, four.is_above(other, RATE)?];
        parts.push(Evidence::all(both.to_vec()));
    }
    parts.push(row.is_best(2.0)?);
    row.shown(parts).map(Into::into)
}

fn blocking(summary: &Summary) -> Option<Shown> {
    let metric = "delay_mean_s";
    let most = *summary.numbers(NAME, live::BLOCKING, "streams").last()?;
    let losses = summary.numbers(NAME, live::BLOCKING, "loss_percent");
    at_each(losses, |loss| {
        let twins = |transport: &str, streams: f64| {
            let some = Settings::new()
                .with("loss_percent", loss)
                .with("transport", transport)
                .with("streams", streams);
            Twins::new(summary, live::BLOCKING, &some)
        };
        let (tcp, one) = (twins("tcp", 1.0)?, twins("sctp", 1.0)?);
        let many = twins("sctp", most)?;
        let parts = [
            many.live.is_below(one.live, metric)?,
            !one.live.is_above(tcp.live, metric)?,
        ];
        let ms = |twins: Twins<'_>| {
            let live = twins.live.estimate(metric)? * 1e3;
            let simulated = twins.simulated.estimate(metric)? * 1e3;
            Some(format!("{live} ms (simulated {simulated})"))
        };
        let (tcp, one, many) = (ms(tcp)?, ms(one)?, ms(many)?);
        let told = format!(
            "mean delay live at {loss} %: TCP {tcp}, 1 stream {one}, {most} streams {many}"
        );
        Some((parts, told))
    })
}
