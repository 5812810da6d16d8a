mod live;

use super::{BLOCKING, COUNT, DELAY, KIB_TODAY, LOSS_DELAYS, NAME, SCTP, USUAL_KIB};
use crate::estimate::extremes;
use crate::studies::rivals::{self, Era};
use crate::{Cell, Evidence, Judgement, Rule, Settings, Summary};

const RATE: &str = "mbit_per_s";
/// Largest ratio of throughputs, over the numbers of streams, that counts as little. Our choice.
const LITTLE: f64 = 1.1;
/// Largest relative difference of throughputs that counts as equal. Our choice.
const EQUAL: f64 = 0.05;

pub(super) fn rules() -> Vec<Rule> {
    let mut rules = live::rules();
    rules.extend([
        rivals::rule("ST-1", delays),
        rivals::rule("ST-2", |summary, era| over_delays(summary, era, 0.0, equal)),
        rivals::rule("ST-3", |summary, era| over_delays(summary, era, 5.0, below)),
        rivals::rule("ST-4", |summary, era| {
            over_delays(summary, era, 10.0, gains)
        }),
        rivals::rule("ST-5", blocking),
    ]);
    rules
}

/// The only cell with those settings.
fn cell<'a>(summary: &'a Summary, experiment: &str, some: &Settings) -> Option<&'a Cell> {
    summary.cell(NAME, experiment, some)
}

/// The settings shared by the runs of an era.
fn of_era(era: Era) -> Settings {
    Settings::new().with(
        "buffer_kib",
        match era {
            Era::Papers => USUAL_KIB,
            Era::Today => KIB_TODAY,
        },
    )
}

/// The TCPs compared with an era's SCTP, with short names; the first is used for judging.
const fn tcps_of(era: Era) -> &'static [(&'static str, &'static str)] {
    match era {
        Era::Papers => &[
            (rivals::THEN, "Linux 2.6"),
            (rivals::RFC, "RFC"),
            (rivals::TODAY, "today"),
        ],
        Era::Today => &[(rivals::TODAY, "today")],
    }
}

/// The cells with the same settings for each TCP, with short names.
fn tcps<'a>(
    summary: &'a Summary,
    experiment: &str,
    some: &Settings,
    era: Era,
) -> Option<Vec<(&'static str, &'a Cell)>> {
    let all = tcps_of(era).iter().map(|(name, short)| {
        let some = some.clone().with("transport", *name);
        Some((*short, cell(summary, experiment, &some)?))
    });
    all.collect()
}

fn delays(summary: &Summary, era: Era) -> Option<Judgement> {
    let mut parts = Vec::new();
    let mut ratios = vec![Vec::new(); tcps_of(era).len()];
    for delay in summary.numbers(NAME, DELAY, "delay_ms") {
        let some = of_era(era).with("delay_ms", delay);
        let sctp = some.clone().with("transport", era.sctp(SCTP));
        let sctp = cell(summary, DELAY, &sctp)?;
        let tcps = tcps(summary, DELAY, &some, era)?;
        parts.push(sctp.is_above(tcps.first()?.1, RATE)?);
        for ((_, tcp), told) in tcps.iter().zip(&mut ratios) {
            told.push(format!("{} at {delay} ms", sctp.ratio(tcp, RATE)?));
        }
    }
    let told = tcps_of(era).iter().zip(&ratios);
    let told = told.map(|((_, short), told)| format!("{short}: {}", told.join(", ")));
    (!parts.is_empty()).then(|| judgement(parts, &told.collect::<Vec<_>>()))
}

/// The cells for one loss rate and delay: the TCPs', and SCTP's by number of streams.
struct Row<'a> {
    /// Cells with short names; the first is used for judging.
    tcps: Vec<(&'static str, &'a Cell)>,
    sctp: Vec<(f64, &'a Cell)>,
}

impl<'a> Row<'a> {
    fn new(summary: &'a Summary, loss: f64, delay: f64, era: Era) -> Option<Self> {
        let some = of_era(era)
            .with("loss_percent", loss)
            .with("delay_ms", delay);
        let tcps = tcps(summary, COUNT, &some, era)?;
        Self::of_cells(
            summary,
            COUNT,
            tcps,
            &some.with("transport", era.sctp(SCTP)),
        )
    }

    /// The row of SCTP's cells with some settings.
    fn of_cells(
        summary: &'a Summary,
        experiment: &str,
        tcps: Vec<(&'static str, &'a Cell)>,
        some: &Settings,
    ) -> Option<Self> {
        let mut sctp: Vec<(f64, &Cell)> = summary
            .cells(NAME, experiment, some)
            .into_iter()
            .map(|cell| (cell.settings.number("streams"), cell))
            .collect();
        sctp.sort_by(|one, other| one.0.total_cmp(&other.0));
        (!sctp.is_empty()).then_some(Self { tcps, sctp })
    }

