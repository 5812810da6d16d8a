use std::string::ToString;

use crate::captured::{COOKIE_ECHO, INIT_ACK, assert_bytes, assert_captured, hex};
use crate::{Chunk, CookieEcho};

#[test]
fn a_captured_cookie_is_what_the_init_ack_brought() {
    let init_ack = hex(INIT_ACK);
    let cookie = &init_ack[init_ack.len() - (0x148 - 4)..];
    assert_captured(COOKIE_ECHO, &Chunk::CookieEcho(CookieEcho { cookie }));
}

#[test]
fn an_empty_cookie_is_left_to_the_receiver() {
    assert_bytes("0a000004", &Chunk::CookieEcho(CookieEcho { cookie: b"" }));
}

#[test]
fn it_prints_the_cookie_cut_short() {
    let echo = Chunk::CookieEcho(CookieEcho {
        cookie: &[0x5a; 40],
    });
    let digits = "5a".repeat(32);
    assert_eq!(
        echo.to_string(),
        std::format!("COOKIE ECHO 40 bytes {digits}...")
    );
}
