//! A source that occupies as much memory as possible on many associations (A46).

use crate::prelude::*;

use super::quiet;

const MEMORY: usize = 400_000;
const PAYLOAD: [u8; 1400] = [1; 1400];

/// Kind of data that a source makes an endpoint hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    OutOfOrder,
    Unread,
    ClosedWindow,
}

/// An association from that address, or none if it was refused.
fn connect(world: &mut World, base: &Peer, source: u8, port: u16, a_rwnd: u32) -> Peer {
    let mut peer = Peer {
        port,
        a_rwnd,
        address: address(Z, source),
        ..base.clone()
    };
    peer.seen = world.inbox(Z).len();
    let cookie = peer.ask_cookie(world, &[]);
    peer.echo_cookie(world, &cookie);
    peer.expect(world, ChunkType::COOKIE_ACK);
    peer
}

/// The association that was set up last.
fn newest(world: &mut World) -> AssocId {
    world.endpoint(A).associations().last().expect("it is up")
}

fn send(world: &mut World, to: AssocId, message: Message) -> Result<(), SendError> {
    let now = world.now();
    let mut assoc = world.endpoint(A).assoc(to).expect("it is open");
    assoc.send(now, message, SendOptions::default())
}

/// Builds a world in which a source has sixty associations and occupies as much memory as possible
/// with each.
fn besieged(hold: Hold, share: SourceShare) -> (World, Peer) {
    let mut setup = Setup::with(quiet()).paths(2);
    setup.endpoints.max_memory = MEMORY;
    setup.endpoints.source_share = share;
    let (mut world, base) = Peer::before(&setup);
    if hold == Hold::Unread {
        world.set_reading(A, Reading::Stopped);
    }
    for n in 0..60 {
        let window = if hold == Hold::ClosedWindow {
            1500
        } else {
            1 << 20
        };
        let mut peer = connect(&mut world, &base, 1, 10_000 + n, window);
        let id = newest(&mut world);
        if hold == Hold::OutOfOrder {
            peer.tsn = peer.tsn.next();
        }
        for ssn in 0..20 {
            match hold {
                Hold::OutOfOrder => peer.send_data(&mut world, 0, ssn + 1, &PAYLOAD),
                Hold::Unread => peer.send_data(&mut world, 0, ssn, &PAYLOAD),
                // Refused when there is no room.
                Hold::ClosedWindow => drop(send(&mut world, id, blob(0, 1400))),
            }
        }
        world.run_for(ms(20));
    }
    world.set_reading(A, Reading::Eager);
    (world, base)
}

/// Whether another peer can set up an association now and exchange messages.
fn others_live(world: &mut World, base: &Peer) -> bool {
    let mut other = connect(world, base, 2, 20_000, 1 << 20);
    let id = newest(world);
    world.set_current(A, id);
    other.take(world);
    // Beyond a gap, which is filled later.
    let first = other.tsn;
    for n in 1..10 {
        other.tsn = first.plus(n.into());
        other.send_data(world, 0, n, &PAYLOAD);
    }
    world.run_for(secs(1));
    other.tsn = first;
    other.send_data(world, 0, 0, &PAYLOAD);
    world.run_for(secs(1));
    let arrived = world.stats(A).messages_received == 10;
    let taken = (0..5).all(|_| send(world, id, blob(0, 1400)).is_ok());
    arrived && taken
}

// A46
#[test]
fn one_source_that_holds_what_it_can_starves_no_other() {
    for hold in [Hold::OutOfOrder, Hold::Unread, Hold::ClosedWindow] {
        let (mut world, base) = besieged(hold, SourceShare::AsMuchAsIsFree);
        let held = world.endpoint(A).stats().buffered;
        // An empty send buffer always accepts a message.
        let most = match hold {
            Hold::OutOfOrder | Hold::Unread => MEMORY / 2 + 4096,
            Hold::ClosedWindow => MEMORY * 3 / 4,
        };
        assert!(held <= most, "{hold:?}: {held} bytes held");
        if hold != Hold::Unread {
            assert!(held >= MEMORY / 3, "{hold:?}: {held} bytes held");
        }
        assert!(others_live(&mut world, &base), "{hold:?}");
    }
}

// A46
#[test]
fn without_shares_one_source_can_take_all_memory() {
    let (mut world, base) = besieged(Hold::OutOfOrder, SourceShare::All);
    let held = world.endpoint(A).stats().buffered;
    assert!(held > MEMORY - 2000, "{held} bytes held");
    assert!(!others_live(&mut world, &base));
}

// A46: with the associations goes what they held.
#[test]
fn a_source_that_leaves_gives_its_share_back() {
    let (mut world, _) = besieged(Hold::OutOfOrder, SourceShare::Bytes(MEMORY / 4));
    let held = world.endpoint(A).stats().buffered;
    assert!(
        (MEMORY / 5..=MEMORY / 4 + 4096).contains(&held),
        "{held} bytes held"
    );
    let ids: Vec<AssocId> = world.endpoint(A).associations().collect();
    let now = world.now();
    for id in ids {
        let assoc = world.endpoint(A).assoc(id).expect("it is open");
        assoc.abort(now, Default::default());
    }
    assert_eq!(world.endpoint(A).stats().buffered, 0);
}
