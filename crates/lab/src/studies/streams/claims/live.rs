//! The claims held against the live runs, with the simulated twins beside them.

use super::super::{NAME, live};
use crate::estimate::shown;
use crate::{Cell, Claim, Judgement, Settings, Summary, Verdict};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "ST-1 live",
            statement: "SCTP is above TCP at all delays",
            paper: "above for all delays, 0 to 200 ms",
            rule: "At each mean delay: SCTP's throughput above the kernel's TCP's in every pair of \
                   runs. Reproduced if at all delays, partly if at some.",
            judge: delays,
        },
        Claim {
            id: "ST-2 live",
            statement: "without losses SCTP equals TCP, whatever the number of streams",
            paper: "equal",
            rule: "At each number of streams: SCTP's mean throughput within 5 % of the kernel's \
                   TCP's. Reproduced if all are, partly if some.",
            judge: no_loss,
        },
        Claim {
            id: "ST-3 live",
            statement: "at 5 % loss SCTP is below TCP; 6 streams are best; their number matters \
                        little",
            paper: "below TCP; best at 6",
            rule: "Three parts: SCTP's mean throughput below the kernel's TCP's at all numbers of \
                   streams; its best at 6; the spread over the numbers below 10 %. Reproduced if \
                   all hold, partly if some.",
            judge: some_loss,
        },
        Claim {
            id: "ST-4 live",
            statement: "at 10 % loss 2 and 4 streams beat one stream and TCP; 2 are best",
            paper: "2 and 4 above 1 and TCP; best at 2",
            rule: "Three parts: the means at 2 and 4 streams above that at 1; above the kernel's \
                   TCP's; the best at 2. Reproduced if all hold, partly if some. Only in the full \
                   extent.",
            judge: much_loss,
        },
        Claim {
            id: "ST-5 live",
            statement: "with more streams messages wait less for others",
            paper: "an optimal number of streams exists",
            rule: "At each loss: the mean message delay with the largest number of streams below \
                   that with one, and with one below or equal to the kernel's TCP's. Reproduced if \
                   all hold, partly if some.",
            judge: blocking,
        },
    ]
}

/// A live cell and its simulated twin.
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

    /// What is here over what is there: live, and simulated.
    fn over(self, other: Self, metric: &str) -> Option<(f64, f64)> {
        let live = self.live.mean(metric)? / other.live.mean(metric)?;
        let simulated = self.simulated.mean(metric)? / other.simulated.mean(metric)?;
        Some((live, simulated))
    }
}

/// Why the kernel's TCP is not there, as a judgement.
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
        parts.push(sctp.live.ratios(tcp.live, "mbit_per_s")?.min > 1.0);
        let (live, simulated) = sctp.over(tcp, "mbit_per_s")?;
        let (live, simulated) = (shown(live), shown(simulated));
        ours.push(format!("{live} at {delay} ms (simulated {simulated})"));
    }
    (!parts.is_empty()).then(|| Judgement {
        verdict: Verdict::of(&parts),
        ours: format!("SCTP / TCP live: {}", ours.join(", ")),
        why:
            "Linux begins with ten packets and the simulated TCP with three, as SCTP does: over a \
              long path, on which the slow start is most of a short transfer, that decides."
                .to_owned(),
    })
}

/// SCTP's throughput over TCP's at one loss: by number of streams, live and simulated.
fn ratios(summary: &Summary, loss: f64) -> Option<Vec<(f64, f64, f64)>> {
    let some = Settings::new().with("loss_percent", loss);
    let tcp = some.clone().with("transport", "tcp");
    let tcp = Twins::new(summary, live::COUNT, &tcp)?;
    let mut all = Vec::new();
    for count in summary.numbers(NAME, live::COUNT, "streams") {
        let sctp = some.clone().with("transport", "sctp");
        let sctp = Twins::new(summary, live::COUNT, &sctp.with("streams", count));
        let Some(sctp) = sctp else { continue };
        let (live, simulated) = sctp.over(tcp, "mbit_per_s")?;
        all.push((count, live, simulated));
    }
    (!all.is_empty()).then_some(all)
}

fn told(ratios: &[(f64, f64, f64)]) -> String {
    let one = |(count, live, simulated): &(f64, f64, f64)| {
        let (live, simulated) = (shown(*live), shown(*simulated));
        format!("{live} with {count} streams (simulated {simulated})")
    };
    let all: Vec<String> = ratios.iter().map(one).collect();
    format!("SCTP / TCP live: {}", all.join(", "))
}

