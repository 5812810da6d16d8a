use super::plan::{BURST, LASTING_RECOVERY, READINGS, RULES, RULES_TODAY, SCATTERED, USUAL_BETA};
use super::radio::{BAD, BAD_STAYS, GOOD, GOOD_STAYS};
use super::{BETA, CAUSE, DAMAGE, LOSS, NAME, PERIOD, THROUGHPUT};
use crate::estimate::shown;
use crate::{Cell, ERROR, Estimate, Evidence, Judgement, Rule, Settings, Summary, TIE};

/// The paper's gains at less than 2 % loss, per cent: one path, two paths.
const GAINS: [f64; 2] = [40.1, 43.9];
/// Loss rate below which the paper's gains apply, per cent.
const LITTLE_LOSS: f64 = 2.0;

pub(super) fn rules() -> Vec<Rule> {
    let in_reading = |(reading, end): (&'static str, &str)| {
        let rule = |id: &str, outcome: OutcomeIn, today: OutcomeIn, why: Why| {
            Rule::new(format!("{id}{end}"), move |summary| {
                judge(summary, reading, outcome, why)
            })
            .today(move |summary| judge_in(summary, World::today(reading), today))
        };
        [
            rule("WL-1", over_beta_and_sizes, over_beta, why_beta),
            rule("WL-2", over_periods, over_periods, why_periods),
            rule("WL-3", over_losses, over_losses, why_losses),
        ]
    };
    let readings = READINGS.into_iter().zip(["", "p", "e"]);
    readings.flat_map(in_reading).collect()
}

/// The result of evaluating a claim.
#[derive(Debug)]
struct Outcome {
    /// Parts of the claim: the evidence, and the words used if the part fails.
    parts: Vec<(Evidence, &'static str)>,
    told: String,
}

/// An interpretation of the radio channel, and SCTP's rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct World {
    reading: &'static str,
    rules: &'static str,
}

impl World {
    /// The rules of the paper's simulator.
    pub(super) const fn papers(reading: &'static str) -> Self {
        Self {
            reading,
            rules: RULES[0],
        }
    }

    /// Today's rules.
    const fn today(reading: &'static str) -> Self {
        Self {
            reading,
            rules: RULES_TODAY,
        }
    }
}

/// Evaluates a claim in one world.
type OutcomeIn = fn(&Summary, World) -> Option<Outcome>;

/// Explains an outcome by the runs with a changed cause.
type Why = fn(&Summary) -> Option<String>;

/// Judges a claim in one interpretation, with the reason. Causes were varied in the first one only.
fn judge(
    summary: &Summary,
    reading: &'static str,
    outcome: OutcomeIn,
    why: Why,
) -> Option<Judgement> {
    let world = World::papers(reading);
    let mut judgement = judge_in(summary, world, outcome)?;
    if reading == READINGS[0]
        && let Some(why) = why(summary)
    {
        judgement.why = format!("{} {why}.", judgement.why);
    }
    Some(judgement)
}

fn judge_in(summary: &Summary, world: World, outcome: OutcomeIn) -> Option<Judgement> {
    let Outcome { parts, told } = outcome(summary, world)?;
    let mut failing = Vec::new();
    for (evidence, part) in &parts {
        if evidence.fails <= ERROR {
            failing.push((*part).to_owned());
        } else if evidence.holds > ERROR {
            failing.push(format!("{part} (open)"));
        }
    }
    let why = if failing.is_empty() {
        "Everything holds.".to_owned()
    } else {
        format!("What does not hold beyond doubt: {}.", failing.join("; "))
    };
    Some(Judgement::new(
        parts.into_iter().map(|(evidence, _)| evidence).collect(),
        told,
        why,
    ))
}

/// The effect of changing one cause on the throughput, KB/s.
fn effect(summary: &Summary, change: &str, (scheme, homing): (&str, &str)) -> Option<String> {
    let of = |change: &str| {
        let some = Settings::new()
            .with("homing", homing)
            .with("scheme", scheme)
            .with("change", change);
        summary.cell(NAME, CAUSE, &some)?.mean(THROUGHPUT)
    };
    Some(format!(
        "{} to {} KB/s",
        shown(of("none")?),
        shown(of(change)?)
    ))
}

