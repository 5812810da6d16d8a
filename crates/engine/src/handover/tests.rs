use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use proptest::collection::vec as any_vec;
use proptest::prelude::*;
use sheave_wire::{ReConfigResult, StreamId, Tsn, Vtag};

use super::{
    AddressSerials, Credentials, ImportError, Key, KeyStanding, PathStanding, Receiving, Requests,
    RtoStanding, Sending, State,
};
use crate::assoc::extensions::authentication::{KeyVector, Vectors};
use crate::assoc::extensions::reconfiguration::ReConfigAnswer;
use crate::cookie::tests::{v4, v6};
use crate::rng::Rng;
use crate::value::extension::ExtensionSet;
use crate::value::ids::PathIndex;
use crate::{AuthenticationOptions, KeyId, PathState, PeerAddress};

fn path(local: IpAddr, remote: PeerAddress, state: PathState) -> PathStanding {
    PathStanding {
        local,
        remote,
        state,
        errors: 2,
        pmtu: 1400,
        cwnd: 4404,
        ssthresh: 70_000,
        rto: RtoStanding {
            srtt: Some(20_000_000),
            rttvar: 1_000_000,
            rto: 1_000_000_000,
        },
    }
}

fn vector(seed: u8) -> KeyVector {
    KeyVector::fresh(
        &AuthenticationOptions::default(),
        ExtensionSet::NONE,
        &mut Rng::new([seed; 32]),
    )
}

/// A state with every optional part.
fn full() -> State {
    let answer = ReConfigAnswer {
        request: 70,
        result: ReConfigResult::PERFORMED,
        next_tsns: Some((Tsn(1), Tsn(2))),
    };
    let set = ExtensionSet::RECONFIGURATION
        .union(ExtensionSet::AUTHENTICATION)
        .union(ExtensionSet::ADDRESS_CHANGES)
        .union(ExtensionSet::INTERLEAVING)
        .union(ExtensionSet::ECN);
    State {
        ports: (5000, 49_152),
        tags: (Vtag(7), Vtag(u32::MAX)),
        extensions: set,
        announced: set,
        sending: Sending {
            next_tsn: Tsn(u32::MAX),
            streams: 10,
            peer_rwnd: 100_000,
            widest_rwnd: 131_072,
            ordered: vec![(StreamId(0), 5), (StreamId(9), u32::MAX)],
            unordered: vec![(StreamId(3), 1)],
        },
        receiving: Receiving {
            cumulative_tsn: Tsn(99),
            streams: 3,
            ordered: vec![(StreamId(2), 70_000)],
        },
        local: vec![v4(1), v6(1)],
        paths: vec![
            path(v4(1), PeerAddress::native(v4(2)), PathState::Inactive),
            path(
                v6(1),
                PeerAddress::encapsulated(v6(2), 9899),
                PathState::Active,
            ),
        ],
        primary: PathIndex(1),
        requests: Some(Requests {
            next: 100,
            expected: 71,
            answers: vec![answer],
            invited_reset: Some(69),
            invited_streams: 4,
        }),
        address_serials: Some(AddressSerials {
            next: 5,
            due: 6,
            answer: Some(Bytes::from_static(b"\x80\0\0\x08\0\0\0\x05")),
        }),
        credentials: Some(Credentials {
            vectors: Vectors {
                ours: vector(1),
                theirs: vector(2),
            },
            active: KeyId(1),
            heard: Some(KeyId(0)),
            keys: vec![Key {
                id: KeyId(1),
                standing: KeyStanding::Usable,
                secret: Box::from(*b"secret"),
            }],
        }),
        echo: Some(Tsn(3)),
    }
}

/// A state without optional parts.
fn bare() -> State {
    State {
        extensions: ExtensionSet::NONE,
        announced: ExtensionSet::NONE,
        sending: Sending {
            ordered: Vec::new(),
            unordered: Vec::new(),
            ..full().sending
        },
        receiving: Receiving {
            ordered: Vec::new(),
            ..full().receiving
        },
        requests: None,
        address_serials: None,
        credentials: None,
        echo: None,
        ..full()
    }
}

#[test]
fn written_values_are_read() {
    for state in [full(), bare()] {
        assert_eq!(State::parse(&state.to_bytes()), Ok(state));
    }
}

#[test]
fn the_bytes_of_version_1_stay_as_they_are() {
    let bytes = bare().to_bytes();
    let expected = [
        &b"SHVH\x01"[..],
        &[0x13, 0x88, 0xC0, 0, 0, 0, 0, 7, 0xFF, 0xFF, 0xFF, 0xFF],
        &[0; 8],
        &[0xFF, 0xFF, 0xFF, 0xFF, 0, 10, 0, 1, 0x86, 0xA0, 0, 2, 0, 0],
        &[0; 4],
        &[0, 0, 0, 99, 0, 3, 0, 0],
        &[0, 2, 4, 192, 0, 2, 1, 6, 0x20, 1, 0x0D, 0xB8],
        &[0; 10],
        &[0, 1, 0, 2],
        &[4, 192, 0, 2, 1, 4, 192, 0, 2, 2, 0, 3, 0, 0, 0, 2, 5, 0x78],
    ]
    .concat();
    assert_eq!(bytes.get(..expected.len()), Some(&expected[..]));
}

