use std::net::{IpAddr, UdpSocket};
use std::time::Duration;

use sheave::authentication::ChunkSet;
use sheave::error::{ConnectError, ListenError};
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

#[test]
fn two_listeners_share_a_port_at_different_addresses() {
    within(LONG, || {
        let server = endpoint(&[2, 3]);
        let named = |stream_count| Options {
            outbound_streams: stream_count,
            ..quick()
        };
        let second = server.listen_on(PORT, [localhost(2)], named(5)).unwrap();
        let third = server.listen_on(PORT, [localhost(3)], named(7)).unwrap();
        let client = endpoint(&[1]);
        let connect = |last| {
            let udp_port = server.udp_port().unwrap();
            let target = Target::over_udp([localhost(last)], udp_port, PORT);
            client.connect(target.with_options(quick())).unwrap()
        };
        // In this order, so that the first listener asked has nothing that waits.
        let to_third = connect(3);
        assert!(second.accept_timeout(Duration::from_millis(50)).is_none());
        let (to_second, at_third) = (connect(2), third.accept().unwrap());
        let at_second = second.accept().unwrap();
        assert_eq!(at_second.outbound_streams(), 5);
        assert_eq!(at_third.outbound_streams(), 7);
        // The peer is told of no other address.
        let remotes = |end: &Association| -> Vec<IpAddr> {
            end.path_stats().iter().map(|path| path.remote).collect()
        };
        assert_eq!(remotes(&to_second), [localhost(2)]);
        assert_eq!(remotes(&to_third), [localhost(3)]);
        to_third.send(Message::new(StreamId(0), "three")).unwrap();
        assert_eq!(next(&at_third).message.payload, "three");
    });
}

#[test]
fn a_listener_that_leaves_gives_its_addresses_back_and_no_others() {
    within(LONG, || {
        let server = endpoint(&[2, 3]);
        let at = |last: u8| server.listen_on(PORT, [localhost(last)], quick());
        let (second, third) = (at(2).unwrap(), at(3).unwrap());
        assert_eq!(at(2).unwrap_err(), ListenError::InUse);
        assert_eq!(
            server.listen(PORT, quick()).unwrap_err(),
            ListenError::InUse
        );
        drop(second);
        let client = endpoint(&[1]);
        let target = |last| {
            Target::over_udp([localhost(last)], server.udp_port().unwrap(), PORT)
                .with_options(quick())
        };
        let refused = client.connect(target(2)).unwrap_err();
        assert!(matches!(refused, ConnectError::Failed(_)), "{refused}");
        let _near = client.connect(target(3)).unwrap();
        let far = third.accept().unwrap();
        assert_eq!(far.local_addresses(), [localhost(3)]);
        let second = at(2).unwrap();
        let _again = client.connect(target(2)).unwrap();
        assert!(second.accept().is_some());
    });
}

#[test]
fn an_address_of_somebody_else_cannot_be_listened_on() {
    let server = endpoint(&[2]);
    let refused = server.listen_on(PORT, [localhost(2), localhost(9)], quick());
    assert_eq!(refused.unwrap_err(), ListenError::NotLocal(localhost(9)));
    assert!(server.listen(PORT, quick()).is_ok());
}