/// Compares corruption between the interpretations: packets in 100 s, one path, chunk checksum.
fn damaged(summary: &Summary) -> Option<String> {
    let of = |reading: &&'static str| {
        let four = Four::new(summary, BETA, ("beta", USUAL_BETA), World::papers(reading))?;
        let packets = four.cells[0][1].mean("packets_damaged")?;
        Some(format!("{} ({reading})", shown(packets)))
    };
    let all: Option<Vec<String>> = READINGS.iter().map(of).collect();
    Some(all?.join(", "))
}

/// The gain of the chunk checksum if fast recovery outlives a timeout, as in ns-2.
fn gain_in_ns2s_recovery(summary: &Summary) -> Option<String> {
    let gain = |homing: &str| {
        let cell = |scheme: &str| {
            let some = Settings::new()
                .with("homing", homing)
                .with("scheme", scheme)
                .with("change", LASTING_RECOVERY);
            summary.cell(NAME, CAUSE, &some)
        };
        cell("chunk-checksum")?.gain_over(cell("sctp")?, THROUGHPUT)
    };
    let [one, two] = [gain("single")?, gain("multi")?];
    Some(format!("{one} % over one path and {two} % over two"))
}

/// The share of bad time if a draw after each period decides whether the state continues.
fn bad_time() -> f64 {
    let [good, bad] = [(GOOD, GOOD_STAYS), (BAD, BAD_STAYS)]
        .map(|(period, stays): (f64, f64)| period / (1.0 - stays));
    bad / (good + bad)
}

fn why_beta(summary: &Summary) -> Option<String> {
    Some(format!(
        "The readings damage very different numbers of packets at beta {USUAL_BETA}: {}; with \
         gilbert-periodic bad time is {} % of all. Standard SCTP's second path carries \
         retransmissions alone, is measured by a heartbeat each 30 s, and its RTO doubles in \
         between: with heartbeats every second {}. Where all wait for a missing chunk, a window \
         of 65,536 bytes closes: with 1 MiB standard goes from {} and chunk checksum from {} \
         (one path). Where fast recovery outlives T3-rtx, as in ns-2, the gain at beta \
         {USUAL_BETA} is {}",
        damaged(summary)?,
        shown(100.0 * bad_time()),
        effect(summary, "heartbeats every second", ("sctp", "multi"))?,
        effect(summary, "window 1 MiB", ("sctp", "single"))?,
        effect(summary, "window 1 MiB", ("chunk-checksum", "single"))?,
        gain_in_ns2s_recovery(summary)?
    ))
}

fn why_periods(summary: &Summary) -> Option<String> {
    let all = sweep(summary, PERIOD, "scale", World::papers(READINGS[0]))?;
    let count = |four: &Four<'_>, scheme: usize| {
        let fast = four.cells[0][scheme].mean("fast_retransmissions")?;
        Some(shown(fast))
    };
    let ((_, shortest), (_, longest)) = (all.first()?, all.last()?);
    Some(format!(
        "Standard SCTP has {} fast retransmissions, each of which halves its window, with the \
         shortest periods and {} with the longest, chunk checksum {} and {} (one path, {})",
        count(shortest, 0)?,
        count(longest, 0)?,
        count(shortest, 1)?,
        count(longest, 1)?,
        READINGS[0]
    ))
}

fn why_losses(summary: &Summary) -> Option<String> {
    Some(format!(
        "A real loss cuts the window of both alike. Standard SCTP's second path is measured by a \
         heartbeat each 30 s alone: with one every second standard over two paths goes from {}. \
         With a window of 1 MiB it goes from {} over one path, with a least RTO of 200 ms from {}",
        effect(summary, "heartbeats every second", ("sctp", "multi"))?,
        effect(summary, "window 1 MiB", ("sctp", "single"))?,
        effect(summary, "RTO.Min 200 ms", ("sctp", "single"))?
    ))
}

