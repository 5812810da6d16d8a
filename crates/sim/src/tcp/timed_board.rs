use core::time::Duration;
use std::collections::{BTreeSet, VecDeque};

use sheave_engine::Time;

use super::range_set::{Range, RangeSet};

/// Segments above a hole that make reordering unlikely (DupThresh of RFC 8985 §6.2, step 4).
const DUP_THRESH: usize = 3;
/// Minimum time before a transmission can be judged lost.
const LEAST_AGE: Duration = Duration::from_micros(1);

/// The sender's record of segments in flight and their transmission times (RACK, RFC 8985 §6).
///
/// Records whole segments, since a peer acknowledges whole segments.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimedBoard {
    /// Segments not cumulatively acknowledged, by position.
    segments: VecDeque<Flown>,
    /// Transmissions in order of time. Entries of segments that were retransmitted later, or are no
    /// longer in flight, are skipped.
    departures: VecDeque<Departure>,
    /// SACKed positions.
    sacked: RangeSet,
    /// Number of SACKed segments.
    sacked_segments: usize,
    /// First positions of lost segments not retransmitted yet.
    lost: BTreeSet<u64>,
    /// Bytes in flight.
    in_flight: u64,
    /// Transmission time and end of the most recently sent segment that was delivered
    /// (RACK.xmit_ts, RACK.end_seq).
    newest: Option<(Time, u64)>,
    /// The round trip of that segment (RACK.rtt).
    rtt: Duration,
    /// The shortest round trip.
    least: Option<Duration>,
    /// The highest end delivered (RACK.fack).
    highest: u64,
    reordering: Reordering,
    /// When the oldest undecided segment will count as lost.
    doubt: Option<Time>,
}

/// A segment in flight, with its transmission time.
#[derive(Clone, Copy, Debug)]
struct Flown {
    range: Range,
    at: Time,
    transmissions: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InFlight,
    Sacked,
    Lost,
}

#[derive(Clone, Copy, Debug)]
struct Departure {
    at: Time,
    end: u64,
}

/// Whether reordering was observed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reordering {
    #[default]
    Unseen,
    Seen,
}

/// Whether a recovery is in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    None,
    UnderWay,
}

impl TimedBoard {
    /// Records the first transmission of a segment.
    pub(crate) fn on_sent(&mut self, now: Time, range: Range) {
        self.segments.push_back(Flown {
            range,
            at: now,
            transmissions: 1,
            state: State::InFlight,
        });
        self.in_flight += range.len();
        self.departures.push_back(Departure {
            at: now,
            end: range.end,
        });
    }

    /// Records the retransmission of a range.
    pub(crate) fn on_retransmit(&mut self, now: Time, range: Range) {
        self.split(range.start);
        self.split(range.end);
        let first = self.index(range.start);
        for segment in self.segments.range_mut(first..) {
            if segment.range.start >= range.end {
                break;
            }
            match segment.state {
                State::Sacked => continue,
                State::InFlight => {}
                State::Lost => {
                    self.lost.remove(&segment.range.start);
                    self.in_flight += segment.range.len();
                }
            }
            segment.state = State::InFlight;
            segment.at = now;
            segment.transmissions += 1;
            self.departures.push_back(Departure {
                at: now,
                end: segment.range.end,
            });
        }
    }

    /// Index of the segment that contains a position.
    fn index(&self, position: u64) -> usize {
        self.segments
            .partition_point(|segment| segment.range.end <= position)
    }

    /// Splits the segment that contains a position, if any.
    fn split(&mut self, position: u64) {
        let index = self.index(position);
        let Some(segment) = self.segments.get_mut(index) else {
            return;
        };
        if segment.range.start >= position {
            return;
        }
        let mut rest = *segment;
        segment.range.end = position;
        rest.range.start = position;
        let front = *segment;
        match front.state {
            State::InFlight => self.departures.push_back(Departure {
                at: front.at,
                end: position,
            }),
            State::Lost => {
                self.lost.insert(position);
            }
            State::Sacked => self.sacked_segments += 1,
        }
        self.segments.insert(index + 1, rest);
    }

    /// Handles a SACK block; returns how many of its bytes are new.
    pub(crate) fn report(&mut self, now: Time, block: Range) -> u64 {
        let mut position = self.sacked.gap_from(block.start);
        while position < block.end {
            let mut index = self.index(position);
            while let Some(segment) = self.segments.get(index).copied() {
                if segment.range.end > block.end || segment.state == State::Sacked {
                    break;
                }
                if segment.range.start >= block.start {
                    self.settle(now, &segment);
                    self.sacked_segments += 1;
                    if let Some(segment) = self.segments.get_mut(index) {
                        segment.state = State::Sacked;
                    }
                }
                index += 1;
            }
            let known = self.sacked.first_from(position);
            position = known.map_or(block.end, |known| known.end);
        }
        self.sacked.insert(block)
    }

