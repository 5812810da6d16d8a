//! Refused imports, and arbitrary bytes.

use crate::prelude::*;

fn exported(world: &mut World) -> Vec<u8> {
    let id = world.id(Z);
    world.endpoint(Z).export(id).expect("a quiet association")
}

#[test]
fn an_association_of_another_shard_is_refused() {
    let setup = Setup::quiet(|_| {});
    let mut world = setup.established();
    let bytes = exported(&mut world);
    let now = world.now();
    let mut outcomes = Vec::new();
    for index in 0..3 {
        let shard = Shard::new(index, 3).expect("a shard");
        let mut other = setup.clone();
        other.endpoints.shard = shard;
        other.seed += 1;
        let mut engine = other.engine(&mut world, &setup.z_addresses);
        outcomes.push((index, engine.import(now, &bytes, setup.z.clone())));
    }
    let mut taken = outcomes.iter().filter(|(_, outcome)| outcome.is_ok());
    let owner = taken.next().expect("one of them").0;
    assert_eq!(taken.count(), 0);
    for (here, outcome) in outcomes.into_iter().filter(|(here, _)| *here != owner) {
        let tagged = owner;
        assert_eq!(outcome, Err(ImportError::WrongShard { tagged, here }));
    }
}

#[test]
fn there_must_be_a_place_for_it() {
    let setup = Setup::quiet(|options| options.interleaving = Interleaving::On);
    let mut world = setup.established();
    let bytes = exported(&mut world);
    let now = world.now();
    let options = setup.z.clone();

    let mut elsewhere = setup.engine(&mut world, &[address(Z, 9)]);
    let outcome = elsewhere.import(now, &bytes, options.clone());
    assert_eq!(outcome, Err(ImportError::NotLocal(address(Z, 1))));

    let mut engine = setup.engine(&mut world, &setup.z_addresses);
    let outcome = engine.import(now, &bytes, Profile::Rfc9260.options());
    assert_eq!(outcome, Err(ImportError::Extensions));
    let mut bad = options.clone();
    bad.sack_frequency = 0;
    let outcome = engine.import(now, &bytes, bad);
    assert!(
        matches!(outcome, Err(ImportError::Option(_))),
        "{outcome:?}"
    );
    let mut strict = options.clone();
    strict.authentication = Authentication::On(Box::new(AuthenticationOptions {
        others: Unauthenticated::Refused,
        ..AuthenticationOptions::default()
    }));
    let outcome = engine.import(now, &bytes, strict);
    assert_eq!(outcome, Err(ImportError::Unauthenticated));
    let mut protected = options.clone();
    protected.protection = Protection::Strict;
    let outcome = engine.import(now, &bytes, protected);
    assert_eq!(outcome, Err(ImportError::Unprotected));
    assert!(engine.import(now, &bytes, options.clone()).is_ok());
    let outcome = engine.import(now, &bytes, options.clone());
    assert_eq!(outcome, Err(ImportError::InUse));

    let mut full = setup.clone();
    full.endpoints.max_associations = 0;
    full.seed += 1;
    let mut engine = full.engine(&mut world, &setup.z_addresses);
    let outcome = engine.import(now, &bytes, options);
    assert_eq!(outcome, Err(ImportError::TooManyAssociations));
}

#[test]
fn keys_that_were_changed_go_along() {
    let setup = Setup::quiet(|options| {
        let chunks = ChunkSet::of([ChunkType::DATA]);
        options.authentication = Authentication::with_key("secret", chunks);
    });
    let mut world = setup.established();
    for host in [A, Z] {
        let key = SharedKey::new(KeyId(7), "another");
        assert_eq!(world.assoc(host).insert_key(key), Ok(()));
    }
    assert_eq!(world.assoc(Z).activate_key(KeyId(7)), Ok(()));
    super::hand_over(&mut world, &setup, Z);
    world.send(Z, text(0, "under the other key"));
    world.run_for(secs(3));
    assert_eq!(world.messages(A).len(), 1);
    assert_eq!(world.stats(A).failed_authentications, 0);
    assert_eq!(world.stats(A).unauthenticated, 0);
}

#[test]
fn an_export_cut_or_edited_anywhere_is_refused_or_survived() {
    let setup = Setup::tuned(set(
        "interleaving=on, association_max_retrans=2, path_max_retrans=1",
    ));
    let setup = setup.paths(2);
    let mut world = setup.established();
    let bytes = exported(&mut world);
    for place in 0..bytes.len() {
        let mut engine = setup.engine(&mut world, &setup.z_addresses);
        let cut = engine.import(world.now(), &bytes[..place], setup.z.clone());
        assert!(cut.is_err(), "{place}");
        for value in [0, 1, 0x7F, 0xFF] {
            let mut edited = bytes.clone();
            edited[place] = value;
            let mut engine = setup.engine(&mut world, &setup.z_addresses);
            if let Ok(id) = engine.import(world.now(), &edited, setup.z.clone()) {
                world.reboot(Z, engine);
                world.set_current(Z, id);
                world.send(Z, text(0, "still here"));
                world.run_for(secs(2));
            }
        }
    }
}
