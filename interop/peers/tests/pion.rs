//! Sheave and pion, over UDP encapsulation on 127.0.0.1.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use sheave::{
    Association, CloseReason, Config, ConnectError, Endpoint, Interleaving, Options,
    PartialReliability, ReceiveError, Target, ZeroChecksum,
};
use sheave_interop::session::{self, Load, PATIENCE, offering, options};
use sheave_interop::{Child, Pion, Watchdog, skip};

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const LIMIT: Duration = Duration::from_secs(120);

/// Our end, the peer, and who watches over the time; `None` where Go is not.
fn prepare() -> Option<(Endpoint, Pion, Watchdog)> {
    match Pion::build() {
        Ok(peer) => {
            let ours = Endpoint::bind(Config::udp([LOCALHOST], 0)).expect("127.0.0.1 is there");
            Some((ours, peer, Watchdog::start(LIMIT)))
        }
        Err(why) => {
            skip(why);
            None
        }
    }
}

fn call(ours: &Endpoint, peer: &Pion, options: Options) -> Result<Association, ConnectError> {
    let target = Target::over_udp([LOCALHOST], peer.udp_port, Pion::PORT).with_options(options);
    ours.connect_timeout(target, PATIENCE)
}

/// Calls the peer's echo server, sends it messages and shuts down.
fn ping_the_peer(load: &Load, ours: Options, theirs: &str) {
    let Some((endpoint, peer, _watchdog)) = prepare() else {
        return;
    };
    let mut server = peer.serve("echo", theirs);
    let association = call(&endpoint, &peer, ours).expect("the peer answers");
    session::ping(&association, load);
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let (bytes, count) = (load.bytes(), load.count);
    assert_eq!(
        server.line("echo ", PATIENCE),
        format!("echo bytes {bytes} messages {count} wrong 0 end closed")
    );
}

/// Has the peer call us with `words`; the association and the peer.
fn have_the_peer_call(
    ours: &Endpoint,
    peer: &Pion,
    options: Options,
    words: &str,
) -> (Association, Child) {
    let listener = ours.listen(Pion::PORT, options).expect("the port is free");
    let udp_port = ours.udp_port().expect("we speak UDP");
    let child = peer.call("ping", udp_port, words);
    let association = listener.accept_timeout(PATIENCE).expect("the peer calls");
    (association, child)
}

/// Has the peer send messages that we echo, and shut down.
fn be_pinged_by_the_peer(ours: Options, words: &str, bytes: usize, messages: usize) {
    let Some((endpoint, peer, _watchdog)) = prepare() else {
        return;
    };
    let (association, mut child) = have_the_peer_call(&endpoint, &peer, ours, words);
    let tally = session::echo(&association).expect("the peer ends gracefully");
    assert_eq!(
        (tally.bytes, tally.messages, tally.wrong),
        (bytes, messages, 0)
    );
    assert_eq!(
        child.line("ping ", PATIENCE),
        format!("ping bytes {bytes} messages {messages} wrong 0 end shutdown")
    );
    assert!(child.succeeds(PATIENCE));
}

#[test]
fn the_peer_echoes_on_many_streams() {
    ping_the_peer(&Load::new(1000, 500, 20), options(), "");
}

#[test]
fn the_peer_echoes_single_bytes() {
    ping_the_peer(&Load::new(1, 1000, 100), options(), "");
}

#[test]
fn the_peer_echoes_unordered_messages() {
    ping_the_peer(&Load::new(3000, 200, 3).unordered(), options(), "unordered");
}

#[test]
fn the_peer_echoes_messages_of_a_megabyte() {
    ping_the_peer(&Load::new(1_000_000, 5, 2), options(), "");
}

#[test]
fn we_echo_on_many_streams() {
    be_pinged_by_the_peer(options(), "1000 500 streams=20", 500_000, 500);
}

#[test]
fn we_echo_unordered_messages() {
    be_pinged_by_the_peer(options(), "3000 200 streams=3 unordered", 600_000, 200);
}

#[test]
fn we_echo_messages_of_a_megabyte() {
    be_pinged_by_the_peer(options(), "1000000 5 streams=2", 5_000_000, 5);
}

#[test]
fn we_hear_the_abort_of_the_peer() {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let (association, _child) = have_the_peer_call(&ours, &peer, options(), "100 10 end=abort");
    let end = session::echo(&association).expect_err("the peer aborts");
    assert!(
        matches!(end, ReceiveError::Closed(CloseReason::AbortedByPeer { .. })),
        "{end:?}"
    );
}

#[test]
fn extensions_that_it_does_not_have_are_offered_in_vain() {
    ping_the_peer(&Load::new(1000, 500, 20), offering(), "");
}

#[test]
fn it_calls_us_who_offer_extensions_that_it_does_not_have() {
    be_pinged_by_the_peer(offering(), "1000 500 streams=20", 500_000, 500);
}

fn interleaving() -> Options {
    Options {
        interleaving: Interleaving::On,
        ..options()
    }
}

fn without_checksums() -> Options {
    Options {
        zero_checksum: ZeroChecksum::Dtls,
        ..options()
    }
}

fn giving_up() -> Options {
    Options {
        partial_reliability: PartialReliability::On,
        ..options()
    }
}

#[test]
fn messages_are_interleaved_both_ways() {
    let load = Load::new(100_000, 50, 5);
    ping_the_peer(&load, interleaving(), "interleaving");
    be_pinged_by_the_peer(
        interleaving(),
        "100000 50 streams=5 interleaving",
        5_000_000,
        50,
    );
}

#[test]
fn one_that_does_not_interleave_is_sent_data() {
    ping_the_peer(&Load::new(10_000, 50, 5), interleaving(), "");
    be_pinged_by_the_peer(options(), "10000 50 streams=5 interleaving", 500_000, 50);
}

#[test]
fn both_do_without_checksums() {
    let load = Load::new(1000, 500, 20);
    ping_the_peer(&load, without_checksums(), "zero-checksum");
    be_pinged_by_the_peer(
        without_checksums(),
        "1000 500 streams=20 zero-checksum",
        500_000,
        500,
    );
}

#[test]
fn nothing_is_given_up_without_a_loss() {
    let load = Load::new(1000, 500, 20);
    ping_the_peer(&load, giving_up(), "retransmissions=3");
    be_pinged_by_the_peer(
        giving_up(),
        "1000 500 streams=20 retransmissions=3",
        500_000,
        500,
    );
}
