use super::plan::{READINGS, RULES, USUAL_BETA};
use super::{BETA, CAUSE, LOSS, NAME, PERIOD, THROUGHPUT};
use crate::estimate::shown;
use crate::{Cell, Claim, Estimate, Judgement, Settings, Summary, Verdict};

/// Gains that the paper prints for less than 2 % loss, percent: one path, two paths.
const GAINS: [f64; 2] = [40.1, 43.9];
/// Below which loss it has them, percent.
const LITTLE_LOSS: f64 = 2.0;

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "WL-1",
            statement: "chunk checksum is above standard SCTP for every beta > 0, over one path \
                        and over two; standard SCTP over one path falls drastically; chunk \
                        checksum over two paths is best",
            paper: "curves over beta 0 to 0.5: above throughout; drastic fall; best",
            rule: "In each reading four parts, under RFC 2960's rules: at every beta > 0 chunk \
                   checksum above standard beyond doubt (95 %, pair by pair), over one path; over \
                   two; standard over one path at the largest beta below half of that without \
                   damage; chunk checksum over two paths with the highest mean at every beta > 0. \
                   Reproduced if all hold in all readings, partly if some.",
            judge: |summary| judge(summary, over_beta, why_beta),
        },
        Claim {
            id: "WL-2",
            statement: "shorter periods are worse for standard SCTP; chunk checksum is above it \
                        throughout",
            paper: "curves over both periods, x 4 to / 32: falling; above throughout",
            rule: "In each reading four parts, under RFC 2960's rules: at every length of the \
                   periods chunk checksum above standard beyond doubt (pair by pair), over one \
                   path; over two; standard with the shortest periods below that with the longest \
                   beyond doubt, over one path; over two. Reproduced if all hold in all readings, \
                   partly if some.",
            judge: |summary| judge(summary, over_periods, why_periods),
        },
        Claim {
            id: "WL-3",
            statement: "with losses beside the damage chunk checksum stays above standard SCTP, by \
                        more than 40.1 % (one path) and 43.9 % (two) below 2 % loss",
            paper: "> 40.1 % and > 43.9 % below 2 % loss",
            rule: "In each reading four parts, under RFC 2960's rules: at every loss below 2 % the \
                   gain's whole 95 % interval (seed by seed) above 40.1 % over one path; above \
                   43.9 % over two; at every loss chunk checksum's mean above standard's, over one \
                   path; over two. Reproduced if all hold in all readings, partly if some.",
            judge: |summary| judge(summary, over_losses, why_losses),
        },
    ]
}

