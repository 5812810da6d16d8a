//! The library that `sheave run` preloads if a seccomp listener is not allowed: it wraps functions
//! of the C library and passes calls on SCTP sockets to the host.
//!
//! The build script of `sheave-run` builds it without the standard library and without linking, so
//! that one file works with any C library. As an example target of the package it is only
//! type-checked.
#![cfg_attr(freestanding, no_std)]
#![expect(unsafe_code, reason = "stands between programs and their C library")]
#![expect(
    clippy::cast_possible_truncation,
    reason = "the kernel's numbers of 32 bits travel in registers of 64"
)]
#![expect(
    improper_ctypes_definitions,
    reason = "functions that a cancelled thread leaves have C's way of calling, and callers in here"
)]

mod calls;
mod connection;
mod host;
mod kernel;
mod lend;
#[expect(dead_code, reason = "the host's side is in here, too")]
mod lent;
mod packets;
#[expect(dead_code, reason = "the host's side is in here, too")]
mod region;
mod sockets;
#[expect(
    dead_code,
    reason = "the host hears what is said here, and says what is heard"
)]
mod words;
mod worth;

#[cfg(freestanding)]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        // SAFETY: `exit_group` with 127 ends the process.
        unsafe { kernel::syscall(kernel::number::EXIT_GROUP, 127) };
    }
}

/// Frames of this library hold no values that unwinding would have to drop.
#[cfg(freestanding)]
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() -> core::ffi::c_int {
    const CONTINUE_UNWIND: core::ffi::c_int = 8;
    CONTINUE_UNWIND
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

/// Runs before the program's `main`.
extern "C" fn begin() {
    // SAFETY: the name is a C string.
    let value = unsafe { kernel::getenv(words::VARIABLE.as_ptr()) };
    if !value.is_null() {
        // SAFETY: the environment holds C strings.
        unsafe { host::set(value) };
        calls::take_over();
    }
}
