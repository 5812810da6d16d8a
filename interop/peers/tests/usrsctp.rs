//! Sheave and usrsctp, over UDP encapsulation on 127.0.0.1.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use sheave::{
    AddressChange, AddressChanges, Association, Authentication, AuthenticationOptions, ChunkSet,
    ChunkType, CloseReason, ConcurrentTransfer, Config, ConnectError, Endpoint, Event,
    HmacAlgorithm, KeyId, Multipath, Options, ReceiveError, SharedKey, Target, Unauthenticated,
};
use sheave_interop::session::{self, Load, PATIENCE, offering, options};
use sheave_interop::{Child, Usrsctp, Watchdog, skip};

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const LIMIT: Duration = Duration::from_secs(120);

/// Our end, the peer, and who watches over the time; `None` where there is no usrsctp.
fn prepare() -> Option<(Endpoint, Usrsctp, Watchdog)> {
    match Usrsctp::build() {
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

fn call(ours: &Endpoint, peer: &Usrsctp, port: u16) -> Result<Association, ConnectError> {
    let target = Target::over_udp([LOCALHOST], peer.udp_port, port).with_options(options());
    ours.connect_timeout(target, PATIENCE)
}

/// Calls the peer's echo server, sends it messages and shuts down.
fn ping_the_peer(load: &Load) {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let mut server = peer.serve("echo", 7);
    let association = call(&ours, &peer, 7).expect("the peer answers");
    session::ping(&association, load);
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let end = server.line("echo ", PATIENCE);
    let (bytes, count) = (load.bytes(), load.count);
    assert_eq!(
        end,
        format!("echo bytes {bytes} messages {count} wrong 0 end shutdown")
    );
}

/// Has the peer call us with `words`; the association and the peer.
fn have_the_peer_call(
    ours: &Endpoint,
    peer: &Usrsctp,
    role: &str,
    words: &str,
) -> (Association, Child) {
    let listener = ours.listen(7, options()).expect("the port is free");
    let udp_port = ours.udp_port().expect("we speak UDP");
    let child = peer.call(role, udp_port, 7, words);
    let association = listener.accept_timeout(PATIENCE).expect("the peer calls");
    (association, child)
}

/// Has the peer send messages that we echo, and shut down.
fn be_pinged_by_the_peer(words: &str, bytes: usize, messages: usize) {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let (association, mut child) = have_the_peer_call(&ours, &peer, "ping", words);
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
    ping_the_peer(&Load::new(1000, 500, 20));
}

#[test]
fn the_peer_echoes_single_bytes() {
    ping_the_peer(&Load::new(1, 1000, 1000));
}

#[test]
fn the_peer_echoes_unordered_messages() {
    ping_the_peer(&Load::new(3000, 200, 3).unordered());
}

#[test]
fn the_peer_echoes_messages_of_a_megabyte() {
    ping_the_peer(&Load::new(1_000_000, 5, 2));
}

fn for_several_paths() -> Options {
    Options {
        multipath: Multipath::Concurrent(ConcurrentTransfer::default()),
        ..options()
    }
}

#[test]
fn a_sender_for_several_paths_gets_along_with_the_peers_one() {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let mut server = peer.serve("echo", 7);
    let target = Target::over_udp([LOCALHOST], peer.udp_port, 7).with_options(for_several_paths());
    let association = ours.connect_timeout(target, PATIENCE);
    let association = association.expect("the peer answers");
    session::ping(&association, &Load::new(1000, 500, 20));
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let end = server.line("echo ", PATIENCE);
    assert_eq!(end, "echo bytes 500000 messages 500 wrong 0 end shutdown");
}

#[test]
fn a_receiver_for_several_paths_gets_along_with_the_peers_one() {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let listener = ours
        .listen(7, for_several_paths())
        .expect("the port is free");
    let udp_port = ours.udp_port().expect("we speak UDP");
    let mut child = peer.call("ping", udp_port, 7, "1000 500 streams=20");
    let association = listener.accept_timeout(PATIENCE).expect("the peer calls");
    let tally = session::echo(&association).expect("the peer ends gracefully");
    assert_eq!((tally.messages, tally.wrong), (500, 0));
    assert!(child.succeeds(PATIENCE));
}

#[test]
fn we_echo_on_many_streams() {
    be_pinged_by_the_peer("1000 500 streams=20", 500_000, 500);
}

#[test]
fn we_echo_unordered_messages() {
    be_pinged_by_the_peer("3000 200 streams=3 unordered", 600_000, 200);
}

#[test]
fn we_echo_messages_of_a_megabyte() {
    be_pinged_by_the_peer("1000000 5 streams=2", 5_000_000, 5);
}

#[test]
fn the_peer_hears_our_abort() {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let mut server = peer.serve("echo", 7);
    let association = call(&ours, &peer, 7).expect("the peer answers");
    session::ping(&association, &Load::new(100, 10, 1));
    association.abort("enough");
    let end = server.line("echo ", PATIENCE);
    assert_eq!(
        end,
        "echo bytes 1000 messages 10 wrong 0 end Connection reset by peer"
    );
}

#[test]
fn we_hear_the_abort_of_the_peer() {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let (association, mut child) = have_the_peer_call(&ours, &peer, "ping", "100 10 end=abort");
    let end = session::echo(&association).expect_err("the peer aborts");
    assert!(
        matches!(end, ReceiveError::Closed(CloseReason::AbortedByPeer { .. })),
        "{end:?}"
    );
    assert_eq!(
        child.line("ping ", PATIENCE),
        "ping bytes 1000 messages 10 wrong 0 end abort"
    );
}

#[test]
fn nobody_listens_at_the_peer() {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let _server = peer.serve("echo", 7);
    let refused = call(&ours, &peer, 77).expect_err("the port is not listened on");
    assert!(
        matches!(
            refused,
            ConnectError::Failed(CloseReason::AbortedByPeer { .. })
        ),
        "{refused:?}"
    );
}

#[test]
fn nobody_listens_here() {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let udp_port = ours.udp_port().expect("we speak UDP");
    let mut child = peer.call("ping", udp_port, 77, "1 1");
    assert_eq!(
        child.line("failed ", PATIENCE),
        "failed connect: Connection refused"
    );
}

#[test]
fn the_peer_counts_what_we_sent_before_our_shutdown() {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let mut server = peer.serve("sink", 9);
    let association = call(&ours, &peer, 9).expect("the peer answers");
    session::send(&association, &Load::new(10_000, 300, 7));
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let end = server.line("sink ", PATIENCE);
    assert_eq!(end, "sink bytes 3000000 messages 300 wrong 0 end shutdown");
}

#[test]
fn extensions_that_it_does_not_have_are_offered_in_vain() {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let load = Load::new(1000, 500, 20);
    let mut server = peer.serve("echo", 7);
    let target = Target::over_udp([LOCALHOST], peer.udp_port, 7).with_options(offering());
    let association = ours.connect_timeout(target, PATIENCE);
    let association = association.expect("the peer answers");
    session::ping(&association, &load);
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let end = server.line("echo ", PATIENCE);
    assert_eq!(end, "echo bytes 500000 messages 500 wrong 0 end shutdown");
}

#[test]
fn it_calls_us_who_offer_extensions_that_it_does_not_have() {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let listener = ours.listen(7, offering()).expect("the port is free");
    let udp_port = ours.udp_port().expect("we speak UDP");
    let mut child = peer.call("ping", udp_port, 7, "1000 500 streams=20");
    let association = listener.accept_timeout(PATIENCE).expect("the peer calls");
    let tally = session::echo(&association).expect("the peer ends gracefully");
    assert_eq!((tally.messages, tally.wrong), (500, 0));
    let end = child.line("ping ", PATIENCE);
    assert_eq!(end, "ping bytes 500000 messages 500 wrong 0 end shutdown");
}

/// We ask for authenticated DATA, SACK and HEARTBEAT ACK, under the key of id 1 and with the
/// algorithm that we like best.
fn authenticating(secret: &str, best: HmacAlgorithm) -> Options {
    let mut algorithms = vec![best, HmacAlgorithm::Sha1];
    algorithms.dedup();
    let authentication = Authentication::On(Box::new(AuthenticationOptions {
        chunks: ChunkSet::of([ChunkType::DATA, ChunkType::SACK, ChunkType::HEARTBEAT_ACK]),
        algorithms,
        keys: vec![SharedKey::new(KeyId(1), secret)],
        active: KeyId(1),
        others: Unauthenticated::Refused,
    }));
    Options {
        authentication,
        ..options()
    }
}

#[test]
fn both_authenticate_and_we_call() {
    for best in [HmacAlgorithm::Sha1, HmacAlgorithm::Sha256] {
        let Some((ours, peer, _watchdog)) = prepare() else {
            return;
        };
        let load = Load::new(3000, 300, 20);
        let mut server = peer.serve_with("echo", 7, "key=sesame");
        let target = Target::over_udp([LOCALHOST], peer.udp_port, 7);
        let target = target.with_options(authenticating("sesame", best));
        let association = ours.connect_timeout(target, PATIENCE);
        let association = association.expect("the peer answers");
        session::ping(&association, &load);
        let stats = association.stats().expect("it is open");
        assert_eq!(
            (stats.unauthenticated, stats.failed_authentications),
            (0, 0)
        );
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
        let end = server.line("echo ", PATIENCE);
        assert_eq!(end, "echo bytes 900000 messages 300 wrong 0 end shutdown");
    }
}

#[test]
fn both_authenticate_and_the_peer_calls() {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let listener = ours
        .listen(7, authenticating("sesame", HmacAlgorithm::Sha256))
        .expect("the port is free");
    let udp_port = ours.udp_port().expect("we speak UDP");
    let mut child = peer.call("ping", udp_port, 7, "3000 300 streams=20 key=sesame");
    let association = listener.accept_timeout(PATIENCE).expect("the peer calls");
    let tally = session::echo(&association).expect("the peer ends gracefully");
    assert_eq!((tally.messages, tally.wrong), (300, 0));
    let end = child.line("ping ", PATIENCE);
    assert_eq!(end, "ping bytes 900000 messages 300 wrong 0 end shutdown");
}

#[test]
fn another_secret_than_the_peers_gets_nothing_across() {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let _server = peer.serve_with("echo", 7, "key=sesame");
    let target = Target::over_udp([LOCALHOST], peer.udp_port, 7);
    let target = target.with_options(authenticating("guess", HmacAlgorithm::Sha256));
    let association = ours.connect_timeout(target, PATIENCE);
    let association = association.expect("the handshake is not authenticated");
    session::send(&association, &Load::new(100, 3, 1));
    std::thread::sleep(Duration::from_secs(1));
    assert!(association.try_receive().is_err());
}

#[test]
fn we_move_to_another_address_while_the_peer_echoes() {
    let Some((ours, peer, _watchdog)) = prepare() else {
        return;
    };
    let (old, new) = (LOCALHOST, IpAddr::V4(Ipv4Addr::new(127, 0, 0, 3)));
    let mut server = peer.serve("echo", 7);
    let moving = Options {
        authentication: Authentication::on(),
        address_changes: AddressChanges::On,
        ..options()
    };
    let target = Target::over_udp([LOCALHOST], peer.udp_port, 7).with_options(moving);
    let association = ours.connect_timeout(target, PATIENCE);
    let association = association.expect("the peer answers");
    session::ping(&association, &Load::new(1000, 100, 5));
    let events = association.events();
    ours.add_address(new).expect("127.0.0.3 is there");
    for change in [
        AddressChange::Add(new),
        AddressChange::SetPrimary(new),
        AddressChange::Delete(old),
    ] {
        match change {
            AddressChange::Add(ip) => association.add_address(ip),
            AddressChange::SetPrimary(ip) => association.set_peer_primary(ip),
            AddressChange::Delete(ip) => association.delete_address(ip),
        }
        .expect("the peer changes addresses");
        let settled = |event: &Event| {
            matches!(
                event,
                Event::AddressChanged { .. } | Event::AddressChangeRefused { .. }
            )
        };
        let outcome = std::iter::from_fn(|| events.next_timeout(PATIENCE)).find(settled);
        assert_eq!(outcome, Some(Event::AddressChanged { change }));
        // The peer confirms a new address before it sends data there.
        std::thread::sleep(Duration::from_millis(300));
    }
    ours.unplug(old);
    session::ping(&association, &Load::new(1000, 100, 5));
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    assert!(server.line("echo ", PATIENCE).contains("end shutdown"));
}
