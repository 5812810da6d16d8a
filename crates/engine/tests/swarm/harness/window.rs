//! Flow-control oracle: no new data beyond the peer's window, except a probe (RFC 9260 §6.1 A).

use std::collections::BTreeMap;
use std::mem;

use sheave_engine::wire::{Chunk, GapBlock, List, Packet, Tsn};

use super::fault::{Verdict, ensure};
use super::plan::End;

/// A direction of an association.
#[derive(Debug)]
struct Direction {
    tag: u32,
    /// Unacknowledged bytes, by TSN.
    outstanding: BTreeMap<u32, usize>,
    bytes: usize,
    /// First and last TSN sent.
    sent: Option<(u32, u32)>,
    cumulative: Option<u32>,
    /// Largest window advertised with the current cumulative TSN.
    window: usize,
    /// Window at the start.
    initial: usize,
}

#[derive(Default)]
pub(crate) struct Windows {
    directions: [Option<Direction>; 2],
    /// Largest window advertised to each end before its first DATA; a grown buffer is advertised at
    /// once.
    early: [usize; 2],
    /// First TSNs that each end offered to callers.
    offered: [Vec<u32>; 2],
    /// Disables the check after a TSN reset or abandoned messages.
    pub(crate) suspended: [bool; 2],
}

fn is_after(a: u32, b: u32) -> bool {
    a != b && a.wrapping_sub(b) < 1 << 31
}

impl Windows {
    /// Records the peer's tag and initial window, as announced to `end`.
    pub(crate) fn on_peer(&mut self, end: End, tag: u32, window: u32) {
        let slot = &mut self.directions[end.index()];
        if slot.as_ref().is_none_or(|old| old.tag != tag) {
            let early = mem::take(&mut self.early[end.index()]);
            *slot = Some(Direction::new(tag, early.max(window as usize)));
        }
    }

    /// Records an INIT ACK of `end`.
    pub(crate) fn on_offer(&mut self, end: End, first: Tsn) {
        self.offered[end.index()].push(first.0);
    }

    /// Moves the TSNs of `end`, at rest, by that many.
    pub(crate) fn renumber(&mut self, end: End, by: u32) {
        if let Some(direction) = &mut self.directions[end.index()] {
            let move_on = |tsn: u32| tsn.wrapping_add(by);
            direction.outstanding.clear();
            direction.bytes = 0;
            direction.sent = direction.sent.map(|(a, z)| (move_on(a), move_on(z)));
            direction.cumulative = direction.cumulative.map(move_on);
        }
    }

    /// Resets the state of `end`, which restarted with new TSNs.
    pub(crate) fn forget(&mut self, end: End) {
        self.directions[end.index()] = None;
    }

    /// Records that `end` aborted its association with the peer of that tag. A peer still in the
    /// handshake keeps its tag and uses it for the next association.
    pub(crate) fn on_abort(&mut self, end: End, tag: u32) {
        let slot = &mut self.directions[end.index()];
        if slot.as_ref().is_some_and(|direction| direction.tag == tag) {
            *slot = None;
        }
    }

    pub(crate) fn on_sent(&mut self, end: End, tag: u32, tsn: Tsn, len: usize) -> Verdict {
        if self.suspended[end.index()] {
            return Ok(());
        }
        let Some(direction) = &mut self.directions[end.index()] else {
            return Ok(());
        };
        // A caller whose cookie went stale keeps its tag; the end answers with other TSNs and a new start.
        let is_offered = self.offered[end.index()].contains(&tsn.0);
        if is_offered && direction.sent.is_some_and(|(first, _)| first != tsn.0) {
            *direction = Direction::new(direction.tag, direction.initial);
        }
        let new = (direction.sent).is_none_or(|(_, last)| is_after(tsn.0, last));
        if direction.tag != tag || !new {
            return Ok(());
        }
        let (bytes, window) = (direction.bytes, direction.window);
        ensure(bytes == 0 || bytes + len <= window, "window", || {
            format!(
                "TSN {} of {len} bytes on top of {bytes}, {window} allowed",
                tsn.0
            )
        })?;
        let first = direction.sent.map_or(tsn.0, |(first, _)| first);
        direction.sent = Some((first, tsn.0));
        direction.outstanding.insert(tsn.0, len);
        direction.bytes += len;
        Ok(())
    }

    /// Handles an intact packet delivered to `end`.
    pub(crate) fn on_delivered(&mut self, end: End, bytes: &[u8]) {
        let direction = &mut self.directions[end.index()];
        let early = &mut self.early[end.index()];
        let Ok(packet) = Packet::parse(bytes) else {
            return;
        };
        let mut on_sack = |cumulative: Tsn, a_rwnd: Option<u32>, gaps: &[List<'_, GapBlock>]| {
            let ours = (direction.as_mut()).filter(|direction| direction.has_sent(cumulative));
            match ours {
                Some(direction) => direction.on_sack(cumulative, a_rwnd, gaps),
                None => *early = (*early).max(a_rwnd.unwrap_or(0) as usize),
            }
        };
        for chunk in packet.chunks().flatten() {
            match chunk {
                Chunk::Sack(sack) => {
                    on_sack(
                        sack.cumulative_tsn_ack,
                        Some(sack.a_rwnd),
                        &[sack.gap_blocks],
                    );
                }
                Chunk::Shutdown(shutdown) => on_sack(shutdown.cumulative_tsn_ack, None, &[]),
                Chunk::NrSack(sack) => {
                    let gaps = [sack.gap_blocks, sack.nr_gap_blocks];
                    on_sack(sack.cumulative_tsn_ack, Some(sack.a_rwnd), &gaps);
                }
                _ => {}
            }
        }
    }
}

impl Direction {
    fn new(tag: u32, window: usize) -> Self {
        Self {
            tag,
            outstanding: BTreeMap::new(),
            bytes: 0,
            sent: None,
            cumulative: None,
            window,
            initial: window,
        }
    }

    /// Whether a SACK acknowledges data of the current life; a late one may be for data sent before
    /// a restart.
    fn has_sent(&self, cumulative: Tsn) -> bool {
        self.sent.is_some_and(|(first, last)| {
            cumulative.0.wrapping_sub(first.wrapping_sub(1)) <= last.wrapping_sub(first) + 1
        })
    }

    fn on_sack(&mut self, cumulative: Tsn, a_rwnd: Option<u32>, gaps: &[List<'_, GapBlock>]) {
        let cumulative = cumulative.0;
        if self
            .cumulative
            .is_some_and(|last| is_after(last, cumulative))
        {
            return;
        }
        let window = a_rwnd.map_or(self.window, |a_rwnd| a_rwnd as usize);
        if self.cumulative == Some(cumulative) {
            self.window = self.window.max(window);
        } else {
            self.window = window;
        }
        self.cumulative = Some(cumulative);
        let bytes = &mut self.bytes;
        self.outstanding.retain(|tsn, len| {
            let acked = !is_after(*tsn, cumulative)
                || gaps.iter().flatten().any(|gap| {
                    let offset = tsn.wrapping_sub(cumulative);
                    (u32::from(gap.start)..=u32::from(gap.end)).contains(&offset)
                });
            if acked {
                *bytes -= *len;
            }
            !acked
        });
    }
}