    /// Handles acknowledgement of everything below `una`.
    pub(crate) fn advance(&mut self, now: Time, una: u64) {
        self.sacked.trim_below(una);
        self.split(una);
        while let Some(front) = self.segments.front().copied() {
            if front.range.end > una {
                break;
            }
            self.segments.pop_front();
            if front.state == State::Sacked {
                self.sacked_segments -= 1;
            } else {
                self.settle(now, &front);
            }
        }
    }

    /// Handles delivery of a segment: RFC 8985 §6.2, steps 1 to 3.
    fn settle(&mut self, now: Time, segment: &Flown) {
        match segment.state {
            State::InFlight => self.in_flight -= segment.range.len(),
            State::Lost => {
                self.lost.remove(&segment.range.start);
            }
            State::Sacked => {}
        }
        let rtt = now.since(segment.at);
        if segment.transmissions == 1 {
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
            if segment.range.end < self.highest {
                self.reordering = Reordering::Seen;
            }
        } else if self.least.is_some_and(|least| rtt < least) {
            // The acknowledgement belongs to an earlier transmission.
            return;
        }
        self.highest = self.highest.max(segment.range.end);
        let left = (segment.at, segment.range.end);
        if self.newest.is_none_or(|newest| newest < left) {
            self.newest = Some(left);
            self.rtt = rtt;
        }
    }

    /// Marks segments as lost that were sent long enough before a delivered one: RFC 8985 §6.2,
    /// steps 4 and 5. Returns whether any lost segment awaits retransmission.
    pub(crate) fn find_losses(
        &mut self,
        now: Time,
        repair: Repair,
        srtt: Option<Duration>,
    ) -> bool {
        self.doubt = None;
        let patience = (self.rtt + self.reordering_window(repair, srtt)).max(LEAST_AGE);
        while let Some(departure) = self.departures.front().copied() {
            let index = self.index(departure.end - 1);
            let segment = self.segments.get_mut(index).filter(|segment| {
                segment.state == State::InFlight
                    && segment.at == departure.at
                    && segment.range.end == departure.end
            });
            let Some(segment) = segment else {
                self.departures.pop_front();
                continue;
            };
            let left = (departure.at, departure.end);
            if self.newest.is_none_or(|newest| newest <= left) {
                break;
            }
            let lost_at = departure.at + patience;
            if lost_at > now {
                self.doubt = Some(lost_at);
                break;
            }
            segment.state = State::Lost;
            self.in_flight -= segment.range.len();
            self.lost.insert(segment.range.start);
            self.departures.pop_front();
        }
        self.has_lost()
    }

    // RFC 8985 §6.2, step 4; without DSACK the multiplier stays 1.
    fn reordering_window(&self, repair: Repair, srtt: Option<Duration>) -> Duration {
        let certain = repair == Repair::UnderWay || self.sacked_segments >= DUP_THRESH;
        if self.reordering == Reordering::Unseen && certain {
            return Duration::ZERO;
        }
        let quarter = self.least.unwrap_or(self.rtt) / 4;
        srtt.map_or(quarter, |srtt| quarter.min(srtt))
    }

    /// Round trip of the most recently sent segment that was delivered.
    pub(crate) const fn rtt(&self) -> Duration {
        self.rtt
    }

    /// Whether any lost segment awaits retransmission.
    pub(crate) fn has_lost(&self) -> bool {
        !self.lost.is_empty()
    }

    /// Whether SACKs have reported anything beyond the cumulative acknowledgement.
    pub(crate) const fn has_sacked(&self) -> bool {
        self.sacked_segments > 0
    }

    /// When to look for losses even without an acknowledgement.
    pub(crate) const fn doubt(&self) -> Option<Time> {
        self.doubt
    }

    /// Estimate of bytes in the network.
    pub(crate) const fn pipe(&self) -> u64 {
        self.in_flight
    }

    /// Handles a timeout: everything not SACKed counts as lost.
    pub(crate) fn on_timeout(&mut self) {
        for segment in &mut self.segments {
            if segment.state == State::InFlight {
                segment.state = State::Lost;
                self.lost.insert(segment.range.start);
            }
        }
        self.in_flight = 0;
        self.departures.clear();
        self.doubt = None;
    }

    /// The first lost segment not retransmitted yet.
    pub(crate) fn next_lost(&self) -> Option<Range> {
        let start = *self.lost.first()?;
        let segment = self.segments.get(self.index(start))?;
        Some(segment.range)
    }

    /// The segment sent last.
    pub(crate) fn last(&self) -> Option<Range> {
        self.segments.back().map(|segment| segment.range)
    }
}

#[cfg(test)]
mod tests;
