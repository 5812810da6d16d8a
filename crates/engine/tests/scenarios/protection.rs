//! Packets that are encrypted in DTLS chunks (draft-ietf-tsvwg-sctp-dtls-chunk-04).

mod agreement;
mod cipher;
mod enforcement;
mod opening;
mod restart;

use crate::prelude::*;

use self::cipher::Keys;

const BOTH: [HostId; 2] = [A, Z];

/// Both ends require protection.
fn strict() -> Setup {
    Setup::quiet(|options| options.protection = Protection::Strict)
}

/// A protected association, and its keys.
fn protected(setup: &Setup) -> (World, Keys) {
    let (mut world, keys) = (setup.established(), Keys::default());
    keys.protect(&mut world, BOTH);
    (world, keys)
}

/// Packets sent after the first `count`.
fn since(world: &World, count: usize) -> &[Record] {
    &world.log()[count..]
}

fn assert_all_protected(records: &[Record]) {
    assert!(!records.is_empty());
    for record in records {
        assert_eq!(record.types(), [ChunkType::DTLS], "{record}");
        assert!(record.ip_len() <= 1500, "{record}");
    }
}

/// What both ends of a host's association agreed on.
fn agreement(world: &mut World, host: HostId) -> KeyAgreement {
    let mut assoc = world.assoc(host);
    let mut shield = assoc.protection().expect("protection");
    shield.agreement().expect("an agreement").clone()
}

impl Keys {
    fn receive(&self, world: &mut World, host: HostId, id: KeyContext) {
        let agreement = agreement(world, host);
        let cipher = self.cipher(&agreement, agreement.role.other(), id);
        let mut assoc = world.assoc(host);
        let mut shield = assoc.protection().expect("protection");
        shield.add_receive_keys(id, cipher).expect("keys in turn");
    }

    fn send(&self, world: &mut World, host: HostId, id: KeyContext) {
        let now = world.now();
        let agreement = agreement(world, host);
        let cipher = self.cipher(&agreement, agreement.role, id);
        let mut assoc = world.assoc(host);
        let mut shield = assoc.protection().expect("protection");
        let set = shield.set_send_keys(now, id, cipher);
        set.expect("keys in turn");
    }

    /// Keys of that name, at both ends and in both directions.
    fn change(&self, world: &mut World, hosts: [HostId; 2], id: KeyContext) {
        for host in hosts {
            self.receive(world, host, id);
        }
        for host in hosts {
            self.send(world, host, id);
        }
    }

    /// Installs the first keys at both ends and enforces protection.
    fn protect(&self, world: &mut World, hosts: [HostId; 2]) {
        self.change(world, hosts, KeyContext::FIRST);
        for host in hosts {
            enforce(world, host).expect("keys");
        }
    }
}

fn enforce(world: &mut World, host: HostId) -> Result<(), ProtectionError> {
    let now = world.now();
    let mut assoc = world.assoc(host);
    assoc.protection().expect("protection").enforce(now)
}

fn changed(change: ProtectionChange) -> Event {
    Event::Protection(change)
}

#[test]
fn messages_of_all_sizes_cross_two_lossy_paths_under_protection() {
    let mut setup = strict().paths(2);
    setup.link.loss = 10;
    let (mut world, _keys) = protected(&setup);
    let begun = world.log().len();
    let sizes = [1, 2, 3, 4, 1000, 1411, 1412, 1413, 1452, 20_000, 300_000];
    for size in sizes {
        world.send(A, blob(1, size));
        world.send(Z, blob(2, size));
    }
    world.run_for(secs(60));
    assert_eq!(world.messages(Z), sizes.map(|size| blob(1, size)));
    assert_eq!(world.messages(A), sizes.map(|size| blob(2, size)));
    assert_all_protected(since(&world, begun));
    for host in BOTH {
        let stats = world.stats(host).protection;
        assert!(stats.sent > 200 && stats.received > 200, "{stats:?}");
        let dropped = stats.forged + stats.replayed + stats.unprotected;
        assert_eq!(dropped + stats.unreadable, 0);
    }
}

#[test]
fn chunks_begin_on_a_boundary_of_four_bytes_behind_a_record_of_the_drafts_form() {
    let (mut world, _keys) = protected(&strict());
    world.send(A, blob(0, 5));
    world.run_for(secs(1));
    let record = world.sent_with(A, ChunkType::DTLS).next().unwrap();
    let Chunk::Dtls(chunk) = record.chunks()[0] else {
        panic!("a DTLS chunk");
    };
    assert_eq!((chunk.context, chunk.padding), (DtlsContext::Primary, 0));
    assert_eq!(chunk.record[0], 0b0010_1011, "epoch 3, no id, no length");
    // DATA with 5 bytes takes 24, content type and tag 17.
    assert_eq!(chunk.record.len(), 3 + 24 + 17);
    assert_eq!(record.bytes.len(), 12 + 4 + 1 + 3 + 24 + 17 + 3);
    assert_eq!(record.bytes[record.bytes.len() - 3..], [0; 3]);
}

