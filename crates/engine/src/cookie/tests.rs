use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::time::Duration;
use std::boxed::Box;
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;
use sheave_wire::{Cause, Tsn, Vtag};

use super::{Cookie, CookieError, MAC_LEN, MAX_LEN, MAX_LISTED, Secrets, TieTags, stale_cause};
use crate::assoc::extensions::authentication::{KeyVector, Vectors};
use crate::rng::Rng;
use crate::value::extension::ExtensionSet;
use crate::value::protection::{KeyParameter, KeyParameters};
use crate::{KeyRoles, PeerAddress, ProtectedRestart, Time};

const LIFE: Duration = Duration::from_secs(60);
const SECRET_LIFE: Duration = Duration::from_secs(300);

fn at(secs: u64) -> Time {
    Time::from_millis(secs * 1000)
}

pub(crate) fn v4(last: u8) -> IpAddr {
    Ipv4Addr::new(192, 0, 2, last).into()
}

pub(crate) fn v6(last: u16) -> IpAddr {
    Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, last).into()
}

fn secrets() -> Secrets {
    Secrets::new(Rng::new([3; 32]), Time::ZERO, SECRET_LIFE)
}

pub(crate) fn made_at(created: Time) -> Cookie {
    Cookie {
        local_port: 5001,
        remote_port: 40_000,
        local_tag: Vtag(0x0102_0304),
        peer_tag: Vtag(0x0506_0708),
        local_initial_tsn: Tsn(u32::MAX),
        peer_initial_tsn: Tsn(7),
        peer_rwnd: 131_072,
        outbound_streams: 10,
        inbound_streams: 65_535,
        tie_tags: None,
        created,
        lifespan: LIFE,
        local: v4(1),
        source: PeerAddress::native(v4(2)),
        listed: Vec::new(),
        extensions: ExtensionSet::NONE,
        vectors: None,
        adaptation: None,
        protection: None,
    }
}

/// The longest possible parameters.
fn key_parameters() -> KeyParameters {
    let methods: Vec<u8> = (0..=255).collect();
    let end = |tie_breaker| {
        KeyParameter::new(
            tie_breaker,
            KeyRoles::Either,
            ProtectedRestart::On,
            &methods,
        )
    };
    KeyParameters {
        ours: end(1),
        theirs: end(2),
    }
}

/// The longest possible parameters.
fn vectors() -> Vectors {
    let types: Vec<u8> = (0..=255).collect();
    let longest = KeyVector::of_peer(&[7; 32], Some(&types), (&[1; 8]).into());
    let longest = longest.expect("a right vector");
    Vectors {
        ours: longest.clone(),
        theirs: longest,
    }
}

fn full() -> Cookie {
    Cookie {
        tie_tags: Some(TieTags { local: 1, peer: 2 }),
        local: v6(0xffff),
        source: PeerAddress::encapsulated(v6(0xfffe), 9899),
        listed: (0..).map(v6).take(MAX_LISTED).collect(),
        extensions: ExtensionSet(u32::MAX),
        vectors: Some(Box::new(vectors())),
        adaptation: Some(7),
        ..made_at(at(1))
    }
}

#[test]
fn a_cookie_with_one_address_is_small() {
    let mut secrets = secrets();
    let tied = Cookie {
        tie_tags: Some(TieTags { local: 1, peer: 2 }),
        source: PeerAddress::encapsulated(v4(2), 9899),
        ..made_at(at(1))
    };
    assert_eq!(secrets.seal(at(1), &made_at(at(1))).len(), 93);
    assert_eq!(secrets.seal(at(1), &tied).len(), 103);
    assert!(secrets.seal(at(1), &full()).len() <= MAX_LEN);
}

#[test]
fn each_field_stands_where_the_layout_says() {
    let bytes = secrets().seal(at(1), &made_at(at(1)));
    let mut fields = bytes.get(MAC_LEN..).unwrap().to_vec();
    // The creation time, offset by the secret's clock.
    fields.splice(31..39, [0; 8]);
    let expected = [
        1, 0, 0, // version, presence, listed
        0x13, 0x89, 0x9c, 0x40, // ports
        1, 2, 3, 4, 5, 6, 7, 8, // tags
        0xff, 0xff, 0xff, 0xff, 0, 0, 0, 7, // initial TSNs
        0, 2, 0, 0, // a_rwnd
        0, 10, 0xff, 0xff, // streams
        0, 0, 0, 0, 0, 0, 0, 0, // created
        0, 0, 0, 0x0d, 0xf8, 0x47, 0x58, 0, // life span
        0, 0, 0, 0, // extensions
        4, 192, 0, 2, 1, 4, 192, 0, 2, 2, // addresses
    ];
    assert_eq!(fields, expected);
}

