use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use sheave_sockets::{Abi, Domain, Errno, Stack, Style};

use super::*;

fn new() -> (Held, OwnedFd) {
    let mut stack = Stack::new(
        vec!["127.0.0.1".parse().unwrap()],
        Default::default(),
        sheave::Options::default(),
        Abi::LINUX,
        [1; 32],
    );
    let id = stack.socket(Domain::V4, Style::OneToOne);
    pair(id, 0, Blocking::Usual).unwrap()
}

fn ready(end: &OwnedFd) -> PollFlags {
    let mut polled = [PollFd::new(
        end,
        PollFlags::IN | PollFlags::OUT | PollFlags::RDHUP,
    )];
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut polled, Some(&at_once)).unwrap();
    polled[0].revents()
}

fn state(readable: usize, writable: bool) -> Readiness {
    Readiness {
        readable,
        writable,
        ..Readiness::default()
    }
}

#[test]
fn a_program_sees_that_something_can_be_read_until_it_was() {
    let (mut held, theirs) = new();
    assert_eq!(ready(&theirs), PollFlags::OUT);
    held.show(&state(1, true), None);
    assert_eq!(ready(&theirs), PollFlags::IN | PollFlags::OUT);
    held.show(&state(3, true), None);
    held.show(&state(0, true), Some(theirs.as_fd()));
    assert_eq!(ready(&theirs), PollFlags::OUT);
}

#[test]
fn a_program_sees_that_nothing_can_be_written_until_it_can() {
    let (mut held, theirs) = new();
    held.show(&state(0, false), Some(theirs.as_fd()));
    assert_eq!(ready(&theirs), PollFlags::empty());
    held.show(&state(1, false), None);
    assert_eq!(ready(&theirs), PollFlags::IN);
    held.show(&state(1, true), None);
    assert_eq!(ready(&theirs), PollFlags::IN | PollFlags::OUT);
}

#[test]
fn a_program_sees_the_end_of_the_stream_as_that_of_any_connection() {
    let (mut held, theirs) = new();
    held.show(&state(0, false), Some(theirs.as_fd()));
    let mut over = Readiness {
        ended: true,
        ..state(1, true)
    };
    held.show(&over, None);
    let end = PollFlags::IN | PollFlags::OUT | PollFlags::RDHUP;
    assert_eq!(ready(&theirs), end);
    // The end that was read stays there for the next reader.
    held.take_back(Some(theirs.as_fd()));
    held.show(&over, Some(theirs.as_fd()));
    assert_eq!(ready(&theirs), end);
    over.hung_up = true;
    held.show(&over, None);
    assert_eq!(ready(&theirs), end | PollFlags::HUP);
}

#[test]
fn the_release_of_the_last_copy_is_seen_whatever_the_program_was_shown() {
    for (ended, hung_up) in [(false, false), (true, false), (true, true)] {
        let (mut held, theirs) = new();
        let over = Readiness {
            ended,
            hung_up,
            ..state(usize::from(ended), true)
        };
        held.show(&over, Some(theirs.as_fd()));
        let copy = theirs.try_clone().unwrap();
        drop(theirs);
        assert!(!held.is_released());
        drop(copy);
        assert!(held.is_released());
    }
}

#[test]
fn a_descriptor_travels_with_its_bytes() {
    let (a, b) = socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )
    .unwrap();
    send_with(a.as_fd(), b"x", &[a.as_fd()]).unwrap();
    let mut room = [0; 8];
    let (bytes, descriptor) = receive_with(b.as_fd(), &mut room).unwrap();
    assert!(bytes == 1 && descriptor.len() == 1);
}

#[test]
fn an_error_is_an_edge_however_much_is_unread() {
    let (mut held, theirs) = new();
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).unwrap();
    let watched = epoll::EventFlags::IN | epoll::EventFlags::ET;
    epoll::add(&epoll, &theirs, epoll::EventData::new_u64(0), watched).unwrap();
    let edges = || {
        let mut events = Vec::with_capacity(1);
        let none = Timespec::default();
        epoll::wait(&epoll, spare_capacity(&mut events), Some(&none)).unwrap()
    };
    for readable in 1..=MAX_BYTES {
        held.show(&state(readable, true), None);
        assert_eq!(edges(), 1, "message {readable}");
    }
    held.show(&state(MAX_BYTES + 1, true), None);
    assert_eq!(edges(), 0);
    let failed = Readiness {
        error: Some(Errno::ECONNRESET),
        ..state(MAX_BYTES + 2, true)
    };
    held.show(&failed, None);
    assert_eq!(edges(), 1);
    held.show(&failed, None);
    assert_eq!(edges(), 0);
}
