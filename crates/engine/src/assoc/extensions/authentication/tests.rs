use std::vec::Vec;

use sheave_wire::{Chunk, ChunkType};

use super::{AuthRefusal, Authenticator, KeyVector, Vectors};
use crate::rng::Rng;
use crate::value::extension::ExtensionSet;
use crate::{
    Authentication, AuthenticationOptions, ChunkSet, HmacAlgorithm, KeyError, KeyId, SharedKey,
};

fn vector(random: u8, types: Option<&[u8]>, algorithms: &[u16]) -> KeyVector {
    KeyVector::of_peer(&[random; 32], types, algorithms.into()).expect("a right vector")
}

fn key_of(ours: KeyVector, theirs: KeyVector) -> Vec<u8> {
    Vectors { ours, theirs }.association_key(b"secret")
}

fn options(secret: &[u8], chunks: &[ChunkType]) -> AuthenticationOptions {
    let chunks = ChunkSet::of(chunks.iter().copied());
    match Authentication::with_key(secret, chunks) {
        Authentication::On(options) => *options,
        Authentication::Off => unreachable!(),
    }
}

/// Two ends that know each other's vectors.
fn pair(ours: &AuthenticationOptions, theirs: &AuthenticationOptions) -> [Authenticator; 2] {
    let mut rng = Rng::new([7; 32]);
    let mut a = Authenticator::new(ours, ExtensionSet::NONE, &mut rng);
    let mut z = Authenticator::new(theirs, ExtensionSet::NONE, &mut rng);
    a.meet(z.ours().clone());
    z.meet(a.ours().clone());
    [a, z]
}

/// A packet with one SHUTDOWN ACK, as `from` sends it.
fn packet(from: &Authenticator) -> Vec<u8> {
    let mut bytes = [&[0; 12][..], &[8, 0, 0, 4]].concat();
    if let Some(sealing) = from.sealing(true) {
        let whole = 0..bytes.len();
        from.seal(&mut bytes, whole, sealing);
    }
    bytes
}

fn check(to: &mut Authenticator, packet: &[u8]) -> Result<Option<KeyId>, AuthRefusal> {
    let tail = &packet[12..];
    let Ok(Chunk::Auth(auth)) = Chunk::parse(tail) else {
        panic!("AUTH")
    };
    to.check(&auth, tail)
}

#[test]
fn both_ends_make_the_same_key_whoever_is_who() {
    let (a, z) = (vector(1, Some(&[0]), &[1]), vector(2, Some(&[0]), &[1]));
    let key = key_of(a.clone(), z.clone());
    assert_eq!(key_of(z.clone(), a.clone()), key);
    assert_eq!(key, [b"secret", a.bytes(), z.bytes()].concat());
}

// RFC 4895 §6.1: vectors are numbers, and of equal ones the shorter comes first.
#[test]
fn the_smaller_vector_comes_first_and_of_equal_ones_the_shorter() {
    for (first, second) in [
        (&[9, 9][..], &[1, 0, 0][..]),
        (&[0, 5], &[0, 0, 5]),
        (&[0, 0, 0, 2], &[3]),
    ] {
        let expected = [b"secret", first, second].concat();
        let [one, other] = [first, second].map(KeyVector::from_bytes);
        assert_eq!(key_of(one.clone(), other.clone()), expected);
        assert_eq!(key_of(other, one), expected);
    }
}

#[test]
fn a_vector_is_what_stands_on_the_wire_without_padding() {
    let vector = vector(0xab, Some(&[0, 193, 128]), &[3, 1]);
    let expected = [
        &[0x80, 2, 0, 36][..],
        &[0xab; 32],
        &[0x80, 3, 0, 7, 0, 193, 128],
        &[0x80, 4, 0, 8, 0, 3, 0, 1],
    ]
    .concat();
    assert_eq!(vector.bytes(), expected);
    assert_eq!(vector.parameters().count(), 3);
    assert_eq!(vector.chunks().numbers(), [0, 128, 193]);
    assert_eq!(vector.preferred(), Some(HmacAlgorithm::Sha256));
}

#[test]
fn vectors_that_no_honest_peer_has_are_faults() {
    let ids = [1];
    assert!(KeyVector::of_peer(&[0; 31], None, (&ids).into()).is_err());
    assert!(KeyVector::of_peer(&[0; 33], None, (&ids).into()).is_err());
    assert!(KeyVector::of_peer(&[0; 32], Some(&[0; 257]), (&ids).into()).is_err());
    assert!(KeyVector::of_peer(&[0; 32], None, (&[1_u16; 17]).into()).is_err());
}

#[test]
fn chunks_that_cannot_be_authenticated_are_in_no_set() {
    let set = ChunkSet::of((0..=u8::MAX).map(ChunkType));
    for never in [1, 2, 14, 15] {
        assert!(!set.contains(ChunkType(never)));
    }
    assert_eq!(set.numbers().len(), 252);
    assert_eq!(
        vector(1, Some(&[1, 2, 14, 15]), &[1]).chunks(),
        ChunkSet::NONE
    );
}

