use std::ffi::c_int;
use std::os::fd::BorrowedFd;
use std::ptr;
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::signal::is_readable;
use super::wired::{LONG, Wired, bind, last_message, receive, send, target};
use crate::association::{
    SHEAVE_READY_ESTABLISHED, SHEAVE_READY_EVENT, SHEAVE_READY_READABLE, SHEAVE_READY_WRITABLE,
    sheave_association_abort, sheave_association_established, sheave_association_fd,
    sheave_association_free, sheave_association_ready,
};
use crate::endpoint::{
    sheave_endpoint_fd, sheave_endpoint_free, sheave_endpoint_listen, sheave_endpoint_start_close,
    sheave_endpoint_start_connect,
};
use crate::event::{
    CloseReason, EventKind, sheave_association_close_reason, sheave_association_next_event,
    sheave_event_free, sheave_event_kind,
};
use crate::listener::{sheave_listener_accept, sheave_listener_fd, sheave_listener_free};
use crate::receive::SHEAVE_RECEIVED_MORE;
use crate::send::{SendInfo, sheave_association_send};
use crate::status::Status;

/// Waits until a descriptor is readable.
fn wait(descriptor: c_int) {
    let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
    let mut entries = [PollFd::new(&descriptor, PollFlags::IN)];
    let limit = Timespec {
        tv_sec: 60,
        tv_nsec: 0,
    };
    assert_eq!(poll(&mut entries, Some(&limit)).unwrap(), 1, "nothing came");
}

#[test]
fn a_descriptor_is_readable_while_a_message_waits() {
    let wired = Wired::new("");
    let descriptor = sheave_association_fd(wired.far, SHEAVE_READY_READABLE);
    assert!(!is_readable(descriptor));
    assert_eq!(send(wired.near, b"one", 0), Status::Ok);
    assert_eq!(send(wired.near, b"two", 0), Status::Ok);
    wait(descriptor);
    assert_eq!(receive(wired.far, 10, LONG).unwrap().0, b"one");
    wait(descriptor);
    assert_eq!(receive(wired.far, 10, LONG).unwrap().0, b"two");
    assert_eq!(receive(wired.far, 10, 0).unwrap_err(), Status::Again);
    assert!(!is_readable(descriptor));
}

#[test]
fn a_message_larger_than_the_buffer_comes_in_pieces() {
    let wired = Wired::new("");
    let descriptor = sheave_association_fd(wired.far, SHEAVE_READY_READABLE);
    assert_eq!(send(wired.near, b"0123456789", 4), Status::Ok);
    let mut pieces = Vec::new();
    loop {
        wait(descriptor);
        let (piece, info) = receive(wired.far, 4, LONG).unwrap();
        assert_eq!(info.stream, 4);
        pieces.push(piece);
        if info.flags & SHEAVE_RECEIVED_MORE == 0 {
            break;
        }
    }
    assert_eq!(pieces, [b"0123".as_slice(), b"4567", b"89"]);
    assert!(!is_readable(descriptor) || receive(wired.far, 4, 0).is_err());
}

#[test]
fn an_association_is_set_up_by_descriptors_alone() {
    let server = bind("local=127.0.0.2,udp_port=0,linger=2 s");
    let client = bind("local=127.0.0.1,udp_port=0,linger=2 s");
    let (mut listener, mut near, mut far) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    unsafe {
        sheave_endpoint_listen(server.as_ref(), 5001, ptr::null(), &raw mut listener);
        let acceptable = sheave_listener_fd(listener.as_ref());
        assert!(!is_readable(acceptable));
        let target = target(server.as_ref());
        let status = sheave_endpoint_start_connect(
            client.as_ref(),
            target.as_ptr(),
            ptr::null(),
            &raw mut near,
        );
        assert_eq!(status, Status::Ok, "{}", last_message());
        wait(sheave_association_fd(
            near.as_ref(),
            SHEAVE_READY_ESTABLISHED,
        ));
        assert_eq!(sheave_association_established(near.as_ref(), 0), Status::Ok);
        wait(acceptable);
        assert_eq!(
            sheave_listener_accept(listener.as_ref(), 0, &raw mut far),
            Status::Ok
        );
        assert!(!is_readable(acceptable));
        let closed = sheave_endpoint_fd(client.as_ref());
        assert!(!is_readable(closed));
        sheave_endpoint_start_close(client.as_ref(), 5000);
        wait(closed);
        sheave_association_free(near);
        sheave_association_free(far);
        sheave_listener_free(listener);
        sheave_endpoint_free(client);
        sheave_endpoint_free(server);
    }
}

