use super::{CHUNKS, DATA, FIRST_COME, I_DATA, PRIORITY, URGENT};
use crate::estimate::shown;
use crate::studies::extensions::NAME;
use crate::{Cell, Claim, Evidence, Judgement, Ruling, Settings, Source, Summary};

/// Relative difference of delays or throughputs that are called equal. Ours.
const EQUAL: f64 = 0.1;
/// The share of its throughput that the rest may lose. Ours.
const COST: f64 = 0.01;

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "EX-P1",
            statement: "interleaving takes away the head-of-line blocking at the sender: how large \
                        other messages are does not matter",
            source: Source::Ours,
            paper: "RFC 8260, abstract: without figures",
            rule: "Priority and I-DATA, at each rate and depth: the 99 % quantile of the small \
                   messages' delay beside messages of 1 MiB is within 10 % (ours) of that beside \
                   64 KiB. Reproduced if at all, partly if at some.",
            judge: size_does_not_matter,
        },
        Claim {
            id: "EX-P2",
            statement: "ours: without interleaving a message that should not wait waits for the \
                        rest of one large message at most",
            source: Source::Ours,
            paper: "no paper; RFC 8260, abstract, has that such messages block",
            rule: "Priority, beside messages of 1 MiB, at each rate and depth: with DATA the 99 % \
                   quantile is above that with I-DATA by 80 % to 110 % (ours) of the time that \
                   1 MiB takes on the link. Reproduced if at all, partly if at some.",
            judge: waits_for_one,
        },
        Claim {
            id: "EX-P3",
            statement: "ours: first come, first served, it waits for all that the sender holds, \
                        interleaved or not",
            source: Source::Ours,
            paper: "no paper; the papers on data centres want control messages not to wait behind \
                    bulk data",
            rule: "First come, with DATA and with I-DATA, beside 64 KiB and 1 MiB, at each rate \
                   and depth: the median is 70 % to 110 % (ours: the last message that does not \
                   fit leaves a part of the depth unused) of the time that the depth takes on the \
                   link. Reproduced if at all, partly if at some.",
            judge: waits_for_all,
        },
        Claim {
            id: "EX-P4",
            statement: "ours: priority for small messages costs the large ones no throughput",
            source: Source::Ours,
            paper: "no paper",
            rule: "At each rate, depth and size, with DATA and with I-DATA: the throughput with \
                   priority is at most 1 % (ours) below that of first come.",
            judge: costs_nothing,
        },
    ]
}

/// The coordinates of a cell: depth (bytes), rate (Mb/s) and size of large messages (bytes).
#[derive(Clone, Copy)]
pub(super) struct Coordinates {
    pub(super) depth: f64,
    pub(super) rate: f64,
    pub(super) bulk: f64,
}

impl Coordinates {
    /// All that were run.
    pub(super) fn all(summary: &Summary) -> Vec<Self> {
        let numbers = |name| summary.numbers(NAME, URGENT, name);
        let mut all = Vec::new();
        for depth in numbers("depth") {
            for rate in numbers("mbit") {
                let bulks = numbers("bulk").into_iter();
                all.extend(bulks.map(|bulk| Self { depth, rate, bulk }));
            }
        }
        all
    }

    pub(super) fn cell<'a>(
        &self,
        summary: &'a Summary,
        scheduler: &str,
        chunks: &str,
    ) -> Option<&'a Cell> {
        let some = Settings::new()
            .with("depth", self.depth)
            .with("mbit", self.rate)
            .with("bulk", self.bulk)
            .with("scheduler", scheduler)
            .with("chunks", chunks);
        summary.cell(NAME, URGENT, &some)
    }

    /// Milliseconds that so many bytes of messages take on the link.
    pub(super) fn milliseconds(&self, bytes: f64) -> f64 {
        // IP header, common header and chunk header in each packet.
        bytes * 8e-3 / self.rate * 1500.0 / 1452.0
    }

    /// The place in words.
    pub(super) fn named(&self) -> String {
        format!(
            "{} Mb/s, {} MiB deep, {} KiB",
            self.rate,
            self.depth / f64::from(1 << 20),
            self.bulk / 1024.0
        )
    }
}

