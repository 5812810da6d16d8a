use std::collections::VecDeque;

use super::ConnectionId;
use super::slot::Slot;

/// The connections of a stack, by their ids, which count up.
#[derive(Debug)]
pub(super) struct Slots {
    /// Those from the id `first` on; `None` for one that is gone.
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

    /// Connections in it.
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

    /// The place of an id; one that is gone for long has none.
    fn place(&self, ConnectionId(id): ConnectionId) -> usize {
        usize::try_from(id.wrapping_sub(self.first)).unwrap_or(usize::MAX)
    }
}
