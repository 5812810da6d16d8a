//! Sheave and dcsctp, in virtual time.

use std::cell::Cell;
use std::time::Duration;

use sheave_engine::wire::StreamId;
use sheave_engine::{
    ConcurrentTransfer, Event, Interleaving, Message, Multipath, Options, PartialReliability,
    PeerRequests, Profile, Reconfiguration, StreamDirection, StreamScheduler, ZeroChecksum,
};
use sheave_interop::partial;
use sheave_interop::scenario::{
    self, FEW, LARGE, LONG, MIXED, SMALL, beside, exchanges, many_streams,
};
use sheave_interop::session::offering;
use sheave_interop::{Admission, Condition, Dcsctp, Impairment, Pair, Sheave, Side, Stack, tests};

fn stacks() -> impl Fn() -> (Sheave, Dcsctp) {
    beside(many_streams(), Dcsctp::new)
}

#[test]
fn messages_cross_whatever_their_size_and_the_links() {
    exchanges::all(stacks());
}

#[test]
fn a_sender_for_several_paths_gets_along_with_its_one() {
    let options = Options {
        multipath: Multipath::Concurrent(ConcurrentTransfer::default()),
        ..many_streams()
    };
    let stacks = beside(options, Dcsctp::new);
    exchanges::mixed(&stacks);
    scenario::exchange_in_both_roles(&stacks, Impairment::IMPAIRED, &LONG, &LONG, 0..4);
}

tests! {
    our_data_arrives_before_our_shutdown => scenario::everything_sent_arrives_before_the_end(stacks(), Side::Left);
    data_of_the_peer_arrives_before_its_shutdown => scenario::everything_sent_arrives_before_the_end(stacks(), Side::Right);
    both_may_shut_down_at_once => scenario::shut_down_together(stacks());
    the_peer_hears_our_abort => scenario::abort(stacks(), Side::Left);
    we_hear_the_abort_of_the_peer => scenario::abort(stacks(), Side::Right);
    calls_that_cross_make_one_association => scenario::call_each_other(stacks());
    the_peer_may_restart => scenario::restart(stacks(), Side::Right);
}

#[test]
fn we_may_restart() {
    // Another seed, other tags.
    let seed = Cell::new(0);
    let make = || {
        seed.set(seed.get() + 1);
        (
            Sheave::new(Profile::Rfc9260.options(), seed.get()),
            Dcsctp::new(),
        )
    };
    scenario::restart(make, Side::Left);
}

#[test]
fn every_profile_works() {
    let profiles = [
        Profile::Rfc9260,
        Profile::Linux,
        Profile::Telecom,
        Profile::Datacenter,
    ];
    for profile in profiles {
        let make = beside(profile.options(), Dcsctp::new);
        scenario::exchange_in_both_roles(&make, Impairment::CLEAN, &MIXED, &MIXED, 0..1);
        scenario::exchange_in_both_roles(&make, Impairment::IMPAIRED, &FEW, &FEW, 0..2);
    }
}

/// Packets within DTLS, of ours and of theirs; none is damaged there.
fn stacks_within_dtls() -> impl Fn() -> (Sheave, Dcsctp) {
    let options = Options {
        zero_checksum: ZeroChecksum::Dtls,
        ..many_streams()
    };
    beside(options, Dcsctp::within_dtls)
}

#[test]
fn both_do_without_checksums_within_dtls() {
    for caller in [Side::Left, Side::Right] {
        let (left, right) = stacks_within_dtls()();
        let mut pair = Pair::new(left, right, Impairment::CLEAN, 1);
        scenario::establish(&mut pair, caller);
        assert!(pair.right.uses_zero_checksum(), "{caller:?}");
    }
    let stacks = stacks_within_dtls();
    scenario::exchange_in_both_roles(stacks, Impairment::LOSSY, &LONG, &LONG, 0..2);
}

#[test]
fn one_that_needs_checksums_gets_them() {
    let ours = |zero_checksum| Options {
        zero_checksum,
        ..many_streams()
    };
    let theirs_only = beside(ours(ZeroChecksum::Off), Dcsctp::within_dtls);
    let ours_only = beside(ours(ZeroChecksum::Dtls), Dcsctp::new);
    scenario::exchange_in_both_roles(theirs_only, Impairment::CLEAN, &FEW, &FEW, 0..1);
    scenario::exchange_in_both_roles(ours_only, Impairment::CLEAN, &FEW, &FEW, 0..1);
}

