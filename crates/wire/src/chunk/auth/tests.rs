use std::string::ToString;

use crate::captured::{assert_bytes, fault_of, hex};
use crate::{Auth, Chunk};

#[test]
fn an_auth_chunk_names_key_and_algorithm() {
    let hmac = hex("000102030405060708090a0b0c0d0e0f10111213");
    let auth = Auth {
        key: 2,
        algorithm: 1,
        hmac: &hmac,
    };
    assert_bytes(
        "0f00001c 00020001 000102030405060708090a0b0c0d0e0f10111213",
        &Chunk::Auth(auth),
    );
    assert!(
        auth.to_string()
            .starts_with("key 2 algorithm 1 (SHA-1) 20 bytes 0001")
    );
}

#[test]
fn an_auth_chunk_without_room_for_its_ids_is_malformed() {
    assert_eq!(fault_of("0f000006 0002"), "AUTH below 8 bytes");
}