#[test]
fn all_holds_every_known_type_but_those_that_set_up_and_nr_sack() {
    let all = [
        0, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 64, 128, 129, 130, 132, 158, 159, 192, 193, 194,
    ];
    assert_eq!(ChunkSet::all().numbers(), all);
}

#[test]
fn one_end_proves_what_the_other_one_checks() {
    for algorithms in [
        &[HmacAlgorithm::Sha1][..],
        &[HmacAlgorithm::Sha256, HmacAlgorithm::Sha1],
    ] {
        let mut options = options(b"secret", &[ChunkType::SHUTDOWN_ACK]);
        options.algorithms = algorithms.to_vec();
        let [a, mut z] = pair(&options, &options);
        let packet = packet(&a);
        assert_eq!(packet.len(), 16 + 8 + algorithms[0].len());
        assert_eq!(check(&mut z, &packet), Ok(None));
        for at in 20..packet.len() {
            let mut edited = packet.clone();
            edited[at] ^= 1;
            assert!(check(&mut z, &edited).is_err(), "byte {at}");
        }
    }
}

#[test]
fn without_keys_there_is_the_empty_one_and_with_keys_there_is_not() {
    let chunks = [ChunkType::SHUTDOWN_ACK];
    let mut none = options(b"secret", &chunks);
    none.keys.clear();
    none.active = KeyId(0);
    let [a, mut z] = pair(&none, &none);
    assert_eq!(check(&mut z, &packet(&a)), Ok(None));
    let [a, mut z] = pair(&none, &options(b"secret", &chunks));
    assert_eq!(check(&mut z, &packet(&a)), Err(AuthRefusal::Wrong));
    assert_eq!(z.failed, 1);
}

#[test]
fn an_algorithm_that_was_not_offered_is_named() {
    let mut options = options(b"secret", &[ChunkType::SHUTDOWN_ACK]);
    options.algorithms = [HmacAlgorithm::Sha1].into();
    let [a, mut z] = pair(&options, &options);
    let mut bytes = packet(&a);
    for id in [0, 2, 3, 4, 0xffff_u16] {
        bytes[18..20].copy_from_slice(&id.to_be_bytes());
        assert_eq!(check(&mut z, &bytes), Err(AuthRefusal::Unsupported(id)));
    }
}

#[test]
fn a_key_is_added_made_active_deactivated_and_deleted() {
    let options = options(b"one", &[ChunkType::SHUTDOWN_ACK]);
    let [mut a, mut z] = pair(&options, &options);
    let second = || SharedKey::new(KeyId(2), *b"two");
    assert_eq!(check(&mut z, &packet(&a)), Ok(None));
    assert_eq!(a.activate_key(KeyId(2)), Err(KeyError::Unknown));
    a.insert_key(second()).unwrap();
    a.activate_key(KeyId(2)).unwrap();
    assert_eq!(check(&mut z, &packet(&a)), Err(AuthRefusal::Wrong));
    z.insert_key(second()).unwrap();
    assert_eq!(check(&mut z, &packet(&a)), Ok(Some(KeyId(2))));
    assert_eq!(check(&mut z, &packet(&a)), Ok(None));
    assert_eq!(check(&mut a, &packet(&z)), Ok(None));
    assert_eq!(a.deactivate_key(KeyId(2)), Err(KeyError::Active));
    a.deactivate_key(KeyId(1)).unwrap();
    assert_eq!(a.activate_key(KeyId(1)), Err(KeyError::Deactivated));
    assert_eq!(check(&mut a, &packet(&z)), Ok(None));
    a.delete_key(KeyId(1)).unwrap();
    assert_eq!(check(&mut a, &packet(&z)), Err(AuthRefusal::Wrong));
    assert_eq!(a.delete_key(KeyId(2)), Err(KeyError::Active));
}

#[test]
fn secrets_are_not_printed() {
    let key = SharedKey::new(KeyId(1), *b"hunter2");
    assert_eq!(std::format!("{key:?}"), "SharedKey(1, 7 bytes)");
    let [a, _] = pair(&options(b"hunter2", &[]), &options(b"hunter2", &[]));
    assert!(!std::format!("{a:?}").contains("hunter2"));
}

#[test]
fn options_that_contradict_themselves_are_faults() {
    let right = options(b"secret", &[]);
    let faulty = [
        AuthenticationOptions {
            algorithms: [HmacAlgorithm::Sha256].into(),
            ..right.clone()
        },
        AuthenticationOptions {
            active: KeyId(2),
            ..right.clone()
        },
        AuthenticationOptions {
            keys: [
                SharedKey::new(KeyId(1), *b"a"),
                SharedKey::new(KeyId(1), *b"b"),
            ]
            .into(),
            ..right.clone()
        },
    ];
    assert_eq!(Authentication::On(right.into()).fault(), None);
    for options in faulty {
        assert!(Authentication::On(options.into()).fault().is_some());
    }
}
