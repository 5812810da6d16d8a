//! Keys, addresses and options of an association that lives, and what is told of messages.

use std::ffi::{CStr, c_char, c_void};
use std::mem::{MaybeUninit, offset_of};
use std::ptr;
use std::time::{Duration, Instant};

use super::wired::{LONG, Wired, bind, last_message, receive, send};
use crate::association::Association;
use crate::authentication::*;
use crate::endpoint::{sheave_endpoint_connect, sheave_endpoint_free, sheave_endpoint_listen_on};
use crate::listener::*;
use crate::message::*;
use crate::receive::*;
use crate::send::*;
use crate::stats::{Path, PathCondition, SHEAVE_ADDRESS_LENGTH, sheave_association_paths};
use crate::status::Status;
use crate::tuning::*;

const ORIGIN: Origin = Origin {
    source: [0; SHEAVE_ADDRESS_LENGTH],
    ssn_or_mid: 0,
    tsn: 0,
    cumulative_tsn: 0,
};

fn text(chars: &[c_char]) -> &str {
    unsafe { CStr::from_ptr(chars.as_ptr()) }.to_str().unwrap()
}

fn send_as(association: Option<&Association>, info: &SendInfo) -> Status {
    unsafe { sheave_association_send(association, c"hello".as_ptr().cast(), 5, info, LONG) }
}

fn receive_from(association: Option<&Association>) -> Origin {
    let mut buffer = [0_u8; 16];
    let mut info = ReceiveInfo {
        length: 0,
        ppid: 0,
        flags: 0,
        stream: 0,
    };
    let mut origin = ORIGIN;
    let status = unsafe {
        sheave_association_receive_from(
            association,
            buffer.as_mut_ptr().cast::<c_void>(),
            buffer.len(),
            &raw mut info,
            &raw mut origin,
            size_of::<Origin>(),
            LONG,
        )
    };
    assert_eq!(status, Status::Ok, "{}", last_message());
    assert_eq!(&buffer[..info.length], b"hello");
    origin
}

fn option(association: Option<&Association>, name: &CStr) -> String {
    let mut value = [0; 64];
    let status = unsafe {
        sheave_association_option(association, name.as_ptr(), value.as_mut_ptr(), value.len())
    };
    assert_eq!(status, Status::Ok, "{}", last_message());
    text(&value).to_owned()
}

/// The two paths of an association.
fn paths(association: Option<&Association>) -> [Path; 2] {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let mut paths = [const { MaybeUninit::uninit() }; 2];
        let mut count = paths.len();
        let place = paths.as_mut_ptr().cast();
        unsafe {
            sheave_association_paths(association, place, size_of::<Path>(), Some(&mut count));
            if count == paths.len() {
                return paths.map(|path: MaybeUninit<Path>| path.assume_init());
            }
        }
        assert!(Instant::now() < until, "no second path");
    }
}

/// An association of two paths, whose addresses are all confirmed.
fn two_paths(options: &CStr) -> Wired {
    let client = bind("local=127.0.0.1,local=127.0.0.2,udp_port=0,linger=2 s");
    let server = bind("local=127.0.0.3,local=127.0.0.4,udp_port=0,linger=2 s");
    let wired = Wired::between(client, server, c"remote=127.0.0.3", options);
    let until = Instant::now() + Duration::from_secs(60);
    let is_confirmed = |end| {
        let paths = paths(end);
        paths.iter().all(|path| path.state == PathCondition::Active)
    };
    while !(is_confirmed(wired.near) && is_confirmed(wired.far)) {
        assert!(Instant::now() < until, "a path is not confirmed");
        std::thread::sleep(Duration::from_millis(5));
    }
    wired
}

#[test]
fn a_message_tells_where_it_came_from_and_its_numbers() {
    let wired = Wired::new("profile=datacenter");
    for number in 0..3 {
        assert_eq!(send(wired.near, b"hello", 4), Status::Ok);
        let origin = receive_from(wired.far);
        assert_eq!(text(&origin.source), "127.0.0.1");
        assert_eq!(origin.ssn_or_mid, number);
        assert_eq!(origin.cumulative_tsn, origin.tsn);
    }
    assert_eq!(send(wired.near, &[5; 200_000], 4), Status::Ok);
    let mut message = ptr::null_mut();
    let mut origin = ORIGIN;
    unsafe {
        let status = sheave_association_receive_message(wired.far, 1 << 20, &raw mut message, LONG);
        assert_eq!(status, Status::Ok, "{}", last_message());
        assert_eq!(sheave_message_length(message.as_ref()), 200_000);
        let size = size_of::<Origin>();
        let wrong = sheave_message_origin(message.as_ref(), &raw mut origin, size - 1);
        assert_eq!(wrong, Status::InvalidArgument);
        let status = sheave_message_origin(message.as_ref(), &raw mut origin, size);
        assert_eq!(status, Status::Ok);
        sheave_message_free(message);
    }
    assert_eq!(origin.ssn_or_mid, 3);
    assert_eq!(text(&origin.source), "127.0.0.1");
    let behind = origin.cumulative_tsn.wrapping_sub(origin.tsn);
    assert!((2..1000).contains(&behind), "{behind}");
}

