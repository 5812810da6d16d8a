//! The trace of a run: chunks that are sent, reported as corrupted, and retransmitted.

use std::collections::{BTreeMap, BTreeSet};

use sheave_sim::scenario::Run;
use sheave_wire::{Chunk, Packet, Tsn};

use crate::studies::recording::{Recording, packets};
use crate::{Measured, Series};

/// Most packets examined: the first seconds.
const PACKETS: u64 = 20_000;
/// Chunks shown before the first one that is retransmitted, and in total.
const BEFORE: usize = 6;
const SHOWN: usize = 100;
/// Size of an IPv4 header, bytes.
const IP: usize = 20;

/// Names of the series.
pub(super) const SENT: &str = "sent";
pub(super) const AGAIN: &str = "sent again";
pub(super) const REPORTED: &str = "reported as damaged";

/// An event about a chunk, seen in a host's packets.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    /// Time since the start of the run, seconds.
    time: f64,
    tsn: u32,
    said: Said,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Sent,
    Damaged,
}

impl Event {
    fn is_sent(&self) -> bool {
        self.said == Said::Sent
    }
}

/// Captures the packets that the hosts of a run will send.
pub(super) fn watch(run: &mut Run) -> Recording {
    let kept = Recording::default();
    run.world.capture_hosts(PACKETS, Box::new(kept.clone()));
    kept
}

/// Adds the part of the trace around the first retransmitted chunk, if there is one.
pub(super) fn add(mut measured: Measured, kept: &Recording) -> Measured {
    measured
        .series
        .extend(around_the_first(&events(&kept.bytes())));
    measured
}

/// The events of a capture, in order of time.
fn events(capture: &[u8]) -> Vec<Event> {
    let mut events = Vec::new();
    for (at, packet) in packets(capture) {
        let sctp = packet.get(IP..).map(Packet::parse);
        let Some(Ok(packet)) = sctp else {
            continue;
        };
        let time = at.as_secs_f64();
        let event = |tsn: Tsn, said| Event {
            time,
            tsn: tsn.0,
            said,
        };
        for chunk in packet.chunks().flatten() {
            match chunk {
                Chunk::Data(data) => events.push(event(data.tsn, Said::Sent)),
                Chunk::CheckedData(checked) => events.push(event(checked.data.tsn, Said::Sent)),
                Chunk::Corruption(report) => {
                    let told = report.events.into_iter();
                    events.extend(told.map(|one| event(one.tsn, Said::Damaged)));
                }
                _ => {}
            }
        }
    }
    events
}

/// The series, with times in milliseconds since the retransmitted chunk was first sent, and TSNs
/// relative to it.
fn around_the_first(events: &[Event]) -> Vec<Series> {
    let sent: Vec<Event> = events.iter().copied().filter(Event::is_sent).collect();
    let Some(place) = first_repeated(&sent) else {
        return Vec::new();
    };
    let zero = sent[place];
    let shown = &sent[place.saturating_sub(BEFORE)..];
    let shown = &shown[..shown.len().min(SHOWN)];
    let (begin, end) = (shown[0].time, shown[shown.len() - 1].time);
    let (mut seen, mut told) = (BTreeSet::new(), BTreeSet::new());
    let (mut fresh, mut again, mut reported) = (Vec::new(), Vec::new(), Vec::new());
    for event in events {
        let is_shown = (begin..=end).contains(&event.time);
        let points = match event.said {
            Said::Sent if seen.insert(event.tsn) => &mut fresh,
            Said::Sent => &mut again,
            // Each SACK repeats the reports; only the first one counts.
            Said::Damaged if told.insert(event.tsn) => &mut reported,
            Said::Damaged => continue,
        };
        if is_shown {
            let after = event.tsn.wrapping_sub(zero.tsn).cast_signed();
            points.push(((event.time - zero.time) * 1000.0, f64::from(after)));
        }
    }
    let all = [(SENT, fresh), (AGAIN, again), (REPORTED, reported)];
    let all = all.map(|(name, points)| Series {
        name: name.to_owned(),
        points,
    });
    let some = all.into_iter().filter(|series| !series.points.is_empty());
    some.collect()
}

/// Index of the first transmission of the first chunk that is retransmitted.
fn first_repeated(sent: &[Event]) -> Option<usize> {
    let mut firsts: BTreeMap<u32, usize> = BTreeMap::new();
    let mut all = sent.iter().enumerate();
    all.find_map(|(place, event)| firsts.insert(event.tsn, place))
}

#[cfg(test)]
mod tests;
