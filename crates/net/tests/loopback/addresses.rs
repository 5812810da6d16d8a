use std::net::UdpSocket;
use std::time::Duration;

use sheave::authentication::ChunkSet;
use sheave::events::{AddressChange, PathChange};
use sheave::options::{AddressChanges, Authentication};
use sheave::{Association, Event, Events, Message, Options, StreamId, Target};

use crate::pair::{LONG, PORT, Pair, endpoint, localhost, next, quick, within};

fn moving() -> Options {
    Options {
        authentication: Authentication::with_key("secret", ChunkSet::NONE),
        address_changes: AddressChanges::On,
        ..quick()
    }
}

fn wait_for(events: &Events, expected: Event) {
    let events = events.clone();
    within(
        LONG,
        move || while events.next() != Some(expected.clone()) {},
    );
}

/// Sends a few messages and reads them at the other end.
fn pass(from: &Association, to: &Association, text: &'static str) {
    for _ in 0..20 {
        from.send(Message::new(StreamId(1), vec![7; 20_000]))
            .unwrap();
    }
    from.send(Message::new(StreamId(1), text)).unwrap();
    while next(to).message.payload != text {}
}

#[test]
fn an_association_moves_to_an_address_that_its_endpoint_got_later() {
    let pair = Pair::over(endpoint(&[1]), endpoint(&[2]), moving());
    let (near, far) = (&pair.near, &pair.far);
    let (mine, theirs) = (near.events(), far.events());
    pass(near, far, "before");
    let (old, new) = (localhost(1), localhost(3));
    pair.client.add_address(new).unwrap();
    near.add_address(new).unwrap();
    let confirmed = Event::Path {
        remote: new,
        change: PathChange::Confirmed,
    };
    wait_for(&theirs, confirmed);
    near.set_peer_primary(new).unwrap();
    near.delete_address(old).unwrap();
    pass(far, near, "meanwhile");
    let change = AddressChange::Delete(old);
    wait_for(&mine, Event::AddressChanged { change });
    pair.client.unplug(old);
    pass(near, far, "after");
    pass(far, near, "and back");
    let paths = far.path_stats();
    assert_eq!(paths.len(), 1);
    assert_eq!(paths[0].remote, new);
}

#[test]
fn icmp_errors_are_read_for_an_address_added_later() {
    let pair = Pair::over(endpoint(&[1]), endpoint(&[2]), moving());
    let Pair { near, client, .. } = &pair;
    let (mine, theirs) = (near.events(), pair.far.events());
    let new = localhost(3);
    client.add_address(new).unwrap();
    near.add_address(new).unwrap();
    let change = AddressChange::Add(new);
    wait_for(&mine, Event::AddressChanged { change });
    let confirmed = Event::Path {
        remote: new,
        change: PathChange::Confirmed,
    };
    wait_for(&theirs, confirmed);
    near.delete_address(localhost(1)).unwrap();
    let change = AddressChange::Delete(localhost(1));
    wait_for(&mine, Event::AddressChanged { change });
    client.remove_address(localhost(1));
    // Nobody has that UDP port: the kernel says so of what comes there.
    let socket = UdpSocket::bind((new, 0)).unwrap();
    let mute = socket.local_addr().unwrap().port();
    drop(socket);
    let nowhere = Target::over_udp([new], mute, PORT).with_options(quick());
    let refused = client.connect_timeout(nowhere, Duration::from_millis(200));
    assert!(refused.is_err());
    pass(near, &pair.far, "it lives");
}
