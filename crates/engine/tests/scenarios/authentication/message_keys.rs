//! Messages with keys of their own (RFC 6458 §5.3.8).

use std::collections::BTreeSet;

use crate::prelude::*;

use super::{asking, asking_all, changed, data_only, edit, is_authenticated, key};

/// The same, with keys 2 and 3 at both ends.
fn with_more_keys(setup: Setup) -> Setup {
    setup.both(|options| {
        edit(options, |chosen| {
            chosen.keys.extend([key(2, "two"), key(3, "three")]);
        });
    })
}

/// Both ends ask for proof of DATA, and have keys 1, 2 and 3.
fn with_keys() -> World {
    with_more_keys(asking(data_only())).established()
}

fn free(id: u16) -> Event {
    changed(AuthenticationChange::FreeKey(KeyId(id)))
}

fn by(id: u16) -> SendOptions {
    SendOptions::default().with_key(KeyId(id))
}

fn send_by(world: &mut World, id: u16, message: Message) -> Result<(), SendError> {
    let outcome = world.try_send(A, message, by(id));
    world.pump();
    outcome
}

/// The key id of the AUTH chunk of a packet.
fn key_of(record: &Record) -> Option<u16> {
    record.chunks().iter().find_map(|chunk| match chunk {
        Chunk::Auth(auth) => Some(auth.key),
        _ => None,
    })
}

/// The keys that the DATA chunks of a host left with.
fn keys_of_data(world: &World, host: HostId) -> Vec<u16> {
    let sent = world.sent_with(host, ChunkType::DATA);
    sent.map(|record| key_of(record).expect("an AUTH chunk"))
        .collect()
}

/// Each message names its key in its payload protocol identifier.
fn named(stream: u16, id: u32, len: usize) -> Message {
    blob(stream, len).with_ppid(Ppid(id))
}

/// Checks that no packet holds messages of two keys, or of another than that of its AUTH chunk.
#[track_caller]
fn assert_keys_apart(world: &World, host: HostId) -> usize {
    let mut repeated = 0;
    let mut seen = BTreeSet::new();
    for record in world.sent(host) {
        for chunk in record.chunks() {
            let (tsn, named) = match chunk {
                Chunk::Data(data) => (data.tsn, Some(data.ppid.0)),
                Chunk::IData(data) => {
                    let begins = data.flags.contains(DataFlags::BEGINNING);
                    (data.tsn, begins.then_some(data.ppid_or_fsn))
                }
                _ => continue,
            };
            let key = key_of(record).expect("an AUTH chunk");
            assert_eq!(named.unwrap_or(key.into()), u32::from(key), "{record}");
            repeated += usize::from(!seen.insert(tsn.0));
        }
    }
    repeated
}

#[test]
fn messages_of_several_keys_share_no_packet() {
    let mut world = with_keys();
    for id in [1, 2, 2, 3, 1] {
        world.try_send(A, text(0, "small"), by(id)).unwrap();
    }
    world.pump();
    world.run_for(secs(1));
    assert_eq!(keys_of_data(&world, A), [1, 2, 3, 1]);
    assert_eq!(world.texts(Z), ["small"; 5]);
    assert_eq!(world.stats(Z).failed_authentications, 0);
}

#[test]
fn a_message_without_a_key_shares_the_packet_of_one_with_the_active_key() {
    let mut world = with_keys();
    for options in [SendOptions::default(), by(1), by(2)] {
        world.try_send(A, text(0, "small"), options).unwrap();
    }
    world.pump();
    world.run_for(secs(1));
    assert_eq!(keys_of_data(&world, A), [1, 2]);
}

#[test]
fn messages_of_several_keys_arrive_in_spite_of_losses() {
    let setups: [fn(&mut Options); 5] = [
        |_| {},
        |options| options.interleaving = Interleaving::On,
        |options| options.scheduler = StreamScheduler::RoundRobinPerPacket,
        |options| options.scheduler = StreamScheduler::FairBandwidth,
        |options| options.multipath = Multipath::Concurrent(Default::default()),
    ];
    for (n, change) in setups.into_iter().enumerate() {
        let setup = with_more_keys(asking_all()).both(change).paths(2);
        let mut world = setup.established();
        world.drop_nth(A, ChunkType::DATA, &[2, 3, 5, 8, 13, 21, 22, 23, 34]);
        world.drop_nth(A, ChunkType::I_DATA, &[2, 3, 5, 8, 13, 21, 22, 23, 34]);
        let mut wanted = Vec::new();
        for i in 0..60 {
            let id = 1 + i % 3;
            let message = named((i % 4) as u16, id, 1 + (i * 613 % 4000) as usize);
            wanted.push(message.clone());
            world.send_with(A, message, by(id as u16));
        }
        world.run_for(secs(60));
        let mut came = world.messages(Z);
        assert_eq!(came.len(), wanted.len(), "setup {n}");
        let order = |message: &Message| (message.stream, message.payload.clone());
        came.sort_by_key(order);
        wanted.sort_by_key(order);
        assert_eq!(came, wanted, "setup {n}");
        assert_eq!(world.stats(Z).failed_authentications, 0);
        let repeated = assert_keys_apart(&world, A);
        assert!(repeated > 5, "setup {n}: {repeated}");
    }
}

