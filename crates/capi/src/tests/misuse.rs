use std::ffi::{CStr, c_char};
use std::ptr;

use super::wired::{LONG, Wired, bind, last_message, receive, send, target};
use crate::association::*;
use crate::border;
use crate::endpoint::*;
use crate::event::*;
use crate::listener::*;
use crate::message::*;
use crate::send::*;
use crate::stats::*;
use crate::status::*;
use crate::streams::*;

#[test]
fn null_handles_are_arguments_that_are_refused() {
    let mut place = ptr::null_mut();
    let mut events = ptr::null_mut();
    let mut count = 0;
    let wrong = Status::InvalidArgument;
    unsafe {
        let text = c"".as_ptr();
        assert_eq!(sheave_endpoint_bind(text, ptr::null_mut()), wrong);
        assert_eq!(
            sheave_endpoint_listen(None, 1, text, ptr::null_mut()),
            wrong
        );
        assert_eq!(
            sheave_endpoint_start_connect(None, text, text, &raw mut place),
            wrong
        );
        assert_eq!(sheave_endpoint_close(None, 0, &raw mut count), wrong);
        assert_eq!(sheave_endpoint_unplug(None, text), wrong);
        assert_eq!(sheave_endpoint_fd(None), -1);
        assert_eq!(sheave_endpoint_udp_port(None), 0);
        assert_eq!(sheave_listener_accept(None, 0, &raw mut place), wrong);
        assert_eq!(sheave_listener_fd(None), -1);
        assert_eq!(sheave_association_fd(None, 0), -1);
        assert_eq!(sheave_association_ready(None), 0);
        assert_eq!(sheave_association_shutdown(None, 0), wrong);
        assert_eq!(send(None, b"a", 0), wrong);
        assert_eq!(receive(None, 1, 0).unwrap_err(), wrong);
        assert_eq!(
            sheave_association_next_event(None, &raw mut events, 0),
            wrong
        );
        assert_eq!(
            sheave_association_paths(None, ptr::null_mut(), 0, Some(&mut count)),
            wrong
        );
        assert_eq!(sheave_event_kind(None), EventKind::Other);
        assert!(sheave_event_text(None).is_null());
        assert!(sheave_event_bytes(None, &raw mut count).is_null());
        assert!(sheave_message_bytes(None).is_null());
        assert_eq!(sheave_message_length(None), 0);
    }
    assert_eq!(last_message(), "message is NULL");
}

#[test]
fn freeing_null_does_nothing() {
    unsafe {
        sheave_endpoint_free(ptr::null_mut());
        sheave_listener_free(ptr::null_mut());
        sheave_association_free(ptr::null_mut());
        sheave_message_free(ptr::null_mut());
        sheave_event_free(ptr::null_mut());
    }
}

#[test]
fn a_bad_text_is_refused_with_the_name_of_the_key() {
    let server = bind("local=127.0.0.1,udp_port=0,linger=0 s");
    let mut endpoint = ptr::null_mut();
    let mut listener = ptr::null_mut();
    let mut association = ptr::null_mut();
    let mut connect = |target: &CStr, options: *const c_char| {
        let place = &raw mut association;
        let status = unsafe {
            sheave_endpoint_start_connect(server.as_ref(), target.as_ptr(), options, place)
        };
        (status, last_message())
    };
    let (status, message) = connect(c"remote=127.0.0.1,port=5001", c"rto_mn=1 s".as_ptr());
    assert_eq!(status, Status::InvalidOption);
    assert!(message.starts_with("rto_mn = 1 s"), "{message}");
    let (status, message) = connect(c"remote=somewhere,port=5001", ptr::null());
    assert_eq!(status, Status::InvalidOption);
    assert_eq!(message, "remote = somewhere: must be an IP address");
    let (_, message) = connect(c"remote=127.0.0.1", ptr::null());
    assert_eq!(message, "a target needs port");
    let (_, message) = connect(c"port=5001", ptr::null());
    assert_eq!(message, "a target needs remote");
    let (_, message) = connect(c"remotes=127.0.0.1,port=5001", ptr::null());
    assert!(message.starts_with("remotes = 127.0.0.1"), "{message}");
    assert!(association.is_null());

    unsafe {
        let options = c"rto_min=70 s,rto_max=60 s".as_ptr();
        let status = sheave_endpoint_listen(server.as_ref(), 5001, options, &raw mut listener);
        assert_eq!(status, Status::InvalidOption);
        assert!(
            last_message().starts_with("rto_min = "),
            "{}",
            last_message()
        );
        assert!(listener.is_null());
        let status = sheave_endpoint_bind(c"udp_port=many".as_ptr(), &raw mut endpoint);
        assert_eq!(status, Status::InvalidOption);
        assert!(last_message().starts_with("udp_port = many"));
        let status = sheave_endpoint_bind(c"\xff".as_ptr(), &raw mut endpoint);
        assert_eq!(status, Status::InvalidArgument);
        assert_eq!(last_message(), "config is not UTF-8");
        sheave_endpoint_free(server);
    }
}

