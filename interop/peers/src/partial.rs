//! Messages that are given up, in virtual time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use sheave_engine::wire::StreamId;
use sheave_engine::{Delivery, Message, Reliability};

use crate::scenario::{establish, shut_down_well};
use crate::{Admission, Condition, Impairment, Pair, Side, Stack};

/// Virtual time for all that may take place.
const LONG: Duration = Duration::from_secs(600);
/// Messages that each side sends.
const MESSAGES: usize = 300;

/// A message that one side was asked to send.
struct Sent {
    message: Message,
    until: Reliability,
}

/// Message `n`, which begins with its number.
fn message(n: usize, side: Side) -> Message {
    let len = 8 + n * 37 % 4000;
    let mut payload = u64::try_from(n).expect("small").to_be_bytes().to_vec();
    payload.extend((8..len).map(|at| (at * 3 + n).to_le_bytes()[0]));
    let stream = StreamId(u16::try_from(n % 4).expect("small"));
    let message = Message::new(stream, payload);
    match side {
        Side::Left if n % 5 == 4 => message.unordered(),
        _ => message,
    }
}

/// Both sides send messages, every other one with that policy, over that impairment; then all that
/// was read must be whole, in order and there but for what may be given up. Gives back how many
/// were not delivered, of those from the left and from the right.
fn exchange_and_give_up<L: Stack, R: Stack>(
    make: impl Fn() -> (L, R),
    caller: Side,
    impairment: Impairment,
    until: Reliability,
    seeds: std::ops::Range<u64>,
) -> (usize, usize) {
    let lost = seeds.map(|seed| {
        let mut pair = Pair::of(make(), impairment, seed);
        establish(&mut pair, caller);
        give_up(pair, caller, until)
    });
    lost.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
}

/// While first one direction is cut and then the other one, too, in either order, both ends give up
/// what has a short lifetime, and all others arrive.
fn give_up_while_each_way_is_cut<L: Stack, R: Stack>(make: impl Fn() -> (L, R), caller: Side) {
    for first in Side::BOTH {
        let mut pair = Pair::of(make(), Impairment::CLEAN, 1);
        establish(&mut pair, caller);
        pair.cut_each_way(first);
        let until = Reliability::Timed(Duration::from_millis(200));
        let lost = give_up(pair, caller, until);
        assert!(lost.0 > 0 && lost.1 > 0, "{lost:?}");
    }
}

/// Both sides send messages over an association, every other one with that policy, and end it; how
/// many were not delivered, of those from the left and from the right.
fn give_up<L: Stack, R: Stack>(
    mut pair: Pair<L, R>,
    caller: Side,
    until: Reliability,
) -> (usize, usize) {
    let sent = Side::BOTH.map(|side| {
        let policy = |n: usize| {
            if n.is_multiple_of(2) {
                until
            } else {
                Reliability::Reliable
            }
        };
        (0..MESSAGES)
            .map(|n| Sent {
                message: message(n, side),
                until: policy(n),
            })
            .collect::<Vec<_>>()
    });
    let read = carry(&mut pair, &sent);
    let lost = (check(&sent[0], &read[1]), check(&sent[1], &read[0]));
    shut_down_well(&mut pair, caller);
    lost
}

/// Both ends give up messages for every reason.
pub fn all<L: Stack, R: Stack>(make: impl Fn() -> (L, R), caller: Side) {
    over_impaired_links(&make, caller);
    give_up_while_each_way_is_cut(&make, caller);
}

/// Over impaired links both ends give up messages that may be retransmitted seldom, and those with a short lifetime,
/// and all others arrive.
pub fn over_impaired_links<L: Stack, R: Stack>(make: impl Fn() -> (L, R), caller: Side) {
    let short = Reliability::Timed(Duration::from_millis(20));
    let policies = [
        (Reliability::Retransmissions(0), true),
        (Reliability::Retransmissions(1), false),
        (short, true),
    ];
    for (until, is_seen) in policies {
        let lost = exchange_and_give_up(&make, caller, Impairment::IMPAIRED, until, 0..3);
        assert!(!is_seen || lost.0 > 0 && lost.1 > 0, "{until:?}: {lost:?}");
    }
}

/// In the absence of impairments neither end gives anything up.
pub fn nothing_without_impairments<L: Stack, R: Stack>(make: impl Fn() -> (L, R), caller: Side) {
    let until = Reliability::Retransmissions(0);
    let lost = exchange_and_give_up(make, caller, Impairment::CLEAN, until, 0..1);
    assert_eq!(lost, (0, 0));
}

/// Sends all, and reads until nothing more comes for a minute.
fn carry<L: Stack, R: Stack>(pair: &mut Pair<L, R>, sent: &[Vec<Sent>; 2]) -> [Vec<Message>; 2] {
    let mut waiting: [VecDeque<&Sent>; 2] = [sent[0].iter().collect(), sent[1].iter().collect()];
    let mut read = [Vec::new(), Vec::new()];
    let mut last = pair.now();
    pair.run_until(LONG, |pair| {
        let now = pair.now();
        for (at, side) in Side::BOTH.into_iter().enumerate() {
            assert_eq!(pair.stack(side).condition(), Condition::Up, "{side:?}");
            while let Some(next) = waiting[at].front() {
                let (message, until) = (&next.message, next.until);
                if pair.stack(side).send_until(now, message, until) == Admission::Full {
                    break;
                }
                waiting[at].pop_front();
                last = now;
            }
            while let Some(message) = pair.stack(side).receive(now) {
                read[at].push(message);
                last = now;
            }
        }
        waiting.iter().all(VecDeque::is_empty) && now.since(last) > Duration::from_secs(60)
    });
    assert!(waiting.iter().all(VecDeque::is_empty), "not all was taken");
    read
}

/// Number of messages that were not delivered.
fn check(sent: &[Sent], read: &[Message]) -> usize {
    let mut seen = BTreeSet::new();
    let mut last: BTreeMap<StreamId, usize> = BTreeMap::new();
    for message in read {
        let number: [u8; 8] = message.payload[..8].try_into().expect("eight bytes");
        let n = usize::try_from(u64::from_be_bytes(number)).expect("small");
        let asked = &sent[n].message;
        assert_eq!(asked.payload, message.payload, "message {n} is not whole");
        assert_eq!(asked.stream, message.stream);
        assert!(seen.insert(n), "message {n} came twice");
        if asked.delivery == Delivery::Ordered {
            let before = last.insert(message.stream, n);
            assert!(before < Some(n), "message {n} came after {before:?}");
        }
    }
    for (n, one) in sent.iter().enumerate() {
        assert!(
            one.until != Reliability::Reliable || seen.contains(&n),
            "message {n} is reliable, and was lost"
        );
    }
    sent.len() - seen.len()
}
