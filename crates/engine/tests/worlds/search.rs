//! Breadth-first search, so that the trace to a fault is shortest.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::time::{Duration, Instant};

use crate::digest::Hash;
use crate::epilogue;
use crate::packet::Side;
use crate::parts::{EndId, Happening, ParcelId, Parts};
use crate::world::{Beginning, Haste, World};

/// A state of the world.
#[derive(Clone, Debug)]
struct State {
    ends: [EndId; 2],
    /// Remaining budget of losses and duplicates.
    losses: u8,
    duplicates: u8,
    /// Remaining expiries with packets in flight.
    haste: Haste,
    /// Remaining expiries with no packet in flight.
    calm: Haste,
    /// Packets in flight, sorted by id; the network imposes no order.
    flight: Vec<ParcelId>,
}

impl State {
    /// Remaining expiries in the current situation.
    const fn timers(&self) -> Haste {
        if self.flight.is_empty() {
            self.calm
        } else {
            self.haste
        }
    }
}

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Deliver(ParcelId),
    /// Delivers a packet and keeps it in flight.
    Duplicate(ParcelId),
    Lose(ParcelId),
    Expire(Side),
    Act(Side),
}

/// Path by which a state was first reached.
#[derive(Clone, Copy)]
struct Origin {
    from: u32,
    step: Step,
}

/// Results of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) states: usize,
    pub(crate) edges: usize,
    /// Number of states of each end, and of packets.
    pub(crate) parts: [usize; 3],
    pub(crate) depth: usize,
    /// Number of rest states, in which nothing more can happen.
    pub(crate) rests: usize,
    pub(crate) took: Duration,
    /// The first fault, with its trace.
    pub(crate) fault: Option<String>,
    /// Whether all states were visited without a fault.
    pub(crate) closed: bool,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let closed = if self.closed { "closed" } else { "NOT CLOSED" };
        let [a, z, packets] = self.parts;
        write!(
            f,
            "{closed}: {} states, {} steps, depth {}, {} at rest; of {a} and {z} states of the ends \
             and {packets} packets; {:.1} s",
            self.states,
            self.edges,
            self.depth,
            self.rests,
            self.took.as_secs_f64()
        )?;
        match &self.fault {
            Some(fault) => write!(f, "\nFAULT {fault}"),
            None => Ok(()),
        }
    }
}

/// Identity hasher; the keys are hashes already.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn write(&mut self, _: &[u8]) {}

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

struct Search<'a> {
    world: &'a World,
    parts: Parts,
    /// Two states count as equal if their 128-bit hashes agree.
    seen: HashMap<u128, u32, BuildHasherDefault<AsIs>>,
    origins: Vec<Origin>,
    /// End index of each state's successors in `successors`, in visiting order.
    ends: Vec<u64>,
    successors: Vec<u32>,
    rests: Vec<u32>,
    waiting: VecDeque<State>,
}

/// Visits all states of a world, at most `most`.
pub(crate) fn search(world: &World, most: usize) -> Found {
    let began = Instant::now();
    let mut search = Search {
        world,
        parts: Parts::new(world.plans()),
        seen: HashMap::default(),
        origins: Vec::new(),
        ends: Vec::new(),
        successors: Vec::new(),
        rests: Vec::new(),
        waiting: VecDeque::new(),
    };
    let depth = search.explore(most);
    let (depth, fault) = match depth {
        Ok(depth) => (depth, None),
        Err(fault) => (0, Some(fault)),
    };
    let visited = search.waiting.is_empty();
    let livelock = |search: &Search<'_>| visited.then(|| search.livelock()).flatten();
    let fault = fault.or_else(|| livelock(&search));
    let closed = visited && fault.is_none();
    Found {
        states: search.origins.len(),
        edges: search.successors.len(),
        parts: search.parts.sizes(),
        depth,
        rests: search.rests.len(),
        took: began.elapsed(),
        fault,
        closed,
    }
}

