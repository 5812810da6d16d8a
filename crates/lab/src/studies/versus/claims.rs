use super::alone::{ALONE, LOST, RATE, REPEATED};
use super::shared::{CUBIC, RENO, SHARE, SHARED};
use super::{NAME, SCTP, TCP, live};
use crate::estimate::{extremes, shown};
use crate::settings::whole;
use crate::{Cell, Estimate, Evidence, Judgement, Rule, Settings, Summary};

/// Share of the cells that must be as fast as TCP.
const MOST: f64 = 0.95;
/// Smallest acceptable ratio to TCP's rate in any cell.
const WORST: f64 = 0.9;
/// Smallest ratio that counts as no slower: means within 1 % are a tie.
const EQUAL: f64 = 0.99;
/// Range of a goodput's ratio to the rival's that counts as a fair share.
const FAIR: (f64, f64) = (0.67, 1.5);
/// Amount whose transfer time is dominated by the handshake.
pub(super) const SHORT: &str = "10 kB";

pub(super) fn rules() -> Vec<Rule> {
    let mut rules = rules_of("", ALONE, SHARED);
    rules.extend(rules_of(" live", live::ALONE, live::SHARED));
    rules.push(Rule::new("VS-6", nothing_repeated));
    rules
}

/// The rules shared by the simulated and the live runs.
fn rules_of(end: &str, alone: &'static str, shared: &'static str) -> Vec<Rule> {
    let rule = |id: &str, experiment: &'static str, judge: fn(&Summary, &str) -> _| {
        Rule::new(format!("{id}{end}"), move |summary| {
            Judgement::if_tested((summary, NAME, experiment), || judge(summary, experiment))
        })
    };
    vec![
        rule("VS-1", alone, |summary, of| {
            mostly_equal(&longer(summary, of))
        }),
        rule("VS-2", alone, |summary, of| {
            all_over(&longer(summary, of), WORST)
        }),
        rule("VS-3", alone, |summary, of| {
            all_over(&short(summary, of), EQUAL)
        }),
        rule("VS-4", shared, |summary, of| fair(summary, of, CUBIC)),
        rule("VS-5", shared, |summary, of| as_linux(summary, of, RENO)),
    ]
}

/// Both sides of a cell of the grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'a> {
    pub(super) sctp: &'a Cell,
    pub(super) tcp: &'a Cell,
}

impl Pair<'_> {
    fn is_short(&self) -> bool {
        self.sctp.settings.text("amount") == SHORT
    }

    /// The ratio of the rates, SCTP's to TCP's.
    pub(super) fn ratio(&self) -> Option<f64> {
        Some(self.sctp.mean(RATE)? / self.tcp.mean(RATE)?)
    }

    /// Tests whether the ratio is at least `bound`.
    fn is_over(&self, bound: f64) -> Option<Evidence> {
        self.sctp.exceeds(self.tcp, RATE, bound)
    }

    /// Describes the cell in words.
    fn name(&self) -> String {
        let settings = &self.sctp.settings;
        format!(
            "{} at {} Mb/s, {} ms, {} %, {}",
            settings.text("amount"),
            settings.number("mbit"),
            settings.number("rtt_ms"),
            settings.number("loss_percent"),
            settings.text("queue")
        )
    }
}

/// The cells of an experiment for which both sides were run.
pub(super) fn pairs<'a>(summary: &'a Summary, experiment: &str) -> Vec<Pair<'a>> {
    let sctp = Settings::new().with("side", SCTP);
    let ours = summary.cells(NAME, experiment, &sctp).into_iter();
    let pairs = ours.filter_map(|sctp| {
        let same = sctp.settings.clone().with("side", TCP);
        let tcp = summary.cell(NAME, experiment, &same)?;
        Some(Pair { sctp, tcp })
    });
    pairs.collect()
}

fn longer<'a>(summary: &'a Summary, experiment: &str) -> Vec<Pair<'a>> {
    let mut all = pairs(summary, experiment);
    all.retain(|pair| !pair.is_short());
    all
}

fn short<'a>(summary: &'a Summary, experiment: &str) -> Vec<Pair<'a>> {
    let mut all = pairs(summary, experiment);
    all.retain(Pair::is_short);
    all
}

