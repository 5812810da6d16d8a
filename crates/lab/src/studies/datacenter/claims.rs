use super::{GO_BACK_N, LOSS, NAME, live};
use crate::estimate::shown;
use crate::{Cell, Claim, Judgement, Paired, Settings, Summary, Verdict};

/// The losses at which go-back-N is to be as good as SACK, per cent.
const RARE: [f64; 2] = [0.0, 0.1];
/// The loss at which it is to be better, per cent.
const MODERATE: f64 = 2.5;
/// How far apart two throughputs may be and still count as equal.
const EQUAL: core::ops::RangeInclusive<f64> = 0.95..=1.05;

pub(super) fn claims() -> Vec<Claim> {
    let mut claims = live::claims::claims();
    // In the papers' order: the simulated ones stand before those of the checksum and the block.
    let place = claims.len() - live::claims::AFTER_THE_LOSSES;
    claims.splice(place..place, simulated());
    claims
}

fn simulated() -> [Claim; 2] {
    [
        Claim {
            id: "DC-7",
            statement: "under random losses SCTP is above TCP while there are few, and below while \
                        there are many",
            paper: "above at low loss, below at high loss",
            rule: "At each least timeout, SCTP with one SACK for two packets against TCP, pair by \
                   pair: above beyond doubt (95 %) at 0.1 and 0.5 % loss, and below beyond doubt \
                   at 5 and 10 %. Reproduced if all of these hold, partly if some.",
            judge: random_loss,
        },
        Claim {
            id: "DC-8",
            statement: "going back n is as good as SACK while losses are rare, and better at 2.5 %",
            paper: "25 % above SACK at 2.5 % loss",
            rule: "At each least timeout: the throughputs differ by less than 5 % at 0 and 0.1 % \
                   loss, and go-back-N is above SACK beyond doubt (95 %) at 2.5 %. Reproduced if \
                   all of these hold, partly if some.",
            judge: go_back_n,
        },
    ]
}

/// The cell of a variant.
pub(super) fn cell<'a>(
    summary: &'a Summary,
    variant: &str,
    rto_min: f64,
    loss: f64,
) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("variant", variant)
        .with("rto_min_ms", rto_min)
        .with("loss_percent", loss);
    summary.cell(NAME, LOSS, &some)
}

/// SCTP against TCP.
fn against(summary: &Summary, rto_min: f64, loss: f64) -> Option<Paired> {
    let sctp = cell(summary, "sctp", rto_min, loss)?;
    sctp.against(cell(summary, "tcp", rto_min, loss)?, "mbit_per_s")
}

fn random_loss(summary: &Summary) -> Option<Judgement> {
    let mut parts = Vec::new();
    let mut ours = Vec::new();
    for rto_min in [1000.0, 20.0] {
        let mut ratios = Vec::new();
        for loss in [0.1, 0.5] {
            let paired = against(summary, rto_min, loss)?;
            parts.push(paired.is_above());
            ratios.push(format!("{} at {loss} %", shown(paired.ratio)));
        }
        for loss in [5.0, 10.0] {
            let paired = against(summary, rto_min, loss)?;
            parts.push(paired.is_below());
            ratios.push(format!("{} at {loss} %", shown(paired.ratio)));
        }
        let ratios = ratios.join(", ");
        ours.push(format!("SCTP / TCP with {rto_min} ms: {ratios}"));
    }
    let rare = cell(summary, "sctp, SACK per 7", 20.0, 10.0)?;
    let often = cell(summary, "sctp", 20.0, 10.0)?;
    let rarer = rare.against(often, "mbit_per_s")?;
    Some(Judgement {
        verdict: Verdict::of(&parts),
        ours: ours.join("; "),
        why: format!(
            "{} of the {} comparisons go the paper's way. Fewer SACKs, which the paper names as \
             the cause of the fall, give {} times the throughput at 10 % loss here.",
            parts.iter().filter(|part| **part).count(),
            parts.len(),
            shown(rarer.ratio)
        ),
    })
}

/// Go-back-N against SACK.
fn back_against(summary: &Summary, rto_min: f64, loss: f64) -> Option<Paired> {
    let back = cell(summary, "sctp, go-back-N", rto_min, loss)?;
    back.against(cell(summary, "sctp", rto_min, loss)?, "mbit_per_s")
}

fn go_back_n(summary: &Summary) -> Option<Judgement> {
    let mut parts = Vec::new();
    let mut ours = Vec::new();
    for rto_min in [1000.0, 20.0] {
        let mut ratios = Vec::new();
        for loss in RARE {
            let paired = back_against(summary, rto_min, loss)?;
            parts.push(EQUAL.contains(&paired.ratio));
            ratios.push(format!("{} at {loss} %", shown(paired.ratio)));
        }
        let paired = back_against(summary, rto_min, MODERATE)?;
        parts.push(paired.is_above());
        ratios.push(format!("{} at {MODERATE} %", shown(paired.ratio)));
        let ratios = ratios.join(", ");
        ours.push(format!("go-back-N / SACK with {rto_min} ms: {ratios}"));
    }
    let swept = readings(summary);
    let best = swept
        .iter()
        .max_by(|one, other| one.3.ratio.total_cmp(&other.3.ratio))?;
    let (above, all) = (
        swept.iter().filter(|reading| reading.3.is_above()).count(),
        swept.len(),
    );
    Some(Judgement {
        verdict: Verdict::of(&parts),
        ours: ours.join("; "),
        why: format!(
            "Of {all} readings of window, timer and reports that show a loss, at {MODERATE} % loss, \
             go-back-N is above SACK beyond doubt in {above}; its best ratio is {} ({} KiB, {} ms, \
             reports: {}). {} The paper gives cheaper processing as the cause, which a simulation \
             without processors does not have{}.",
            shown(best.3.ratio),
            best.0.number("buffer_kib"),
            best.0.number("rto_min_ms"),
            best.0.number("missing_reports"),
            retransmissions(summary).unwrap_or_default(),
            live::claims::cost_of_going_back(summary).unwrap_or_default(),
        ),
    })
}

/// What is sent again under both, at the paper's loss.
fn retransmissions(summary: &Summary) -> Option<String> {
    let share = |variant, what| {
        let cell = cell(summary, variant, 20.0, MODERATE)?;
        Some(cell.mean(what)? / cell.mean("messages")?)
    };
    let (back, selective) = ("sctp, go-back-N", "sctp");
    Some(format!(
        "With 20 ms, go-back-N sends {} chunks again for each message and SACK {}, and waits for a \
         timeout {} times in 1000 messages and SACK {} times.",
        shown(share(back, "retransmissions")?),
        shown(share(selective, "retransmissions")?),
        shown(1000.0 * share(back, "timeouts")?),
        shown(1000.0 * share(selective, "timeouts")?),
    ))
}

/// Go-back-N against SACK in each reading of what the paper leaves open.
pub(super) fn readings(summary: &Summary) -> Vec<(&Settings, &Cell, &Cell, Paired)> {
    let back = Settings::new().with("variant", "sctp, go-back-N");
    let cells = summary.cells(NAME, GO_BACK_N, &back).into_iter();
    cells
        .filter_map(|cell| {
            let same = cell.settings.clone().with("variant", "sctp");
            let selective = summary.cell(NAME, GO_BACK_N, &same)?;
            let paired = cell.against(selective, "mbit_per_s")?;
            Some((&cell.settings, selective, cell, paired))
        })
        .collect()
}
