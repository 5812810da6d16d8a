//! The parts of a world, each once: the states that either end can be in, the packets,
//! and what comes of each thing that happens to an end.
//!
//! An end does not see the other, nor what else is on its way: what comes of a packet depends on the
//! end's state and the packet alone. So an engine runs once for each such pair, and the states of
//! the world, which are far more, are put together from numbers.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use crate::end::{End, Input, Plan};
use crate::packet::{Parcel, Side};

/// The number of a state that an end can be in.
pub(crate) type EndId = u32;
/// The number of a packet.
pub(crate) type ParcelId = u32;

/// A happening at an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    Arrival(ParcelId),
    Expiry,
    Act,
}

/// The result of a happening: the next state, and the packets that leave, a range of a table.
#[derive(Clone, Copy, Debug)]
struct Move {
    happening: Happening,
    to: EndId,
    first: u32,
    count: u32,
}

/// A state that an end can be in.
struct EndState {
    end: Rc<End>,
    moves: Vec<Move>,
    timer: bool,
    action: bool,
}

/// All of one side.
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

    /// Whether a timer runs that changes something. One that only looks whether there is anything to
    /// do, and begins anew, is none.
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

    /// States of each side, and packets.
    pub(crate) fn sizes(&self) -> [usize; 3] {
        let [a, z] = &self.sides;
        [a.places.len(), z.places.len(), self.parcels.len()]
    }

    /// The state that follows, and the packets that leave.
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
        // An end that panicked is not looked at again.
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
