//! Address changes during an association's life (RFC 5061).

mod scripted;

use crate::prelude::*;

/// Both ends support authenticated address changes.
fn changing() -> Setup {
    Setup::quiet(switch_on)
}

fn switch_on(options: &mut Options) {
    options.authentication = Authentication::with_key("secret", ChunkSet::NONE);
    options.address_changes = AddressChanges::On;
}

/// Both hosts have two addresses; the association begins between the first ones only.
fn moving() -> World {
    let mut setup = changing();
    setup.a_addresses = vec![address(A, 1)];
    let mut world = setup.established();
    world.own(A, address(A, 2));
    world.endpoint(A).add_local_address(address(A, 2));
    world
}

fn change(
    world: &mut World,
    host: HostId,
    change: AddressChange,
) -> Result<(), AddressChangeError> {
    let now = world.now();
    let mut assoc = world.assoc(host);
    let outcome = match change {
        AddressChange::Add(ip) => assoc.add_address(now, ip),
        AddressChange::Delete(ip) => assoc.delete_address(now, ip),
        AddressChange::SetPrimary(ip) => assoc.set_peer_primary(now, ip),
    };
    world.pump();
    outcome
}

fn done(change: AddressChange) -> Event {
    Event::AddressChanged { change }
}

fn path(remote: IpAddr, change: PathChange) -> Event {
    Event::Path { remote, change }
}

#[test]
fn an_end_moves_to_another_address_while_data_flows() {
    let mut world = moving();
    for _ in 0..20 {
        world.send(A, blob(1, 20_000));
        world.send(Z, blob(2, 20_000));
    }
    world.run_for(ms(5));
    let (old, new) = (address(A, 1), address(A, 2));
    let steps = [
        AddressChange::Add(new),
        AddressChange::SetPrimary(new),
        AddressChange::Delete(old),
    ];
    assert_eq!(change(&mut world, A, steps[0]), Ok(()));
    world.wait_for(Z, &path(new, PathChange::Confirmed), secs(10));
    for step in &steps[1..] {
        assert_eq!(change(&mut world, A, *step), Ok(()));
    }
    world.wait_for(A, &done(steps[2]), secs(10));
    let moved_at = world.now();
    world.run_for(secs(30));
    assert_eq!(world.messages(Z).len(), 20);
    assert_eq!(world.messages(A).len(), 20);
    let paths = world.assoc(Z).path_stats();
    assert_eq!(paths.len(), 1);
    assert_eq!((paths[0].remote, paths[0].state), (new, PathState::Active));
    assert!(world.saw(Z, &path(old, PathChange::Removed)));
    let late = world.log().iter().filter(|record| record.at > moved_at);
    for record in late {
        assert!(record.from != old && record.to != old, "{record}");
    }
    let log = world.log().iter();
    for record in log.filter(|record| record.has(ChunkType::ASCONF)) {
        assert_eq!(record.types()[0], ChunkType::AUTH);
    }
}

#[test]
fn a_new_address_gets_no_data_before_it_is_confirmed() {
    let mut world = moving();
    let new = address(A, 2);
    world.cut_path(2);
    change(&mut world, A, AddressChange::Add(new)).unwrap();
    world.wait_for(A, &done(AddressChange::Add(new)), secs(5));
    world.send(Z, blob(1, 10_000));
    world.run_for(secs(5));
    assert_eq!(world.path(Z, new).state, PathState::Unconfirmed);
    let mut there = world.sent(Z).filter(|record| record.to == new).peekable();
    assert!(there.peek().is_some());
    assert!(there.all(|record| record.types() == [ChunkType::HEARTBEAT]));
}

#[test]
fn one_request_is_outstanding_at_a_time() {
    let mut world = moving();
    let held = world.drop_while(Z, ChunkType::ASCONF_ACK);
    let new = address(A, 2);
    for step in [AddressChange::Add(new), AddressChange::SetPrimary(new)] {
        change(&mut world, A, step).unwrap();
    }
    world.run_for(secs(2));
    let requests = world.sent_with(A, ChunkType::ASCONF);
    let serials = requests.map(|record| asconf_serial(&record.bytes));
    let serials: std::collections::BTreeSet<Vec<u8>> = serials.collect();
    assert_eq!(serials.len(), 1);
    *held.borrow_mut() = false;
    world.wait_for(A, &done(AddressChange::SetPrimary(new)), secs(30));
}

/// The serial number behind an AUTH chunk of SHA-256.
fn asconf_serial(bytes: &[u8]) -> Vec<u8> {
    bytes[12 + 40 + 4..12 + 40 + 8].to_vec()
}

#[test]
fn a_request_leaves_from_the_new_address_when_the_old_one_is_gone() {
    let mut world = moving();
    let (old, new) = (address(A, 1), address(A, 2));
    world.when(Verdict::Drop, move |record| {
        record.from == old || record.to == old
    });
    world.send(A, text(0, "from a train"));
    change(&mut world, A, AddressChange::Add(new)).unwrap();
    world.wait_for(A, &done(AddressChange::Add(new)), secs(20));
    change(&mut world, A, AddressChange::Delete(old)).unwrap();
    world.wait_for(A, &done(AddressChange::Delete(old)), secs(20));
    world.run_for(secs(60));
    assert_eq!(world.texts(Z), ["from a train"]);
    world.send(Z, text(0, "welcome"));
    world.run_for(secs(60));
    assert_eq!(world.texts(A), ["welcome"]);
}

