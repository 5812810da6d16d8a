use crate::captured::{COOKIE_ECHO, INIT_ACK, assert_captured, hex};
use crate::{Chunk, CookieEcho};

#[test]
fn a_captured_cookie_is_what_the_init_ack_brought() {
    let init_ack = hex(INIT_ACK);
    let cookie = &init_ack[init_ack.len() - (0x148 - 4)..];
    assert_captured(COOKIE_ECHO, &Chunk::CookieEcho(CookieEcho { cookie }));
}
