use super::{CONGESTION, NAME};
use crate::estimate::shown;
use crate::{Cell, Claim, Judgement, Settings, Summary, Verdict};

/// How far our standard column may be from the paper's to count as the same network.
const NEAR: f64 = 0.25;

/// Which way the modification moves a quantity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

/// A quantity of the paper: standard and modified.
struct Quantity {
    name: &'static str,
    metric: &'static str,
    standard: f64,
    modified: f64,
}

impl Quantity {
    fn way(&self) -> Way {
        if self.modified > self.standard {
            Way::Up
        } else {
            Way::Down
        }
    }
}

const RULE: &str = "For each quantity two parts: our standard mean within 25 % of the paper's \
     (drop-tail), and the better of the two triggers moves it the paper's way beyond doubt (95 %, \
     pair by pair). Reproduced if all hold, partly if some.";

pub(super) fn claims() -> Vec<Claim> {
    let claim = |id, statement, paper, judge| Claim {
        id,
        statement,
        paper,
        rule: RULE,
        judge,
    };
    vec![
        claim(
            "FO-1",
            "early decrease shortens the association's life",
            "8.31 / 8.25 s to 5.36 / 5.29 s (sender / receiver)",
            |summary| {
                judge(
                    summary,
                    &[
                        quantity("lifetime (s)", "lifetime_s", 8.31, 5.36),
                        quantity("to the last message (s)", "received_s", 8.25, 5.29),
                    ],
                )
            },
        ),
        claim(
            "FO-2",
            "early decrease raises the throughput",
            "384,921 / 387,879 to 596,921 / 604,063 bit/s",
            |summary| {
                judge(
                    summary,
                    &[
                        quantity("sender (bit/s)", "sent_bit_per_s", 384_921.0, 596_921.0),
                        quantity(
                            "receiver (bit/s)",
                            "received_bit_per_s",
                            387_879.0,
                            604_063.0,
                        ),
                    ],
                )
            },
        ),
        claim(
            "FO-3",
            "early decrease retransmits less",
            "528,000 / 128,000 to 516,000 / 116,000 bytes (all / again)",
            |summary| {
                judge(
                    summary,
                    &[
                        quantity("sent (bytes)", "sent_bytes", 528_000.0, 516_000.0),
                        quantity("again (bytes)", "retransmitted_bytes", 128_000.0, 116_000.0),
                    ],
                )
            },
        ),
        claim(
            "FO-4",
            "cwnd is a little larger on average and varies more",
            "max 24,940 both; mean 13,502 to 13,822; sd 6214 to 6581",
            |summary| {
                judge(
                    summary,
                    &[
                        quantity("mean (bytes)", "cwnd_mean", 13_502.0, 13_822.0),
                        quantity("sd (bytes)", "cwnd_deviation", 6214.0, 6581.0),
                    ],
                )
            },
        ),
        claim(
            "FO-5",
            "the RTO is smaller and varies less",
            "max 2.28 to 2.143; mean 0.89 to 0.689; sd 0.363 to 0.307 s",
            |summary| {
                judge(
                    summary,
                    &[
                        quantity("max (s)", "rto_s_max", 2.28, 2.143),
                        quantity("mean (s)", "rto_s_mean", 0.89, 0.689),
                        quantity("sd (s)", "rto_s_deviation", 0.363, 0.307),
                    ],
                )
            },
        ),
        claim(
            "FO-6",
            "the round trip's maximum falls, its mean hardly changes",
            "max 0.974 to 0.183; mean 0.0724 to 0.0784 s",
            |summary| {
                judge(
                    summary,
                    &[
                        quantity("max (s)", "srtt_s_max", 0.974, 0.183),
                        quantity("mean (s)", "srtt_s_mean", 0.0724, 0.0784),
                    ],
                )
            },
        ),
        claim(
            "FO-7",
            "messages take less time from end to end",
            "max 7.176 to 5.203; mean 3.824 to 3.188; sd 1.861 to 1.402 s",
            |summary| {
                judge(
                    summary,
                    &[
                        quantity("max (s)", "delay_max_s", 7.176, 5.203),
                        quantity("mean (s)", "delay_mean_s", 3.824, 3.188),
                        quantity("sd (s)", "delay_deviation_s", 1.861, 1.402),
                    ],
                )
            },
        ),
        Claim {
            id: "FO-8",
            statement: "all 100 messages arrive, sooner with early decrease",
            paper: "100 messages, 400,000 bytes, at 7.228 and 5.256 s",
            rule: "Two parts: all messages arrive in all runs of all algorithms; the last one \
                   sooner beyond doubt with the better trigger.",
            judge: arrivals,
        },
        claim(
            "FO-9",
            "the advertised window is larger",
            "max 61,535 to 95,535; mean 36,988 to 54,883 bytes",
            |summary| {
                judge(
                    summary,
                    &[
                        quantity("max (bytes)", "rwnd_max", 61_535.0, 95_535.0),
                        quantity("mean (bytes)", "rwnd_mean", 36_988.0, 54_883.0),
                    ],
                )
            },
        ),
        Claim {
            id: "FO-10",
            statement: "early decrease prevents unnecessary failovers under temporary congestion",
            paper: "they happen; they are prevented",
            rule: "Two parts, at the paper's Path.Max.Retrans of 5: the standard algorithm fails \
                   over in some run; with the better trigger there are fewer failovers beyond \
                   doubt. Not reproduced if neither.",
            judge: failovers,
        },
    ]
}

