//! Wrap of TSNs, SSNs and MIDs: both ends are handed over at rest, with all numbers moved to just
//! before they wrap. The bytes of a handover have a documented format (docs/handover.md).

use core::time::Duration;

use sheave_engine::{ExplicitCongestion, ExportError};

use super::fault::{Verdict, fault};
use super::host::Host;
use super::plan::End;
use super::world::World;

/// Time that the ends have to come to rest.
const PATIENCE: Duration = Duration::from_secs(2);
/// Streams whose numbers move.
const STREAMS: u16 = 8;
/// The bit of I-DATA among the extensions.
const I_DATA: u32 = 1 << 16;

/// Offsets of fields in an exported association, bytes.
mod at {
    pub(super) const EXTENSIONS: usize = 17;
    pub(super) const NEXT_TSN: usize = 25;
    pub(super) const OUTBOUND_STREAMS: usize = 29;
    pub(super) const NUMBERS: usize = 39;
}

/// The numbers that are next after the move.
#[derive(Clone, Copy)]
struct Next {
    tsn: u32,
    /// SSN or MID.
    number: u32,
}

impl World<'_> {
    /// Moves the numbers of both directions to `before` TSNs and a few messages before they wrap, as
    /// soon as both ends are at rest.
    pub(crate) fn wrap(&mut self, before: u32) -> Verdict {
        let until = self.now + PATIENCE;
        while !self.may_wrap() {
            if !self.step(until)? {
                return Ok(());
            }
        }
        let ids = self.hosts.each_ref().map(|host| host.current);
        let [Some(a), Some(z)] = ids else {
            return Ok(());
        };
        let at_rest = |error: ExportError| fault("wrap", format!("at rest: {error}"));
        let exported = [
            self.export(End::A, a).map_err(at_rest)?,
            self.export(End::Z, z).map_err(at_rest)?,
        ];
        let [a, z] = exported.each_ref().map(|bytes| tsns(bytes));
        // Packets on their way have the numbers of before.
        self.net.lose_all();
        let agree = a.0 == z.1.wrapping_add(1) && z.0 == a.1.wrapping_add(1);
        for end in End::BOTH {
            let bytes = &exported[end.index()];
            let next_tsn = before.wrapping_neg();
            if agree {
                let moved = next_tsn.wrapping_sub(tsns(bytes).0);
                self.windows.renumber(end, moved);
                self.import(end, &renumbered(bytes, next_tsn, before % 5 + 1));
            } else {
                self.import(end, bytes);
            }
        }
        self.pump_both()
    }

    /// Whether both ends are at rest, and no ECN echo names a TSN.
    fn may_wrap(&mut self) -> bool {
        let marks = |host: &Host| host.options.ecn == ExplicitCongestion::On;
        !self.hosts.iter().any(marks) && End::BOTH.into_iter().all(|end| self.may_move(end))
    }
}

/// The next TSN and the cumulative TSN received.
fn tsns(bytes: &[u8]) -> (u32, u32) {
    let mut at = at::NUMBERS;
    let _ordered = numbers(bytes, &mut at);
    let _unordered = numbers(bytes, &mut at);
    (u32_at(bytes, at::NEXT_TSN), u32_at(bytes, at))
}

/// An exported association with other numbers in both directions.
fn renumbered(bytes: &[u8], next_tsn: u32, messages: u32) -> Vec<u8> {
    let interleaved = u32_at(bytes, at::EXTENSIONS) & I_DATA != 0;
    let next = Next {
        tsn: next_tsn,
        number: match interleaved {
            true => messages.wrapping_neg(),
            false => u32::from(u16::MAX) + 1 - messages,
        },
    };
    let mut at = at::NUMBERS;
    let ordered = numbers(bytes, &mut at);
    let unordered = numbers(bytes, &mut at);
    let streams = u16_at(bytes, at::OUTBOUND_STREAMS);
    let mut moved = bytes[..at::NEXT_TSN].to_vec();
    moved.extend(next.tsn.to_be_bytes());
    moved.extend(&bytes[at::OUTBOUND_STREAMS..at::NUMBERS]);
    next.put_numbers(&mut moved, &ordered, streams);
    match interleaved {
        true => next.put_numbers(&mut moved, &unordered, streams),
        false => moved.extend(0_u16.to_be_bytes()),
    }
    moved.extend(next.tsn.wrapping_sub(1).to_be_bytes());
    let streams = u16_at(bytes, at + 4);
    moved.extend(streams.to_be_bytes());
    at += 6;
    let expected = numbers(bytes, &mut at);
    next.put_numbers(&mut moved, &expected, streams);
    moved.extend(&bytes[at..]);
    moved
}

impl Next {
    /// Writes the numbers of all streams.
    fn put_numbers(self, out: &mut Vec<u8>, before: &[(u16, u32)], streams: u16) {
        let moved = (0..streams.min(STREAMS)).map(|stream| (stream, self.number));
        let others = before.iter().filter(|(stream, _)| *stream >= STREAMS);
        let all: Vec<(u16, u32)> = moved.chain(others.copied()).collect();
        out.extend((all.len() as u16).to_be_bytes());
        for (stream, number) in all {
            out.extend(stream.to_be_bytes());
            out.extend(number.to_be_bytes());
        }
    }
}

/// The numbers at that offset, which moves behind them.
fn numbers(bytes: &[u8], at: &mut usize) -> Vec<(u16, u32)> {
    let count = usize::from(u16_at(bytes, *at));
    let first = *at + 2;
    *at = first + 6 * count;
    let entries = bytes[first..*at].chunks_exact(6);
    let entries = entries.map(|entry| (u16_at(entry, 0), u32_at(entry, 2)));
    entries.collect()
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