/// How a claim fares in one reading.
#[derive(Debug)]
struct Outcome {
    /// What holds and what does not, in words for the latter.
    parts: Vec<(bool, &'static str)>,
    told: String,
}

fn judge(
    summary: &Summary,
    outcome: fn(&Summary, &str) -> Option<Outcome>,
    why: fn(&Summary) -> Option<String>,
) -> Option<Judgement> {
    let (mut parts, mut ours, mut failing) = (Vec::new(), Vec::new(), Vec::new());
    for reading in READINGS {
        let outcome = outcome(summary, reading)?;
        let holding: Vec<bool> = outcome.parts.iter().map(|(holds, _)| *holds).collect();
        let verdict = Verdict::of(&holding);
        ours.push(format!("{reading} ({verdict}): {}", outcome.told));
        for (holds, part) in outcome.parts {
            if !holds {
                failing.push(format!("{reading}: {part}"));
            }
        }
        parts.extend(holding);
    }
    let holding = if failing.is_empty() {
        "It holds in all readings".to_owned()
    } else {
        format!("What does not hold: {}", failing.join("; "))
    };
    let why = match why(summary) {
        Some(why) => format!("{holding}. {why}."),
        None => format!("{holding}."),
    };
    Some(Judgement {
        verdict: Verdict::of(&parts),
        ours: ours.join("; "),
        why,
    })
}

/// What a change of one cause makes of a throughput, in KB/s.
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

/// How differently the readings damage: packets of 100 s, one path, chunk checksum.
fn damaged(summary: &Summary) -> Option<String> {
    let of = |reading: &&str| {
        let four = Four::new(summary, BETA, ("beta", USUAL_BETA), reading)?;
        let packets = four.cells[0][1].mean("packets_damaged")?;
        Some(format!("{} ({reading})", shown(packets)))
    };
    let all: Option<Vec<String>> = READINGS.iter().map(of).collect();
    Some(all?.join(", "))
}

fn why_beta(summary: &Summary) -> Option<String> {
    Some(format!(
        "The readings damage very different numbers of packets at beta {USUAL_BETA}: {}; with \
         gilbert-periodic bad time is 3 % of all. Standard SCTP's second path carries \
         retransmissions alone, is measured by a heartbeat each 30 s, and its RTO doubles in \
         between: with heartbeats every second {}. Where all wait for a missing chunk, a window \
         of 65,536 bytes closes: with 1 MiB standard goes from {} and chunk checksum from {} \
         (one path)",
        damaged(summary)?,
        effect(summary, "heartbeats every second", ("sctp", "multi"))?,
        effect(summary, "window 1 MiB", ("sctp", "single"))?,
        effect(summary, "window 1 MiB", ("chunk-checksum", "single"))?
    ))
}

fn why_periods(summary: &Summary) -> Option<String> {
    let all = sweep(summary, PERIOD, "scale", READINGS[0])?;
    let count = |four: &Four<'_>, scheme: usize| {
        let fast = four.cells[0][scheme].mean("fast_retransmissions")?;
        Some(shown(fast))
    };
    let ((_, shortest), (_, longest)) = (all.first()?, all.last()?);
    Some(format!(
        "With short periods no good time is long enough for the window to grow again before it \
         is halved: standard SCTP has {} fast retransmissions with the shortest periods and {} \
         with the longest, chunk checksum {} and {} (one path, {})",
        count(shortest, 0)?,
        count(longest, 0)?,
        count(shortest, 1)?,
        count(longest, 1)?,
        READINGS[0]
    ))
}

fn why_losses(summary: &Summary) -> Option<String> {
    Some(format!(
        "A real loss cuts the window of both alike, so that the gain falls with the loss; over two \
         paths it is larger than the paper's because standard SCTP suffers from the RTO of its \
         second path, which is hardly ever measured (with heartbeats every second {}). What a \
         window of 65,536 bytes does: with 1 MiB standard goes from {} over one path. With a least \
         RTO of 200 ms it goes from {}",
        effect(summary, "heartbeats every second", ("sctp", "multi"))?,
        effect(summary, "window 1 MiB", ("sctp", "single"))?,
        effect(summary, "RTO.Min 200 ms", ("sctp", "single"))?
    ))
}

