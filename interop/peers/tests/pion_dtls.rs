//! Sheave and pion over DTLS (RFC 8261), of which pion speaks version 1.2, on 127.0.0.1: what data
//! channels do to SCTP.

use sheave::Options;
use sheave_interop::session::{Load, giving_up, interleaving, options};
use sheave_interop::{Neighbours, Program, tests};

/// Calls the peer's echo server, sends it messages and shuts down.
fn ping_the_peer(load: &Load, ours: Options, theirs: &str) {
    if let Some(near) = Neighbours::over_dtls(Program::pion()) {
        near.ping(load, ours, &format!("dtls {theirs}"));
    }
}

/// Has the peer send messages that we echo, and shut down.
fn be_pinged_by_the_peer(load: &Load, ours: Options, theirs: &str) {
    if let Some(near) = Neighbours::over_dtls(Program::pion()) {
        near.be_pinged(load, ours, &format!("dtls {theirs}"));
    }
}

tests! {
    the_peer_echoes_on_many_streams => ping_the_peer(&Load::new(1000, 500, 20), options(), "");
    we_echo_on_many_streams => be_pinged_by_the_peer(&Load::new(1000, 500, 20), options(), "");
}

#[test]
fn messages_of_64_kib_and_a_megabyte_go_both_ways() {
    for load in [Load::new(65_536, 40, 4), Load::new(1 << 20, 4, 2)] {
        ping_the_peer(&load, options(), "");
        be_pinged_by_the_peer(&load, options(), "");
    }
}

#[test]
fn unordered_messages_go_both_ways() {
    let load = Load::new(3000, 200, 3).unordered();
    ping_the_peer(&load, options(), "unordered");
    be_pinged_by_the_peer(&load, options(), "unordered");
}

#[test]
fn both_do_without_checksums_within_dtls() {
    let load = Load::new(1000, 500, 20);
    ping_the_peer(&load, options(), "zero-checksum");
    be_pinged_by_the_peer(&load, options(), "zero-checksum");
}

#[test]
fn nothing_is_given_up_without_a_loss() {
    let load = Load::new(1000, 500, 20);
    ping_the_peer(&load, giving_up(), "retransmissions=3");
    be_pinged_by_the_peer(&load, giving_up(), "retransmissions=3");
}

#[test]
fn messages_are_interleaved_both_ways() {
    let load = Load::new(100_000, 50, 5);
    ping_the_peer(&load, interleaving(), "interleaving");
    be_pinged_by_the_peer(&load, interleaving(), "interleaving");
}
