//! Scenarios that any two stacks must get through together, in virtual time.

use std::cell::Cell;
use std::time::Duration;

use sheave_engine::{Options, Profile};

use crate::{Condition, Ending, Impairment, Pair, Sheave, Side, Stack, Traffic, exchange};

/// Virtual time for an association to be set up or closed in the absence of impairments.
const SOON: Duration = Duration::from_secs(10);

/// Virtual time for the same over impaired links.
const LATER: Duration = Duration::from_secs(300);

/// Short and long ordered messages, many streams.
pub const SMALL: Traffic = Traffic {
    count: 2000,
    shortest: 1,
    longest: 3000,
    streams: 300,
    unordered: 0,
};

/// Ordered and unordered messages side by side.
pub const MIXED: Traffic = Traffic {
    count: 500,
    shortest: 1,
    longest: 20_000,
    streams: 10,
    unordered: 50,
};

/// Messages of 1 MiB.
pub const LARGE: Traffic = Traffic::uniform(4, 1 << 20, 2);

/// Messages enough for every kind of trouble to happen.
pub const LONG: Traffic = Traffic {
    count: 300,
    shortest: 1,
    longest: 10_000,
    streams: 20,
    unordered: 20,
};

/// The same on the few streams that every stack grants.
pub const FEW: Traffic = Traffic {
    streams: 10,
    ..LONG
};

/// Our options, with streams enough for all traffic here.
pub fn many_streams() -> Options {
    Options {
        outbound_streams: 1000,
        ..Profile::Rfc9260.options()
    }
}

/// Makes pairs of our stack with these options, on the left, and a peer; ours has another seed, and so other tags,
/// each time.
pub fn beside<R>(options: Options, peer: impl Fn() -> R) -> impl Fn() -> (Sheave, R) {
    let seed = Cell::new(0);
    move || {
        seed.set(seed.get() + 1);
        (Sheave::new(options.clone(), seed.get()), peer())
    }
}

/// Sets up an association; `caller` starts.
pub fn establish<L: Stack, R: Stack>(pair: &mut Pair<L, R>, caller: Side) {
    let now = pair.now();
    pair.stack(caller).connect(now);
    let up = pair.run_until(LATER, |pair| {
        conditions(pair) == [Condition::Up, Condition::Up]
    });
    assert!(up, "{caller:?} calls: {:?}", conditions(pair));
}

fn conditions<L: Stack, R: Stack>(pair: &Pair<L, R>) -> [Condition; 2] {
    [pair.left.condition(), pair.right.condition()]
}

/// A pair over a clean network whose association is up.
fn established<L: Stack, R: Stack>(make: impl Fn() -> (L, R), caller: Side) -> Pair<L, R> {
    let mut pair = Pair::of(make(), Impairment::CLEAN, 1);
    establish(&mut pair, caller);
    pair
}

/// Sets up an association, exchanges messages, the left side's first, and closes it.
pub fn exchange_called_by<L: Stack, R: Stack>(
    caller: Side,
    make: impl Fn() -> (L, R),
    impairment: Impairment,
    [left, right]: [&Traffic; 2],
    seeds: std::ops::Range<u64>,
) {
    for seed in seeds {
        let mut pair = Pair::of(make(), impairment, seed);
        establish(&mut pair, caller);
        exchange(&mut pair, left, right, seed);
        shut_down_well(&mut pair, caller);
    }
}

/// Exchanges messages while first one direction is cut and then the other one, too, in either order,
/// and closes the association.
pub fn exchange_while_each_way_is_cut<L: Stack, R: Stack>(make: impl Fn() -> (L, R), caller: Side) {
    for first in Side::BOTH {
        let mut pair = established(&make, caller);
        pair.cut_each_way(first);
        exchange(&mut pair, &FEW, &FEW, 1);
        shut_down_well(&mut pair, caller);
    }
}