const fn quantity(
    name: &'static str,
    metric: &'static str,
    standard: f64,
    modified: f64,
) -> Quantity {
    Quantity {
        name,
        metric,
        standard,
        modified,
    }
}

/// The cell of an algorithm, with drop-tail queues.
pub(super) fn cell<'a>(summary: &'a Summary, algorithm: &str) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("algorithm", algorithm)
        .with("queue", "drop-tail");
    summary.cell(NAME, CONGESTION, &some)
}

fn judge(summary: &Summary, quantities: &[Quantity]) -> Option<Judgement> {
    let standard = cell(summary, "standard")?;
    let modified = [cell(summary, "heartbeat")?, cell(summary, "always")?];
    let (mut near, mut moved, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    for quantity in quantities {
        let metric = quantity.metric;
        let before = standard.mean(metric)?;
        near.push((before / quantity.standard - 1.0).abs() <= NEAR);
        let moves = |cell: &&Cell| {
            cell.against(standard, metric)
                .is_some_and(|paired| match quantity.way() {
                    Way::Up => paired.is_above(),
                    Way::Down => paired.is_below(),
                })
        };
        moved.push(modified.iter().any(moves));
        ours.push(format!(
            "{}: {} to {} (heartbeat), {} (always)",
            quantity.name,
            shown(before),
            shown(modified[0].mean(metric)?),
            shown(modified[1].mean(metric)?)
        ));
    }
    let count = |parts: &[bool]| parts.iter().filter(|part| **part).count();
    let why = format!(
        "{} of {} standard values are near the paper's, and {} move its way beyond doubt; no \
         heartbeat is ever due in a transfer shorter than the heartbeat interval of 60 s, so that \
         the trigger of the paper's prose cannot fire.",
        count(&near),
        near.len(),
        count(&moved)
    );
    let parts: Vec<bool> = near.into_iter().chain(moved).collect();
    Some(Judgement {
        verdict: Verdict::of(&parts),
        ours: ours.join("; "),
        why,
    })
}

fn arrivals(summary: &Summary) -> Option<Judgement> {
    let standard = cell(summary, "standard")?;
    let modified = [cell(summary, "heartbeat")?, cell(summary, "always")?];
    let all = [standard, modified[0], modified[1]];
    let whole = |cell: &Cell| cell.values("messages").iter().all(|count| *count == 100.0);
    let sooner = modified.iter().any(|cell| {
        let paired = cell.against(standard, "received_s");
        paired.is_some_and(|paired| paired.is_below())
    });
    let times: Option<Vec<String>> = all
        .iter()
        .map(|cell| Some(cell.estimate("received_s")?.to_string()))
        .collect();
    Some(Judgement {
        verdict: Verdict::of(&[all.iter().all(|cell| whole(cell)), sooner]),
        ours: format!(
            "last message at {} s (standard, heartbeat, always)",
            times?.join(", ")
        ),
        why: "Reliable delivery does not depend on the algorithm; how soon the last message is \
              there depends on how often the sender waits for its timer."
            .to_owned(),
    })
}

fn failovers(summary: &Summary) -> Option<Judgement> {
    let standard = cell(summary, "standard")?;
    let modified = [cell(summary, "heartbeat")?, cell(summary, "always")?];
    let happen = standard.mean("failovers")?;
    let fewer = modified.iter().any(|cell| {
        let paired = cell.against(standard, "failovers");
        paired.is_some_and(|paired| paired.is_below())
    });
    Some(Judgement {
        verdict: Verdict::of(&[happen > 0.0, fewer]),
        ours: format!(
            "failovers a transfer: {} standard, {} heartbeat, {} always",
            shown(happen),
            shown(modified[0].mean("failovers")?),
            shown(modified[1].mean("failovers")?)
        ),
        why: "With RFC 9260's parameters a path is given up after six timeouts in a row, which \
              take 63 s: no congestion of a transfer of a few seconds can do that."
            .to_owned(),
    })
}
