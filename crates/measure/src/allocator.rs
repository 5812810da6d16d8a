use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The system allocator, with counting while [`count`] runs.
pub struct Counting;

static ON: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static TAKEN: AtomicU64 = AtomicU64::new(0);
static GIVEN_BACK: AtomicU64 = AtomicU64::new(0);

/// Heap operations during [`count`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Allocated blocks; a reallocation counts again.
    pub allocations: u64,
    /// Growth of the heap in requested bytes, without the allocator's overhead.
    pub held: i64,
}

/// Runs `work` and counts the allocations of all threads meanwhile.
pub fn count<R>(work: impl FnOnce() -> R) -> (R, Counts) {
    let before = (ALLOCATIONS.load(Relaxed), balance());
    ON.store(true, Relaxed);
    let outcome = work();
    ON.store(false, Relaxed);
    let counts = Counts {
        allocations: ALLOCATIONS.load(Relaxed) - before.0,
        held: balance().wrapping_sub(before.1).cast_signed(),
    };
    (outcome, counts)
}

fn balance() -> u64 {
    TAKEN.load(Relaxed).wrapping_sub(GIVEN_BACK.load(Relaxed))
}

fn note(taken: usize, given_back: usize) {
    if ON.load(Relaxed) {
        ALLOCATIONS.fetch_add(u64::from(taken > 0), Relaxed);
        TAKEN.fetch_add(taken as u64, Relaxed);
        GIVEN_BACK.fetch_add(given_back as u64, Relaxed);
    }
}

#[expect(unsafe_code, reason = "the trait of allocators is unsafe")]
// SAFETY: every call is passed unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size, layout.size());
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        note(0, layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}
