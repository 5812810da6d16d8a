//! The protocol parameters (RFC 9260 §16) as typed options.

use crate::prelude::*;

type Edit = fn(&mut Options);

/// A value below or above the range for each form of values, and each condition on several options.
/// The ranges of all options are those of `docs/options.md`.
#[test]
fn an_option_out_of_its_range_is_refused_by_name() {
    let cases: &[(&str, Edit)] = &[
        ("rto_initial", |o| o.rto_initial = ms(9)),
        ("rto_initial", |o| o.rto_initial = secs(121)),
        ("rto_min", |o| o.rto_min = o.rto_max + ms(1)),
        ("max_burst", |o| o.max_burst = Some(0)),
        ("max_burst", |o| o.max_burst = Some(1001)),
        ("association_max_retrans", |o| o.association_max_retrans = 0),
        ("path_max_retrans", |o| o.path_max_retrans = 1001),
        ("primary_switchover_max_retrans", |o| {
            o.potentially_failed_max_retrans = Some(2);
            o.primary_switchover_max_retrans = Some(1);
        }),
        ("heartbeats", |o| o.heartbeats = Heartbeats::Every(ms(9))),
        ("sack_frequency", |o| o.sack_frequency = 0),
        ("sack_frequency", |o| o.sack_frequency = 65),
        ("congestion", |o| {
            o.congestion = CongestionAlgorithm::EarlyDecrease {
                trigger: DecreaseTrigger::Always,
                factor: 0,
            };
        }),
        ("congestion", |o| {
            o.congestion = CongestionAlgorithm::EcnDiscrimination;
        }),
        ("path_mtu_discovery", |o| {
            o.path_mtu_discovery = PathMtuDiscovery::Plpmtud { max: 575 };
        }),
        ("multipath", |o| {
            o.multipath = Multipath::Concurrent(ConcurrentTransfer::default());
            o.loss_recovery = LossRecovery::GoBackN;
        }),
        ("address_changes", |o| {
            o.address_changes = AddressChanges::On;
        }),
        ("send_buffer", |o| o.send_buffer = 1499),
        ("receive_buffer", |o| o.receive_buffer = (1 << 30) + 1),
        ("buffers", |o| o.buffers = BufferSizes::Auto { max: 4095 }),
    ];
    let setup = Setup::default();
    let mut world = setup.world();
    for (name, edit) in cases {
        let mut options = Profile::Rfc9260.options();
        edit(&mut options);
        let error = options.validate().expect_err(name);
        assert_eq!(error.option, *name);
        let now = world.now();
        let to = calling(&[address(Z, 1)], options.clone());
        let connected = world.endpoint(A).connect(now, to);
        assert_eq!(connected, Err(ConnectError::Option(error.clone())));
        let listened = world.endpoint(A).listen(7000, options);
        assert_eq!(listened, Err(ListenError::Option(error)));
    }
}

#[test]
fn listening_twice_or_on_port_zero_is_refused() {
    let mut world = Setup::default().world();
    let options = Profile::Rfc9260.options();
    let engine = world.endpoint(Z);
    let again = engine.listen(PORT, options.clone());
    assert_eq!(again, Err(ListenError::InUse));
    assert_eq!(
        engine.listen(0, options.clone()),
        Err(ListenError::PortZero)
    );
    world.endpoint(Z).stop_listening(PORT);
    assert_eq!(world.endpoint(Z).listen(PORT, options), Ok(()));
}

const PROFILES: [(&str, Profile); 6] = [
    ("modern", Profile::Modern),
    ("rfc9260", Profile::Rfc9260),
    ("linux", Profile::Linux),
    ("telecom", Profile::Telecom),
    ("datacenter", Profile::Datacenter),
    ("rfc2960", Profile::Rfc2960),
];

#[test]
fn profiles_are_found_by_name_and_are_valid() {
    for (name, profile) in PROFILES {
        assert_eq!(name.parse(), Ok(profile));
        assert_eq!(profile.options().validate(), Ok(()));
    }
    let unknown = "Linux".parse::<Profile>().unwrap_err();
    assert_eq!(unknown.option, "profile");
    assert_eq!(Options::default(), Profile::Modern.options());
}

#[test]
fn the_datacenter_profile_repairs_a_loss_within_its_short_rto() {
    let mut world = Setup::with(Profile::Datacenter.options())
        .linked(|link| link.delay = Duration::from_micros(50))
        .established();
    world.send_every(A, ms(15), 20, &blob(0, 1000));
    world.drop_next(A, ChunkType::DATA, 1);
    let began = world.now();
    world.send(A, blob(0, 1000));
    world.wait(secs(1), |world| world.messages(Z).len() == 21);
    let took = world.now().since(began);
    assert!(took <= ms(40), "{took:?}");
}
