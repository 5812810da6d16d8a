//! Interned parts of a world: states of each end, packets, and the transitions of ends.
//!
//! An end sees neither the other end nor packets in flight, so a transition depends only on its
//! state and one packet. The engine therefore runs once per such pair, and the far more numerous
//! world states combine these numbers.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use crate::end::{End, Input, Plan};
use crate::packet::{Parcel, Side};

/// Id of an end's state.
pub(crate) type EndId = u32;
/// Id of a packet.
pub(crate) type ParcelId = u32;

/// An event at an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    Arrival(ParcelId),
    Expiry,
    Act,
}

/// A transition: next state, and sent packets as a range of a table.
#[derive(Clone, Copy, Debug)]
struct Move {
    happening: Happening,
    to: EndId,
    first: u32,
    count: u32,
}

/// A state of an end.
struct EndState {
    end: Rc<End>,
    moves: Vec<Move>,
    timer: bool,
    action: bool,
}

/// States of a side.
#[derive(Default)]
struct EndStates {
    by_digest: HashMap<u64, EndId>,
    places: Vec<EndState>,
}

pub(crate) struct Parts {
    sides: [EndStates; 2],
    parcels: Vec<Rc<Parcel>>,
    by_parcel: HashMap<Rc<Parcel>, ParcelId>,
    left: Vec<ParcelId>,
}

impl Parts {
    pub(crate) fn new(plans: [Plan; 2]) -> Self {
        let mut parts = Self {
            sides: [EndStates::default(), EndStates::default()],
            parcels: Vec::new(),
            by_parcel: HashMap::new(),
            left: Vec::new(),
        };
        for (side, plan) in Side::BOTH.into_iter().zip(plans) {
            parts.intern(side, End::new(Rc::new(plan)));
        }
        parts
    }

    pub(crate) fn end(&self, side: Side, id: EndId) -> &End {
        &self.sides[side as usize].places[id as usize].end
    }

    /// Whether a running timer changes state. A timer that only checks for work and restarts does
    /// not count.
    pub(crate) fn wakes(&mut self, side: Side, id: EndId) -> Result<bool, String> {
        if !self.sides[side as usize].places[id as usize].timer {
            return Ok(false);
        }
        let (to, parcels) = self.step(side, id, Happening::Expiry)?;
        Ok(to != id || !parcels.is_empty())
    }

    pub(crate) fn can_act(&self, side: Side, id: EndId) -> bool {
        self.sides[side as usize].places[id as usize].action
    }

    pub(crate) fn parcel(&self, id: ParcelId) -> &Parcel {
        &self.parcels[id as usize]
    }

    /// Number of states of each side, and of packets.
    pub(crate) fn sizes(&self) -> [usize; 3] {
        let [a, z] = &self.sides;
        [a.places.len(), z.places.len(), self.parcels.len()]
    }

    /// Returns the next state and the sent packets.
    pub(crate) fn step(
        &mut self,
        side: Side,
        id: EndId,
        happening: Happening,
    ) -> Result<(EndId, &[ParcelId]), String> {
        let place = &self.sides[side as usize].places[id as usize];
        let known = place.moves.iter().find(|step| step.happening == happening);
        let known = match known {
            Some(known) => *known,
            None => self.find_out(side, id, happening)?,
        };
        let range = known.first as usize..(known.first + known.count) as usize;
        Ok((known.to, &self.left[range]))
    }

    fn find_out(&mut self, side: Side, id: EndId, happening: Happening) -> Result<Move, String> {
        let mut end = self.end(side, id).clone();
        let input = match happening {
            Happening::Arrival(parcel) => Input::Arrival(&self.parcels[parcel as usize]),
            Happening::Expiry => Input::Expiry,
            Happening::Act => Input::Act,
        };
        // An end that panicked is not used again.
        let outcome = catch_unwind(AssertUnwindSafe(|| end.step(input)));
        let parcels = outcome.map_err(|_| "a panic".to_owned())??;
        let first = self.left.len() as u32;
        for parcel in parcels {
            let id = self.intern_parcel(parcel);
            self.left.push(id);
        }
        let step = Move {
            happening,
            to: self.intern(side, end),
            first,
            count: self.left.len() as u32 - first,
        };
        self.sides[side as usize].places[id as usize]
            .moves
            .push(step);
        Ok(step)
    }

    fn intern(&mut self, side: Side, mut end: End) -> EndId {
        let places = &mut self.sides[side as usize];
        let next = places.places.len() as EndId;
        let id = *places.by_digest.entry(end.digest()).or_insert(next);
        if id == next {
            places.places.push(EndState {
                timer: end.waits_for_timer(),
                action: end.next_action().is_some(),
                end: Rc::new(end),
                moves: Vec::new(),
            });
        }
        id
    }

    fn intern_parcel(&mut self, parcel: Parcel) -> ParcelId {
        if let Some(id) = self.by_parcel.get(&parcel) {
            return *id;
        }
        let id = self.parcels.len() as ParcelId;
        let parcel = Rc::new(parcel);
        self.parcels.push(Rc::clone(&parcel));
        self.by_parcel.insert(parcel, id);
        id
    }
}
