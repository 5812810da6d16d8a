use super::{
    CARRIERS_TODAY, GO_BACK_N, LOSS, NAME, RTO_MINS, RTO_MINS_TODAY, SCTP, SCTP_BACK,
    SCTP_TODAY_BACK, live,
};
use crate::estimate::shown;
use crate::studies::rivals::{self, Era};
use crate::{Cell, Evidence, Judgement, Paired, Rule, Settings, Summary};

/// Loss rates at which SCTP should be faster than TCP, per cent.
pub(super) const FEW: [f64; 2] = [0.1, 0.5];
/// Loss rates at which SCTP should be slower than TCP, per cent.
pub(super) const MANY: [f64; 2] = [5.0, 10.0];
/// Loss rates at which go-back-N should be as fast as SACK, per cent.
const RARE: [f64; 2] = [0.0, 0.1];
/// Loss rate at which go-back-N should be faster than SACK, per cent.
const MODERATE: f64 = 2.5;
/// Largest relative difference at which throughputs count as equal.
const EQUAL: f64 = 0.05;
const RATE: &str = "mbit_per_s";

pub(super) fn rules() -> Vec<Rule> {
    let mut rules = live::claims::rules();
    rules.push(rivals::rule("DC-8", go_back_n));
    rules
}

/// The cell of a variant; `rto_min` is ignored for today's SCTPs, which have a fixed one.
pub(super) fn cell<'a>(
    summary: &'a Summary,
    variant: &str,
    rto_min: f64,
    loss: f64,
) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("variant", variant)
        .with("loss_percent", loss);
    let has_its_own = CARRIERS_TODAY.contains(&variant);
    let some = match has_its_own {
        true => some,
        false => some.with("rto_min_ms", rto_min),
    };
    summary.cell(NAME, LOSS, &some)
}

/// Compares a variant with another.
fn against<'a>(
    summary: &'a Summary,
    (one, other): (&str, &str),
    rto_min: f64,
    loss: f64,
) -> Option<[&'a Cell; 2]> {
    let of = |variant| cell(summary, variant, rto_min, loss);
    Some([of(one)?, of(other)?])
}

fn go_back_n(summary: &Summary, era: Era) -> Option<Judgement> {
    let (variants, rto_mins) = match era {
        Era::Papers => ((SCTP_BACK, SCTP), &RTO_MINS[..]),
        Era::Today => ((SCTP_TODAY_BACK, rivals::SCTP_TODAY), &RTO_MINS_TODAY[..]),
    };
    let mut parts = Vec::new();
    let mut ours = Vec::new();
    for rto_min in rto_mins {
        let mut ratios = Vec::new();
        for loss in RARE.into_iter().chain([MODERATE]) {
            let [back, selective] = against(summary, variants, *rto_min, loss)?;
            parts.push(match RARE.contains(&loss) {
                true => back.is_near(selective, RATE, EQUAL)?,
                false => back.is_above(selective, RATE)?,
            });
            ratios.push(format!("{} at {loss} %", back.ratio(selective, RATE)?));
        }
        let ratios = ratios.join(", ");
        ours.push(format!("go-back-N / SACK with {rto_min} ms: {ratios}"));
    }
    let why = match era {
        Era::Papers => why_not_back(summary)?,
        Era::Today => Evidence::counted(&parts),
    };
    Some(Judgement::new(parts, ours.join("; "), why))
}

/// The best of the swept variants of go-back-N, and the CPU cost of both schemes.
fn why_not_back(summary: &Summary) -> Option<String> {
    let swept = readings(summary);
    let best = swept
        .iter()
        .max_by(|one, other| one.3.ratio.total_cmp(&other.3.ratio))?;
    let (above, all) = (
        swept.iter().filter(|reading| reading.3.is_above()).count(),
        swept.len(),
    );
    Some(format!(
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
    ))
}

/// Compares the retransmissions of go-back-N and SACK at the paper's loss rate.
fn retransmissions(summary: &Summary) -> Option<String> {
    let share = |variant, what| {
        let cell = cell(summary, variant, 20.0, MODERATE)?;
        Some(cell.mean(what)? / cell.mean("messages")?)
    };
    let (back, selective) = (SCTP_BACK, SCTP);
    Some(format!(
        "With 20 ms, go-back-N sends {} chunks again for each message and SACK {}, and waits for a \
         timeout {} times in 1000 messages and SACK {} times.",
        shown(share(back, "retransmissions")?),
        shown(share(selective, "retransmissions")?),
        shown(1000.0 * share(back, "timeouts")?),
        shown(1000.0 * share(selective, "timeouts")?),
    ))
}

/// Go-back-N compared with SACK in each interpretation of what the paper leaves open.
pub(super) fn readings(summary: &Summary) -> Vec<(&Settings, &Cell, &Cell, Paired)> {
    let back = Settings::new().with("variant", SCTP_BACK);
    let cells = summary.cells(NAME, GO_BACK_N, &back).into_iter();
    cells
        .filter_map(|cell| {
            let same = cell.settings.clone().with("variant", SCTP);
            let selective = summary.cell(NAME, GO_BACK_N, &same)?;
            let paired = cell.against(selective, "mbit_per_s")?;
            Some((&cell.settings, selective, cell, paired))
        })
        .collect()
}