#[test]
fn room_to_send_is_a_condition_once_a_message_was_refused() {
    let wired = Wired::new("send_buffer=64 KiB,receive_buffer=64 KiB");
    let descriptor = sheave_association_fd(wired.near, SHEAVE_READY_WRITABLE);
    assert!(is_readable(descriptor), "nothing was refused yet");
    let bytes = vec![1_u8; 10_000];
    let info = SendInfo::default();
    let status = loop {
        let pointer = bytes.as_ptr().cast();
        let status = unsafe {
            sheave_association_send(wired.near, pointer, bytes.len(), &raw const info, 0)
        };
        if status != Status::Ok {
            break status;
        }
    };
    assert_eq!(status, Status::Again);
    // The peer takes what is there, until there is room again.
    while !is_readable(descriptor) {
        receive(wired.far, 20_000, 100).ok();
    }
    let ready = sheave_association_ready(wired.near);
    assert_ne!(ready & SHEAVE_READY_WRITABLE, 0);
    assert_eq!(send(wired.near, b"more", 0), Status::Ok);
}

#[test]
fn events_wait_at_the_descriptor_until_the_last() {
    let wired = Wired::new("");
    let descriptor = sheave_association_fd(wired.far, SHEAVE_READY_EVENT);
    wait(descriptor);
    let mut kinds = Vec::new();
    let mut take = || {
        let mut event = ptr::null_mut();
        let status = unsafe { sheave_association_next_event(wired.far, &raw mut event, LONG) };
        if status == Status::Ok {
            kinds.push(unsafe { sheave_event_kind(event.as_ref()) });
            unsafe { sheave_event_free(event) };
        }
        status
    };
    assert_eq!(take(), Status::Ok);
    unsafe { sheave_association_abort(wired.near, b"enough".as_ptr(), 6) };
    wait(descriptor);
    while take() == Status::Ok {}
    assert_eq!(kinds.first(), Some(&EventKind::Established));
    assert_eq!(kinds.last(), Some(&EventKind::Closed));
    let reason = sheave_association_close_reason(wired.far);
    assert_eq!(reason, CloseReason::AbortedByPeer);
    assert_eq!(receive(wired.far, 10, 0).unwrap_err(), Status::Closed);
    assert!(last_message().contains("enough"), "{}", last_message());
}

#[test]
fn two_threads_use_one_association() {
    const MESSAGES: u32 = 500;
    let wired = Wired::new("");
    let (near, far) = (wired.near, wired.far);
    let descriptor = sheave_association_fd(wired.far, SHEAVE_READY_READABLE);
    let receivers: Vec<_> = (0..2)
        .map(|_| {
            thread::spawn(move || {
                let mut numbers = Vec::new();
                loop {
                    wait(descriptor);
                    match receive(far, 4, 0) {
                        Ok((bytes, _)) => {
                            numbers.push(u32::from_le_bytes(bytes.try_into().unwrap()));
                        }
                        Err(Status::Again) => {}
                        Err(status) => break (numbers, status),
                    }
                }
            })
        })
        .collect();
    let senders: Vec<_> = (0..2_u32)
        .map(|half| {
            thread::spawn(move || {
                for number in (half..MESSAGES).step_by(2) {
                    assert_eq!(send(near, &number.to_le_bytes(), 0), Status::Ok);
                }
            })
        })
        .collect();
    senders
        .into_iter()
        .for_each(|sender| sender.join().unwrap());
    let status = crate::association::sheave_association_shutdown(wired.near, LONG);
    assert_eq!(status, Status::Ok, "{}", last_message());
    let mut numbers = Vec::new();
    for receiver in receivers {
        let (some, status) = receiver.join().unwrap();
        assert_eq!(status, Status::End);
        numbers.extend(some);
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (0..MESSAGES).collect::<Vec<_>>());
}
