//! Key-management parameters in INIT and INIT ACK (§5.1).

use crate::prelude::*;

use super::{agreement, strict};

/// DTLS Key Management in the INIT or INIT ACK that a host has sent, padding left out.
fn told(world: &World, host: HostId) -> Vec<u8> {
    let mut inits = world.sent(host).filter_map(Record::init);
    let init = inits.next().expect("an INIT or INIT ACK");
    let mut bytes = Vec::new();
    for parameter in init.parameters.iter().flatten() {
        if matches!(parameter, Parameter::DtlsKeyManagement(_)) {
            parameter.write(&mut bytes);
        }
    }
    bytes
}

#[test]
fn both_ends_learn_their_roles_the_method_and_both_parameters_as_sent() {
    let mut setup = strict();
    setup.a.key_roles = KeyRoles::Client;
    setup.a.key_methods = KeyMethods(vec![0, 192]);
    setup.z.key_methods = KeyMethods(vec![7, 192, 0]);
    setup.a.protected_restart = ProtectedRestart::On;
    let mut world = setup.established();
    let parameters = (told(&world, A), told(&world, Z));
    assert_eq!(parameters.0[..4], [0x80, 0x06, 0, 11]);
    for (host, role) in [(A, KeyRole::Client), (Z, KeyRole::Server)] {
        let found = agreement(&mut world, host);
        assert_eq!((found.role, found.method), (role, 192));
        assert_eq!(found.restart, ProtectedRestart::Off);
        assert_eq!((found.client_parameter, found.server_parameter), parameters);
    }
    assert_eq!(world.count(A, ChunkType::AUTH), 0);
}

#[test]
fn ends_that_begin_at_once_find_opposite_roles() {
    let setup = strict();
    let mut world = setup.world();
    let to_z = calling(&setup.z_addresses, setup.a.clone());
    let to_a = calling(&setup.a_addresses, setup.z.clone());
    for (host, mut to) in [(A, to_z), (Z, to_a)] {
        to.local_port = Some(PORT);
        world.connect(host, to);
    }
    world.run_for(secs(5));
    let roles = [A, Z].map(|host| {
        let found = agreement(&mut world, host);
        (found.role, found.client_parameter, found.server_parameter)
    });
    assert_eq!(roles[0].0, roles[1].0.other());
    assert_eq!((&roles[0].1, &roles[0].2), (&roles[1].1, &roles[1].2));
}

/// The cause in the ABORT that ends the attempt to connect with these options.
fn refusal(a: Options, z: Options) -> u16 {
    let mut setup = Setup::default();
    (setup.a, setup.z) = (a, z);
    let mut world = setup.connecting();
    world.run_for(secs(5));
    let aborts = world.log().iter().filter(|record| record.abort().is_some());
    let causes: Vec<u16> = aborts.flat_map(Record::causes).collect();
    assert!(world.close_reason(A).is_some());
    assert_eq!(causes.len(), 1);
    causes[0]
}

#[test]
fn a_strict_end_refuses_peers_with_which_it_cannot_agree() {
    let strict = |edit: fn(&mut Options)| {
        let mut options = quiet_but(|options| options.protection = Protection::Strict);
        edit(&mut options);
        options
    };
    let able = || strict(|_| ());
    assert_eq!(refusal(quiet(), able()), dtls::MISSING_SUPPORT);
    assert_eq!(refusal(able(), quiet()), dtls::MISSING_SUPPORT);
    let other = || strict(|options| options.key_methods = KeyMethods(vec![9]));
    assert_eq!(refusal(other(), able()), dtls::NO_COMMON_METHOD);
    let client = || strict(|options| options.key_roles = KeyRoles::Client);
    assert_eq!(refusal(client(), client()), dtls::INCOMPATIBLE_ROLES);
    let loose = || {
        let mut options = other();
        options.protection = Protection::Loose;
        options
    };
    assert_eq!(refusal(able(), loose()), dtls::MISSING_SUPPORT);
}

#[test]
fn equal_tie_breakers_end_an_attempt_in_loose_mode_too() {
    let options = quiet_but(|options| options.protection = Protection::Loose);
    let (mut world, mut peer) = Peer::awaited(options);
    let init = peer.read_init(&mut world);
    let init = init.init().expect("an INIT");
    let mut theirs = init.parameters.iter().flatten();
    let same = theirs.find(|parameter| matches!(parameter, Parameter::DtlsKeyManagement(_)));
    peer.send_init_ack(&mut world, b"cookie", &[same.expect("the parameter")]);
    let abort = peer.expect(&mut world, ChunkType::ABORT);
    assert_eq!(abort.causes(), [dtls::TIE_BREAKER_COLLISION]);
}

#[test]
fn a_loose_end_goes_on_in_plain_text_and_says_so() {
    let loose = Setup::with(quiet()).z(|options| options.protection = Protection::Loose);
    for (setup, host) in [(loose.clone(), Z), (loose.swapped(), A)] {
        let mut world = setup.established();
        let unavailable = Event::Protection(ProtectionChange::Unavailable);
        assert!(world.saw(host, &unavailable), "{host:?}");
        assert!(world.assoc(host).protection().is_none(), "{host:?}");
        world.send(A, text(1, "in clear"));
        world.send(Z, text(1, "in clear"));
        world.run_for(secs(1));
        assert_eq!(world.texts(A), ["in clear"], "{host:?}");
        assert_eq!(world.texts(Z), ["in clear"], "{host:?}");
    }
}

#[test]
fn an_end_without_the_extension_reports_dtls_chunks_as_unknown() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let dtls = Dtls {
        context: DtlsContext::Primary,
        padding: 0,
        record: &[0x2b; 40],
    };
    peer.send(&mut world, &[Chunk::Dtls(dtls)]);
    let error = peer.expect(&mut world, ChunkType::ERROR);
    assert_eq!(error.causes(), [Cause::UnrecognizedChunkType(&[]).code()]);
}

#[test]
fn a_parameter_with_more_methods_than_exist_is_none() {
    let options = quiet_but(|options| options.protection = Protection::Strict);
    let (mut world, mut peer) = Peer::before_listener(options);
    let offer = KeyManagement {
        tie_breaker: 1,
        flags: 3,
        methods: &[0; 300],
    };
    peer.send_init(&mut world, &[Parameter::DtlsKeyManagement(offer)]);
    let abort = peer.expect(&mut world, ChunkType::ABORT);
    assert_eq!(abort.causes(), [dtls::MISSING_SUPPORT]);
}

#[test]
fn protection_is_not_offered_beside_authentication() {
    let options = quiet_but(|options| {
        options.protection = Protection::Loose;
        options.authentication = Authentication::on();
    });
    let fault = options.validate().unwrap_err();
    assert_eq!(fault.option, "protection");
}

#[test]
fn an_association_that_is_off_sends_no_parameter() {
    let setup = Setup::with(quiet());
    let mut world = setup.world();
    connect_to(&mut world, A, setup.z_addresses[0], setup.a.clone());
    world.run_for(secs(1));
    assert_eq!(told(&world, A), [0; 0]);
    assert_ne!(world.close_reason(A), Some(CloseReason::Aborted));
}