#[test]
fn a_retransmission_has_the_key_of_its_message_after_the_active_key_has_changed() {
    let mut world = with_keys();
    world.drop_next(A, ChunkType::DATA, 1);
    send_by(&mut world, 2, text(0, "lost at first")).unwrap();
    world.assoc(A).activate_key(KeyId(3)).unwrap();
    world.run_for(secs(10));
    world.send(A, text(0, "later"));
    world.run_for(secs(1));
    assert_eq!(keys_of_data(&world, A), [2, 2, 3]);
    assert_eq!(world.texts(Z), ["lost at first", "later"]);
}

#[test]
fn a_key_that_is_unknown_deactivated_or_deleted_is_refused() {
    let mut world = with_keys();
    let now = world.now();
    world.assoc(A).deactivate_key(now, KeyId(2)).unwrap();
    world.assoc(A).delete_key(KeyId(3)).unwrap();
    for (id, error) in [
        (9, KeyError::Unknown),
        (2, KeyError::Deactivated),
        (3, KeyError::Unknown),
    ] {
        let refused = Err(SendError::Key(error));
        assert_eq!(send_by(&mut world, id, text(0, "no")), refused);
        let check = world.assoc(A).check_send(now, &text(0, "no"), &by(id));
        assert_eq!(check, refused);
    }
    world.run_for(secs(1));
    assert_eq!(world.texts(Z), [""; 0]);
}

#[test]
fn a_key_has_no_effect_where_the_peer_does_not_ask_for_data() {
    let sacks = ChunkSet::of([ChunkType::SACK]);
    for authentication in [
        Authentication::Off,
        Authentication::with_key("secret", sacks),
    ] {
        let mut setup = asking(data_only());
        setup.z.authentication = authentication;
        let mut world = setup.established();
        for id in [1, 9] {
            send_by(&mut world, id, text(0, "as it is")).unwrap();
        }
        world.run_for(secs(1));
        assert_eq!(world.texts(Z), ["as it is"; 2]);
        let data = world.sent_with(A, ChunkType::DATA);
        assert!(data.into_iter().all(|record| !is_authenticated(record)));
    }
}

#[test]
fn a_message_sent_before_the_association_is_up_has_its_key() {
    let mut world = with_more_keys(asking(data_only())).connecting();
    send_by(&mut world, 2, text(0, "early")).unwrap();
    let refused = Err(SendError::Key(KeyError::Unknown));
    assert_eq!(send_by(&mut world, 9, text(0, "no")), refused);
    world.run_for(secs(1));
    assert_eq!(keys_of_data(&world, A), [2]);
    assert_eq!(world.texts(Z), ["early"]);
}

// RFC 6458 §6.1.8, §8.3.4, §8.3.5
#[test]
fn a_key_is_free_once_its_messages_are_acknowledged() {
    let mut world = with_keys();
    world.drop_next(A, ChunkType::DATA, 1);
    send_by(&mut world, 2, text(0, "waits")).unwrap();
    send_by(&mut world, 2, text(0, "so does this")).unwrap();
    let now = world.now();
    let in_use = Err(KeyError::InUse);
    assert_eq!(world.assoc(A).delete_key(KeyId(2)), in_use);
    assert_eq!(world.assoc(A).insert_key(key(2, "other")), in_use);
    world.assoc(A).deactivate_key(now, KeyId(2)).unwrap();
    assert_eq!(world.assoc(A).delete_key(KeyId(2)), in_use);
    world.run_for(ms(500));
    assert!(!world.saw(A, &free(2)));
    world.run_for(secs(10));
    assert_eq!(world.texts(Z), ["waits", "so does this"]);
    assert_eq!(world.count_events(A, &free(2)), 1);
    assert_eq!(world.assoc(A).delete_key(KeyId(2)), Ok(()));
}

#[test]
fn a_key_is_free_once_its_messages_are_given_up() {
    let setup = with_more_keys(asking(data_only()));
    let setup = setup.both(|options| options.partial_reliability = PartialReliability::On);
    let mut world = setup.established();
    world.cut_path(1);
    let now = world.now();
    world.send(A, blob(0, 100_000));
    let options = by(2).with_lifetime(ms(300));
    world.try_send(A, text(0, "soon"), options).unwrap();
    world.assoc(A).deactivate_key(now, KeyId(2)).unwrap();
    world.run_for(ms(200));
    assert!(!world.saw(A, &free(2)));
    world.run_for(ms(200));
    assert!(world.saw(A, &free(2)));
}

#[test]
fn a_key_that_no_message_has_used_is_free_at_once() {
    let mut world = with_keys();
    send_by(&mut world, 2, text(0, "with another")).unwrap();
    world
        .call(A, |it, now| it.deactivate_key(now, KeyId(3)))
        .unwrap();
    world.pump();
    assert!(world.saw(A, &free(3)));
}

#[test]
fn a_key_is_free_once_its_messages_are_lost_with_the_peers_memory() {
    let setup = with_more_keys(asking(data_only()));
    let mut world = setup.established();
    world.cut_path(1);
    let now = world.now();
    world.assoc(Z).send(now, text(0, "waits"), by(2)).unwrap();
    world.assoc(Z).deactivate_key(now, KeyId(2)).unwrap();
    world.run_for(ms(500));
    assert!(!world.saw(Z, &free(2)));
    world.mend();
    setup.reboot(&mut world);
    world.run_for(secs(1));
    assert!(world.saw(Z, &Event::Restarted));
    assert!(world.saw(Z, &free(2)));
}