#[test]
fn a_message_goes_to_the_address_that_it_is_for() {
    let wired = two_paths(c"profile=datacenter");
    let sent = || paths(wired.near).map(|path| path.packets_sent);
    let before = sent();
    let info = SendInfo {
        destination: c"127.0.0.4".as_ptr(),
        ..SendInfo::default()
    };
    for _ in 0..20 {
        assert_eq!(send_as(wired.near, &info), Status::Ok);
        receive_from(wired.far);
    }
    let after = sent();
    // Heartbeats aside, everything went to the second address.
    assert!(after[1] - before[1] >= 20, "{before:?} {after:?}");
    assert!(after[0] - before[0] < 10, "{before:?} {after:?}");
    let unknown = SendInfo {
        destination: c"127.0.0.9".as_ptr(),
        ..SendInfo::default()
    };
    assert_eq!(send_as(wired.near, &unknown), Status::Address);
    assert_eq!(last_message(), "the peer has no address 127.0.0.9");
}

#[test]
fn a_program_built_before_there_were_destinations_still_sends() {
    let wired = Wired::new("profile=datacenter");
    let garbage = SendInfo {
        size: offset_of!(SendInfo, destination),
        // Lies in the padding of that program's struct.
        key: 0xffff,
        destination: ptr::dangling(),
        stream: 3,
        ..SendInfo::default()
    };
    assert_eq!(send_as(wired.near, &garbage), Status::Ok);
    assert_eq!(receive(wired.far, 16, LONG).unwrap().1.stream, 3);
    let odd = SendInfo {
        size: garbage.size - 1,
        ..garbage
    };
    assert_eq!(send_as(wired.near, &odd), Status::InvalidArgument);
}

#[test]
fn keys_come_are_used_and_go() {
    let wired = Wired::new("profile=datacenter,authentication_key=first");
    let with_key = SendInfo {
        flags: SHEAVE_SEND_WITH_KEY,
        key: 7,
        ..SendInfo::default()
    };
    assert_eq!(send_as(wired.near, &with_key), Status::InvalidArgument);
    unsafe {
        assert_eq!(
            sheave_association_activate_key(wired.near, 7),
            Status::InvalidArgument
        );
        for end in [wired.near, wired.far] {
            let secret = c"second".as_ptr().cast();
            assert_eq!(
                sheave_association_insert_key(end, 7, secret, 6),
                Status::Ok,
                "{}",
                last_message()
            );
        }
        assert_eq!(send_as(wired.near, &with_key), Status::Ok);
        receive_from(wired.far);
        assert_eq!(
            sheave_association_delete_key(wired.near, 1),
            Status::InUse,
            "the active one"
        );
        assert_eq!(sheave_association_activate_key(wired.near, 7), Status::Ok);
        assert_eq!(sheave_association_deactivate_key(wired.near, 1), Status::Ok);
        assert_eq!(sheave_association_delete_key(wired.near, 1), Status::Ok);
    }
    assert_eq!(send(wired.near, b"hello", 0), Status::Ok);
    receive_from(wired.far);
}

#[test]
fn keys_need_authentication() {
    let wired = Wired::new("profile=datacenter");
    let insert = unsafe { sheave_association_insert_key(wired.near, 7, c"a".as_ptr().cast(), 1) };
    assert_eq!(insert, Status::NotAgreed);
    let null = unsafe { sheave_association_insert_key(wired.near, 7, ptr::null(), 1) };
    assert_eq!(null, Status::InvalidArgument);
}

#[test]
fn options_change_while_an_association_lives() {
    let wired = Wired::new("profile=datacenter");
    let retune = |text: &CStr| unsafe { sheave_association_retune(wired.near, text.as_ptr()) };
    assert_eq!(retune(c"rto_min=300 ms,heartbeats=off"), Status::Ok);
    assert_eq!(option(wired.near, c"rto_min"), "300 ms");
    assert_eq!(option(wired.near, c"heartbeats"), "off");
    assert_eq!(retune(c"rto_min=1 year"), Status::InvalidOption);
    assert_eq!(retune(c"sack_frequency=4,mtu=3"), Status::InvalidOption);
    assert_ne!(
        option(wired.near, c"sack_frequency"),
        "4",
        "nothing was set"
    );
    assert_eq!(retune(c"outbound_streams=9"), Status::InvalidOption);
    assert!(
        last_message().contains("cannot change"),
        "{}",
        last_message()
    );
    let mut value = [0; 4];
    let small = unsafe {
        sheave_association_option(wired.near, c"rto_min".as_ptr(), value.as_mut_ptr(), 4)
    };
    assert_eq!(small, Status::TooLarge);
}

