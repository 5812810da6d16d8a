use std::string::ToString;

use super::{Hex, Text};

#[test]
fn opaque_bytes_are_cut_short() {
    assert_eq!(Hex(&[]).to_string(), "0 bytes");
    assert_eq!(Hex(&[0, 0xff]).to_string(), "2 bytes 00ff");
    assert_eq!(
        Hex(&[0xab; 33]).to_string(),
        std::format!("33 bytes {}...", "ab".repeat(32))
    );
}

#[test]
fn text_is_escaped_and_cut_short() {
    assert_eq!(Text(b"").to_string(), "0 bytes \"\"");
    assert_eq!(Text(b"a\"\x1b\xe9").to_string(), r#"4 bytes "a\"\x1b\xe9""#);
    assert_eq!(
        Text(&[b'x'; 40]).to_string(),
        std::format!("40 bytes \"{}\"...", "x".repeat(32))
    );
}
