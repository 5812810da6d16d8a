use super::{CHUNKS, DATA, FIRST_COME, I_DATA, PRIORITY, URGENT};
use crate::estimate::shown;
use crate::studies::extensions::NAME;
use crate::{Cell, Evidence, Judgement, Rule, Settings, Summary};

/// Largest relative difference of delays or throughputs that counts as equal. Our choice.
const EQUAL: f64 = 0.1;
/// Largest share of its throughput that the remaining traffic may lose. Our choice.
const COST: f64 = 0.01;

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("EX-P1", size_does_not_matter),
        Rule::new("EX-P2", waits_for_one),
        Rule::new("EX-P3", waits_for_all),
        Rule::new("EX-P4", costs_nothing),
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
    /// The coordinates in the records.
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

    /// Milliseconds that the link needs for `bytes` bytes of messages.
    pub(super) fn milliseconds(&self, bytes: f64) -> f64 {
        // Each packet has an IP header, a common header and a chunk header.
        bytes * 8e-3 / self.rate * 1500.0 / 1452.0
    }

    /// The coordinates in words.
    pub(super) fn named(&self) -> String {
        format!(
            "{} Mb/s, {} MiB deep, {} KiB",
            self.rate,
            self.depth / f64::from(1 << 20),
            self.bulk / 1024.0
        )
    }
}

/// The coordinates with the largest messages.
fn large(summary: &Summary) -> Vec<Coordinates> {
    let mut all = Coordinates::all(summary);
    let largest = all.iter().map(|place| place.bulk).fold(0.0, f64::max);
    all.retain(|place| place.bulk >= largest);
    all
}

/// Each place with each kind of chunk.
fn kinds(summary: &Summary) -> impl Iterator<Item = (Coordinates, &'static str)> {
    let all = Coordinates::all(summary).into_iter();
    all.flat_map(|place| CHUNKS.map(|chunks| (place, chunks)))
}

fn size_does_not_matter(summary: &Summary) -> Option<Judgement> {
    let smallest = summary.numbers(NAME, URGENT, "bulk").into_iter();
    let smallest = smallest.fold(f64::INFINITY, f64::min);
    let why = "A small message leaves in the next packet; what is left of its delay is the queue of the \
               link, which the window bounds.";
    Judgement::of_each(large(summary), why, |place| {
        let beside = Coordinates {
            bulk: smallest,
            ..place
        };
        let of = |place: Coordinates| place.cell(summary, PRIORITY, I_DATA);
        let (cell, other) = (of(place)?, of(beside)?);
        let near = cell.is_near(other, "p99_ms", EQUAL)?;
        let (one, other) = (cell.estimate("p99_ms")?, other.estimate("p99_ms")?);
        let place = place.named();
        let told = format!("{place}: {one} ms, beside the smaller ones {other} ms");
        Some((vec![near], told))
    })
}

fn waits_for_one(summary: &Summary) -> Option<Judgement> {
    let why = "The fragments of a message have consecutive TSNs where they are DATA: one that was begun is \
               sent to its end.";
    Judgement::of_each(large(summary), why, |place| {
        let of = |chunks| Some((place.cell(summary, PRIORITY, chunks)?, "p99_ms"));
        let both = [of(DATA)?, of(I_DATA)?];
        let message = place.milliseconds(place.bulk);
        let least = Evidence::contrast(both, |[plain, other]| plain - other - 0.8 * message)?;
        let most = Evidence::contrast(both, |[plain, other]| 1.1 * message - plain + other)?;
        let [plain, interleaved] = both.map(|(cell, metric)| cell.estimate(metric));
        let (plain, interleaved) = (plain?, interleaved?);
        let share = (plain.mean - interleaved.mean) / message;
        let told = format!(
            "{}: {plain} ms, with I-DATA {interleaved} ms, {} of the message's time",
            place.named(),
            shown(share)
        );
        Some((vec![Evidence::all(vec![least, most])], told))
    })
}

fn waits_for_all(summary: &Summary) -> Option<Judgement> {
    let why = "It stands at the end of the queue, and first come, first served goes on with the \
               message that it began.";
    Judgement::of_each(kinds(summary), why, |(place, chunks)| {
        let cell = place.cell(summary, FIRST_COME, chunks)?;
        let median = cell.estimate("p50_ms")?;
        let depth = place.milliseconds(place.depth);
        let told = format!(
            "{}, {chunks}: {median} ms, {} of the depth's time",
            place.named(),
            median * (1.0 / depth)
        );
        Some((
            vec![cell.within("p50_ms", (0.7 * depth, 1.1 * depth))?],
            told,
        ))
    })
}

fn costs_nothing(summary: &Summary) -> Option<Judgement> {
    let why = "The small messages are a thousandth of all bytes, whoever goes first.";
    Judgement::of_each(kinds(summary), why, |(place, chunks)| {
        let metric = "bulk_mbit_per_s";
        let with = place.cell(summary, PRIORITY, chunks)?;
        let without = place.cell(summary, FIRST_COME, chunks)?;
        let exceeds = with.exceeds(without, metric, 1.0 - COST)?;
        let (with, without) = (with.estimate(metric)?, without.estimate(metric)?);
        let place = place.named();
        let told = format!("{place}, {chunks}: {with} Mb/s, without {without}");
        Some((vec![exceeds], told))
    })
}