/// The four cells of one point: standard and chunk checksum, over one path and over two.
pub(super) struct Four<'a> {
    /// By number of paths: standard, chunk checksum.
    pub(super) cells: [[&'a Cell; 2]; 2],
}

impl<'a> Four<'a> {
    /// Under RFC 2960's rules.
    pub(super) fn new(
        summary: &'a Summary,
        experiment: &str,
        (x, at): (&str, f64),
        reading: &str,
    ) -> Option<Self> {
        let cell = |homing: &str, scheme: &str| {
            let some = Settings::new()
                .with(x, at)
                .with("reading", reading)
                .with("rules", RULES[0])
                .with("homing", homing)
                .with("scheme", scheme);
            summary.cell(NAME, experiment, &some)
        };
        let two = |homing| Some([cell(homing, "sctp")?, cell(homing, "chunk-checksum")?]);
        Some(Self {
            cells: [two("single")?, two("multi")?],
        })
    }

    /// Whether chunk checksum is above standard beyond doubt.
    fn is_above(&self, paths: usize) -> bool {
        let [standard, checked] = self.cells[paths];
        let paired = checked.against(standard, THROUGHPUT);
        paired.is_some_and(|paired| paired.is_above())
    }

    /// By how much chunk checksum is above standard, percent.
    pub(super) fn gain(&self, paths: usize) -> Option<Estimate> {
        let [standard, checked] = self.cells[paths];
        checked.gain_over(standard, THROUGHPUT)
    }

    fn mean(&self, paths: usize, scheme: usize) -> f64 {
        self.cells[paths][scheme].mean(THROUGHPUT).unwrap_or(0.0)
    }

    /// Whether chunk checksum over two paths has the highest mean.
    fn both_is_best(&self) -> bool {
        let best = self.mean(1, 1);
        [(0, 0), (0, 1), (1, 0)]
            .iter()
            .all(|(paths, scheme)| self.mean(*paths, *scheme) < best)
    }
}

/// All points of a sweep in one reading, by x.
pub(super) fn sweep<'a>(
    summary: &'a Summary,
    experiment: &str,
    x: &str,
    reading: &str,
) -> Option<Vec<(f64, Four<'a>)>> {
    let places = summary.numbers(NAME, experiment, x);
    let four = |at: f64| Some((at, Four::new(summary, experiment, (x, at), reading)?));
    let all: Option<Vec<_>> = places.into_iter().map(four).collect();
    all.filter(|all| !all.is_empty())
}

const SINGLE_ABOVE: &str = "chunk checksum above standard over one path";
const MULTI_ABOVE: &str = "chunk checksum above standard over two paths";

fn over_beta(summary: &Summary, reading: &str) -> Option<Outcome> {
    let all = sweep(summary, BETA, "beta", reading)?;
    let (clean, damaged) = all.split_first()?;
    let (_, last) = damaged.last()?;
    let fall = 1.0 - last.mean(0, 0) / clean.1.mean(0, 0);
    let above = |paths| damaged.iter().all(|(_, four)| four.is_above(paths));
    let best = damaged.iter().all(|(_, four)| four.both_is_best());
    let (_, usual) = damaged.iter().find(|(beta, _)| *beta == USUAL_BETA)?;
    Some(Outcome {
        parts: vec![
            (above(0), SINGLE_ABOVE),
            (above(1), MULTI_ABOVE),
            (fall > 0.5, "standard over one path below half"),
            (best, "chunk checksum over two paths best"),
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

fn over_periods(summary: &Summary, reading: &str) -> Option<Outcome> {
    let all = sweep(summary, PERIOD, "scale", reading)?;
    let ((_, shortest), (_, longest)) = (all.first()?, all.last()?);
    let worse = |paths: usize| {
        let (short, long) = (shortest.cells[paths][0], longest.cells[paths][0]);
        let paired = short.against(long, THROUGHPUT);
        paired.is_some_and(|paired| paired.is_below())
    };
    let every = |paths| all.iter().all(|(_, four)| four.is_above(paths));
    Some(Outcome {
        parts: vec![
            (every(0), SINGLE_ABOVE),
            (every(1), MULTI_ABOVE),
            (worse(0), "shorter periods worse over one path"),
            (worse(1), "shorter periods worse over two paths"),
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

fn over_losses(summary: &Summary, reading: &str) -> Option<Outcome> {
    let all = sweep(summary, LOSS, "loss_percent", reading)?;
    let little = || all.iter().filter(|(loss, _)| *loss < LITTLE_LOSS);
    let gains = |paths: usize| {
        little().all(|(_, four)| {
            let gain = four.gain(paths);
            gain.is_some_and(|gain| gain.low() > GAINS[paths])
        })
    };
    let stays = |paths| {
        all.iter()
            .all(|(_, four)| four.mean(paths, 1) > four.mean(paths, 0))
    };
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
            (gains(0), "gain above 40.1 % over one path"),
            (gains(1), "gain above 43.9 % over two paths"),
            (stays(0), SINGLE_ABOVE),
            (stays(1), MULTI_ABOVE),
        ],
        told: told?.join(", "),
    })
}