/// Closes the association gracefully from that side, or from the other one where it does not do it well.
pub fn shut_down_well<L: Stack, R: Stack>(pair: &mut Pair<L, R>, by: Side) {
    let closer = match pair.stack(by).shuts_down_well() {
        true => by,
        false => by.other(),
    };
    shut_down(pair, closer);
}

/// Closes the association gracefully from one side.
pub fn shut_down<L: Stack, R: Stack>(pair: &mut Pair<L, R>, by: Side) {
    let now = pair.now();
    pair.stack(by).shutdown(now);
    let closed = pair.run_until(LATER, |pair| is_closed(pair));
    assert!(closed, "{by:?} shuts down: {:?}", conditions(pair));
}

/// Sends messages and shuts down at once: all of them must arrive before the end.
pub fn everything_sent_arrives_before_the_end<L: Stack, R: Stack>(
    make: impl Fn() -> (L, R),
    caller: Side,
    by: Side,
) {
    let mut pair = established(&make, caller);
    let now = pair.now();
    let messages = Traffic::uniform(50, 4000, 5).messages(1);
    for message in &messages {
        pair.stack(by).send(now, message);
    }
    pair.stack(by).shutdown(now);
    let mut arrived = 0;
    let closed = pair.run_until(LATER, |pair| {
        let now = pair.now();
        while pair.stack(by.other()).receive(now).is_some() {
            arrived += 1;
        }
        is_closed(pair)
    });
    assert!(closed, "{by:?} shuts down: {:?}", conditions(&pair));
    assert_eq!(arrived, messages.len(), "from {by:?}");
}

/// Shuts down from both sides at the same moment (RFC 9260 §9.2, SHUTDOWN crossing SHUTDOWN).
pub fn shut_down_together<L: Stack, R: Stack>(make: impl Fn() -> (L, R), caller: Side) {
    let mut pair = established(&make, caller);
    let now = pair.now();
    pair.right.shutdown(now);
    shut_down(&mut pair, Side::Left);
}

/// Aborts from one side; the other hears of it.
pub fn abort<L: Stack, R: Stack>(make: impl Fn() -> (L, R), caller: Side, by: Side) {
    let mut pair = established(&make, caller);
    let now = pair.now();
    pair.stack(by).abort(now);
    let heard = pair.run_until(SOON, |pair| {
        pair.stack(by.other()).condition() == Condition::Closed(Ending::AbortedByPeer)
    });
    assert!(heard, "{:?}", conditions(&pair));
}

/// Both sides call each other at the same moment (RFC 9260 §5.2.1); one association must come of
/// it that works.
pub fn call_each_other<L: Stack, R: Stack>(make: impl Fn() -> (L, R), first: Side) {
    let mut pair = Pair::of(make(), Impairment::CLEAN, 1);
    let now = pair.now();
    pair.stack(first).connect(now);
    establish(&mut pair, first.other());
    exchange(&mut pair, &MIXED, &MIXED, 1);
    shut_down(&mut pair, Side::Left);
}

/// Lets one side lose its memory and call again (RFC 9260 §5.2, restart); the association must work
/// afterwards.
pub fn restart<L: Stack, R: Stack>(make: impl Fn() -> (L, R), side: Side) {
    let mut pair = established(&make, Side::Left);
    exchange(&mut pair, &MIXED, &MIXED, 1);
    let (l, r) = make();
    match side {
        Side::Left => pair.left = l,
        Side::Right => pair.right = r,
    }
    establish(&mut pair, side);
    exchange(&mut pair, &MIXED, &MIXED, 2);
    shut_down(&mut pair, side.other());
}

/// Whether both sides have seen a graceful end; over impaired links a stack that does not shut down
/// well may be left behind.
fn is_closed<L: Stack, R: Stack>(pair: &Pair<L, R>) -> bool {
    let excused = |stack: &dyn Stack| pair.impairment.loss > 0 && !stack.shuts_down_well();
    [&pair.left as &dyn Stack, &pair.right]
        .into_iter()
        .all(|stack| stack.condition() == Condition::Closed(Ending::Graceful) || excused(stack))
}
