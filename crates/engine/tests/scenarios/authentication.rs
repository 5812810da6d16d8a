//! Authenticated chunks (RFC 4895).

mod message_keys;
mod scripted;
mod setup;

use crate::prelude::*;

/// Both ends share a secret and require authentication of these chunks.
fn asking(chunks: ChunkSet) -> Setup {
    Setup::quiet(|options| options.authentication = Authentication::with_key("secret", chunks))
}

/// Z has another secret than A, which has that of [`asking`].
fn with_secret_of_z(secret: &str, chunks: ChunkSet) -> Setup {
    asking(chunks).z(|options| options.authentication = Authentication::with_key(secret, chunks))
}

fn asking_all() -> Setup {
    asking(ChunkSet::all())
}

fn data_only() -> ChunkSet {
    ChunkSet::of([ChunkType::DATA])
}

/// Edits an end's authentication options.
fn edit(options: &mut Options, change: impl FnOnce(&mut AuthenticationOptions)) {
    if let Authentication::On(chosen) = &mut options.authentication {
        change(chosen);
    }
}

fn key(id: u16, secret: &str) -> SharedKey {
    SharedKey::new(KeyId(id), secret)
}

/// Whether a packet begins with AUTH.
fn is_authenticated(record: &Record) -> bool {
    record.types().first() == Some(&ChunkType::AUTH)
}

fn changed(change: AuthenticationChange) -> Event {
    Event::Authentication(change)
}

#[test]
fn every_chunk_that_was_asked_for_is_authenticated() {
    for algorithms in [
        vec![HmacAlgorithm::Sha1],
        vec![HmacAlgorithm::Sha256, HmacAlgorithm::Sha1],
    ] {
        let setup = asking_all().both(|options| {
            edit(options, |chosen| chosen.algorithms.clone_from(&algorithms));
        });
        let mut world = setup.established();
        for n in 0..20 {
            world.send(A, blob(1, 1 + n * 997));
            world.send(Z, blob(2, 1 + n * 499));
        }
        world.run_for(secs(20));
        let stats = [world.stats(A), world.stats(Z)];
        world.shutdown(A);
        world.run_for(secs(5));
        assert_eq!(world.messages(Z).len(), 20);
        assert_eq!(world.messages(A).len(), 20);
        for stats in stats {
            assert_eq!(stats.unauthenticated, 0);
            assert_eq!(stats.failed_authentications, 0);
        }
        let bare = [
            ChunkType::INIT,
            ChunkType::INIT_ACK,
            ChunkType::COOKIE_ECHO,
            ChunkType::SHUTDOWN_COMPLETE,
        ];
        for record in world.log() {
            let never = bare.iter().any(|chunk| record.has(*chunk));
            assert_ne!(is_authenticated(record), never, "{record}");
            assert!(record.ip_len() <= 1500, "{record}");
        }
        assert_eq!(world.close_reason(Z), Some(CloseReason::Graceful));
    }
}

#[test]
fn chunks_that_nobody_asked_for_go_without() {
    let mut setup = asking(data_only());
    setup.a.authentication = Authentication::with_key("secret", ChunkSet::NONE);
    let mut world = setup.established();
    for _ in 0..5 {
        world.send(A, blob(1, 4000));
        world.send(Z, blob(1, 4000));
    }
    world.run_for(secs(5));
    assert_eq!(world.messages(A).len() + world.messages(Z).len(), 10);
    for record in world.sent(A) {
        let proven = is_authenticated(record);
        assert_eq!(proven, record.has(ChunkType::DATA), "{record}");
    }
    assert!(!world.sent(Z).any(is_authenticated));
    assert_eq!(world.assoc(A).peer_chunks(), data_only());
    assert_eq!(world.assoc(Z).peer_chunks(), ChunkSet::NONE);
    assert_eq!(world.assoc(Z).local_chunks(), data_only());
}

#[test]
fn another_secret_gets_nothing_across() {
    let mut world = with_secret_of_z("another", data_only()).established();
    world.send(A, text(0, "believe me"));
    world.run_for(secs(3));
    assert_eq!(world.texts(Z), [""; 0]);
    assert!(world.stats(Z).failed_authentications > 0);
}

#[test]
fn data_that_is_not_authenticated_is_dropped_and_counted() {
    let (mut world, mut peer, _) = setup::scripted(data_only());
    peer.send_data(&mut world, 0, 0, b"trust me");
    peer.take(&world);
    peer.expect_silence(&mut world, secs(2));
    assert_eq!(world.texts(A), [""; 0]);
    assert_eq!(world.stats(A).unauthenticated, 1);
    peer.expect_alive(&mut world);
}

#[test]
fn an_abort_that_is_not_authenticated_ends_nothing() {
    let (mut world, mut peer, auth) = setup::scripted(ChunkSet::of([ChunkType::ABORT]));
    let abort = abort(TagReflection::Own);
    peer.send(&mut world, &[abort]);
    peer.expect_alive(&mut world);
    assert_eq!(world.stats(A).unauthenticated, 1);
    let packet = auth.packet(&peer, &[abort]);
    peer.inject(&mut world, packet);
    world.run_for(secs(1));
    assert!(!world.is_open(A));
}

