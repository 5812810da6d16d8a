//! Authentication (RFC 4895) and another address (RFC 5061) between Sheave and usrsctp, over UDP encapsulation on
//! 127.0.0.1.

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use sheave::authentication::HmacAlgorithm;
use sheave::events::AddressChange;
use sheave::options::{AddressChanges, Authentication};
use sheave::{Association, Event, Options};
use sheave_interop::session::{self, Load, PATIENCE, options};
use sheave_interop::{Child, Neighbours, Program};

fn beside() -> Option<Neighbours> {
    Neighbours::beside(Program::usrsctp())
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