/// The four cells of a point: standard and chunk checksum, over one path and over two.
pub(super) struct Four<'a> {
    /// Indexed by number of paths, then scheme: standard, chunk checksum.
    pub(super) cells: [[&'a Cell; 2]; 2],
}

impl<'a> Four<'a> {
    pub(super) fn new(
        summary: &'a Summary,
        experiment: &str,
        (x, at): (&str, f64),
        world: World,
    ) -> Option<Self> {
        let cell = |homing: &str, scheme: &str| {
            let some = Settings::new()
                .with(x, at)
                .with("reading", world.reading)
                .with("rules", world.rules)
                .with("homing", homing)
                .with("scheme", scheme);
            summary.cell(NAME, experiment, &some)
        };
        let two = |homing| Some([cell(homing, "sctp")?, cell(homing, "chunk-checksum")?]);
        Some(Self {
            cells: [two("single")?, two("multi")?],
        })
    }

    /// Tests whether the chunk checksum is faster than standard SCTP, by more than a tie or by more
    /// than `percent`.
    fn is_above(&self, paths: usize, percent: Option<f64>) -> Option<Evidence> {
        let [standard, checked] = self.cells[paths];
        let factor = 1.0 + percent.map_or(TIE, |percent| percent / 100.0);
        checked.exceeds(standard, THROUGHPUT, factor)
    }

    /// The gain of the chunk checksum over standard SCTP, per cent.
    pub(super) fn gain(&self, paths: usize) -> Option<Estimate> {
        let [standard, checked] = self.cells[paths];
        checked.gain_over(standard, THROUGHPUT)
    }

    fn mean(&self, paths: usize, scheme: usize) -> f64 {
        self.cells[paths][scheme].mean(THROUGHPUT).unwrap_or(0.0)
    }

    /// Tests whether the chunk checksum over two paths is faster than all others.
    fn both_is_best(&self) -> Option<Evidence> {
        let others = [(0, 0), (0, 1), (1, 0)].map(|(paths, scheme): (usize, usize)| {
            self.cells[1][1].is_above(self.cells[paths][scheme], THROUGHPUT)
        });
        let others: Option<Vec<Evidence>> = others.into_iter().collect();
        others.map(Evidence::all)
    }
}

/// The points of a sweep in one world, by x.
pub(super) fn sweep<'a>(
    summary: &'a Summary,
    experiment: &str,
    x: &str,
    world: World,
) -> Option<Vec<(f64, Four<'a>)>> {
    let places = summary.numbers(NAME, experiment, x);
    let four = |at: f64| Some((at, Four::new(summary, experiment, (x, at), world)?));
    let all: Option<Vec<_>> = places.into_iter().map(four).collect();
    all.filter(|all| !all.is_empty())
}

/// Combines evidence that a condition holds at all points.
fn every<'a>(
    points: impl Iterator<Item = &'a (f64, Four<'a>)>,
    holds: impl Fn(&Four<'a>) -> Option<Evidence>,
) -> Option<Evidence> {
    let parts: Option<Vec<Evidence>> = points.map(|(_, four)| holds(four)).collect();
    parts.map(Evidence::all)
}

const SINGLE_ABOVE: &str = "chunk checksum above standard over one path";
const MORE_BITS: &str = "chunk checksum above standard with more wrong bits";
const MULTI_ABOVE: &str = "chunk checksum above standard over two paths";

