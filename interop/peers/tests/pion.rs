//! Sheave and pion, over UDP encapsulation on 127.0.0.1.

use sheave::error::ReceiveError;
use sheave::options::ZeroChecksum;
use sheave::{CloseReason, Options};
use sheave_interop::session::{self, Load, giving_up, interleaving, offering, options};
use sheave_interop::{Neighbours, Program};

/// Calls the peer's echo server, sends it messages and shuts down.
fn ping_the_peer(load: &Load, ours: Options, theirs: &str) {
    if let Some(near) = Neighbours::beside(Program::pion()) {
        near.ping(load, ours, theirs);
    }
}

/// Has the peer send messages that we echo, and shut down.
fn be_pinged_by_the_peer(load: &Load, ours: Options, theirs: &str) {
    if let Some(near) = Neighbours::beside(Program::pion()) {
        near.be_pinged(load, ours, theirs);
    }
}

#[test]
fn the_peer_echoes() {
    ping_the_peer(&Load::new(1000, 500, 20), options(), "");
    ping_the_peer(&Load::new(1, 1000, 100), options(), "");
    ping_the_peer(&Load::new(3000, 200, 3).unordered(), options(), "unordered");
    ping_the_peer(&Load::new(1_000_000, 5, 2), options(), "");
}

#[test]
fn we_echo() {
    be_pinged_by_the_peer(&Load::new(1000, 500, 20), options(), "");
    be_pinged_by_the_peer(&Load::new(3000, 200, 3).unordered(), options(), "");
    be_pinged_by_the_peer(&Load::new(1_000_000, 5, 2), options(), "");
}

#[test]
fn we_hear_the_abort_of_the_peer() {
    let Some(near) = Neighbours::beside(Program::pion()) else {
        return;
    };
    let (association, _child) = near.be_called(options(), "ping", "100 10 end=abort");
    let end = session::echo(&association).expect_err("the peer aborts");
    assert!(
        matches!(end, ReceiveError::Closed(CloseReason::AbortedByPeer { .. })),
        "{end:?}"
    );
}

#[test]
fn extensions_that_it_does_not_have_are_offered_in_vain() {
    ping_the_peer(&Load::new(1000, 500, 20), offering(), "");
    be_pinged_by_the_peer(&Load::new(1000, 500, 20), offering(), "");
}

fn without_checksums() -> Options {
    Options {
        zero_checksum: ZeroChecksum::Dtls,
        ..options()
    }
}

#[test]
fn messages_are_interleaved_both_ways() {
    let load = Load::new(100_000, 50, 5);
    ping_the_peer(&load, interleaving(), "interleaving");
    be_pinged_by_the_peer(&load, interleaving(), "interleaving");
}

#[test]
fn one_that_does_not_interleave_is_sent_data() {
    let load = Load::new(10_000, 50, 5);
    ping_the_peer(&load, interleaving(), "");
    be_pinged_by_the_peer(&load, options(), "interleaving");
}

#[test]
fn both_do_without_checksums() {
    let load = Load::new(1000, 500, 20);
    ping_the_peer(&load, without_checksums(), "zero-checksum");
    be_pinged_by_the_peer(&load, without_checksums(), "zero-checksum");
}

#[test]
fn nothing_is_given_up_without_a_loss() {
    let load = Load::new(1000, 500, 20);
    ping_the_peer(&load, giving_up(), "retransmissions=3");
    be_pinged_by_the_peer(&load, giving_up(), "retransmissions=3");
}
