//! Planted faults of authenticated packets, which the harness must find.

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sheave_engine::wire::{Auth, List, Parameter, Parameters, RawChunk};
use sheave_engine::{Authentication, Options, Profile};

use super::super::plan::End;
use super::*;

const RANDOM: [u8; 32] = [9; 32];
/// DATA and SHUTDOWN; DATA has type 0.
const WANTED: [u8; 2] = [0, 7];

fn parameters() -> [Parameter<'static>; 3] {
    [
        Parameter::Random(&RANDOM),
        Parameter::ChunkList(&WANTED),
        Parameter::RequestedHmacs(List::from(&[1])),
    ]
}

/// A packet from A to Z that starts with an AUTH chunk.
fn sealed(hmac: &[u8]) -> Vec<u8> {
    let auth = Auth {
        key: 0,
        algorithm: 1,
        hmac,
    };
    let mut bytes = Vec::new();
    auth.write(&mut bytes);
    let raw = RawChunk::parse(&bytes).expect("a chunk");
    packet(HEADER, &[Chunk::Unknown(raw), SHUTDOWN])
}

/// The right HMAC: with the empty key, its key is both ends' vectors (RFC 4895 §6.1), here equal.
fn right_hmac() -> Vec<u8> {
    let mut vector = Vec::new();
    for parameter in parameters() {
        parameter.write(&mut vector);
    }
    let material = [&vector[..], &vector].concat();
    let mut mac = Hmac::<Sha1>::new_from_slice(&material).expect("any length will do");
    mac.update(&sealed(&[0; 20])[12..]);
    mac.finalize().into_bytes().to_vec()
}

fn emit_authenticated(bytes: &[u8]) -> Verdict {
    let options = Options {
        authentication: Authentication::On(Box::default()),
        ..Profile::Rfc9260.options()
    };
    let parameters = parameters();
    let told = |tag| init_with(tag, Parameters::from(&parameters[..]));
    emit_after(&[(End::Z, told(7)), (End::A, told(5))], &options, bytes)
}

#[test]
fn a_chunk_that_must_be_authenticated_and_is_not_is_objected_to() {
    objects(emit_authenticated(&packet(HEADER, &[SHUTDOWN])), "auth");
    objects(
        emit_authenticated(&packet(HEADER, &[data(b"four")])),
        "auth",
    );
}

#[test]
fn an_auth_chunk_with_a_wrong_hmac_key_or_place_is_objected_to() {
    let right = right_hmac();
    emit_authenticated(&sealed(&right)).expect("it is right");
    let mut wrong = right.clone();
    wrong[19] ^= 1;
    objects(emit_authenticated(&sealed(&wrong)), "auth");
    let mut of_another_key = sealed(&right);
    of_another_key[17] = 1;
    assert!(emit_authenticated(&of_another_key).is_err());
}