// A restarted peer has no keys and answers with unauthenticated ABORTs.
#[test]
fn a_peer_that_answers_without_proof_counts_as_silent() {
    let mut setup = asking_all();
    setup.a.dead_peer_timeout = Some(secs(20));
    setup.a.heartbeats = Heartbeats::Every(secs(15));
    let mut world = setup.established();
    let engine = setup.engine(&mut world, &setup.z_addresses);
    world.reboot(Z, engine);
    world.send(A, text(0, "anybody there?"));
    world.run_for(secs(25));
    assert!(world.count(Z, ChunkType::ABORT) > 1);
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}

#[test]
fn our_own_abort_is_authenticated() {
    let mut world = asking(ChunkSet::of([ChunkType::ABORT])).established();
    world.abort(A, "enough");
    world.run_for(secs(1));
    assert!(world.was_aborted(Z));
}

#[test]
fn a_peer_without_authentication_is_served_and_the_user_told() {
    let setup = asking_all().z(|options| options.authentication = Authentication::Off);
    for (setup, a, z) in [(setup.clone(), A, Z), (setup.swapped(), Z, A)] {
        let mut world = setup.established();
        world.send(A, text(0, "one"));
        world.send(Z, text(0, "two"));
        world.run_for(secs(1));
        assert_eq!(
            (world.texts(A).len(), world.texts(Z).len()),
            (1, 1),
            "{a:?}"
        );
        let told = changed(AuthenticationChange::Unavailable);
        assert!(world.saw(a, &told) && !world.saw(z, &told), "{a:?}");
        assert!(!world.log().iter().any(is_authenticated), "{a:?}");
    }
}

#[test]
fn a_peer_without_authentication_is_refused_by_who_insists() {
    let mut setup = asking_all().z(|options| options.authentication = Authentication::Off);
    edit(&mut setup.a, |chosen| {
        chosen.others = Unauthenticated::Refused;
    });
    for (without, setup) in setup.both_ways() {
        let mut world = setup.connecting();
        world.run_for(secs(5));
        assert!(
            world.was_aborted(A) || world.peer_fault(A).is_some(),
            "{without}"
        );
        assert_eq!(world.endpoint(Z).stats().associations, 0, "{without}");
    }
}

#[test]
fn keys_change_while_data_flows() {
    let mut world = asking_all().established();
    world.send(A, blob(1, 50_000));
    world.run_for(ms(20));
    for host in [A, Z] {
        world.assoc(host).insert_key(key(2, "another")).unwrap();
    }
    world.assoc(A).activate_key(KeyId(2)).unwrap();
    world.send(A, blob(1, 50_000));
    let new = changed(AuthenticationChange::NewKey(KeyId(2)));
    let free = changed(AuthenticationChange::FreeKey(KeyId(1)));
    world.wait_for(Z, &new, secs(5));
    world.assoc(Z).activate_key(KeyId(2)).unwrap();
    world.wait_for(A, &new, secs(5));
    let now = world.now();
    for host in [A, Z] {
        world.assoc(host).deactivate_key(now, KeyId(1)).unwrap();
        world.wait_for(host, &free, secs(1));
        world.assoc(host).delete_key(KeyId(1)).unwrap();
    }
    world.run_for(secs(10));
    assert_eq!(world.messages(Z), [blob(1, 50_000), blob(1, 50_000)]);
    assert_eq!(world.stats(Z).failed_authentications, 0);
}

#[test]
fn keys_of_an_association_without_authentication_cannot_be_changed() {
    let mut world = Setup::quiet(|_| {}).established();
    let unavailable = Err(KeyError::Unavailable);
    assert_eq!(world.assoc(A).insert_key(key(2, "two")), unavailable);
    assert_eq!(world.assoc(A).activate_key(KeyId(2)), unavailable);
}

#[test]
fn a_cookie_echo_is_authenticated_where_it_is_asked_for() {
    let chunks = ChunkSet::of([ChunkType::COOKIE_ECHO, ChunkType::DATA]);
    let mut world = asking(chunks).established();
    world.send(A, text(0, "let me in"));
    world.run_for(secs(1));
    assert_eq!(world.texts(Z), ["let me in"]);
    let echo = world.sent_with(A, ChunkType::COOKIE_ECHO).next().unwrap();
    assert!(is_authenticated(echo));
}

#[test]
fn a_peer_without_the_key_gets_no_association() {
    let chunks = ChunkSet::of([ChunkType::COOKIE_ECHO]);
    let mut world = with_secret_of_z("guess", chunks).connecting();
    world.run_for(secs(3));
    assert!(world.count(A, ChunkType::COOKIE_ECHO) > 0);
    let stats = world.endpoint(Z).stats();
    assert_eq!(stats.associations, 0);
    assert!(stats.unauthenticated_cookie > 0);
}