#[test]
fn the_last_address_cannot_be_deleted_nor_a_strangers_added() {
    let mut world = moving();
    let (old, new) = (address(A, 1), address(A, 2));
    let (stranger, no) = (address(A, 9), AddressChangeError::NotLocal);
    let outcomes = [
        (AddressChange::Delete(old), AddressChangeError::LastAddress),
        (AddressChange::Delete(new), no),
        (AddressChange::Add(old), AddressChangeError::AlreadyThere),
        (AddressChange::Add(stranger), no),
        (AddressChange::SetPrimary(new), no),
    ];
    for (step, error) in outcomes {
        assert_eq!(change(&mut world, A, step), Err(error), "{step:?}");
    }
    assert_eq!(world.count(A, ChunkType::ASCONF), 0);
}

#[test]
fn addresses_that_go_together_are_deleted_from_one_that_stays() {
    let mut setup = changing();
    setup.a_addresses = [1, 2, 3].map(|n| address(A, n)).to_vec();
    let mut world = setup.established();
    world.run_for(secs(1));
    for gone in [1, 2] {
        for peer in [1, 2, 3] {
            let from_now_on = world.now()..Time::MAX;
            world.cut(address(A, gone), address(Z, peer), from_now_on);
        }
    }
    let deletions = [1, 2].map(|n| AddressChange::Delete(address(A, n)));
    for deletion in deletions {
        change(&mut world, A, deletion).unwrap();
    }
    for deletion in deletions {
        world.wait_for(A, &done(deletion), secs(20));
    }
}

#[test]
fn a_path_that_nothing_can_leave_on_rests_until_there_is_an_address_for_it() {
    let mut setup = changing();
    let own = address(Z, 1);
    setup.a_addresses = vec![address(A, 1), address6(A, 1)];
    setup.z_addresses = vec![own, address6(Z, 1)];
    let mut world = setup.established();
    world.run_for(secs(1));
    change(&mut world, Z, AddressChange::Delete(own)).unwrap();
    world.wait_for(Z, &done(AddressChange::Delete(own)), secs(5));
    let before = world.now();
    world.send(A, blob(1, 10_000));
    world.send(Z, blob(1, 10_000));
    world.run_for(secs(40));
    assert_eq!(world.received(Z).len(), 1);
    assert_eq!(world.received(A).len(), 1);
    let stranded = |record: &Record| record.at >= before && record.from == own;
    assert_eq!(world.sent(Z).filter(|record| stranded(record)).count(), 0);
    assert_eq!(world.path(Z, address(A, 1)).state, PathState::Unconfirmed);
    change(&mut world, Z, AddressChange::Add(own)).unwrap();
    world.wait_for(Z, &done(AddressChange::Add(own)), secs(5));
    world.run_for(secs(1));
    assert_eq!(world.path(Z, address(A, 1)).state, PathState::Active);
}

#[test]
fn a_peer_that_does_not_want_it_or_does_not_authenticate_is_not_asked() {
    let off = changing().z(|options| options.address_changes = AddressChanges::Off);
    let mut setup = changing().z(set("authentication=off, address_changes=unauthenticated"));
    for (why, setup) in [("off", &off), ("not authenticated", &setup)] {
        let mut world = setup.established();
        let refused = change(&mut world, A, AddressChange::SetPrimary(address(A, 1)));
        assert_eq!(refused, Err(AddressChangeError::Unavailable), "{why}");
    }

    setup.a.address_changes = AddressChanges::Unauthenticated;
    let mut world = setup.established();
    let step = AddressChange::SetPrimary(address(A, 1));
    change(&mut world, A, step).unwrap();
    world.wait_for(A, &done(step), secs(5));
    assert!(!world.log().iter().any(|record| record.has(ChunkType::AUTH)));
}

#[test]
fn the_option_needs_authentication() {
    let mut options = changing().a;
    options.authentication = Authentication::Off;
    assert!(options.validate().is_err());
}

#[test]
fn the_adaptation_of_the_peers_user_is_told_where_there_is_one() {
    for ours in [Some(0xfeed_0001), None] {
        let setup = Setup::quiet(|options| options.adaptation_indication = ours);
        let setup = setup.z(|options| options.adaptation_indication = Some(7));
        let world = setup.established();
        assert!(
            world.saw(A, &Event::PeerAdaptation { indication: 7 }),
            "{ours:?}"
        );
        let events = world.events(Z).into_iter();
        let told = events.filter_map(|event| match event {
            Event::PeerAdaptation { indication } => Some(indication),
            _ => None,
        });
        assert_eq!(told.collect::<Vec<_>>(), Vec::from_iter(ours));
    }
}
