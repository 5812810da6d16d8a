use alloc::collections::VecDeque;
use core::net::IpAddr;

use super::Control;
use crate::on_demand::{Element, Queue};
use crate::value::ids::PathIndex;

/// Most queued control chunks; further answers that a peer causes are dropped (A7-A9).
const MAX_WAITING: usize = 64;

/// A queued chunk and its path.
#[derive(Clone, Debug)]
pub(in crate::assoc) struct Waiting {
    path: PathIndex,
    /// The local address to send from, if it differs from the path's own.
    source: Option<IpAddr>,
    control: Control,
}

/// Control chunks waiting to be sent, each for a path, in order.
///
/// The queue is usually empty, and then holds no memory.
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

    /// The next chunk and its path.
    #[inline]
    pub(in crate::assoc) fn front(&self) -> Option<(PathIndex, &Control)> {
        let front = self.0.front();
        front.map(|waiting| (waiting.path, &waiting.control))
    }

    /// The local address for the next chunk, if it differs from its path's own.
    pub(in crate::assoc) fn front_source(&self) -> Option<IpAddr> {
        self.0.front()?.source
    }

    /// The next chunk, if it leaves on the path.
    #[inline]
    pub(in crate::assoc) fn front_on(&self, path: PathIndex) -> Option<&Control> {
        let front = self.front().filter(|(to, _)| *to == path);
        front.map(|(_, control)| control)
    }

    /// Appends a chunk, unless the path already has the same one queued or the queue is full.
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

    /// Prepends a chunk, even if the queue is full.
    pub(in crate::assoc) fn push_front(&mut self, path: PathIndex, control: Control) {
        self.0.push_front(Waiting {
            path,
            source: None,
            control,
        });
    }

    /// Moves a queued chunk to the front.
    pub(in crate::assoc) fn hasten(&mut self, path: PathIndex, control: Control) {
        if self.holds(path, &control) {
            self.withdraw(path, &control);
            self.push_front(path, control);
        }
    }

    /// Removes the next chunk.
    pub(in crate::assoc) fn pop(&mut self) {
        if !self.is_empty() {
            self.0.pop_front();
            self.0.trim();
        }
    }

    /// Removes a chunk from the queue for all paths.
    pub(in crate::assoc) fn unqueue(&mut self, control: &Control) {
        self.retain(|_, waiting| waiting != control);
    }

    /// Removes a chunk queued for a path.
    pub(in crate::assoc) fn withdraw(&mut self, path: PathIndex, control: &Control) {
        self.retain(|to, waiting| to != path || waiting != control);
    }

    /// Removes all chunks queued for a path.
    pub(in crate::assoc) fn leave_path(&mut self, path: PathIndex) {
        self.retain(|to, _| to != path);
    }

    /// Removes ASCONF chunks.
    pub(in crate::assoc) fn forget_asconf(&mut self) {
        self.retain(|_, waiting| !matches!(waiting, Control::Asconf(_)));
    }

    /// Removes all chunks.
    pub(in crate::assoc) fn clear(&mut self) {
        self.0.release();
    }

    /// Bytes on the heap, excluding memory that entries point to.
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
