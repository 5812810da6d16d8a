use alloc::collections::{BTreeMap, BTreeSet};
use core::fmt;
use core::net::IpAddr;

use hashbrown::HashMap;

/// Our port, and the peer's port and address.
pub(super) type Place = (u16, u16, IpAddr);

/// Associations by ports and peer address; those that share a key have different local addresses.
#[derive(Clone, Default)]
pub(super) struct Peers {
    first: HashMap<Place, u32>,
    others: BTreeMap<Place, BTreeSet<u32>>,
}

impl Peers {
    pub(super) fn join(&mut self, place: Place, index: u32) {
        if *self.first.entry(place).or_insert(index) != index {
            self.others.entry(place).or_default().insert(index);
        }
    }

    /// Removes an association from a key; another one takes its place as the first.
    pub(super) fn leave(&mut self, place: Place, index: u32) {
        let is_first = self.first.get(&place) == Some(&index);
        let Some(others) = self.others.get_mut(&place) else {
            if is_first {
                self.first.remove(&place);
            }
            return;
        };
        if !is_first {
            others.remove(&index);
        } else if let Some(next) = others.pop_first() {
            self.first.insert(place, next);
        }
        if others.is_empty() {
            self.others.remove(&place);
        }
    }

    /// The associations with that key.
    pub(super) fn of(&self, place: Place) -> impl Iterator<Item = u32> + '_ {
        let first = self.first.get(&place);
        let others = first.and_then(|_| self.others.get(&place));
        first
            .into_iter()
            .chain(others.into_iter().flatten())
            .copied()
    }
}

/// The table ordered by key, so that equal tables print equally.
impl fmt::Debug for Peers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first: BTreeMap<_, _> = self.first.iter().collect();
        f.debug_struct("Peers")
            .field("first", &first)
            .field("others", &self.others)
            .finish()
    }
}