#[test]
fn a_path_has_settings_of_its_own() {
    let wired = Wired::new("profile=datacenter");
    let retune = |remote: &CStr, text: &CStr| unsafe {
        sheave_association_retune_path(wired.near, remote.as_ptr(), text.as_ptr())
    };
    let peer = c"127.0.0.2";
    let status = retune(peer, c"heartbeats=1 s,path_max_retrans=2,pmtu=1300,dscp=46");
    assert_eq!(status, Status::Ok, "{}", last_message());
    let mut path = MaybeUninit::<Path>::uninit();
    let mut count = 1;
    let path = unsafe {
        let size = size_of::<Path>();
        sheave_association_paths(wired.near, path.as_mut_ptr(), size, Some(&mut count));
        path.assume_init()
    };
    assert_eq!(path.pmtu, 1300);
    assert_eq!(retune(peer, c"rto_min=1 s"), Status::InvalidOption);
    assert_eq!(retune(peer, c"pmtu=much"), Status::InvalidOption);
    assert_eq!(retune(c"127.0.0.9", c""), Status::Address);
    assert_eq!(retune(peer, c""), Status::Ok);
}

#[test]
fn an_association_tells_its_addresses_and_what_is_under_way() {
    let wired = two_paths(c"profile=datacenter");
    let mut addresses = [[0; SHEAVE_ADDRESS_LENGTH]; 1];
    let mut count = 1;
    let place = addresses.as_mut_ptr();
    let status = unsafe { sheave_association_local_addresses(wired.near, place, Some(&mut count)) };
    assert_eq!((status, count), (Status::Ok, 2));
    assert_eq!(text(&addresses[0]), "127.0.0.1");
    assert_eq!(sheave_association_waiting(wired.near), 0);
    assert_eq!(sheave_association_unacknowledged(wired.near), 0);
    let mut none = 0;
    let status =
        unsafe { sheave_association_local_addresses(wired.near, ptr::null_mut(), Some(&mut none)) };
    assert_eq!((status, none), (Status::Ok, 2));
}

#[test]
fn listeners_share_a_port_at_different_addresses() {
    let server = bind("local=127.0.0.3,local=127.0.0.4,udp_port=0,linger=2 s");
    let client = bind("local=127.0.0.1,udp_port=0,linger=2 s");
    let listen = |local: &CStr| {
        let mut listener = ptr::null_mut();
        let options = c"profile=datacenter".as_ptr();
        let status = unsafe {
            sheave_endpoint_listen_on(
                server.as_ref(),
                5001,
                local.as_ptr(),
                options,
                &raw mut listener,
            )
        };
        (status, listener)
    };
    let (status, third) = listen(c"local=127.0.0.3");
    assert_eq!(status, Status::Ok, "{}", last_message());
    assert_eq!(listen(c"local=127.0.0.3").0, Status::InUse);
    assert_eq!(listen(c"local=127.0.0.9").0, Status::Address);
    assert_eq!(listen(c"remote=127.0.0.4").0, Status::InvalidOption);
    let (status, fourth) = listen(c"local=127.0.0.4");
    assert_eq!(status, Status::Ok, "{}", last_message());
    let port = unsafe { crate::endpoint::sheave_endpoint_udp_port(server.as_ref()) };
    let target = format!("remote=127.0.0.4,udp_port={port},port=5001");
    let target = std::ffi::CString::new(target).unwrap();
    let (mut near, mut far) = (ptr::null_mut(), ptr::null_mut());
    unsafe {
        let options = c"profile=datacenter".as_ptr();
        let status = sheave_endpoint_connect(
            client.as_ref(),
            target.as_ptr(),
            options,
            LONG,
            &raw mut near,
        );
        assert_eq!(status, Status::Ok, "{}", last_message());
        assert_eq!(
            sheave_listener_accept(third.as_ref(), 0, &raw mut far),
            Status::Again
        );
        assert_eq!(
            sheave_listener_accept(fourth.as_ref(), LONG, &raw mut far),
            Status::Ok
        );
        for association in [near, far] {
            crate::association::sheave_association_free(association);
        }
        for listener in [third, fourth] {
            sheave_listener_free(listener);
        }
        for endpoint in [client, server] {
            sheave_endpoint_free(endpoint);
        }
    }
}
