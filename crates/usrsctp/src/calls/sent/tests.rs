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
