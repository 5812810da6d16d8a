//! Restarted associations (§5.4).

use crate::prelude::*;

use super::cipher::Keys;
use super::{BOTH, agreement, assert_all_protected, enforce};

fn restartable() -> Setup {
    Setup::quiet(set("protection=strict, protected_restart=on"))
}

/// A protected association with restart keys at both ends, and the stored agreement.
fn ready(setup: &Setup) -> (World, Keys, KeyAgreement) {
    let (mut world, keys) = (setup.established(), Keys::default());
    keys.protect(&mut world, BOTH);
    let restart = KeyContext::restart(3);
    keys.change(&mut world, BOTH, restart);
    world.send(A, text(1, "before"));
    world.run_for(secs(1));
    let kept = agreement(&mut world, A);
    (world, keys, kept)
}

/// Gives A the restart keys that it kept.
fn restore(world: &mut World, keys: &Keys, kept: &KeyAgreement) {
    let id = KeyContext::restart(3);
    let now = world.now();
    let mut assoc = world.assoc(A);
    let mut shield = assoc.protection().expect("protection");
    let (ours, theirs): (KeyRole, KeyRole) = (kept.role, kept.role.other());
    let opened = shield.add_receive_keys(id, keys.cipher(kept, theirs, id));
    let sealed = shield.set_send_keys(now, id, keys.cipher(kept, ours, id));
    assert_eq!((opened, sealed), (Ok(()), Ok(())));
}

fn is_plain(world: &World, host: HostId, begun: usize, chunk: ChunkType) -> bool {
    let sent = world.log()[begun..].iter();
    let mut sent = sent.filter(|record| record.from == address(host, 1));
    sent.any(|record| record.has(chunk))
}

#[test]
fn an_end_that_kept_its_restart_keys_sets_the_association_up_again() {
    let setup = restartable();
    let (mut world, keys, kept) = ready(&setup);
    let begun = world.log().len();
    setup.reboot(&mut world);
    restore(&mut world, &keys, &kept);
    world.run_for(secs(2));
    assert!(world.saw(Z, &Event::Restarted));
    enforce(&mut world, A).expect("keys");
    world.send(A, text(1, "after"));
    world.send(Z, text(1, "welcome"));
    world.run_for(secs(1));
    assert_eq!(world.texts(Z), ["before", "after"]);
    assert_eq!(world.texts(A), ["welcome"]);
    let (plain, rest): (Vec<_>, Vec<_>) = world.log()[begun..]
        .iter()
        .cloned()
        .partition(|record| record.init().is_some());
    assert_eq!(plain.len(), 2);
    assert_all_protected(&rest);

    // New primary keys begin with epoch 3, and the restart keys go.
    keys.change(&mut world, BOTH, KeyContext::FIRST);
    for host in BOTH {
        let mut assoc = world.assoc(host);
        let mut shield = assoc.protection().expect("protection");
        assert_eq!(shield.remove_receive_keys(KeyContext::restart(3)), Ok(()));
        shield.remove_restart_send_keys();
    }
    world.send(Z, text(1, "again"));
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["welcome", "again"]);
}

#[test]
fn an_end_without_its_keys_changes_nothing() {
    let setup = restartable();
    let (mut world, _keys, _kept) = ready(&setup);
    let before = world.stats(Z).protection.unprotected;
    let begun = world.log().len();
    setup.reboot(&mut world);
    world.run_for(secs(20));
    assert!(!world.saw(Z, &Event::Restarted));
    assert!(world.stats(Z).protection.unprotected > before);
    assert!(is_plain(&world, A, begun, ChunkType::COOKIE_ECHO));
    assert!(!is_plain(&world, Z, begun, ChunkType::COOKIE_ACK));
}

#[test]
fn nothing_waits_to_be_sent_under_keys_that_the_peer_may_not_hear() {
    let setup = restartable();
    let (mut world, keys, kept) = ready(&setup);
    setup.reboot(&mut world);
    restore(&mut world, &keys, &kept);
    let message = text(1, "secret");
    let refused = world.offer(A, message.clone());
    assert_eq!(refused, Err(SendError::BufferFull(message)));
    world.run_for(secs(2));
    assert_eq!(world.offer(A, text(1, "secret")), Ok(()));
}

#[test]
#[should_panic(expected = "is used twice")]
fn restart_keys_that_were_used_and_not_taken_out_of_the_store_repeat_a_nonce() {
    let setup = restartable();
    let (mut world, keys, kept) = ready(&setup);
    for _ in 0..2 {
        setup.reboot(&mut world);
        restore(&mut world, &keys, &kept);
        world.run_for(secs(2));
    }
}

#[test]
fn a_second_restart_under_other_keys_is_not_heard() {
    let setup = restartable();
    let (mut world, keys, kept) = ready(&setup);
    setup.reboot(&mut world);
    restore(&mut world, &keys, &kept);
    world.run_for(secs(2));
    assert!(world.saw(Z, &Event::Restarted));
    let restarts = |world: &World| {
        let events = world.events(Z);
        events
            .iter()
            .filter(|event| **event == Event::Restarted)
            .count()
    };
    // The restart keys are used up: after another crash, none are left.
    setup.reboot(&mut world);
    world.run_for(secs(10));
    assert_eq!(restarts(&world), 1);
}
