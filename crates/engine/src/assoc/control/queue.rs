use alloc::collections::VecDeque;
use core::net::IpAddr;

use super::Control;
use crate::on_demand::{Element, Queue};
use crate::value::ids::PathIndex;

/// Control chunks that wait to be sent at most: a peer that asks for more gets no answer to the
/// rest (A7-A9).
const MAX_WAITING: usize = 64;

/// A chunk that waits, and its path.
#[derive(Clone, Debug)]
pub(in crate::assoc) struct Waiting {
    path: PathIndex,
    /// The address of ours that it leaves from, if that is not the path's own.
    source: Option<IpAddr>,
    control: Control,
}

/// Control chunks that wait to be sent, each on its path, in the order in which they were asked for.
///
/// Seldom are there any, and then for a moment: an empty queue holds no memory.
#[derive(Clone, Debug)]
pub(in crate::assoc) struct ControlQueue(Queue<Waiting>);

impl Element for Waiting {
    const NONE: &'static VecDeque<Self> = &VecDeque::new();
}

impl ControlQueue {
    pub(in crate::assoc) const EMPTY: Self = Self(Queue::NONE);

    #[inline]
    pub(in crate::assoc) const fn is_empty(&self) -> bool {
        !self.0.exists()
    }

    #[inline]
    pub(in crate::assoc) fn len(&self) -> usize {
        self.0.len()
    }

    /// The chunk that is next, and its path.
    #[inline]
    pub(in crate::assoc) fn front(&self) -> Option<(PathIndex, &Control)> {
        let front = self.0.front();
        front.map(|waiting| (waiting.path, &waiting.control))
    }

    /// The address of ours that the next chunk leaves from, if that is not its path's own.
    pub(in crate::assoc) fn front_source(&self) -> Option<IpAddr> {
        self.0.front()?.source
    }

    /// The chunk that is next, if it leaves on that path.
    #[inline]
    pub(in crate::assoc) fn front_on(&self, path: PathIndex) -> Option<&Control> {
        let front = self.front().filter(|(to, _)| *to == path);
        front.map(|(_, control)| control)
    }

    /// Adds a chunk behind the others, unless the same one waits already for that path, or too many
    /// wait.
    pub(in crate::assoc) fn push(
        &mut self,
        (path, source): (PathIndex, Option<IpAddr>),
        control: Control,
    ) {
        if self.len() < MAX_WAITING && !self.holds(path, &control) {
            self.0.push_back(Waiting {
                path,
                source,
                control,
            });
        }
    }

    /// Puts a chunk before the others, however many wait.
    pub(in crate::assoc) fn push_front(&mut self, path: PathIndex, control: Control) {
        self.0.push_front(Waiting {
            path,
            source: None,
            control,
        });
    }

    /// Moves a chunk before the others if it waits.
    pub(in crate::assoc) fn hasten(&mut self, path: PathIndex, control: Control) {
        if self.holds(path, &control) {
            self.withdraw(path, &control);
            self.push_front(path, control);
        }
    }

    /// Takes out the chunk that was next.
    pub(in crate::assoc) fn pop(&mut self) {
        if !self.is_empty() {
            self.0.pop_front();
            self.0.trim();
        }
    }

    /// Drops a chunk on whichever paths it waits for.
    pub(in crate::assoc) fn unqueue(&mut self, control: &Control) {
        self.retain(|_, waiting| waiting != control);
    }

    /// Drops a chunk that waits for a path.
    pub(in crate::assoc) fn withdraw(&mut self, path: PathIndex, control: &Control) {
        self.retain(|to, waiting| to != path || waiting != control);
    }

    /// Drops what waits for a path.
    pub(in crate::assoc) fn leave_path(&mut self, path: PathIndex) {
        self.retain(|to, _| to != path);
    }

    /// Drops ASCONF chunks.
    pub(in crate::assoc) fn forget_asconf(&mut self) {
        self.retain(|_, waiting| !matches!(waiting, Control::Asconf(_)));
    }

    /// Drops everything.
    pub(in crate::assoc) fn clear(&mut self) {
        self.0.release();
    }

    /// Bytes on the heap, those that entries point to not counted.
    pub(in crate::assoc) fn footprint(&self) -> usize {
        self.0.room()
    }

    fn holds(&self, path: PathIndex, control: &Control) -> bool {
        let mut all = self.0.iter();
        all.any(|waiting| waiting.path == path && waiting.control == *control)
    }

    fn retain(&mut self, keeps: impl Fn(PathIndex, &Control) -> bool) {
        if !self.is_empty() {
            self.0
                .retain(|waiting| keeps(waiting.path, &waiting.control));
            self.0.trim();
        }
    }
}

#[cfg(test)]
mod tests;
