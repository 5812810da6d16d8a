//! An allocator that counts what each thread holds, bytes, and allocates, calls.
#![expect(unsafe_code, reason = "an allocator that counts is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    pub(crate) static LIVE: Cell<isize> = const { Cell::new(0) };
    pub(crate) static CALLS: Cell<usize> = const { Cell::new(0) };
}

pub(crate) struct Counting;

fn count(bytes: isize) {
    LIVE.set(LIVE.get() + bytes);
    CALLS.set(CALLS.get() + usize::from(bytes > 0));
}

// SAFETY: every call goes to the system's allocator as it came; counting touches thread-local
// integers only and allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }
}
