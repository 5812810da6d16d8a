use super::{LOSS, NAME};
use crate::estimate::shown;
use crate::{Cell, Claim, Judgement, Paired, Settings, Summary, Verdict};

/// Nothing is run over real sockets yet: nothing can be judged.
const NO_LIVE_RUNS: &str = "Needs runs over real sockets, which the laboratory does not make yet.";

pub(super) fn claims() -> Vec<Claim> {
    let live = |id, statement, paper| Claim {
        id,
        statement,
        paper,
        rule: NO_LIVE_RUNS,
        judge: |_| None,
    };
    vec![
        live(
            "DC-1",
            "12 KB messages, one connection on one processor: SCTP as fast as TCP at more than \
             twice the processor time",
            "send: TCP 1394 Mb/s at 62.4 %, SCTP 1375 Mb/s at 143.2 %; receive: 1376 at 60.5 %, \
             1356 at 105.1 %",
        ),
        live(
            "DC-1b",
            "the same with 8 KB messages and a window of 64 KB",
            "send: TCP 929 Mb/s at 41.6 %, SCTP 916 at 89.0 %; receive: 917 at 40.3 %, 904 at \
             69.4 %",
        ),
        live(
            "DC-2",
            "128-byte messages: SCTP below TCP",
            "send: TCP 132 / 264 Mb/s, SCTP 102 / 204; receive: 262 / 524, 219 / 438",
        ),
        live(
            "DC-2b",
            "64-byte messages: SCTP below TCP",
            "send: TCP 72 / 134 Mb/s, SCTP 66 / 100; receive: 76 / 276, 74 / 223",
        ),
        live(
            "DC-3",
            "2.56 KB messages, four connections: equal throughput at more processor time",
            "send: TCP 1705 Mb/s at 79.2 %, SCTP 1776 at 198 %",
        ),
        live(
            "DC-3b",
            "two streams of one association are slower than two associations",
            "28 % less throughput",
        ),
        live(
            "DC-4",
            "the optimisations bring SCTP's processor time close to TCP's",
            "send 3.7x to 1.16x, receive 1.9x to 1.42x",
        ),
        live(
            "DC-5",
            "optimised SCTP scales with connections nearly as TCP does",
            "processor-bound from 3 on",
        ),
        live(
            "DC-6",
            "128-byte messages without delay: optimised SCTP sends faster than TCP",
            "except at a window of 128 KB",
        ),
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
            rule: "Needs runs with go-back-N, which are not made yet.",
            judge: |_| None,
        },
        live(
            "DC-9",
            "CRC32c costs processor time",
            "+24 % send, +42 % receive",
        ),
        live(
            "DC-10",
            "an association's state is ten times as large as a TCP connection's",
            "10 KB against 1 KB",
        ),
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
