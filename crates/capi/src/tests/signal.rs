use std::fs::File;
use std::io::Read;
use std::os::fd::{BorrowedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Waker;

use crate::signal::Signal;

/// Whether the descriptor is readable now.
pub(super) fn is_readable(descriptor: RawFd) -> bool {
    let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
    let mut entries = [rustix::event::PollFd::new(
        &descriptor,
        rustix::event::PollFlags::IN,
    )];
    let now = rustix::event::Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    rustix::event::poll(&mut entries, Some(&now)).unwrap() == 1
}

#[test]
fn a_signal_without_a_descriptor_looks_for_nothing() {
    let signal = Arc::new(Signal::default());
    let looks = AtomicUsize::new(0);
    signal.update(|_| looks.fetch_add(1, Ordering::SeqCst) > 0);
    assert_eq!(looks.into_inner(), 0);
}

#[test]
fn the_descriptor_follows_what_waits() {
    let signal = Arc::new(Signal::default());
    let descriptor = signal.open(0).unwrap();
    assert!(!is_readable(descriptor));
    signal.update(|_| true);
    assert!(is_readable(descriptor));
    signal.update(|_| true);
    assert!(is_readable(descriptor), "it is still there");
    signal.update(|_| false);
    assert!(!is_readable(descriptor));
    assert_eq!(signal.open(0).unwrap(), descriptor);
}

#[test]
fn any_number_of_wakes_is_undone_by_one_update() {
    let signal = Arc::new(Signal::default());
    let descriptor = signal.open(0).unwrap();
    let waker = Waker::from(Arc::clone(&signal));
    (0..100_000).for_each(|_| waker.wake_by_ref());
    assert!(is_readable(descriptor));
    signal.update(|_| false);
    assert!(!is_readable(descriptor));
}

#[test]
fn what_comes_while_the_signal_is_lowered_raises_it() {
    let signal = Arc::new(Signal::default());
    let descriptor = signal.open(0).unwrap();
    // Nothing at the first look, something at the second.
    let looks = AtomicUsize::new(0);
    signal.update(|_| looks.fetch_add(1, Ordering::SeqCst) == 1);
    assert!(is_readable(descriptor));
}

#[test]
fn the_descriptor_is_closed_with_the_signal() {
    let signal = Arc::new(Signal::default());
    let descriptor = signal.open(0).unwrap();
    signal.raise();
    let path = format!("/proc/self/fd/{descriptor}");
    let mut other_end = File::open(&path).unwrap();
    drop(signal);
    // The byte, and the end of the pipe, since nobody holds its writer any more.
    let mut rest = Vec::new();
    other_end.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, [0]);
}
