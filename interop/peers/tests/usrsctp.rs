//! Sheave and usrsctp, over UDP encapsulation on 127.0.0.1.

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use sheave::authentication::HmacAlgorithm;
use sheave::error::{ConnectError, ReceiveError};
use sheave::events::AddressChange;
use sheave::options::{AddressChanges, Authentication, ConcurrentTransfer, Multipath};
use sheave::{Association, CloseReason, Event, Options};
use sheave_interop::session::{self, Load, PATIENCE, offering, options};
use sheave_interop::{Child, Neighbours, Program};

fn beside() -> Option<Neighbours> {
    Neighbours::beside(Program::usrsctp())
}

/// Calls the peer's echo server, sends it messages and shuts down.
fn ping_the_peer(load: &Load, ours: Options) {
    if let Some(near) = beside() {
        near.ping(load, ours, "");
    }
}

/// Has the peer send messages that we echo, and shut down.
fn be_pinged_by_the_peer(load: &Load, ours: Options) {
    if let Some(near) = beside() {
        near.be_pinged(load, ours, "");
    }
}

#[test]
fn the_peer_echoes() {
    ping_the_peer(&Load::new(1000, 500, 20), options());
    ping_the_peer(&Load::new(1, 1000, 1000), options());
    ping_the_peer(&Load::new(3000, 200, 3).unordered(), options());
    ping_the_peer(&Load::new(1_000_000, 5, 2), options());
}

fn for_several_paths() -> Options {
    Options {
        multipath: Multipath::Concurrent(ConcurrentTransfer::default()),
        ..options()
    }
}

#[test]
fn ends_for_several_paths_get_along_with_the_peers_one() {
    ping_the_peer(&Load::new(1000, 500, 20), for_several_paths());
    be_pinged_by_the_peer(&Load::new(1000, 500, 20), for_several_paths());
}

#[test]
fn we_echo() {
    be_pinged_by_the_peer(&Load::new(1000, 500, 20), options());
    be_pinged_by_the_peer(&Load::new(3000, 200, 3).unordered(), options());
    be_pinged_by_the_peer(&Load::new(1_000_000, 5, 2), options());
}

#[test]
fn the_peer_hears_our_abort() {
    let Some(near) = beside() else {
        return;
    };
    let mut server = near.peer.serve("echo", "");
    let association = near.call(options());
    session::ping(&association, &Load::new(100, 10, 1));
    association.abort("enough");
    let end = server.line("echo bytes", PATIENCE);
    assert_eq!(
        end,
        "echo bytes 1000 messages 10 wrong 0 end Connection reset by peer"
    );
}

#[test]
fn we_hear_the_abort_of_the_peer() {
    let Some(near) = beside() else {
        return;
    };
    let (association, mut child) = near.be_called(options(), "ping", "100 10 end=abort");
    let end = session::echo(&association).expect_err("the peer aborts");
    assert!(
        matches!(end, ReceiveError::Closed(CloseReason::AbortedByPeer { .. })),
        "{end:?}"
    );
    assert_eq!(
        child.line("ping bytes", PATIENCE),
        "ping bytes 1000 messages 10 wrong 0 end abort"
    );
}

#[test]
fn nobody_listens_at_the_peer() {
    let Some(near) = beside() else {
        return;
    };
    let _server = near.peer.serve("echo", "");
    let refused = near.try_call(77, options());
    let refused = refused.expect_err("the port is not listened on");
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
    let Some(near) = beside() else {
        return;
    };
    let mut child = near.start_client("ping", "1 1");
    assert_eq!(
        child.line("failed ", PATIENCE),
        "failed connect: Connection refused"
    );
}

#[test]
fn the_peer_counts_what_we_sent_before_our_shutdown() {
    let Some(near) = beside() else {
        return;
    };
    let mut server = near.peer.serve("sink", "");
    let association = near.call(options());
    session::send(&association, &Load::new(10_000, 300, 7));
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let end = server.line("sink bytes", PATIENCE);
    assert_eq!(end, "sink bytes 3000000 messages 300 wrong 0 end shutdown");
}

