mod temporary;

use super::paper::{self, Quantity, Way};
use super::plan::{ALGORITHMS, Variation};
use crate::studies::rivals::{self, Era};
use crate::{Cell, ERROR, Evidence, Judgement, Rule, Summary, TIE};

/// The claims about quantities that the paper prints for both algorithms.
const COMPARED: [&str; 9] = [
    "FO-1", "FO-2", "FO-3", "FO-4", "FO-5", "FO-6", "FO-7", "FO-8", "FO-9",
];

pub(super) fn rules() -> Vec<Rule> {
    let compared = COMPARED.map(|id| {
        Rule::new(id, move |summary| compare(summary, id, Era::Papers))
            .today(move |summary| compare(summary, id, Era::Today))
    });
    let temporary = rivals::rule("FO-10", temporary::judge);
    compared.into_iter().chain([temporary]).collect()
}

/// The three algorithms on the network found by the search.
struct Columns<'a> {
    standard: &'a Cell,
    heartbeat: &'a Cell,
    always: &'a Cell,
}

impl<'a> Columns<'a> {
    fn of(summary: &'a Summary, era: Era) -> Option<Self> {
        let [standard, heartbeat, always] = ALGORITHMS.map(|algorithm| match era {
            Era::Papers => paper::cell(summary, algorithm, "drop-tail"),
            Era::Today => paper::cell_today(summary, algorithm),
        });
        Some(Self {
            standard: standard?,
            heartbeat: heartbeat?,
            always: always?,
        })
    }

    /// Tests whether one of the triggers changes the quantity in the paper's direction.
    fn follow(&self, quantity: &Quantity) -> Option<Evidence> {
        let follows = |cell: &Cell| match quantity.way() {
            Way::Up => cell.is_above(self.standard, &quantity.metric),
            Way::Down => cell.is_below(self.standard, &quantity.metric),
            Way::Unmoved => cell.is_near(self.standard, &quantity.metric, TIE),
        };
        let both = vec![follows(self.heartbeat)?, follows(self.always)?];
        Some(Evidence::any(both))
    }

    fn ours(&self, quantity: &Quantity) -> Option<String> {
        let metric = &quantity.metric;
        Some(format!(
            "{}: {} to {} (heartbeat), {} (always)",
            quantity.name,
            self.standard.estimate(metric)?,
            self.heartbeat.estimate(metric)?,
            self.always.estimate(metric)?
        ))
    }

    fn identical(&self) -> bool {
        let metrics = paper::QUANTITIES
            .iter()
            .map(|quantity| quantity.metric.as_str());
        let mut pairs =
            metrics.map(|metric| (self.standard.values(metric), self.heartbeat.values(metric)));
        pairs.all(|(one, other)| one == other)
    }
}

fn compare(summary: &Summary, claim: &str, era: Era) -> Option<Judgement> {
    let columns = Columns::of(summary, era)?;
    let mut ours = Vec::new();
    let mut parts = Vec::new();
    for quantity in paper::of(claim) {
        ours.push(columns.ours(quantity)?);
        if quantity.is_judged() {
            parts.push((quantity.name.as_str(), columns.follow(quantity)?));
        }
    }
    let mut why = followed(&parts);
    if era == Era::Papers {
        why = format!(
            "{why} {}{}",
            reason(&columns, claim)?,
            buffer(summary, claim)
        );
    }
    let parts = parts.into_iter().map(|(_, evidence)| evidence);
    Some(Judgement::new(parts.collect(), ours.join("; "), why))
}

/// The quantities that change in the paper's direction.
fn followed(parts: &[(&str, Evidence)]) -> String {
    let following = parts.iter().filter(|(_, evidence)| evidence.holds <= ERROR);
    let following: Vec<&str> = following.map(|(name, _)| *name).collect();
    match following[..] {
        [] => "Nothing follows the paper beyond doubt.".to_owned(),
        _ => format!("The paper's way: {}.", following.join(", ")),
    }
}

/// The separate effect of the larger buffer in the paper's second run.
fn buffer(summary: &Summary, claim: &str) -> String {
    let metric = match claim {
        "FO-1" => "sender_life_s",
        "FO-2" => "sender_bit_per_s",
        "FO-7" => "delay_s_mean",
        "FO-9" => "rwnd_mean",
        _ => return String::new(),
    };
    let mean = |variation| paper::varied(summary, "standard", variation)?.estimate(metric);
    match (mean(Variation::Nothing), mean(Variation::Buffer)) {
        (Some(before), Some(after)) => format!(
            " The standard algorithm with the receive buffer of the paper's modified run, 99,535 \
             bytes, goes from {before} to {after} ({}).",
            paper::of(claim)
                .find(|quantity| quantity.metric == metric)
                .map_or("", |quantity| &quantity.name)
        ),
        _ => String::new(),
    }
}

fn reason(columns: &Columns<'_>, claim: &str) -> Option<String> {
    let Columns {
        standard, always, ..
    } = columns;
    let of = |metric| Some((standard.estimate(metric)?, always.estimate(metric)?));
    let timeouts = of("timeouts")?;
    let fast = of("fast_retransmissions")?;
    let again = of("again_bytes")?;
    Some(match claim {
        "FO-1" | "FO-2" | "FO-7" => {
            let heartbeat = if columns.identical() {
                "`heartbeat` is the standard algorithm in every run: a path that carries data \
                 sends no heartbeats (RFC 9260 §8.3), so that none goes unanswered"
            } else {
                "`heartbeat` differs from the standard algorithm in some runs"
            };
            format!(
                "A transfer waits {} times for T3 (standard), {} times (always), for a second and \
                 more each, and sends {} and {} bytes again. {heartbeat}.",
                timeouts.0, timeouts.1, again.0, again.1
            )
        }
        "FO-3" => format!(
            "Of the retransmissions {} (standard) and {} (always) follow gap reports.",
            fast.0, fast.1
        ),
        "FO-4" => format!(
            "The mean window is {} times as large with `always`, and 1.02 times in the paper, from \
             one run each. The paper's least value, 0, is the entry before there is a window.",
            always.ratio(standard, "cwnd_mean")?
        ),
        "FO-5" => format!(
            "The RTO grows by doubling at each timeout ({} and {} a transfer) and returns to \
             RTO.Min, 1 s. The paper's mean is below that: its RTO.Min was not the default that \
             it names.",
            timeouts.0, timeouts.1
        ),
        "FO-6" => "The paper's maximum of 0.974 s cannot belong to its mean and deviation: of 36 \
                   values none can lie further from the mean than 35/6 deviations, which is \
                   0.199 s here. Read as 0.0974 s, as the other digits suggest, the maximum rises \
                   with early decrease instead of falling."
            .to_owned(),
        "FO-8" => format!(
            "Delivery is reliable with any algorithm; a transfer waits {} times for T3 (standard) \
             and {} times (always).",
            timeouts.0, timeouts.1
        ),
        _ => "The receiver's buffer is not the sender's congestion control: the paper's two runs \
              had buffers of 65,535 and 99,535 bytes (its maxima and one message)."
            .to_owned(),
    })
}