/// The number of streams with the best live mean.
fn best(ratios: &[(f64, f64, f64)]) -> Option<f64> {
    let best = ratios
        .iter()
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some(best.0)
}

fn no_loss(summary: &Summary) -> Option<Judgement> {
    if let Some(judgement) = skipped(summary, live::COUNT) {
        return Some(judgement);
    }
    let ratios = ratios(summary, 0.0)?;
    let parts = ratios.iter().map(|(_, live, _)| (live - 1.0).abs() <= 0.05);
    let parts: Vec<bool> = parts.collect();
    Some(Judgement {
        verdict: Verdict::of(&parts),
        ours: told(&ratios),
        why:
            "What differs live is the slow start: Linux begins with ten packets, SCTP with three; \
              and where it overruns the queue, the recovery from many losses at once, for which \
              RFC 9260 may have to wait a second."
                .to_owned(),
    })
}

/// What the few live runs with losses can tell.
const FEW: &str = "Linux recovers with RACK, tail loss probes and a least timeout of 200 ms, SCTP \
                   as RFC 9260 says: by three reports, or after a second at least. A few transfers \
                   of 100 kB scatter widely; the simulated claim above rests on more.";

fn some_loss(summary: &Summary) -> Option<Judgement> {
    if let Some(judgement) = skipped(summary, live::COUNT) {
        return Some(judgement);
    }
    let ratios = ratios(summary, 5.0)?;
    let of = |(_, live, _): &(f64, f64, f64)| *live;
    let low = ratios.iter().map(of).fold(f64::INFINITY, f64::min);
    let high = ratios.iter().map(of).fold(0.0, f64::max);
    let parts = [high < 1.0, best(&ratios)? == 6.0, high / low < 1.1];
    Some(Judgement {
        verdict: Verdict::of(&parts),
        ours: told(&ratios),
        why: FEW.to_owned(),
    })
}

fn much_loss(summary: &Summary) -> Option<Judgement> {
    let ratios = ratios(summary, 10.0);
    if ratios.is_none() {
        let none = summary.numbers(NAME, live::COUNT, "loss_percent");
        return (none.contains(&10.0)).then(|| skipped(summary, live::COUNT))?;
    }
    let ratios = ratios?;
    let of = |count: f64| {
        let found = ratios.iter().find(|(streams, ..)| *streams == count)?;
        Some(found.1)
    };
    let (one, two, four) = (of(1.0)?, of(2.0)?, of(4.0)?);
    let parts = [
        two > one && four > one,
        two > 1.0 && four > 1.0,
        best(&ratios)? == 2.0,
    ];
    Some(Judgement {
        verdict: Verdict::of(&parts),
        ours: told(&ratios),
        why: FEW.to_owned(),
    })
}

fn blocking(summary: &Summary) -> Option<Judgement> {
    if let Some(judgement) = skipped(summary, live::BLOCKING) {
        return Some(judgement);
    }
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    let most = *summary.numbers(NAME, live::BLOCKING, "streams").last()?;
    for loss in summary.numbers(NAME, live::BLOCKING, "loss_percent") {
        let twins = |transport: &str, streams: f64| {
            let some = Settings::new()
                .with("loss_percent", loss)
                .with("transport", transport)
                .with("streams", streams);
            Twins::new(summary, live::BLOCKING, &some)
        };
        let all = [
            twins("tcp", 1.0)?,
            twins("sctp", 1.0)?,
            twins("sctp", most)?,
        ];
        let mean = |twins: &Twins<'_>| {
            let live = twins.live.mean("delay_mean_s")?;
            Some((live, twins.simulated.mean("delay_mean_s")?))
        };
        let [tcp, one, many] = [mean(&all[0])?, mean(&all[1])?, mean(&all[2])?];
        parts.extend([many.0 < one.0, one.0 <= tcp.0]);
        let ms = |(live, simulated): (f64, f64)| {
            let (live, simulated) = (shown(live * 1e3), shown(simulated * 1e3));
            format!("{live} ms (simulated {simulated})")
        };
        ours.push(format!(
            "mean delay live at {loss} %: TCP {}, 1 stream {}, {most} streams {}",
            ms(tcp),
            ms(one),
            ms(many)
        ));
    }
    (!parts.is_empty()).then(|| Judgement {
        verdict: Verdict::of(&parts),
        ours: ours.join("; "),
        why:
            "A lost message holds back only those behind it on its own stream, live as simulated. \
              How long it is lost is another matter: Linux sends it again sooner than RFC 9260's \
              rules do."
                .to_owned(),
    })
}
