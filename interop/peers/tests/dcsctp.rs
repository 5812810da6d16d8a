//! Streams reset (RFC 6525) between Sheave and dcsctp, in virtual time.

use std::time::Duration;

use sheave_engine::wire::StreamId;
use sheave_engine::{
    Event, Message, Options, PeerRequests, Profile, Reconfiguration, StreamDirection,
};
use sheave_interop::{Admission, Dcsctp, Impairment, Pair, Sheave, Side, scenario};

/// An association over which stream 1 was used both ways; `first` connects.
fn with_used_streams(first: Side, impairment: Impairment, seed: u64) -> Pair<Sheave, Dcsctp> {
    let options = Options {
        reconfiguration: Reconfiguration::On(PeerRequests::ALL),
        ..Profile::Rfc9260.options()
    };
    let mut pair = Pair::new(Sheave::new(options, seed), Dcsctp::new(), impairment, seed);
    scenario::establish(&mut pair, first);
    exchange(&mut pair, "old");
    pair
}

fn run_until(pair: &mut Pair<Sheave, Dcsctp>, done: impl FnMut(&mut Pair<Sheave, Dcsctp>) -> bool) {
    let is_done = pair.run_until(Duration::from_secs(600), done);
    assert!(is_done, "it did not come to be");
}

/// Asks for a reset of our stream 1, or of the one of the peer.
fn reset(pair: &mut Pair<Sheave, Dcsctp>, direction: StreamDirection) {
    let (now, id) = (pair.now(), pair.left.id().expect("an association"));
    let mut assoc = pair.left.endpoint.assoc(id).expect("an association");
    let outcome = assoc.reset_streams(now, &[StreamId(1)], direction);
    assert_eq!(outcome, Ok(()));
}

/// Whether stream 1 was reset, as we were told.
fn was_reset(pair: &Pair<Sheave, Dcsctp>, direction: StreamDirection) -> bool {
    let streams = vec![StreamId(1)];
    let done = Event::StreamsReset { direction, streams };
    pair.left.other_events.contains(&done)
}

/// Over clean and impaired links, whoever connects.
fn in_all_ways(change: impl Fn(&mut Pair<Sheave, Dcsctp>)) {
    let links = [
        Impairment::CLEAN,
        Impairment::IMPAIRED,
        Impairment::IMPAIRED,
    ];
    for (seed, impairment) in (1..).zip(links) {
        for first in Side::BOTH {
            let mut pair = with_used_streams(first, impairment, seed);
            change(&mut pair);
            exchange(&mut pair, "new");
        }
    }
}

/// Ten messages each way on stream 1, which arrive in order.
fn exchange(pair: &mut Pair<Sheave, Dcsctp>, word: &str) {
    for side in Side::BOTH {
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
    in_all_ways(|pair| {
        reset(pair, StreamDirection::Outgoing);
        run_until(pair, |pair| was_reset(pair, StreamDirection::Outgoing));
        assert_eq!(pair.right.resets.1, [1]);
    });
}

#[test]
fn streams_that_the_peer_resets_begin_anew() {
    in_all_ways(|pair| {
        let now = pair.now();
        pair.right.reset_streams(now, &[1]);
        run_until(pair, |pair| pair.right.resets.0 == [1]);
        assert!(was_reset(pair, StreamDirection::Incoming));
    });
}

/// Resets are asked for while nothing gets through, by us and by the peer.
#[test]
fn streams_are_reset_while_each_way_is_cut() {
    for (caller, cut) in Side::BOTH
        .into_iter()
        .flat_map(|one| Side::BOTH.map(|two| (one, two)))
    {
        let mut pair = with_used_streams(caller, Impairment::CLEAN, 1);
        pair.cut_each_way(cut);
        let start = pair.now();
        run_until(&mut pair, |pair| {
            pair.now().since(start) > Duration::from_millis(50)
        });
        reset(&mut pair, StreamDirection::Outgoing);
        let now = pair.now();
        pair.right.reset_streams(now, &[1]);
        run_until(&mut pair, |pair| {
            [StreamDirection::Outgoing, StreamDirection::Incoming]
                .iter()
                .all(|direction| was_reset(pair, *direction))
        });
        run_until(&mut pair, |pair| !pair.right.resets.0.is_empty());
        assert_eq!(pair.right.resets, (vec![1], vec![1]));
        exchange(&mut pair, "new");
    }
}

#[test]
fn asking_the_peer_to_reset_its_streams_does_no_harm() {
    let mut pair = with_used_streams(Side::Left, Impairment::CLEAN, 1);
    reset(&mut pair, StreamDirection::Incoming);
    // Only outgoing streams can be reset there, by its user.
    for _ in 0..200 {
        pair.step();
    }
    exchange(&mut pair, "goes on");
}