/// The ratios in words: number, minimum and median.
fn account(pairs: &[Pair<'_>]) -> Option<String> {
    let mut ratios: Vec<(f64, &Pair<'_>)> = pairs
        .iter()
        .filter_map(|pair| Some((pair.ratio()?, pair)))
        .collect();
    ratios.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (_, pair) = ratios.first()?;
    let median = ratios[ratios.len() / 2].0;
    let equal = ratios.iter().filter(|(ratio, _)| *ratio >= EQUAL).count();
    Some(format!(
        "{equal} of {} cells at {EQUAL} or above; median {}, worst {} ({})",
        ratios.len(),
        shown(median),
        pair.sctp.ratio(pair.tcp, RATE)?,
        pair.name()
    ))
}

fn mostly_equal(pairs: &[Pair<'_>]) -> Option<Judgement> {
    judged(pairs, EQUAL, |parts| {
        let wanted = whole((MOST * parts.len() as f64).ceil());
        Evidence::at_least(wanted, parts)
    })
}

fn all_over(pairs: &[Pair<'_>], bound: f64) -> Option<Judgement> {
    judged(pairs, bound, Evidence::all)
}

/// Judges by whether the ratios are at least `bound`.
fn judged(
    pairs: &[Pair<'_>],
    bound: f64,
    joined: impl FnOnce(Vec<Evidence>) -> Evidence,
) -> Option<Judgement> {
    let parts = pairs.iter().map(|pair| pair.is_over(bound));
    let parts: Vec<Evidence> = parts.collect::<Option<_>>()?;
    let why = Evidence::counted(&parts);
    (!parts.is_empty()).then_some(())?;
    Some(Judgement::new(vec![joined(parts)], account(pairs)?, why))
}

/// The cells of associations that compete with a rival.
pub(super) fn beside<'a>(summary: &'a Summary, experiment: &str, rival: &str) -> Vec<&'a Cell> {
    let some = Settings::new().with("rival", rival).with("side", SCTP);
    summary.cells(NAME, experiment, &some)
}

/// The cells of TCP connections that compete with a rival.
pub(super) fn of_linux<'a>(
    summary: &'a Summary,
    experiment: &str,
    cell: &Cell,
) -> Option<&'a Cell> {
    let same = cell.settings.clone().with("side", TCP);
    summary.cell(NAME, experiment, &same)
}

fn as_linux(summary: &Summary, experiment: &str, rival: &str) -> Option<Judgement> {
    let pairs: Vec<(&Cell, &Cell)> = beside(summary, experiment, rival)
        .into_iter()
        .map(|cell| Some((cell, of_linux(summary, experiment, cell)?)))
        .collect::<Option<_>>()?;
    let (low, high) = FAIR;
    let parts = pairs.iter().map(|(sctp, tcp)| {
        let enough = sctp.exceeds(tcp, SHARE, low)?;
        let little = tcp.exceeds(sctp, SHARE, 1.0 / high)?;
        Some(Evidence::all(vec![enough, little]))
    });
    let parts: Vec<Evidence> = parts.collect::<Option<_>>()?;
    let ratios = pairs.iter().map(|(sctp, tcp)| sctp.ratio(tcp, SHARE));
    let ratios: Vec<Estimate> = ratios.collect::<Option<_>>()?;
    let (least, most) = extremes(&ratios)?;
    Some(Judgement::counted(
        parts,
        format!(
            "{least} to {most} times the share of TCP with CUBIC, over {} networks",
            ratios.len()
        ),
    ))
}

fn fair(summary: &Summary, experiment: &str, rival: &str) -> Option<Judgement> {
    let cells = beside(summary, experiment, rival);
    let parts = cells.iter().map(|cell| cell.within(SHARE, FAIR));
    let parts: Vec<Evidence> = parts.collect::<Option<_>>()?;
    let shares = cells.iter().filter_map(|cell| cell.estimate(SHARE));
    let shares: Vec<Estimate> = shares.collect();
    let (least, most) = extremes(&shares)?;
    Some(Judgement::counted(
        parts,
        format!(
            "{least} to {most} times the connection's, over {} networks",
            shares.len()
        ),
    ))
}

fn nothing_repeated(summary: &Summary) -> Option<Judgement> {
    let sctp = Settings::new().with("side", SCTP);
    let (mut runs, mut repeated, mut parts) = (0, 0.0, Vec::new());
    for cell in summary.cells(NAME, ALONE, &sctp) {
        let lossless = cell
            .seeds(LOST)
            .filter(|seed| cell.value_at(LOST, *seed) == Some(0.0));
        let again: Vec<f64> = lossless
            .filter_map(|seed| cell.value_at(REPEATED, seed))
            .collect();
        if !again.is_empty() {
            runs += again.len();
            let sum: f64 = again.iter().sum();
            repeated += sum;
            parts.push(Evidence::fact(sum == 0.0));
        }
    }
    if parts.is_empty() {
        return None;
    }
    let why = Evidence::counted(&parts);
    Some(Judgement::new(
        vec![Evidence::all(parts)],
        format!(
            "{} chunks again in {runs} runs without a loss",
            shown(repeated)
        ),
        why,
    ))
}