#[test]
fn a_struct_of_another_size_is_refused() {
    let wired = Wired::new("");
    let info = SendInfo {
        size: 4,
        ..SendInfo::default()
    };
    let mut count = 0;
    let mut stats = std::mem::MaybeUninit::uninit();
    unsafe {
        let status =
            sheave_association_send(wired.near, b"a".as_ptr().cast(), 1, &raw const info, 0);
        assert_eq!(status, Status::InvalidArgument);
        assert!(last_message().starts_with("sheave_send_info has a size of 4 bytes"));
        let status = sheave_association_stats(wired.near, stats.as_mut_ptr(), 8);
        assert_eq!(status, Status::InvalidArgument);
        let size = size_of::<AssociationStats>();
        let status = sheave_association_stats(wired.near, stats.as_mut_ptr(), size);
        assert_eq!(status, Status::Ok);
        assert_eq!(stats.assume_init().remote_port, 5001);
        let status = sheave_association_paths(wired.near, ptr::null_mut(), 7, Some(&mut count));
        assert_eq!(status, Status::InvalidArgument);
        let size = size_of::<Path>();
        let status = sheave_association_paths(wired.near, ptr::null_mut(), size, Some(&mut count));
        assert_eq!((status, count), (Status::Ok, 1));
        assert_eq!(sheave_association_fd(wired.near, 1 << 20), -1);
    }
}

#[test]
fn wrong_arguments_of_a_message_send_nothing() {
    let wired = Wired::new("outbound_streams=4");
    let call = |info: SendInfo, bytes: *const u8, length| unsafe {
        sheave_association_send(wired.near, bytes.cast(), length, &raw const info, 0)
    };
    let plain = SendInfo::default();
    let a = b"a".as_ptr();
    assert_eq!(call(plain, a, 0), Status::InvalidArgument);
    assert_eq!(call(plain, ptr::null(), 1), Status::InvalidArgument);
    assert_eq!(call(plain, a, usize::MAX), Status::InvalidArgument);
    let stream = SendInfo { stream: 4, ..plain };
    assert_eq!(call(stream, a, 1), Status::InvalidStream);
    let flags = SendInfo { flags: 64, ..plain };
    assert_eq!(call(flags, a, 1), Status::InvalidArgument);
    let reliability = SendInfo {
        reliability: SHEAVE_RETRANSMISSIONS,
        reliability_value: 256,
        ..plain
    };
    assert_eq!(call(reliability, a, 1), Status::InvalidArgument);
    let reliability = SendInfo {
        reliability: 9,
        ..plain
    };
    assert_eq!(call(reliability, a, 1), Status::InvalidArgument);
    assert_eq!(receive(wired.far, 1, 0).unwrap_err(), Status::Again);
    assert_eq!(
        receive(wired.far, 0, 0).unwrap_err(),
        Status::InvalidArgument
    );
    unsafe {
        let none = ptr::null();
        let status = sheave_association_reset_streams(wired.near, none, 1, SHEAVE_OUTGOING);
        assert_eq!(status, Status::InvalidArgument);
        let status = sheave_association_reset_streams(wired.near, none, 0, 7);
        assert_eq!(status, Status::InvalidArgument);
        let status = sheave_association_set_primary(wired.near, c"127.0.0.9".as_ptr());
        assert_eq!(status, Status::Address);
        let status = sheave_association_set_primary(wired.near, c"there".as_ptr());
        assert_eq!(status, Status::Address);
    }
}