#[test]
fn extensions_that_it_does_not_have_are_offered_in_vain() {
    ping_the_peer(&Load::new(1000, 500, 20), offering());
    be_pinged_by_the_peer(&Load::new(1000, 500, 20), offering());
}

/// We ask for authenticated DATA, SACK and HEARTBEAT ACK, under the key of id 1 and with the
/// algorithm that we like best.
fn authenticating(secret: &str, best: HmacAlgorithm) -> Options {
    Options {
        authentication: session::authentication(secret, best),
        ..options()
    }
}

#[test]
fn both_authenticate_and_we_call() {
    let Some(near) = beside() else {
        return;
    };
    for best in [HmacAlgorithm::Sha1, HmacAlgorithm::Sha256] {
        let load = Load::new(3000, 300, 20);
        let mut server = near.peer.serve("echo", "key=sesame");
        let association = near.call(authenticating("sesame", best));
        session::ping(&association, &load);
        let stats = association.stats().expect("it is open");
        assert_eq!(
            (stats.unauthenticated, stats.failed_authentications),
            (0, 0)
        );
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
        let end = server.line("echo bytes", PATIENCE);
        assert_eq!(end, "echo bytes 900000 messages 300 wrong 0 end shutdown");
    }
}

#[test]
fn both_authenticate_and_the_peer_calls() {
    if let Some(near) = beside() {
        let options = authenticating("sesame", HmacAlgorithm::Sha256);
        near.be_pinged(&Load::new(3000, 300, 20), options, "key=sesame");
    }
}

#[test]
fn another_secret_than_the_peers_gets_nothing_across() {
    let Some(near) = beside() else {
        return;
    };
    let _server = near.peer.serve("echo", "key=sesame");
    let association = near.call(authenticating("guess", HmacAlgorithm::Sha256));
    session::send(&association, &Load::new(100, 3, 1));
    std::thread::sleep(Duration::from_secs(1));
    assert!(association.try_receive().is_err());
}

#[test]
fn another_secret_than_that_of_the_peer_who_calls_gets_nothing_across() {
    let Some(near) = beside() else {
        return;
    };
    let ours = authenticating("guess", HmacAlgorithm::Sha256);
    let (association, _child) = near.be_called(ours, "send", "100 3 key=sesame");
    let deadline = Instant::now() + PATIENCE;
    let failed = || {
        association
            .stats()
            .expect("it is open")
            .failed_authentications
    };
    while failed() == 0 {
        assert!(Instant::now() < deadline, "nothing comes");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(association.try_receive().is_err());
}

/// We may add and delete addresses, and say which one we like best.
fn moving() -> Options {
    Options {
        authentication: Authentication::on(),
        address_changes: AddressChanges::On,
        ..options()
    }
}

#[test]
fn we_move_to_another_address_while_the_peer_echoes() {
    if let Some(near) = beside() {
        let server = near.peer.serve("echo", "");
        move_and_end(&near, &near.call(moving()), "echo", server);
    }
}

#[test]
fn we_move_to_another_address_while_the_peer_that_called_echoes() {
    if let Some(near) = beside() {
        let (association, child) = near.be_called(moving(), "join", "");
        move_and_end(&near, &association, "join", child);
    }
}

fn move_and_end(near: &Neighbours, association: &Association, role: &str, mut peer: Child) {
    let (old, new) = (
        IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V4(Ipv4Addr::new(127, 0, 0, 3)),
    );
    let load = Load::new(1000, 100, 5);
    session::ping(association, &load);
    let events = association.events();
    near.ours.add_address(new).expect("127.0.0.3 is there");
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
    near.ours.unplug(old);
    session::ping(association, &load.continued());
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let end = peer.line(&format!("{role} bytes"), PATIENCE);
    assert!(end.ends_with("messages 200 wrong 0 end shutdown"), "{end}");
}
