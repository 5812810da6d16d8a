use alloc::vec::Vec;

use sheave_wire::{CorruptionEvent, List, Tsn};

use crate::Time;

/// Most events remembered; further damaged chunks are repaired like lost ones.
const MAX_EVENTS: usize = 64;

/// Chunks whose header arrived intact but whose payload may not have, until they arrive: each SACK
/// repeats them, so that a lost SACK does no harm ("chunk checksum").
#[derive(Clone, Debug, Default)]
pub(crate) struct Damage {
    events: Vec<CorruptionEvent>,
    found: u64,
}

impl Damage {
    /// A chunk arrived damaged, perhaps again.
    pub(crate) fn on_damaged(&mut self, now: Time, tsn: Tsn) {
        self.found += 1;
        let found_at = micros(now);
        let place = self.events.iter().position(|event| event.tsn == tsn);
        match place.and_then(|place| self.events.get_mut(place)) {
            Some(event) => event.found_at = found_at,
            None => self.remember(CorruptionEvent { tsn, found_at }),
        }
    }

    fn remember(&mut self, event: CorruptionEvent) {
        if self.events.len() < MAX_EVENTS {
            self.events.push(event);
        }
    }

    /// The damage still to be reported, at most `max` events; `has_arrived` says which chunks
    /// arrived since.
    pub(crate) fn report(
        &mut self,
        max: usize,
        has_arrived: impl Fn(Tsn) -> bool,
    ) -> List<'_, CorruptionEvent> {
        self.events.retain(|event| !has_arrived(event.tsn));
        List::from(self.events.get(..max).unwrap_or(&self.events))
    }

    /// Number of damaged chunks so far.
    pub(crate) const fn found(&self) -> u64 {
        self.found
    }
}

/// The low 32 bits of the time in microseconds.
fn micros(now: Time) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the time of an event is defined modulo 2^32"
    )]
    let micros = (now.as_nanos() / 1000) as u32;
    micros
}

#[cfg(test)]
mod tests;
