use core::net::IpAddr;
use core::time::Duration;
use std::vec::Vec;

use proptest::prelude::*;
use sheave_wire::{
    Cause, Causes, Chunk, ErrorChunk, Init, List, Parameter, Parameters, TagReflection, Tsn, Vtag,
};

use super::{
    AddressTypes, FaultAnswer, Flaw, MAX_LISTED, ParameterFault, PeerParameters, address_tlvs,
    init_ack_parameters, init_parameters, is_usable,
};
use crate::cookie::tests::{v4, v6};
use crate::offer::Offer;
use crate::value::extension::ExtensionSet;

const COOKIE: Parameter<'static> = Parameter::StateCookie(b"cookie");

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn listed(ip: IpAddr) -> Parameter<'static> {
    match ip {
        IpAddr::V4(ip) => Parameter::Ipv4Address(ip),
        IpAddr::V6(ip) => Parameter::Ipv6Address(ip),
    }
}

const fn with(parameters: Parameters<'_>) -> Init<'_> {
    Init {
        initiate_tag: Vtag(5),
        a_rwnd: 1500,
        outbound_streams: 3,
        inbound_streams: 4,
        initial_tsn: Tsn(6),
        parameters,
    }
}

const PLAIN: Init<'static> = with(Parameters::EMPTY);

fn of_init(init: &Init<'_>) -> Result<PeerParameters, ParameterFault> {
    PeerParameters::of_init(init, v4(1), AddressTypes::BOTH, &Offer::none())
}

fn of_init_ack(init_ack: &Init<'_>) -> Result<PeerParameters, ParameterFault> {
    let both = AddressTypes::BOTH;
    let read = PeerParameters::of_init_ack(init_ack, v4(1), both, &Offer::none());
    read.map(|(peer, _)| peer)
}

fn of_parameters(parameters: &[Parameter<'_>]) -> PeerParameters {
    of_init(&with(parameters.into())).unwrap()
}

fn of_bytes(bytes: &[u8]) -> Result<PeerParameters, ParameterFault> {
    of_init(&with(Parameters::from_wire(bytes)))
}

#[test]
fn the_fixed_fields_are_taken_over() {
    let expected = PeerParameters {
        tag: Vtag(5),
        initial_tsn: Tsn(6),
        rwnd: 1500,
        outbound_streams: 3,
        inbound_streams: 4,
        listed: Vec::new(),
        supported: AddressTypes::BOTH,
        preservative: None,
        extensions: ExtensionSet::NONE,
        vector: None,
        adaptation: None,
        protection: None,
        unrecognized: super::Unrecognized::default(),
    };
    assert_eq!(of_init(&PLAIN), Ok(expected));
}

#[test]
fn an_init_ack_brings_its_cookie() {
    let parameters = [listed(v4(2)), COOKIE];
    let init_ack = with(Parameters::from(&parameters));
    let (peer, cookie) =
        PeerParameters::of_init_ack(&init_ack, v4(1), AddressTypes::BOTH, &Offer::none()).unwrap();
    assert_eq!(cookie, "cookie");
    assert_eq!(peer.listed, [v4(2)]);
}

/// HOSTILE A12: the answer to each fault in INIT and in INIT ACK.
#[test]
fn each_flaw_has_its_answer() {
    let cookie = [COOKIE];
    let sound = with(Parameters::from(&cookie));
    let host = [COOKIE, Parameter::HostNameAddress(b"a.example\0")];
    let give_up = FaultAnswer::GiveUp;
    let own = give_up(TagReflection::Own);
    let with_sound = |edit: fn(&mut Init<'_>)| {
        let mut init = sound;
        edit(&mut init);
        init
    };
    let cases = [
        (
            with_sound(|init| init.initiate_tag = Vtag(0)),
            FaultAnswer::Discard,
            give_up(TagReflection::Reflected),
        ),
        (
            with_sound(|init| init.a_rwnd = 1499),
            FaultAnswer::Refuse,
            FaultAnswer::Refuse,
        ),
        (
            with_sound(|init| init.outbound_streams = 0),
            FaultAnswer::Refuse,
            own,
        ),
        (
            with_sound(|init| init.inbound_streams = 0),
            FaultAnswer::Refuse,
            own,
        ),
        (with(Parameters::from(&host)), FaultAnswer::Refuse, own),
        (
            with(Parameters::from_wire(&[0, 5, 0, 4])),
            FaultAnswer::Refuse,
            own,
        ),
    ];
    for (init, to_init, to_init_ack) in cases {
        assert_eq!(of_init(&init).unwrap_err().answer, to_init, "{init}");
        let answer = of_init_ack(&init).unwrap_err().answer;
        assert_eq!(answer, to_init_ack, "{init}");
    }
}

#[test]
fn each_flaw_has_its_cause() {
    let cause_of = |flaw: Flaw| {
        let fault = ParameterFault::in_init_ack(flaw);
        assert!(!fault.rule().is_empty());
        fault.cause().code()
    };
    assert_eq!(cause_of(Flaw::ZeroTag), 7);
    assert_eq!(cause_of(Flaw::SmallWindow), 7);
    assert_eq!(cause_of(Flaw::NoStreams), 7);
    assert_eq!(cause_of(Flaw::Malformed("x")), 13);
    assert_eq!(cause_of(Flaw::host_name(b"x")), 5);
    assert_eq!(cause_of(Flaw::MissingCookie), 2);
}

#[test]
fn an_init_ack_without_a_cookie_is_told_what_it_lacks() {
    let fault = of_init_ack(&PLAIN).unwrap_err();
    assert_eq!(fault.answer, FaultAnswer::GiveUp(TagReflection::Own));
    let missing = Cause::MissingMandatoryParameter(List::from(&[7]));
    assert_eq!(fault.cause(), missing);
}

#[test]
fn a_host_name_is_sent_back_whole_but_not_at_any_length() {
    let echoed = |name: &[u8]| {
        let parameters = [Parameter::HostNameAddress(name)];
        match of_init(&with(Parameters::from(&parameters)))
            .unwrap_err()
            .flaw
        {
            Flaw::HostName(whole) => whole,
            flaw => panic!("{flaw:?}"),
        }
    };
    assert_eq!(echoed(b"a\0"), [0, 11, 0, 6, b'a', 0]);
    let long = echoed(&[b'a'; 60_000]);
    assert_eq!(long.len(), 260);
    let cut = Parameter::HostNameAddress(&[b'a'; 256]);
    assert_eq!(Parameter::parse(&long), Ok(cut));
}

#[test]
fn addresses_that_packets_cannot_go_to_are_not_taken() {
    let source = v4(1);
    for text in [
        "0.0.0.0",
        "0.1.2.3",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "127.0.0.1",
        "169.254.0.1",
        "::",
        "::1",
        "ff02::1",
        "::ffff:192.0.2.1",
        "fe80::1",
    ] {
        assert!(!is_usable(ip(text), source), "{text}");
    }
    for text in [
        "192.0.2.9",
        "10.0.0.1",
        "223.255.255.255",
        "2001:db8::1",
        "fd00::1",
    ] {
        assert!(is_usable(ip(text), source), "{text}");
    }
}

#[test]
fn near_addresses_are_taken_from_a_peer_that_is_as_near() {
    let usable = |listed, source| is_usable(ip(listed), ip(source));
    assert!(usable("127.0.0.2", "127.0.0.1"));
    assert!(usable("::1", "127.0.0.1"));
    assert!(usable("192.0.2.1", "127.0.0.1"));
    assert!(usable("fe80::1", "fe80::2"));
    assert!(usable("169.254.0.1", "fe80::2"));
    assert!(!usable("127.0.0.1", "fe80::2"));
}

#[test]
fn an_extension_that_the_peer_uses_counts_as_supported() {
    let supported = |types: &[u16], source, address| {
        let parameters = [
            Parameter::SupportedAddressTypes(List::from(types)),
            listed(address),
        ];
        let init = with(Parameters::from(&parameters));
        PeerParameters::of_init(&init, source, AddressTypes::BOTH, &Offer::none())
            .unwrap()
            .supported
    };
    assert_eq!(supported(&[5], v4(1), v4(2)), AddressTypes::IPV4);
    assert_eq!(supported(&[6], v6(1), v6(2)), AddressTypes::IPV6);
    assert_eq!(supported(&[6], v4(1), v4(2)), AddressTypes::BOTH);
    assert_eq!(supported(&[5], v4(1), v6(2)), AddressTypes::BOTH);
    assert_eq!(supported(&[11], v4(1), v4(2)), AddressTypes::IPV4);
    assert_eq!(supported(&[], v4(1), v4(2)), AddressTypes::IPV4);
}

#[test]
fn a_cookie_preservative_is_a_wish_in_milliseconds() {
    let peer = of_parameters(&[
        Parameter::CookiePreservative { increment: 1500 },
        Parameter::CookiePreservative { increment: 9 },
    ]);
    assert_eq!(peer.preservative, Some(Duration::from_millis(1500)));
}

#[test]
fn parameters_before_an_unknown_one_stay() {
    let bytes = [
        0, 5, 0, 8, 192, 0, 2, 9, 0x3f, 0xff, 0, 4, 0, 5, 0, 8, 192, 0, 2, 8,
    ];
    assert_eq!(of_bytes(&bytes).unwrap().listed, [v4(9)]);
}

#[test]
fn known_parameters_without_a_meaning_here_are_passed_over() {
    let peer = of_parameters(&[
        Parameter::EcnCapable,
        Parameter::HeartbeatInfo(b"x"),
        Parameter::UnrecognizedParameter(&[0xc0, 0, 0, 4]),
        COOKIE,
        listed(v4(2)),
    ]);
    assert_eq!(peer.listed, [v4(2)]);
    assert_eq!(peer.unrecognized.cause(), None);
}

/// HOSTILE A7, A28.
#[test]
fn reports_are_bounded_whatever_the_peer_sends() {
    let small = [0xc0, 0, 0, 4].repeat(10_000);
    let large = [&[0xc0, 0, 0xff, 0xf8][..], &[0; 0xfff4], &[0xc0, 1, 0, 4]].concat();
    for bytes in [small, large] {
        let peer = of_bytes(&bytes).unwrap();
        let none = Offer::none();
        let mut echo = init_ack_parameters(b"cookie", &[v4(7)], v4(7), &peer, &none);
        echo.retain(|parameter| matches!(parameter, Parameter::UnrecognizedParameter(_)));
        assert!(!echo.is_empty());
        assert!(Parameters::from(echo.as_slice()).encoded_len() <= 512);
    }
}

#[test]
fn unrecognized_parameters_of_an_init_ack_are_one_cause() {
    let bytes = [
        0, 7, 0, 4, // an empty cookie
        0xc0, 1, 0, 5, 1, 0, 0, 0, 0xc0, 2, 0, 6, 1, 2, 0, 0,
    ];
    let peer = of_init_ack(&with(Parameters::from_wire(&bytes))).unwrap();
    let causes = [peer.unrecognized.cause().unwrap()];
    let mut written = Vec::new();
    Causes::from(&causes).write(&mut written);
    let expected = [0, 8, 0, 18, 0xc0, 1, 0, 5, 1, 0, 0, 0, 0xc0, 2, 0, 6, 1, 2];
    assert_eq!(written, expected);
    let error = Chunk::Error(ErrorChunk {
        causes: Causes::from(&causes),
    });
    assert_eq!(error.encoded_len(), 4 + 18);
}

#[test]
fn a_single_homed_endpoint_lists_neither_addresses_nor_their_types() {
    let none = Offer::none();
    let parameters = init_parameters(&[v4(1)], v4(1), None, &none);
    assert_eq!(parameters, []);
    let peer = of_init(&PLAIN).unwrap();
    let parameters = init_ack_parameters(b"cookie", &[v4(1)], v4(1), &peer, &none);
    assert_eq!(parameters, [COOKIE]);
}

#[test]
fn a_multi_homed_endpoint_lists_all_that_the_peer_can_use() {
    let none = Offer::none();
    let local = [v4(1), v6(1), ip("127.0.0.1")];
    let written = init_parameters(&local, v4(1), Some(Duration::from_millis(7)), &none);
    let expected = [
        listed(v4(1)),
        listed(v6(1)),
        Parameter::CookiePreservative { increment: 7 },
        Parameter::SupportedAddressTypes(List::from(&[5, 6])),
    ];
    assert_eq!(written, expected);
    for (types, expected) in [
        (&[5, 6][..], &[COOKIE, listed(v4(1)), listed(v6(1))][..]),
        (&[5], &[COOKIE]),
    ] {
        let peer = of_parameters(&[Parameter::SupportedAddressTypes(List::from(types))]);
        let written = init_ack_parameters(b"cookie", &local, v4(1), &peer, &none);
        assert_eq!(written, expected, "{types:?}");
    }
}

#[test]
fn over_loopback_loopback_addresses_are_listed() {
    let local = [ip("127.0.0.1"), ip("127.0.0.2")];
    let none = Offer::none();
    let parameters = init_parameters(&local, ip("127.0.0.2"), None, &none);
    assert!(parameters.starts_with(&local.map(listed)));
}

#[test]
fn new_addresses_are_told_as_parameters() {
    assert_eq!(
        address_tlvs(&[v4(9), v6(1)]),
        [
            0, 5, 0, 8, 192, 0, 2, 9, //
            0, 6, 0, 20, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
        ]
    );
}

#[test]
fn written_parameters_are_read() {
    let none = Offer::none();
    let local = [v4(1), v4(2), v6(3)];
    let written = init_parameters(&local, v4(1), Some(Duration::from_secs(1)), &none);
    let peer = of_parameters(&written);
    assert_eq!(peer.listed, [v4(2), v6(3)]);
    assert_eq!(peer.supported, AddressTypes::BOTH);
    assert_eq!(peer.preservative, Some(Duration::from_secs(1)));
    assert_eq!(peer.unrecognized.cause(), None);
}

/// Whether an RFC defines the format of the type: ECN Capable and the following ones, and those of
/// RFC 5061.
fn has_a_form(kind: u16) -> bool {
    matches!(kind, 0x8000..=0x8008 | 0xC000..=0xC006)
}

proptest! {
    #[test]
    fn parameters_from_anywhere_make_a_greeting_within_bounds_or_a_fault(bytes: Vec<u8>) {
        if let Ok(peer) = of_bytes(&bytes) {
            prop_assert!(peer.listed.len() <= MAX_LISTED);
            prop_assert!(peer.listed.iter().all(|ip| is_usable(*ip, v4(1))));
        }
    }

    #[test]
    fn sound_tlvs_of_any_type_are_never_malformed_by_us(
        tlvs in proptest::collection::vec((0x4000_u16.., proptest::collection::vec(0_u8.., 0..9)), 0..9)
    ) {
        let mut bytes = Vec::new();
        for (kind, value) in tlvs.iter().filter(|(kind, _)| !has_a_form(*kind)) {
            bytes.extend_from_slice(&kind.to_be_bytes());
            let len = u16::try_from(value.len() + 4).unwrap();
            bytes.extend_from_slice(&len.to_be_bytes());
            bytes.extend_from_slice(value);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        prop_assert!(of_bytes(&bytes).is_ok());
    }
}

#[test]
fn a_reserved_address_may_send_but_is_never_taken_on_a_peers_word() {
    let reserved = ip("240.0.0.7");
    assert!(super::is_unicast(reserved));
    assert!(!is_usable(reserved, v4(1)));
    assert!(!is_usable(reserved, reserved));
    assert!(!super::is_unicast(ip("255.255.255.255")));
}
