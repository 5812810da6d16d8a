use bytes::Bytes;
use sheave_sockets::Errno;

use super::Info;

/// The last piece of ancillary data that a description becomes.
fn last_control(given: &[u8], kind: u32) -> Vec<u8> {
    let parts = Info::parse(given, kind).unwrap().parts(Bytes::new());
    let control = &parts[0].control;
    let mut at = 0;
    loop {
        let length = u64::from_ne_bytes(control[at..at + 8].try_into().unwrap());
        let end = at + usize::try_from(length).unwrap();
        let next = end.next_multiple_of(8);
        if next >= control.len() {
            return control[at + 8..end].to_vec();
        }
        at = next;
    }
}

/// The level `IPPROTO_SCTP`, the type `SCTP_AUTHINFO`, and a key.
fn auth_info(key: u16) -> Vec<u8> {
    let head = [132_i32, 8].map(i32::to_ne_bytes).concat();
    [&head[..], &key.to_ne_bytes()].concat()
}

#[test]
fn a_key_is_passed_on_alone_and_among_others() {
    assert_eq!(last_control(&7_u16.to_ne_bytes(), 3), auth_info(7));
    let mut all = [0; 32];
    all[..4].copy_from_slice(&7_u32.to_ne_bytes());
    all[28..30].copy_from_slice(&9_u16.to_ne_bytes());
    assert_eq!(last_control(&all, 4), auth_info(9));
    all[..4].copy_from_slice(&3_u32.to_ne_bytes());
    assert_ne!(last_control(&all, 4), auth_info(9));
    assert_eq!(Info::parse(&[0; 3], 3).unwrap_err(), Errno::EINVAL);
}

/// The flags of the calls that a description with these flags becomes.
fn flags_of_parts(flags: u16, payload: &'static [u8]) -> Vec<u16> {
    let given = [0, flags, 0, 0, 0, 0, 0, 0].map(u16::to_ne_bytes).concat();
    let parts = Info::parse(&given, 1).unwrap().parts(payload.into());
    let flags = parts.iter().map(|part| &part.control[18..20]);
    flags
        .map(|flags| u16::from_ne_bytes([flags[0], flags[1]]))
        .collect()
}

#[test]
fn the_end_of_an_association_is_that_of_a_message_too() {
    const EOF: u16 = 0x0100;
    const EOR: u16 = 0x2000;
    assert_eq!(flags_of_parts(0, b"x"), [0]);
    assert_eq!(flags_of_parts(EOR, b"x"), [EOR]);
    assert_eq!(flags_of_parts(EOF, b"x"), [EOR, EOF]);
    assert_eq!(flags_of_parts(EOF, b""), [EOF]);
}
