use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::part::Part;
use super::scan::IsWanted;
use crate::{Record, Run, parallel};

/// Most row groups decoded in advance, in addition to two per processor.
const AHEAD: usize = 4;

/// Decodes row groups in advance, on several threads, in the order of the parts. A group that is
/// needed earlier is decoded by the thread that needs it.
pub(super) struct Decoder(Arc<Shared>);

struct Shared {
    groups: Vec<Group>,
    is_wanted: Box<dyn Fn(&Run) -> bool + Send + Sync>,
    most_ahead: usize,
    state: Mutex<State>,
    changed: Condvar,
}

/// A row group of a part.
struct Group {
    part: Arc<Part>,
    number: usize,
}

struct State {
    slots: Vec<Slot>,
    /// Lower bound on the index of the first group that is waiting.
    next: usize,
    /// Number of groups that threads are decoding, or have decoded but nobody has taken.
    ahead: usize,
    is_over: bool,
}

enum Slot {
    Waiting,
    Decoding,
    Ready(io::Result<Vec<Record>>),
    Taken,
}

impl Decoder {
    /// Creates a decoder for the parts, limited to the records of wanted runs.
    pub(super) fn new(parts: impl Iterator<Item = Arc<Part>>, is_wanted: impl IsWanted) -> Self {
        let groups = parts.flat_map(|part| {
            let numbers = 0..part.groups;
            numbers.map(move |number| Group {
                part: Arc::clone(&part),
                number,
            })
        });
        let groups: Vec<Group> = groups.collect();
        let threads = parallel::processors().get().min(groups.len());
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                slots: groups.iter().map(|_| Slot::Waiting).collect(),
                next: 0,
                ahead: 0,
                is_over: false,
            }),
            groups,
            is_wanted: Box::new(is_wanted),
            most_ahead: AHEAD + 2 * threads,
            changed: Condvar::new(),
        });
        for _ in 0..threads {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.decode_ahead());
        }
        Self(shared)
    }

    /// The records of a row group, by its index among the groups of all parts. Each can be taken
    /// once.
    pub(super) fn take(&self, place: usize) -> io::Result<Vec<Record>> {
        self.0.take(place)
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        self.0.state().is_over = true;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let woken = self.changed.wait(state);
        woken.unwrap_or_else(PoisonError::into_inner)
    }

    fn decode_ahead(&self) {
        while let Some(place) = self.begin_next() {
            let records = self.decode(place);
            self.state().slots[place] = Slot::Ready(records);
            self.changed.notify_all();
        }
    }

    /// Waits until a group may be decoded; returns its index, or `None` at the end.
    fn begin_next(&self) -> Option<usize> {
        let mut state = self.state();
        loop {
            while !matches!(state.slots.get(state.next), Some(Slot::Waiting) | None) {
                state.next += 1;
            }
            if state.is_over || state.next == state.slots.len() {
                return None;
            }
            if state.ahead < self.most_ahead {
                let place = state.next;
                state.slots[place] = Slot::Decoding;
                state.ahead += 1;
                return Some(place);
            }
            state = self.wait(state);
        }
    }

    fn take(&self, place: usize) -> io::Result<Vec<Record>> {
        let mut state = self.state();
        while matches!(state.slots[place], Slot::Decoding) {
            state = self.wait(state);
        }
        match core::mem::replace(&mut state.slots[place], Slot::Taken) {
            Slot::Ready(records) => {
                state.ahead -= 1;
                drop(state);
                self.changed.notify_all();
                records
            }
            _ => {
                drop(state);
                self.decode(place)
            }
        }
    }

    fn decode(&self, place: usize) -> io::Result<Vec<Record>> {
        let Group { part, number } = &self.groups[place];
        let mut records = part.group(*number)?;
        records.retain(|record| (self.is_wanted)(&record.run));
        Ok(records)
    }
}

#[cfg(test)]
mod tests;