    fn of(&self, streams: f64) -> Option<&'a Cell> {
        let found = self.sctp.iter().find(|(count, _)| *count == streams)?;
        Some(found.1)
    }

    /// The TCP used for judging.
    fn tcp(&self) -> &'a Cell {
        self.tcps[0].1
    }

    /// Collects evidence for each number of streams.
    fn each(&self, evidence: impl Fn(&Cell) -> Option<Evidence>) -> Option<Vec<Evidence>> {
        self.sctp.iter().map(|(_, cell)| evidence(cell)).collect()
    }

    /// Tests whether one number of streams is faster than all others.
    fn is_best(&self, streams: f64) -> Option<Evidence> {
        let best = self.of(streams)?;
        let others = self.sctp.iter().filter(|(count, _)| *count != streams);
        let above: Option<Vec<Evidence>> = others
            .map(|(_, other)| best.is_above(other, RATE))
            .collect();
        above.map(Evidence::all)
    }

    /// Tests whether all numbers of streams perform similarly.
    fn is_level(&self) -> Option<Evidence> {
        let mut parts = Vec::new();
        for (count, one) in &self.sctp {
            let others = self.sctp.iter().filter(|(other, _)| other != count);
            for (_, other) in others {
                parts.push(one.falls_short(other, RATE, LITTLE)?);
            }
        }
        Some(Evidence::all(parts))
    }

    /// SCTP's ratios to each TCP, lowest to highest over the numbers of streams, and the best
    /// numbers.
    fn told(&self, delay: f64) -> Option<String> {
        let mut ranges = Vec::new();
        for (name, tcp) in &self.tcps {
            let ratios = self.sctp.iter().map(|(_, cell)| cell.ratio(tcp, RATE));
            let (low, high) = extremes(&ratios.collect::<Option<Vec<_>>>()?)?;
            ranges.push(format!("{name} {low} to {high}"));
        }
        let ranges = ranges.join(", ");
        Some(format!("at {delay} ms: {ranges}; {}", self.best()?))
    }

    /// The numbers of streams that are not significantly slower than any other.
    fn best(&self) -> Option<String> {
        let mut best = Vec::new();
        for (count, one) in &self.sctp {
            let beaten = |(_, other): &(f64, &Cell)| Some(other.is_above(one, RATE)?.holds);
            let errors: Option<Vec<f64>> = self.sctp.iter().map(beaten).collect();
            if errors?.iter().all(|error| *error > crate::ERROR) {
                best.push(count.to_string());
            }
        }
        Some(match &best[..] {
            [one] => format!("best with {one} streams"),
            _ if best.len() == self.sctp.len() => "all numbers of streams tie".to_owned(),
            _ => format!("{} streams tie for the best", best.join(", ")),
        })
    }
}

fn judgement(parts: Vec<Evidence>, ours: &[String]) -> Judgement {
    Judgement::counted(parts, format!("SCTP / TCP {}", ours.join("; ")))
}

/// Tests whether each number of streams equals TCP.
fn equal(row: &Row<'_>) -> Option<Vec<Evidence>> {
    row.each(|cell| cell.is_near(row.tcp(), RATE, EQUAL))
}

/// Tests whether SCTP is below TCP, 6 streams are best, and all perform similarly.
fn below(row: &Row<'_>) -> Option<Vec<Evidence>> {
    let below = row.each(|cell| cell.is_below(row.tcp(), RATE))?;
    Some(vec![
        Evidence::all(below),
        row.is_best(6.0)?,
        row.is_level()?,
    ])
}

/// Tests whether 2 and 4 streams beat one stream and TCP, and 2 are best.
fn gains(row: &Row<'_>) -> Option<Vec<Evidence>> {
    let (one, two, four) = (row.of(1.0)?, row.of(2.0)?, row.of(4.0)?);
    let mut parts = Vec::new();
    for other in [one, row.tcp()] {
        let both = [two.is_above(other, RATE)?, four.is_above(other, RATE)?];
        parts.push(Evidence::all(both.to_vec()));
    }
    parts.push(row.is_best(2.0)?);
    Some(parts)
}

/// Tests of a row.
type Parts = fn(&Row<'_>) -> Option<Vec<Evidence>>;

fn over_delays(summary: &Summary, era: Era, loss: f64, of: Parts) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for delay in LOSS_DELAYS {
        let row = Row::new(summary, loss, delay, era)?;
        parts.extend(of(&row)?);
        ours.push(row.told(delay)?);
    }
    Some(judgement(parts, &ours))
}

fn blocking(summary: &Summary, era: Era) -> Option<Judgement> {
    let metric = "delay_mean_s";
    let (mut parts, mut ours, mut gains) = (Vec::new(), Vec::new(), Vec::new());
    let counts = summary.numbers(NAME, BLOCKING, "streams");
    let most = *counts.last()?;
    for loss in [5.0, 10.0] {
        let some = of_era(era).with("loss_percent", loss);
        let tcps = tcps(summary, BLOCKING, &some, era)?;
        let sctp = some.with("transport", era.sctp(SCTP));
        let one = cell(summary, BLOCKING, &sctp.clone().with("streams", 1.0))?;
        let many = cell(summary, BLOCKING, &sctp.with("streams", most))?;
        parts.push(many.is_below(one, metric)?);
        let (_, judging) = tcps.first()?;
        parts.push(!one.is_above(judging, metric)?);
        let ms = |cell: &Cell| Some(cell.estimate(metric)? * 1000.0);
        let told = |(name, tcp): &(&str, &Cell)| Some(format!("TCP ({name}) {} ms", ms(tcp)?));
        let told: Option<Vec<String>> = tcps.iter().map(told).collect();
        ours.push(format!(
            "mean delay at {loss} %: {}, 1 stream {} ms, {most} streams {} ms",
            told?.join(", "),
            ms(one)?,
            ms(many)?
        ));
        gains.push(format!("{} at {loss} %", many.ratio(one, metric)?));
    }
    let counted = Evidence::counted(&parts);
    Some(Judgement::new(
        parts,
        ours.join("; "),
        format!(
            "{counted} A lost message holds back only those behind it on its own stream: the mean \
             delay with {most} streams is {} of that with one.",
            gains.join(", ")
        ),
    ))
}