/// Messages are interleaved; our streams take turns.
fn interleaving() -> Options {
    Options {
        interleaving: Interleaving::On,
        scheduler: StreamScheduler::RoundRobin,
        ..many_streams()
    }
}

#[test]
fn messages_are_interleaved_both_ways() {
    let stacks = beside(interleaving(), Dcsctp::interleaving);
    for caller in [Side::Left, Side::Right] {
        let (left, right) = stacks();
        let mut pair = Pair::new(left, right, Impairment::CLEAN, 1);
        scenario::establish(&mut pair, caller);
        assert!(pair.right.uses_interleaving(), "{caller:?}");
    }
    for traffic in [&SMALL, &MIXED, &LARGE] {
        scenario::exchange_in_both_roles(&stacks, Impairment::CLEAN, traffic, traffic, 0..1);
    }
    scenario::exchange_in_both_roles(&stacks, Impairment::IMPAIRED, &LONG, &LONG, 0..4);
}

#[test]
fn one_that_does_not_interleave_is_sent_data() {
    let ours_only = beside(interleaving(), Dcsctp::new);
    let theirs_only = beside(many_streams(), Dcsctp::interleaving);
    scenario::exchange_in_both_roles(ours_only, Impairment::CLEAN, &MIXED, &MIXED, 0..1);
    scenario::exchange_in_both_roles(theirs_only, Impairment::CLEAN, &MIXED, &MIXED, 0..1);
}

#[test]
fn extensions_that_it_does_not_have_are_offered_in_vain() {
    exchanges::fair_and_foul(beside(offering(), Dcsctp::new));
}

/// An association over which stream 1 was used both ways; `first` connects.
fn with_used_streams(first: Side, impairment: Impairment, seed: u64) -> Pair<Sheave, Dcsctp> {
    let options = Options {
        reconfiguration: Reconfiguration::On(PeerRequests::ALL),
        ..Profile::Rfc9260.options()
    };
    let mut pair = Pair::new(Sheave::new(options, seed), Dcsctp::new(), impairment, seed);
    let now = pair.now();
    pair.stack(first).connect(now);
    run_until(&mut pair, |pair| {
        pair.left.condition() == Condition::Up && pair.right.condition() == Condition::Up
    });
    exchange(&mut pair, "old");
    pair
}

fn run_until(
    pair: &mut Pair<Sheave, Dcsctp>,
    mut done: impl FnMut(&mut Pair<Sheave, Dcsctp>) -> bool,
) {
    for _ in 0..100_000 {
        if done(pair) {
            return;
        }
        assert!(pair.step(), "nothing happens any more");
    }
    panic!("it did not come to be");
}

/// Ten messages each way on stream 1, which arrive in order.
fn exchange(pair: &mut Pair<Sheave, Dcsctp>, word: &str) {
    for side in [Side::Left, Side::Right] {
        let expected: Vec<String> = (0..10).map(|n| format!("{word} {n}")).collect();
        for text in &expected {
            let message = Message::new(StreamId(1), text.clone().into_bytes());
            let now = pair.now();
            assert!(matches!(
                pair.stack(side).send(now, &message),
                Admission::Accepted
            ));
        }
        let mut arrived = Vec::new();
        run_until(pair, |pair| {
            let now = pair.now();
            while let Some(message) = pair.stack(side.other()).receive(now) {
                arrived.push(String::from_utf8(message.payload.to_vec()).expect("a text"));
            }
            arrived.len() == expected.len()
        });
        assert_eq!(arrived, expected);
    }
}