#[test]
fn a_handle_can_be_used_after_the_shutdown() {
    let wired = Wired::new("");
    assert_eq!(send(wired.near, b"last", 0), Status::Ok);
    unsafe {
        assert_eq!(sheave_association_shutdown(wired.near, LONG), Status::Ok);
        assert_eq!(send(wired.near, b"late", 0), Status::Closed);
        assert_eq!(receive(wired.far, 10, LONG).unwrap().0, b"last");
        assert_eq!(receive(wired.far, 10, LONG).unwrap_err(), Status::End);
        assert_eq!(receive(wired.far, 10, LONG).unwrap_err(), Status::End);
        assert_eq!(sheave_association_shutdown(wired.near, LONG), Status::Ok);
        assert_eq!(
            sheave_association_close_reason(wired.near),
            CloseReason::Graceful
        );
        let mut stats = std::mem::MaybeUninit::uninit();
        let size = size_of::<AssociationStats>();
        let status = sheave_association_stats(wired.near, stats.as_mut_ptr(), size);
        assert_eq!(status, Status::Closed);

        assert_eq!(
            sheave_endpoint_close(wired.server, LONG, ptr::null_mut()),
            Status::Ok
        );
        let mut accepted = ptr::null_mut();
        let status = sheave_listener_accept(wired.listener, LONG, &raw mut accepted);
        assert_eq!(status, Status::Closed);
        let target = target(wired.server);
        let mut association = ptr::null_mut();
        let status = sheave_endpoint_start_connect(
            wired.server,
            target.as_ptr(),
            ptr::null(),
            &raw mut association,
        );
        assert_eq!(status, Status::Closed, "{}", last_message());
    }
}

#[test]
fn nobody_at_the_other_end_is_a_connection_that_failed() {
    let client = bind("local=127.0.0.1,udp_port=0,linger=0 s");
    let mut association = ptr::null_mut();
    unsafe {
        // Nobody has port 5002 there: the answer is an ABORT.
        let target = c"remote=127.0.0.1,udp_port=9,port=5002".as_ptr();
        let place = &raw mut association;
        let status = sheave_endpoint_connect(client.as_ref(), target, ptr::null(), 300, place);
        assert!(
            matches!(status, Status::Again | Status::ConnectFailed),
            "{status:?}"
        );
        assert!(association.is_null());
        sheave_endpoint_free(client);
    }
}

#[test]
fn a_panic_does_not_cross_the_border() {
    let status = border::call(|| panic!("number {}", 7));
    assert_eq!(
        (status, last_message().as_str()),
        (Status::Panic, "number 7")
    );
    assert_eq!(border::call_or(-1, || panic!("of text")), -1);
    assert_eq!(last_message(), "of text");
}

#[test]
fn each_thread_has_a_message_of_its_own() {
    sheave_listener_fd(None);
    assert_eq!(last_message(), "listener is NULL");
    let other = std::thread::spawn(last_message).join().unwrap();
    assert_eq!(other, "");
}

#[test]
fn every_status_is_described() {
    let text = |status: i32| {
        let text = unsafe { CStr::from_ptr(sheave_strerror(status)) };
        text.to_str().unwrap()
    };
    assert_eq!(text(0), "done");
    assert_eq!(text(18), "internal error of the library");
    assert_eq!(text(19), "no such status");
    assert_eq!(text(-1), "no such status");
    let version = unsafe { CStr::from_ptr(sheave_version()) };
    assert_eq!(version.to_str().unwrap(), env!("CARGO_PKG_VERSION"));
}
