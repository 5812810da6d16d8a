//! The heap, and how much of it was used at most.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::addr_of_mut;
use core::sync::atomic::{AtomicUsize, Ordering};

use embedded_alloc::LlffHeap;

/// Bytes of the heap.
const SIZE: usize = 64 << 10;

#[global_allocator]
static HEAP: Heap = Heap {
    blocks: LlffHeap::empty(),
    peak: AtomicUsize::new(0),
};

static mut MEMORY: [u8; SIZE] = [0; SIZE];

struct Heap {
    blocks: LlffHeap,
    /// Most bytes in use at a time.
    peak: AtomicUsize,
}

/// Makes the heap; nothing can be allocated before.
pub fn start() {
    // SAFETY: called once, by `main`, and nothing else uses the memory.
    unsafe { HEAP.blocks.init(addr_of_mut!(MEMORY) as usize, SIZE) }
}

/// Bytes in use.
pub fn used() -> usize {
    HEAP.blocks.used()
}

/// Most bytes that were in use at a time.
pub fn peak() -> usize {
    HEAP.peak.load(Ordering::Relaxed)
}

// SAFETY: every call goes to the heap as it came; counting allocates nothing.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promised.
        let block = unsafe { self.blocks.alloc(layout) };
        self.peak.fetch_max(self.blocks.used(), Ordering::Relaxed);
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { self.blocks.dealloc(block, layout) }
    }
}