#[test]
fn shutdown_and_abort_are_protected() {
    let (mut world, _keys) = protected(&strict());
    let begun = world.log().len();
    world.shutdown(A);
    world.run_for(secs(5));
    assert_eq!(world.close_reason(Z), Some(CloseReason::Graceful));
    assert_all_protected(since(&world, begun));

    let (mut world, _keys) = protected(&strict());
    let begun = world.log().len();
    world.abort(Z, "enough");
    world.run_for(secs(5));
    assert!(world.was_aborted(A));
    assert_all_protected(since(&world, begun));
}

#[test]
fn nothing_is_lost_while_keys_change_under_load_and_records_come_late() {
    let mut setup = strict().paths(2);
    setup.link.loss = 5;
    let (mut world, keys) = protected(&setup);
    let begun = world.log().len();
    let mut count = 0;
    world.when(Verdict::Delay(ms(70)), move |_| {
        count += 1;
        count % 9 == 0
    });
    for epoch in 4..24 {
        world.send(A, blob(1, 40_000));
        world.send(Z, blob(1, 40_000));
        world.run_for(ms(40));
        keys.change(&mut world, BOTH, KeyContext::primary(epoch));
        world.run_for(ms(120));
        for host in BOTH {
            let mut assoc = world.assoc(host);
            let old = KeyContext::primary(epoch - 1);
            let mut shield = assoc.protection().expect("protection");
            assert!(shield.key_stats(old).is_some_and(|stats| stats.forged == 0));
            shield.remove_receive_keys(old).expect("old keys");
        }
    }
    world.run_for(secs(60));
    assert_eq!(world.messages(Z), vec![blob(1, 40_000); 20]);
    assert_eq!(world.messages(A), vec![blob(1, 40_000); 20]);
    assert_all_protected(since(&world, begun));
    let last = changed(ProtectionChange::FirstReceived(KeyContext::primary(23)));
    assert!(world.saw(A, &last) && world.saw(Z, &last));
}

#[test]
fn primary_keys_follow_each_other_by_epochs_from_3_on() {
    let (mut world, keys) = (strict().established(), Keys::default());
    let mut assoc = world.assoc(A);
    let mut shield = assoc.protection().expect("protection");
    let agreement = shield.agreement().expect("an agreement").clone();
    let mut add = |epoch| {
        let id = KeyContext::primary(epoch);
        shield.add_receive_keys(id, keys.cipher(&agreement, agreement.role, id))
    };
    assert_eq!(add(4), Err(ProtectionError::Epoch));
    assert_eq!(add(3), Ok(()));
    assert_eq!(add(5), Err(ProtectionError::Epoch));
    assert_eq!([add(4), add(5), add(6)], [Ok(()); 3]);
    assert_eq!(add(7), Err(ProtectionError::Taken), "ends in the bits of 3");
    assert_eq!(enforce(&mut world, A), Err(ProtectionError::NoKeys));
}

#[test]
fn keys_that_have_sealed_their_share_let_nothing_leave_until_others_come() {
    let mut world = strict().established();
    let few = CipherLimits {
        sealed: 40,
        forged: 100,
        bytes: u64::MAX,
    };
    let mut keys = Keys::default();
    keys.limits = few;
    keys.protect(&mut world, BOTH);
    world.send(A, blob(1, 100_000));
    world.run_for(secs(2));
    assert!(world.saw(A, &changed(ProtectionChange::NearLimit(KeyContext::FIRST))));
    assert_eq!(world.stats(A).protection.sent, 40);
    keys.limits.sealed = 1000;
    keys.change(&mut world, BOTH, KeyContext::primary(4));
    world.run_for(secs(20));
    assert_eq!(world.messages(Z), [blob(1, 100_000)]);
}

#[test]
fn packets_for_wide_paths_fit_a_record() {
    let setup = strict().both(|options| options.initial_pmtu = 65_535);
    let setup = setup.linked(|link| link.mtu = 65_535);
    let (mut world, _keys) = protected(&setup);
    world.send(A, blob(1, 200_000));
    world.run_for(secs(10));
    assert!(world.messages(Z) == [blob(1, 200_000)]);
    let longest = world.sent(A).map(|record| record.bytes.len()).max();
    assert_eq!(longest, Some(12 + (1 << 14) + 28));
}

#[test]
fn an_association_with_keys_is_not_handed_over() {
    let (mut world, _keys) = protected(&strict());
    assert_eq!(world.assoc(A).handover_obstacles(), [Obstacle::Protected]);
}

#[test]
fn addresses_change_under_protection_alone() {
    let setup = strict().both(|options| options.address_changes = AddressChanges::On);
    let mut world = setup.established();
    let new = address(A, 2);
    world.own(A, new);
    world.endpoint(A).add_local_address(new);
    let asked = world.call(A, |it, now| it.add_address(now, new));
    asked.expect("a change");
    world.run_for(secs(3));
    let known = |world: &mut World| world.assoc(Z).path_stats().len();
    assert_eq!(world.count(A, ChunkType::ASCONF), 0);
    assert_eq!(known(&mut world), 1);
    let begun = world.log().len();
    Keys::default().protect(&mut world, BOTH);
    world.run_for(secs(3));
    assert_eq!(known(&mut world), 2);
    assert_all_protected(since(&world, begun));
}