#[test]
fn whoever_comes_back_has_new_keys_and_goes_on() {
    let setup = asking_all();
    let mut world = setup.established();
    for n in 0..3 {
        setup.reboot(&mut world);
        world.run_for(secs(5));
        world.send(A, text(0, "again"));
        world.send(Z, text(0, "welcome"));
        world.run_for(secs(2));
        assert_eq!(world.texts(Z).len(), n + 1);
        assert_eq!(world.texts(A).len(), n + 1);
    }
    assert!(world.saw(Z, &Event::Restarted));
    assert_eq!(world.stats(Z).failed_authentications, 0);
}

// RFC 4895 §6.3: a restart must authenticate to the association that it would end.
#[test]
fn an_association_that_asks_for_proof_is_restarted_by_no_peer_without_it() {
    let setup = asking(ChunkSet::of([ChunkType::COOKIE_ECHO, ChunkType::DATA]));
    let mut world = setup.established();
    setup.reboot(&mut world);
    world.run_for(secs(3));
    assert!(!world.saw(Z, &Event::Restarted));
    assert!(world.endpoint(Z).stats().unauthenticated_cookie > 0);
}

#[test]
fn a_packet_of_an_earlier_life_proves_nothing() {
    let setup = asking(data_only());
    let mut world = setup.established();
    world.send(A, text(0, "old"));
    world.run_for(secs(1));
    let old = world.sent_with(A, ChunkType::DATA).last().cloned().unwrap();
    setup.reboot(&mut world);
    world.run_for(secs(3));
    // With the new tag, as an attacker would send it who saw both lives.
    world.send(A, text(0, "new"));
    world.run_for(secs(1));
    let new = world.sent_with(A, ChunkType::DATA).last().cloned().unwrap();
    let mut replayed = old.bytes.clone();
    replayed[4..8].copy_from_slice(&new.bytes[4..8]);
    reseal(&mut replayed);
    world.inject(address(A, 1), address(Z, 1), None, replayed);
    world.run_for(secs(1));
    assert_eq!(world.stats(Z).failed_authentications, 1);
    assert_eq!(world.texts(Z), ["old", "new"]);
}

// A13
#[test]
fn a_collision_of_two_that_authenticate_survives_the_loss_of_any_one_packet() {
    let mut all = ChunkSet::all();
    all.insert(ChunkType::COOKIE_ECHO);
    for chunks in [ChunkSet::all(), all] {
        for lost in 0..8 {
            for after in [0, 5, 15, 25] {
                setup::collide(&asking(chunks), lost, ms(after));
            }
        }
    }
}

// A22
#[test]
fn chunks_before_the_auth_chunk_are_not_authenticated() {
    let mut world = asking(data_only()).established();
    world.add_rule(|record| {
        if !is_authenticated(record) || !record.has(ChunkType::DATA) {
            return Verdict::Deliver;
        }
        let packet = Packet::parse(&record.bytes).unwrap();
        let mut chunks = packet.chunks();
        chunks.next();
        let at = chunks.offset();
        // DATA first, AUTH behind it.
        let mut swapped = record.bytes[..12].to_vec();
        swapped.extend_from_slice(&record.bytes[at..]);
        swapped.extend_from_slice(&record.bytes[12..at]);
        reseal(&mut swapped);
        Verdict::Replace(swapped)
    });
    world.send(A, text(0, "out of order"));
    world.run_for(secs(5));
    assert_eq!(world.texts(Z), [""; 0]);
    assert!(world.stats(Z).unauthenticated > 0);
}

#[test]
fn options_that_contradict_themselves_are_refused() {
    let mut options = asking_all().a;
    edit(&mut options, |chosen| chosen.active = KeyId(9));
    assert!(options.validate().is_err());
}

/// RFC 9260 §5.2.6 between ends that require authentication of every chunk.
#[test]
fn a_handshake_slower_than_the_cookies_life_succeeds_where_all_is_authenticated() {
    let mut setup = asking_all();
    setup.z.valid_cookie_life = ms(200);
    setup.link.delay = ms(150);
    let mut world = setup.connecting();
    world.run_for(secs(20));
    assert!(world.count(Z, ChunkType::ERROR) > 0);
    assert!(world.sent_with(Z, ChunkType::ERROR).all(is_authenticated));
    for host in [A, Z] {
        assert_eq!(world.assoc(host).phase(), Phase::Established);
    }
}

#[test]
fn a_full_endpoint_says_so_behind_auth() {
    let mut setup = asking_all();
    setup.endpoints.max_associations = 1;
    let mut world = setup.established();
    let elsewhere = setup.engine(&mut world, &setup.a_addresses);
    world.reboot(A, elsewhere);
    setup.connect(&mut world);
    world.run_for(secs(1));
    let refusal = world.sent_with(Z, ChunkType::ABORT).next().unwrap();
    assert!(is_authenticated(refusal), "{refusal}");
    assert!(world.close_reason(A).is_some());
}