impl Search<'_> {
    /// Explores the world; returns the distance of the farthest state, in steps.
    fn explore(&mut self, most: usize) -> Result<usize, String> {
        let start = self.start()?;
        let nowhere = Origin {
            from: u32::MAX,
            step: Step::Act(Side::A),
        };
        self.visit(start, nowhere);
        let (mut depth, mut layer_end) = (0, 1);
        let mut visited = 0;
        while let Some(state) = self.waiting.pop_front() {
            if self.origins.len() > most {
                return Err(format!("too many\n{}", self.way_to(visited as u32)));
            }
            if visited == layer_end {
                depth += 1;
                layer_end = self.origins.len();
                self.tell(depth);
            }
            self.expand(visited as u32, &state)
                .map_err(|fault| format!("{fault}\n{}", self.way_to(visited as u32)))?;
            visited += 1;
        }
        Ok(depth)
    }

    fn start(&mut self) -> Result<State, String> {
        let mut state = State {
            ends: [0, 0],
            losses: self.world.losses,
            duplicates: self.world.duplicates,
            haste: self.world.haste,
            calm: self.world.calm,
            flight: Vec::new(),
        };
        if self.world.beginning == Beginning::Connected {
            state = self.after(&state, Step::Act(Side::A))?;
            while let Some(parcel) = state.flight.first() {
                state = self.after(&state, Step::Deliver(*parcel))?;
            }
        }
        Ok(state)
    }

    fn tell(&self, depth: usize) {
        if depth.is_multiple_of(8) && self.origins.len() > 200_000 {
            eprintln!(
                "{}: depth {depth}, {} states, {} wait, {:?} parts",
                self.world.name,
                self.origins.len(),
                self.waiting.len(),
                self.parts.sizes()
            );
        }
    }

    fn visit(&mut self, state: State, origin: Origin) -> u32 {
        let next = self.origins.len() as u32;
        match self.seen.entry(key(&state)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                vacant.insert(next);
                self.origins.push(origin);
                self.waiting.push_back(state);
                next
            }
        }
    }

    fn expand(&mut self, from: u32, state: &State) -> Result<(), String> {
        let before = self.successors.len();
        for (at, parcel) in state.flight.iter().copied().enumerate() {
            if at > 0 && state.flight[at - 1] == parcel {
                continue;
            }
            self.take(from, state, Step::Deliver(parcel))?;
            if state.duplicates > 0 {
                self.take(from, state, Step::Duplicate(parcel))?;
            }
            if state.losses > 0 {
                self.take(from, state, Step::Lose(parcel))?;
            }
        }
        for side in Side::BOTH {
            let end = state.ends[side as usize];
            if state.timers() != Haste::Times(0) && self.parts.wakes(side, end)? {
                self.take(from, state, Step::Expire(side))?;
            }
            if self.parts.can_act(side, end) {
                self.take(from, state, Step::Act(side))?;
            }
        }
        self.ends.push(self.successors.len() as u64);
        if self.successors.len() == before {
            self.rests.push(from);
            if !self.is_horizon(state)? {
                epilogue::check(&self.parts, state.ends)?;
            }
        }
        Ok(())
    }

    /// Whether only timers remain and their budget is used up.
    fn is_horizon(&mut self, state: &State) -> Result<bool, String> {
        let [a, z] = state.ends;
        let wakes = self.parts.wakes(Side::A, a)? || self.parts.wakes(Side::Z, z)?;
        Ok(wakes && state.timers() == Haste::Times(0))
    }

    fn take(&mut self, from: u32, state: &State, step: Step) -> Result<(), String> {
        let next = self
            .after(state, step)
            .map_err(|fault| format!("{fault}\nafter {}", self.tell_step(step)))?;
        let to = self.visit(next, Origin { from, step });
        self.successors.push(to);
        Ok(())
    }

    fn after(&mut self, state: &State, step: Step) -> Result<State, String> {
        let mut next = state.clone();
        let (side, happening) = match step {
            Step::Lose(parcel) => {
                next.losses -= 1;
                remove(&mut next.flight, parcel);
                return Ok(next);
            }
            Step::Deliver(parcel) => {
                remove(&mut next.flight, parcel);
                self.arrival(parcel)
            }
            Step::Duplicate(parcel) => {
                next.duplicates -= 1;
                self.arrival(parcel)
            }
            Step::Expire(side) => {
                if state.flight.is_empty() {
                    next.calm = next.calm.less();
                } else {
                    next.haste = next.haste.less();
                }
                (side, Happening::Expiry)
            }
            Step::Act(side) => (side, Happening::Act),
        };
        let end = &mut next.ends[side as usize];
        let (to, left) = self.parts.step(side, *end, happening)?;
        *end = to;
        for parcel in left {
            let at = next.flight.partition_point(|other| other < parcel);
            next.flight.insert(at, *parcel);
        }
        Ok(next)
    }

    fn arrival(&self, parcel: ParcelId) -> (Side, Happening) {
        let side = Side::of(self.parts.parcel(parcel).to);
        (side, Happening::Arrival(parcel))
    }

    /// Finds a state that cannot reach a rest state, by backward search from all rest states.
    fn livelock(&self) -> Option<String> {
        let mut good = vec![false; self.origins.len()];
        for rest in &self.rests {
            good[*rest as usize] = true;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..good.len()).rev() {
                if !good[at] && self.successors_of(at).iter().any(|to| good[*to as usize]) {
                    good[at] = true;
                    changed = true;
                }
            }
        }
        let stuck = good.iter().position(|good| !good)?;
        let way = self.way_to(stuck as u32);
        Some(format!("from here on nothing comes to rest\n{way}"))
    }

    fn successors_of(&self, at: usize) -> &[u32] {
        let first = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.successors[first as usize..self.ends[at] as usize]
    }

    fn tell_step(&self, step: Step) -> String {
        let parcel = |id| format!("#{id} {}", self.parts.parcel(id));
        match step {
            Step::Deliver(id) => format!("deliver {}", parcel(id)),
            Step::Duplicate(id) => format!("deliver and keep {}", parcel(id)),
            Step::Lose(id) => format!("lose {}", parcel(id)),
            Step::Expire(side) => format!("a timer of {side:?} expires"),
            Step::Act(side) => format!("the user of {side:?} acts"),
        }
    }

    /// Formats the steps to a state, and the state.
    fn way_to(&self, at: u32) -> String {
        let mut steps = Vec::new();
        let mut origin = self.origins[at as usize];
        while origin.from != u32::MAX {
            steps.push(origin.step);
            origin = self.origins[origin.from as usize];
        }
        steps.reverse();
        format!("{}: {}", self.world.name, self.replay(&steps))
    }

    fn replay(&self, steps: &[Step]) -> String {
        let lines = steps.iter().enumerate();
        let lines: Vec<_> = lines
            .map(|(at, step)| format!("{at:3} {}", self.tell_step(*step)))
            .collect();
        lines.join("\n")
    }
}

fn remove(flight: &mut Vec<ParcelId>, parcel: ParcelId) {
    if let Ok(at) = flight.binary_search(&parcel) {
        flight.remove(at);
    }
}

fn key(state: &State) -> u128 {
    let [mut one, mut other] = [Hash::default(), Hash::other()];
    for hash in [&mut one, &mut other] {
        let [a, z] = state.ends.map(u64::from);
        hash.add(a << 32 | z);
        let haste = state.haste.number() << 16;
        let calm = state.calm.number() << 24;
        hash.add(calm | haste | u64::from(state.losses) << 8 | u64::from(state.duplicates));
        for parcel in &state.flight {
            hash.add(u64::from(*parcel));
        }
    }
    u128::from(one.finish()) << 64 | u128::from(other.finish())
}