#[test]
fn bytes_that_are_no_export_or_of_another_version_are_refused_as_such() {
    assert_eq!(State::parse(b""), Err(ImportError::NotExported));
    assert_eq!(State::parse(b"SHVX\x01"), Err(ImportError::NotExported));
    assert_eq!(State::parse(b"SHVH"), Err(ImportError::Truncated));
    let mut bytes = full().to_bytes();
    for version in [0, 2, 255] {
        bytes[4] = version;
        assert_eq!(State::parse(&bytes), Err(ImportError::Version(version)));
    }
}

#[test]
fn every_prefix_is_truncated_and_every_suffix_malformed() {
    let bytes = full().to_bytes();
    for len in 4..bytes.len() {
        assert_eq!(
            State::parse(&bytes[..len]),
            Err(ImportError::Truncated),
            "{len}"
        );
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(
        State::parse(&longer),
        Err(ImportError::Malformed(_))
    ));
}

#[test]
fn a_contradictory_state_is_refused() {
    let edits: [fn(&mut State); 18] = [
        |state| state.ports.0 = 0,
        |state| state.ports.1 = 0,
        |state| state.tags.0 = Vtag(0),
        |state| state.tags.1 = Vtag(0),
        |state| state.sending.streams = 9,
        |state| state.sending.streams = 0,
        |state| state.receiving.streams = 2,
        |state| state.primary = PathIndex(2),
        |state| state.paths[1].state = PathState::Unconfirmed,
        |state| state.paths.clear(),
        |state| state.paths[0].remote.ip = v6(2),
        |state| state.paths[0].local = v4(9),
        |state| state.paths[0].remote.ip = Ipv4Addr::BROADCAST.into(),
        |state| state.paths[1].remote.encapsulation = Some(0),
        |state| state.requests = None,
        |state| state.extensions = ExtensionSet::NONE,
        |state| state.credentials.as_mut().expect("some").active = KeyId(2),
        |state| {
            let none = KeyVector::from_bytes(b"");
            state.credentials.as_mut().expect("some").vectors.theirs = none;
        },
    ];
    for (place, edit) in edits.into_iter().enumerate() {
        let mut state = full();
        edit(&mut state);
        let read = State::parse(&state.to_bytes());
        assert!(
            matches!(read, Err(ImportError::Malformed(_))),
            "{place}: {read:?}"
        );
    }
}

#[test]
fn ssns_have_sixteen_bits() {
    let mut state = bare();
    state.receiving.ordered = vec![(StreamId(0), 65_536)];
    let read = State::parse(&state.to_bytes());
    assert!(matches!(read, Err(ImportError::Malformed(_))), "{read:?}");
}

#[test]
fn secrets_are_not_printed() {
    let shown = std::format!("{:?}", full().credentials);
    assert!(
        !shown.contains("secret") && !shown.contains("115, 101"),
        "{shown}"
    );
}

proptest! {
    #[test]
    fn bytes_of_chance_behind_the_version_are_survived(rest in any_vec(any::<u8>(), 0..600)) {
        let bytes = [&b"SHVH\x01"[..], &rest].concat();
        if let Ok(state) = State::parse(&bytes) {
            prop_assert_eq!(state.to_bytes(), bytes);
        }
    }

    #[test]
    fn an_edited_export_is_refused_or_read_as_it_stands(
        edits in any_vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = full().to_bytes();
        for (place, byte) in edits {
            let len = bytes.len();
            bytes[place.index(len)] = byte;
        }
        if let Ok(state) = State::parse(&bytes) {
            prop_assert_eq!(state.to_bytes(), bytes);
        }
    }
}

/// Handovers work across releases: a changed bit would enable another extension.
#[test]
fn the_bits_of_extensions_stay_for_ever() {
    let bits = [
        (ExtensionSet::GO_BACK_N, 0),
        (ExtensionSet::CHUNK_CHECKSUM, 1),
        (ExtensionSet::ECN, 2),
        (ExtensionSet::ZERO_CHECKSUM_DTLS, 3),
        (ExtensionSet::ZERO_CHECKSUM_MEMORY, 4),
        (ExtensionSet::RECONFIGURATION, 5),
        (ExtensionSet::PARTIAL_RELIABILITY, 6),
        (ExtensionSet::AUTHENTICATION, 10),
        (ExtensionSet::ADDRESS_CHANGES, 11),
        (ExtensionSet::NR_SACK, 12),
        (ExtensionSet::PACKET_DROP_REPORTS, 13),
        (ExtensionSet::INTERLEAVING, 16),
        (ExtensionSet::I_FORWARD_TSN, 17),
    ];
    let documented = include_str!("../handover.rs");
    for (extension, bit) in bits {
        assert_eq!(extension.0, 1 << bit);
        assert!(documented.contains(&format!("//! | {bit} | ")), "{bit}");
    }
}
