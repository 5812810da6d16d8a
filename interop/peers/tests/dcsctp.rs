//! Sheave and dcsctp, in virtual time.

use std::cell::Cell;

use sheave_engine::{Options, Profile, ZeroChecksum};
use sheave_interop::scenario::{self, FEW, LARGE, LONG, MIXED, SMALL};
use sheave_interop::session::offering;
use sheave_interop::{Dcsctp, Pair, Sheave, Side, Traffic, Weather};

fn stacks() -> (Sheave, Dcsctp) {
    let options = Options {
        outbound_streams: 1000,
        ..Options::default()
    };
    (Sheave::new(options, 1), Dcsctp::new())
}

#[test]
fn small_messages_cross_on_many_streams() {
    scenario::exchange_in_both_roles(stacks, Weather::FAIR, &SMALL, &SMALL, 0..2);
}

#[test]
fn ordered_and_unordered_messages_mix() {
    scenario::exchange_in_both_roles(stacks, Weather::FAIR, &MIXED, &MIXED, 0..2);
}

#[test]
fn large_messages_cross() {
    scenario::exchange_in_both_roles(stacks, Weather::FAIR, &LARGE, &LARGE, 0..1);
}

#[test]
fn one_direction_alone_works() {
    scenario::exchange_in_both_roles(stacks, Weather::FAIR, &LONG, &Traffic::NONE, 0..1);
    scenario::exchange_in_both_roles(stacks, Weather::FAIR, &Traffic::NONE, &LONG, 0..1);
}

#[test]
fn foul_weather_costs_no_message() {
    scenario::exchange_in_both_roles(stacks, Weather::FOUL, &LONG, &LONG, 0..10);
}

#[test]
fn large_messages_survive_loss() {
    let lossy = Weather {
        loss: 2,
        ..Weather::FAIR
    };
    scenario::exchange_in_both_roles(stacks, lossy, &LARGE, &LARGE, 0..2);
}

#[test]
fn what_we_sent_arrives_before_our_shutdown() {
    scenario::everything_sent_arrives_before_the_end(stacks, Side::Left);
}

#[test]
fn what_the_peer_sent_arrives_before_its_shutdown() {
    scenario::everything_sent_arrives_before_the_end(stacks, Side::Right);
}

#[test]
fn both_may_shut_down_at_once() {
    scenario::shut_down_together(stacks);
}

#[test]
fn the_peer_hears_our_abort() {
    scenario::abort(stacks, Side::Left);
}

#[test]
fn we_hear_the_abort_of_the_peer() {
    scenario::abort(stacks, Side::Right);
}

#[test]
fn calls_that_cross_make_one_association() {
    scenario::call_each_other(stacks);
}

#[test]
fn the_peer_may_restart() {
    scenario::restart(stacks, Side::Right);
}

#[test]
fn we_may_restart() {
    // Another seed, other tags.
    let seed = Cell::new(0);
    let make = || {
        seed.set(seed.get() + 1);
        (Sheave::new(Options::default(), seed.get()), Dcsctp::new())
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
        let make = || (Sheave::new(profile.options(), 1), Dcsctp::new());
        scenario::exchange_in_both_roles(make, Weather::FAIR, &MIXED, &MIXED, 0..1);
        scenario::exchange_in_both_roles(make, Weather::FOUL, &FEW, &FEW, 0..2);
    }
}

/// Packets within DTLS, of ours and of theirs; none is damaged there.
fn stacks_within_dtls() -> (Sheave, Dcsctp) {
    let options = Options {
        zero_checksum: ZeroChecksum::Dtls,
        outbound_streams: 1000,
        ..Options::default()
    };
    (Sheave::new(options, 1), Dcsctp::within_dtls())
}

#[test]
fn both_do_without_checksums_within_dtls() {
    for caller in [Side::Left, Side::Right] {
        let (left, right) = stacks_within_dtls();
        let mut pair = Pair::new(left, right, Weather::FAIR, 1);
        scenario::establish(&mut pair, caller);
        assert!(pair.right.uses_zero_checksum(), "{caller:?}");
    }
    let lossy = Weather {
        loss: 2,
        ..Weather::FAIR
    };
    scenario::exchange_in_both_roles(stacks_within_dtls, lossy, &LONG, &LONG, 0..2);
}

#[test]
fn one_that_needs_checksums_gets_them() {
    let ours = |zero_checksum| {
        let options = Options {
            zero_checksum,
            outbound_streams: 1000,
            ..Options::default()
        };
        Sheave::new(options, 1)
    };
    let theirs_only = || (ours(ZeroChecksum::Off), Dcsctp::within_dtls());
    let ours_only = || (ours(ZeroChecksum::Dtls), Dcsctp::new());
    scenario::exchange_in_both_roles(theirs_only, Weather::FAIR, &FEW, &FEW, 0..1);
    scenario::exchange_in_both_roles(ours_only, Weather::FAIR, &FEW, &FEW, 0..1);
}

#[test]
fn extensions_that_it_does_not_have_are_offered_in_vain() {
    let stacks = || (Sheave::new(offering(), 1), Dcsctp::new());
    scenario::exchange_in_both_roles(stacks, Weather::FAIR, &MIXED, &MIXED, 0..1);
    scenario::exchange_in_both_roles(stacks, Weather::FOUL, &LONG, &LONG, 0..2);
}