#[test]
fn streams_that_we_reset_begin_anew() {
    for (seed, impairment) in (1..).zip([
        Impairment::CLEAN,
        Impairment::IMPAIRED,
        Impairment::IMPAIRED,
    ]) {
        for first in [Side::Left, Side::Right] {
            let mut pair = with_used_streams(first, impairment, seed);
            let (now, id) = (pair.now(), pair.left.id().expect("an association"));
            let mut assoc = pair.left.endpoint.assoc(id).expect("an association");
            let outcome = assoc.reset_streams(now, &[StreamId(1)], StreamDirection::Outgoing);
            assert_eq!(outcome, Ok(()));
            let done = Event::StreamsReset {
                direction: StreamDirection::Outgoing,
                streams: vec![StreamId(1)],
            };
            run_until(&mut pair, |pair| pair.left.other_events.contains(&done));
            assert_eq!(pair.right.resets.1, [1]);
            exchange(&mut pair, "new");
        }
    }
}

#[test]
fn streams_that_the_peer_resets_begin_anew() {
    for (seed, impairment) in (1..).zip([
        Impairment::CLEAN,
        Impairment::IMPAIRED,
        Impairment::IMPAIRED,
    ]) {
        for first in [Side::Left, Side::Right] {
            let mut pair = with_used_streams(first, impairment, seed);
            let now = pair.now();
            pair.right.reset_streams(now, &[1]);
            run_until(&mut pair, |pair| pair.right.resets.0 == [1]);
            let done = Event::StreamsReset {
                direction: StreamDirection::Incoming,
                streams: vec![StreamId(1)],
            };
            assert!(pair.left.other_events.contains(&done));
            exchange(&mut pair, "new");
        }
    }
}

/// Resets are asked for while nothing gets through, by us and by the peer.
#[test]
fn streams_are_reset_while_each_way_is_cut() {
    let sides = [Side::Left, Side::Right];
    for (caller, cut) in sides
        .into_iter()
        .flat_map(|one| sides.map(|two| (one, two)))
    {
        let mut pair = with_used_streams(caller, Impairment::CLEAN, 1);
        pair.cut_each_way(cut);
        let start = pair.now();
        run_until(&mut pair, |pair| {
            pair.now().since(start) > Duration::from_millis(50)
        });
        let (now, id) = (pair.now(), pair.left.id().expect("an association"));
        let mut assoc = pair.left.endpoint.assoc(id).expect("an association");
        let outcome = assoc.reset_streams(now, &[StreamId(1)], StreamDirection::Outgoing);
        assert_eq!(outcome, Ok(()));
        pair.right.reset_streams(now, &[1]);
        let done = [StreamDirection::Outgoing, StreamDirection::Incoming].map(|direction| {
            let streams = vec![StreamId(1)];
            Event::StreamsReset { direction, streams }
        });
        run_until(&mut pair, |pair| {
            done.iter()
                .all(|event| pair.left.other_events.contains(event))
        });
        run_until(&mut pair, |pair| !pair.right.resets.0.is_empty());
        assert_eq!(pair.right.resets, (vec![1], vec![1]));
        exchange(&mut pair, "new");
    }
}

#[test]
fn asking_the_peer_to_reset_its_streams_does_no_harm() {
    let mut pair = with_used_streams(Side::Left, Impairment::CLEAN, 1);
    let (now, id) = (pair.now(), pair.left.id().expect("an association"));
    let mut assoc = pair.left.endpoint.assoc(id).expect("an association");
    let outcome = assoc.reset_streams(now, &[StreamId(1)], StreamDirection::Incoming);
    assert_eq!(outcome, Ok(()));
    // Only outgoing streams can be reset there, by its user.
    for _ in 0..200 {
        pair.step();
    }
    exchange(&mut pair, "goes on");
}

/// Messages may be given up at both ends.
fn stacks_that_give_up() -> impl Fn() -> (Sheave, Dcsctp) {
    let options = Options {
        partial_reliability: PartialReliability::On,
        ..Profile::Rfc9260.options()
    };
    beside(options, Dcsctp::new)
}

#[test]
fn messages_are_given_up_and_the_others_arrive() {
    partial::all(stacks_that_give_up());
}

#[test]
fn interleaved_messages_are_given_up_and_the_others_arrive() {
    let options = Options {
        interleaving: Interleaving::On,
        scheduler: StreamScheduler::RoundRobin,
        partial_reliability: PartialReliability::On,
        ..Profile::Rfc9260.options()
    };
    let stacks = beside(options, Dcsctp::interleaving);
    partial::give_up_after_few_retransmissions(&stacks);
    partial::give_up_after_a_lifetime(&stacks);
}