#[test]
fn a_cookie_does_not_show_how_long_its_maker_has_been_up() {
    let created = |seed: u8, secs: u64| {
        let mut secrets = Secrets::new(Rng::new([seed; 32]), Time::ZERO, SECRET_LIFE);
        let bytes = secrets.seal(at(secs), &made_at(at(secs)));
        let field = bytes.get(MAC_LEN + 31..MAC_LEN + 39).unwrap();
        u64::from_be_bytes(field.try_into().unwrap())
    };
    let week = Duration::from_secs(7 * 86_400);
    for seed in 0..50 {
        let told = Time::from_nanos(created(seed, 1));
        assert!(told.since(Time::ZERO) > week, "{told:?}");
    }
    // Two cookies reveal the time between them, which is not secret.
    assert_eq!(created(1, 3).wrapping_sub(created(1, 1)), 2_000_000_000);
}

#[test]
fn a_single_changed_bit_makes_a_forgery() {
    let mut secrets = secrets();
    let bytes = secrets.seal(at(1), &full());
    for bit in 0..bytes.len() * 8 {
        let mut forged = bytes.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(secrets.open(at(1), &forged), Err(CookieError::Forged));
    }
}

#[test]
fn a_cookie_cut_short_or_made_longer_is_a_forgery() {
    let mut secrets = secrets();
    let bytes = secrets.seal(at(1), &full());
    for len in 0..bytes.len() {
        let opened = secrets.open(at(1), bytes.get(..len).unwrap());
        assert_eq!(opened, Err(CookieError::Forged));
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert_eq!(secrets.open(at(1), &longer), Err(CookieError::Forged));
    let huge = vec![0; 65_535];
    assert_eq!(secrets.open(at(1), &huge), Err(CookieError::Forged));
}

/// HOSTILE A24: even under our own MAC, encoded lengths are not trusted.
#[test]
fn sealed_nonsense_is_refused_without_a_panic() {
    let mut secrets = secrets();
    let sound = secrets.seal(at(1), &full());
    let fields = sound.get(MAC_LEN..).unwrap();
    let seal = |fields: &[u8]| {
        use hmac::Mac as _;
        let mac = secrets.current.mac(fields).finalize().into_bytes();
        [mac.as_slice(), fields].concat()
    };
    let forged = |fields: &[u8]| secrets.open(at(1), &seal(fields)) == Err(CookieError::Forged);
    for len in 0..fields.len() {
        assert!(forged(fields.get(..len).unwrap()), "{len} bytes");
    }
    for (at, byte) in [(0, 2), (1, 4), (2, 33), (2, 255), (61, 5)] {
        let mut changed = fields.to_vec();
        changed[at] = byte;
        assert!(forged(&changed), "byte {at} is {byte}");
    }
    assert!(forged(&[fields, &[0]].concat()));
}

#[test]
fn a_cookie_is_fresh_to_the_last_nanosecond_of_its_life() {
    let mut secrets = secrets();
    let cookie = made_at(at(10));
    let bytes = secrets.seal(at(10), &cookie);
    let end = at(10) + LIFE;
    assert_eq!(secrets.open(end, &bytes), Ok(cookie.clone()));
    let past = Duration::from_nanos(1);
    let stale = CookieError::Stale {
        cookie: Box::new(cookie),
        staleness: past,
    };
    assert_eq!(secrets.open(end + past, &bytes), Err(stale));
}

#[test]
fn staleness_is_told_in_microseconds_rounded_up() {
    let told = |staleness| match stale_cause(staleness) {
        Cause::StaleCookie { staleness } => staleness,
        _ => unreachable!(),
    };
    assert_eq!(told(Duration::from_nanos(1)), 1);
    assert_eq!(told(Duration::from_micros(5)), 5);
    assert_eq!(told(Duration::from_nanos(5001)), 6);
    assert_eq!(told(Duration::MAX), u32::MAX);
}

#[test]
fn a_cookie_outlives_one_rotation_of_its_secret_and_no_second() {
    let mut secrets = secrets();
    let before = made_at(at(299));
    let bytes = secrets.seal(at(299), &before);
    let rotated = secrets.seal(at(301), &made_at(at(301)));
    assert_eq!(secrets.open(at(302), &bytes), Ok(before));
    assert!(secrets.open(at(302), &rotated).is_ok());
    assert!(secrets.previous.is_some());
    secrets.seal(at(602), &made_at(at(602)));
    assert_eq!(secrets.open(at(603), &bytes), Err(CookieError::Forged));
}

#[test]
fn rotation_waits_for_the_longest_life_of_the_secret_that_must_go() {
    let mut secrets = secrets();
    let hour = Duration::from_secs(3600);
    let long = Cookie {
        lifespan: hour,
        ..made_at(at(299))
    };
    let bytes = secrets.seal(at(299), &long);
    for now in (300..299 + 3600).step_by(60) {
        secrets.seal(at(now), &made_at(at(now)));
        assert!(secrets.open(at(now), &bytes).is_ok(), "at {now} s");
    }
    assert_eq!(secrets.open(at(299) + hour, &bytes), Ok(long));
    secrets.seal(at(5000), &made_at(at(5000)));
    assert_eq!(secrets.open(at(5000), &bytes), Err(CookieError::Forged));
}

#[test]
fn the_peer_s_addresses_begin_with_the_source_and_share_its_encapsulation() {
    let cookie = Cookie {
        source: PeerAddress::encapsulated(v4(2), 9899),
        listed: vec![v4(3), v6(4)],
        ..made_at(at(1))
    };
    let expected = [v4(2), v4(3), v6(4)].map(|ip| PeerAddress::encapsulated(ip, 9899));
    assert!(cookie.peer_addresses().eq(expected));
}

#[test]
fn a_wish_for_a_longer_life_is_granted_up_to_double() {
    let span = |wish| Cookie::lifespan(LIFE, wish);
    assert_eq!(span(None), LIFE);
    let wish = Duration::from_millis(1500);
    assert_eq!(span(Some(wish)), LIFE + wish);
    assert_eq!(span(Some(Duration::from_millis(u32::MAX.into()))), 2 * LIFE);
}

#[test]
fn tie_tags_are_nonces_and_not_zero() {
    let mut rng = Rng::new([9; 32]);
    let one = TieTags::fresh(&mut rng);
    assert_ne!(one, TieTags::fresh(&mut rng));
    assert!(one.local != 0 && one.peer != 0);
}

prop_compose! {
    fn address()(is_v6: bool, v4: u32, v6: u128) -> IpAddr {
        if is_v6 {
            Ipv6Addr::from_bits(v6).into()
        } else {
            Ipv4Addr::from_bits(v4).into()
        }
    }
}

prop_compose! {
    fn cookie()(
        ports: (u16, u16),
        tags: (u32, u32),
        tsns: (u32, u32),
        peer_rwnd: u32,
        streams: (u16, u16),
        ties: Option<(u32, u32)>,
        created: u64,
        lifespan: u64,
        local in address(),
        source in address(),
        encapsulation: Option<u16>,
        listed in proptest::collection::vec(address(), 0..=MAX_LISTED),
        extensions: u32,
        authenticated: bool,
        adaptation: Option<u32>,
    ) -> Cookie {
        Cookie {
            local_port: ports.0,
            remote_port: ports.1,
            local_tag: Vtag(tags.0),
            peer_tag: Vtag(tags.1),
            local_initial_tsn: Tsn(tsns.0),
            peer_initial_tsn: Tsn(tsns.1),
            peer_rwnd,
            outbound_streams: streams.0,
            inbound_streams: streams.1,
            tie_tags: ties.map(|(local, peer)| TieTags { local, peer }),
            created: Time::from_nanos(created),
            lifespan: Duration::from_nanos(lifespan),
            local,
            source: PeerAddress { ip: source, encapsulation },
            listed,
            extensions: ExtensionSet(extensions),
            vectors: authenticated.then(|| Box::new(vectors())),
            adaptation,
            protection: authenticated.then(|| Box::new(key_parameters())),
        }
    }
}

proptest! {
    #[test]
    fn every_cookie_comes_back_as_it_went(cookie in cookie()) {
        let mut secrets = secrets();
        let bytes = secrets.seal(cookie.created, &cookie);
        prop_assert!(bytes.len() <= MAX_LEN);
        prop_assert_eq!(secrets.open(cookie.created, &bytes), Ok(cookie));
    }

    #[test]
    fn bytes_from_anywhere_are_a_forgery(bytes: Vec<u8>) {
        prop_assert_eq!(secrets().open(Time::ZERO, &bytes), Err(CookieError::Forged));
    }

    #[test]
    fn fields_from_anywhere_do_not_panic(fields: Vec<u8>) {
        let _ = Cookie::parse(&fields, 0);
    }
}
