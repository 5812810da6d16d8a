use std::string::ToString;
use std::vec::Vec;

use crate::captured::hex;
use crate::{Auth, RawChunk};

#[test]
fn an_auth_chunk_names_key_and_algorithm() {
    let bytes = hex("0f00001c 00020001 000102030405060708090a0b0c0d0e0f10111213");
    let auth = Auth::from_raw(&RawChunk::parse(&bytes).unwrap()).unwrap();
    assert_eq!((auth.key, auth.algorithm, auth.hmac.len()), (2, 1, 20));
    let mut written = Vec::new();
    auth.write(&mut written);
    assert_eq!(written, bytes);
    assert!(
        auth.to_string()
            .starts_with("key 2 algorithm 1 (SHA-1) 20 bytes 0001")
    );
}

#[test]
fn one_that_is_too_short_or_of_another_type_is_none() {
    for digits in ["0f000006 0002", "0e000008 00020001"] {
        let bytes = hex(digits);
        assert_eq!(Auth::from_raw(&RawChunk::parse(&bytes).unwrap()), None);
    }
}
