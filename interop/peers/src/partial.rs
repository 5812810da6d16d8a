//! Messages that are given up, in virtual time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use dcsctp::api::SendOptions as TheirOptions;
use sheave_engine::wire::StreamId;
use sheave_engine::{Delivery, Message, Reliability, SendOptions, Time};

use crate::scenario::{establish, shut_down};
use crate::{Admission, Condition, Dcsctp, Impairment, Pair, SctpProto, Sheave, Side, Stack};

/// Virtual time for all that may take place.
const LONG: Duration = Duration::from_secs(600);
/// Messages that each side sends.
const MESSAGES: usize = 300;

/// A stack that can give messages up (RFC 3758).
pub trait GivesUp: Stack {
    /// Sends a message that may be given up.
    fn send_partially(&mut self, now: Time, message: &Message, until: Reliability) -> Admission;
}

impl GivesUp for Sheave {
    fn send_partially(&mut self, now: Time, message: &Message, until: Reliability) -> Admission {
        let options = SendOptions {
            reliability: until,
            ..SendOptions::default()
        };
        self.send_with(now, message, options)
    }
}

impl GivesUp for Dcsctp {
    fn send_partially(&mut self, now: Time, message: &Message, until: Reliability) -> Admission {
        let mut options = TheirOptions::default();
        match until {
            Reliability::Timed(lifetime) => options.lifetime = Some(lifetime),
            Reliability::Retransmissions(most) => {
                options.max_retransmissions = Some(u16::from(most));
            }
            Reliability::Reliable | Reliability::Priority(_) => {}
        }
        self.send_with(now, message, &options)
    }
}

impl GivesUp for SctpProto {
    fn send_partially(&mut self, now: Time, message: &Message, until: Reliability) -> Admission {
        self.send_with(now, message, until)
    }
}

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
///
/// # Panics
/// Something is lost that may not be.
pub fn exchange_and_give_up<L: GivesUp, R: GivesUp>(
    make: impl Fn() -> (L, R),
    impairment: Impairment,
    until: Reliability,
    seeds: std::ops::Range<u64>,
) -> (usize, usize) {
    let mut lost = (0, 0);
    for (seed, caller) in seeds.flat_map(|seed| [(seed, Side::Left), (seed, Side::Right)]) {
        let (l, r) = make();
        let mut pair = Pair::new(l, r, impairment, seed);
        establish(&mut pair, caller);
        let (left, right) = give_up(pair, caller, until);
        lost = (lost.0 + left, lost.1 + right);
    }
    lost
}

/// While first one direction is cut and then the other one, too, in either order, both ends give up
/// what has a short lifetime, and all others arrive.
///
/// # Panics
/// It is not so.
fn give_up_while_each_way_is_cut<L: GivesUp, R: GivesUp>(make: impl Fn() -> (L, R)) {
    let sides = [Side::Left, Side::Right];
    for (caller, first) in sides
        .into_iter()
        .flat_map(|one| sides.map(|two| (one, two)))
    {
        let (l, r) = make();
        let mut pair = Pair::new(l, r, Impairment::CLEAN, 1);
        establish(&mut pair, caller);
        pair.cut_each_way(first);
        let until = Reliability::Timed(Duration::from_millis(200));
        let lost = give_up(pair, caller, until);
        assert!(lost.0 > 0 && lost.1 > 0, "{lost:?}");
    }
}

/// Both sides send messages over an association, every other one with that policy, and end it; how
/// many were not delivered, of those from the left and from the right.
fn give_up<L: GivesUp, R: GivesUp>(
    mut pair: Pair<L, R>,
    caller: Side,
    until: Reliability,
) -> (usize, usize) {
    let sent = [Side::Left, Side::Right].map(|side| {
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
    let closer = match pair.stack(caller).shuts_down_well() {
        true => caller,
        false => caller.other(),
    };
    shut_down(&mut pair, closer);
    lost
}

/// Both ends give up messages for every reason, and none without one.
///
/// # Panics
/// It is not so.
pub fn all<L: GivesUp, R: GivesUp>(make: impl Fn() -> (L, R)) {
    give_up_after_few_retransmissions(&make);
    give_up_after_a_lifetime(&make);
    give_up_while_each_way_is_cut(&make);
    give_up_nothing_without_impairments(&make);
}

/// Over impaired links both ends give up messages that may be retransmitted seldom, and all others
/// arrive.
///
/// # Panics
/// It is not so.
pub fn give_up_after_few_retransmissions<L: GivesUp, R: GivesUp>(make: impl Fn() -> (L, R)) {
    for most in [0, 1] {
        let until = Reliability::Retransmissions(most);
        let lost = exchange_and_give_up(&make, Impairment::IMPAIRED, until, 0..3);
        assert!(most > 0 || lost.0 > 0 && lost.1 > 0, "{lost:?}");
    }
}

/// Over impaired links both ends give up messages that have a short lifetime, and all others arrive.
///
/// # Panics
/// It is not so.
pub fn give_up_after_a_lifetime<L: GivesUp, R: GivesUp>(make: impl Fn() -> (L, R)) {
    let until = Reliability::Timed(Duration::from_millis(20));
    let lost = exchange_and_give_up(make, Impairment::IMPAIRED, until, 0..3);
    assert!(lost.0 > 0 && lost.1 > 0, "{lost:?}");
}

/// In the absence of impairments neither end gives anything up.
///
/// # Panics
/// It is not so.
fn give_up_nothing_without_impairments<L: GivesUp, R: GivesUp>(make: impl Fn() -> (L, R)) {
    let until = Reliability::Retransmissions(0);
    let lost = exchange_and_give_up(make, Impairment::CLEAN, until, 0..1);
    assert_eq!(lost, (0, 0));
}

/// Sends all, and reads until nothing more comes for a minute.
fn carry<L: GivesUp, R: GivesUp>(
    pair: &mut Pair<L, R>,
    sent: &[Vec<Sent>; 2],
) -> [Vec<Message>; 2] {
    let mut waiting: [VecDeque<&Sent>; 2] = [sent[0].iter().collect(), sent[1].iter().collect()];
    let mut read = [Vec::new(), Vec::new()];
    let mut last = pair.now();
    pair.run_until(LONG, |pair| {
        let now = pair.now();
        for (at, side) in [Side::Left, Side::Right].into_iter().enumerate() {
            assert_eq!(condition(pair, side), Condition::Up, "{side:?}");
            while let Some(next) = waiting[at].front() {
                let admission = give(pair, side, now, next);
                if admission == Admission::Full {
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

fn condition<L: GivesUp, R: GivesUp>(pair: &mut Pair<L, R>, side: Side) -> Condition {
    pair.stack(side).condition()
}

fn give<L: GivesUp, R: GivesUp>(
    pair: &mut Pair<L, R>,
    side: Side,
    now: Time,
    next: &Sent,
) -> Admission {
    let (message, until) = (&next.message, next.until);
    if until == Reliability::Reliable {
        return pair.stack(side).send(now, message);
    }
    match side {
        Side::Left => pair.left.send_partially(now, message, until),
        Side::Right => pair.right.send_partially(now, message, until),
    }
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
