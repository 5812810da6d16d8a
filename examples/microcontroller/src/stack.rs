//! The stack's deepest use so far, from the pattern that the start-up code filled it with.

use cortex_m_rt::STACK_PAINT_VALUE;

unsafe extern "C" {
    /// The lowest and the highest address of the stack, from the linker.
    static _stack_end: u32;
    static _stack_start: u32;
}

/// Most bytes of stack that were in use at a time.
pub fn peak() -> usize {
    let (low, high) = (&raw const _stack_end, &raw const _stack_start);
    let mut end = low;
    // SAFETY: the linker reserves the words between the two for the stack.
    while end < high && unsafe { end.read_volatile() } == STACK_PAINT_VALUE {
        end = end.wrapping_add(1);
    }
    high as usize - end as usize
}
