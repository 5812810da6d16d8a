//! The associations of a stack, by the ids that programs know.

use std::collections::BTreeMap;

use sheave_engine::AssocId;

use crate::association::Association;
use crate::{AssocId32, Errno};

/// The first association id; smaller ids are reserved (RFC 6458 §7.2).
const FIRST: AssocId32 = 3;

#[derive(Debug)]
pub(crate) struct Associations {
    known: BTreeMap<AssocId32, Association>,
    numbers: BTreeMap<AssocId, AssocId32>,
    next: AssocId32,
}

impl Associations {
    pub(crate) const fn new() -> Self {
        Self {
            known: BTreeMap::new(),
            numbers: BTreeMap::new(),
            next: FIRST,
        }
    }

    pub(crate) fn admit(&mut self, association: Association) -> AssocId32 {
        let number = self.next;
        // Ids start again after 2^31 associations.
        self.next = number.checked_add(1).unwrap_or(FIRST);
        self.numbers.insert(association.engine, number);
        self.known.insert(number, association);
        number
    }

    pub(crate) fn remove(&mut self, number: AssocId32) -> Option<Association> {
        let association = self.known.remove(&number)?;
        self.numbers.remove(&association.engine);
        Some(association)
    }

    pub(crate) fn get(&self, number: AssocId32) -> Option<&Association> {
        self.known.get(&number)
    }

    pub(crate) fn get_mut(&mut self, number: AssocId32) -> Option<&mut Association> {
        self.known.get_mut(&number)
    }

    /// # Errors
    /// `EINVAL` if there is no such association.
    pub(crate) fn find(&self, number: AssocId32) -> Result<&Association, Errno> {
        self.get(number).ok_or(Errno::EINVAL)
    }

    /// # Errors
    /// `EINVAL` if there is no such association.
    pub(crate) fn find_mut(&mut self, number: AssocId32) -> Result<&mut Association, Errno> {
        self.get_mut(number).ok_or(Errno::EINVAL)
    }

    /// The id of an association of the engine.
    pub(crate) fn number_of(&self, engine: AssocId) -> Option<AssocId32> {
        self.numbers.get(&engine).copied()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (AssocId32, &Association)> {
        self.known.iter().map(|(number, found)| (*number, found))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    pub(crate) fn is_up(&self, number: AssocId32) -> bool {
        self.get(number).is_some_and(Association::is_up)
    }
}
