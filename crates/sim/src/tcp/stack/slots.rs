use std::collections::VecDeque;

use super::ConnectionId;
use super::slot::Slot;

/// The connections of a stack, indexed by their ascending ids.
#[derive(Debug)]
pub(super) struct Slots {
    /// Connections from id `first` on; `None` for removed ones.
    slots: VecDeque<Option<Box<Slot>>>,
    first: u64,
    len: usize,
}

impl Slots {
    pub(super) const fn new() -> Self {
        Self {
            slots: VecDeque::new(),
            first: 0,
            len: 0,
        }
    }

    /// Number of connections.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) fn add(&mut self, slot: Slot) -> ConnectionId {
        let id = ConnectionId(self.first + self.slots.len() as u64);
        self.slots.push_back(Some(Box::new(slot)));
        self.len += 1;
        id
    }

    pub(super) fn get(&self, id: ConnectionId) -> Option<&Slot> {
        self.slots.get(self.place(id))?.as_deref()
    }

    pub(super) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Slot> {
        let place = self.place(id);
        self.slots.get_mut(place)?.as_deref_mut()
    }

    pub(super) fn remove(&mut self, id: ConnectionId) {
        let place = self.place(id);
        if let Some(slot) = self.slots.get_mut(place)
            && slot.take().is_some()
        {
            self.len -= 1;
        }
        while let Some(None) = self.slots.front() {
            self.slots.pop_front();
            self.first += 1;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter_map(Option::as_deref)
    }

    /// Index of an id; out of range for connections removed long ago.
    fn place(&self, ConnectionId(id): ConnectionId) -> usize {
        usize::try_from(id.wrapping_sub(self.first)).unwrap_or(usize::MAX)
    }
}