fn over_beta(summary: &Summary, world: World) -> Option<Outcome> {
    let all = sweep(summary, BETA, "beta", world)?;
    let (clean, damaged) = all.split_first()?;
    let (_, last) = damaged.last()?;
    let fall = 1.0 - last.mean(0, 0) / clean.1.mean(0, 0);
    let above = |paths| every(damaged.iter(), |four| four.is_above(paths, None));
    let best = every(damaged.iter(), Four::both_is_best);
    let (bad, good) = (last.cells[0][0], clean.1.cells[0][0]);
    let (_, usual) = damaged.iter().find(|(beta, _)| *beta == USUAL_BETA)?;
    Some(Outcome {
        parts: vec![
            (above(0)?, SINGLE_ABOVE),
            (above(1)?, MULTI_ABOVE),
            (
                bad.falls_short(good, THROUGHPUT, 0.5)?,
                "standard over one path below half",
            ),
            (best?, "chunk checksum over two paths best"),
        ],
        told: format!(
            "gain {} % over one path and {} % over two at beta {USUAL_BETA}; standard over one \
             path falls by {} %",
            usual.gain(0)?,
            usual.gain(1)?,
            shown(100.0 * fall)
        ),
    })
}

/// Evaluates the sweep of beta, and in the first interpretation also the sizes of damage.
fn over_beta_and_sizes(summary: &Summary, world: World) -> Option<Outcome> {
    let mut outcome = over_beta(summary, world)?;
    if world.reading != READINGS[0] {
        return Some(outcome);
    }
    let sizes = summary.numbers(NAME, DAMAGE, "wrong_bits");
    let damages = [SCATTERED, BURST].into_iter();
    for (placement, bits) in damages.flat_map(|one| sizes.iter().map(move |bits| (one, *bits))) {
        let cell = |scheme: &str| {
            let some = Settings::new()
                .with("placement", placement)
                .with("wrong_bits", bits)
                .with("scheme", scheme);
            summary.cell(NAME, DAMAGE, &some)
        };
        let Some(standard) = cell("sctp") else {
            continue;
        };
        let checked = cell("chunk-checksum")?;
        let above = checked.is_above(standard, THROUGHPUT)?;
        outcome.parts.push((above, MORE_BITS));
        let gain = checked.gain_over(standard, THROUGHPUT)?;
        outcome.told += &format!("; gain {gain} % with {bits} wrong bits a packet, {placement}");
    }
    Some(outcome)
}

fn over_periods(summary: &Summary, world: World) -> Option<Outcome> {
    let all = sweep(summary, PERIOD, "scale", world)?;
    let ((_, shortest), (_, longest)) = (all.first()?, all.last()?);
    let worse = |paths: usize| {
        let (short, long) = (shortest.cells[paths][0], longest.cells[paths][0]);
        short.is_below(long, THROUGHPUT)
    };
    let above = |paths| every(all.iter(), |four| four.is_above(paths, None));
    Some(Outcome {
        parts: vec![
            (above(0)?, SINGLE_ABOVE),
            (above(1)?, MULTI_ABOVE),
            (worse(0)?, "shorter periods worse over one path"),
            (worse(1)?, "shorter periods worse over two paths"),
        ],
        told: format!(
            "standard from {} to {} KB/s over one path and from {} to {} over two, longest to \
             shortest; gain at the shortest {} % and {} %",
            shown(longest.mean(0, 0)),
            shown(shortest.mean(0, 0)),
            shown(longest.mean(1, 0)),
            shown(shortest.mean(1, 0)),
            shortest.gain(0)?,
            shortest.gain(1)?
        ),
    })
}

fn over_losses(summary: &Summary, world: World) -> Option<Outcome> {
    let all = sweep(summary, LOSS, "loss_percent", world)?;
    let little = || all.iter().filter(|(loss, _)| *loss < LITTLE_LOSS);
    let gains = |paths: usize| every(little(), |four| four.is_above(paths, Some(GAINS[paths])));
    let stays = |paths| every(all.iter(), |four| four.is_above(paths, None));
    let told: Option<Vec<String>> = little()
        .map(|(loss, four)| {
            Some(format!(
                "{} % and {} % at {loss} % loss",
                four.gain(0)?,
                four.gain(1)?
            ))
        })
        .collect();
    Some(Outcome {
        parts: vec![
            (gains(0)?, "gain above 40.1 % over one path"),
            (gains(1)?, "gain above 43.9 % over two paths"),
            (stays(0)?, SINGLE_ABOVE),
            (stays(1)?, MULTI_ABOVE),
        ],
        told: told?.join(", "),
    })
}