/// The places with the largest messages.
fn large(summary: &Summary) -> Option<Vec<Coordinates>> {
    let all = Coordinates::all(summary);
    let largest = all.iter().map(|place| place.bulk).fold(0.0, f64::max);
    let large: Vec<Coordinates> = all
        .into_iter()
        .filter(|place| place.bulk >= largest)
        .collect();
    (!large.is_empty()).then_some(large)
}

fn judgement(parts: Vec<Evidence>, ours: &[String], why: &str) -> Judgement {
    Judgement {
        ruling: Ruling::of(parts),
        ours: ours.join("; "),
        why: why.to_owned(),
    }
}

fn size_does_not_matter(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    let smallest = summary.numbers(NAME, URGENT, "bulk").into_iter();
    let smallest = smallest.fold(f64::INFINITY, f64::min);
    for place in large(summary)? {
        let beside = Coordinates {
            bulk: smallest,
            ..place
        };
        let of = |place: Coordinates| place.cell(summary, PRIORITY, I_DATA);
        let (cell, other) = (of(place)?, of(beside)?);
        parts.push(cell.is_near(other, "p99_ms", EQUAL)?);
        let (one, other) = (cell.estimate("p99_ms")?, other.estimate("p99_ms")?);
        ours.push(format!(
            "{}: {one} ms, beside the smaller ones {other} ms",
            place.named()
        ));
    }
    Some(judgement(
        parts,
        &ours,
        "A small message leaves in the next packet; what is left of its delay is the queue of the \
         link, which the window bounds.",
    ))
}

fn waits_for_one(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for place in large(summary)? {
        let of = |chunks| Some((place.cell(summary, PRIORITY, chunks)?, "p99_ms"));
        let both = [of(DATA)?, of(I_DATA)?];
        let message = place.milliseconds(place.bulk);
        let least = Evidence::contrast(both, |[plain, other]| plain - other - 0.8 * message)?;
        let most = Evidence::contrast(both, |[plain, other]| 1.1 * message - plain + other)?;
        parts.push(Evidence::all(vec![least, most]));
        let [plain, interleaved] = both.map(|(cell, metric)| cell.estimate(metric));
        let (plain, interleaved) = (plain?, interleaved?);
        let share = (plain.mean - interleaved.mean) / message;
        ours.push(format!(
            "{}: {plain} ms, with I-DATA {interleaved} ms, {} of the message's time",
            place.named(),
            shown(share)
        ));
    }
    Some(judgement(
        parts,
        &ours,
        "The fragments of a message have consecutive TSNs where they are DATA: one that was begun is \
         sent to its end.",
    ))
}

fn waits_for_all(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for place in Coordinates::all(summary) {
        for chunks in CHUNKS {
            let cell = place.cell(summary, FIRST_COME, chunks)?;
            let median = cell.estimate("p50_ms")?;
            let depth = place.milliseconds(place.depth);
            parts.push(cell.within("p50_ms", (0.7 * depth, 1.1 * depth))?);
            ours.push(format!(
                "{}, {chunks}: {median} ms, {} of the depth's time",
                place.named(),
                median * (1.0 / depth)
            ));
        }
    }
    (!parts.is_empty()).then(|| {
        judgement(
            parts,
            &ours,
            "It stands at the end of the queue, and first come, first served goes on with the \
             message that it began.",
        )
    })
}

fn costs_nothing(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for place in Coordinates::all(summary) {
        for chunks in CHUNKS {
            let metric = "bulk_mbit_per_s";
            let with = place.cell(summary, PRIORITY, chunks)?;
            let without = place.cell(summary, FIRST_COME, chunks)?;
            parts.push(with.exceeds(without, metric, 1.0 - COST)?);
            let (with, without) = (with.estimate(metric)?, without.estimate(metric)?);
            ours.push(format!(
                "{}, {chunks}: {with} Mb/s, without {without}",
                place.named()
            ));
        }
    }
    (!parts.is_empty()).then(|| {
        judgement(
            parts,
            &ours,
            "The small messages are a thousandth of all bytes, whoever goes first.",
        )
    })
}
