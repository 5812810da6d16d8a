//! The C ABI border: converts pointers to slices and values, results to return values and `errno`,
//! and catches panics.

use std::ffi::{c_char, c_int, c_void};
use std::panic::{self, AssertUnwindSafe};
use std::slice;

use sheave_sockets::Errno;

/// A pointer that the library returns to the program but never dereferences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Opaque(usize);

impl Opaque {
    pub(crate) fn of<T>(pointer: *const T) -> Self {
        Self(pointer.expose_provenance())
    }

    pub(crate) fn pointer<T>(self) -> *mut T {
        std::ptr::with_exposed_provenance_mut(self.0)
    }

    pub(crate) const fn number(self) -> u64 {
        self.0 as u64
    }

    pub(crate) fn from_number(number: u64) -> Self {
        Self(usize::try_from(number).unwrap_or(0))
    }
}

/// Runs a call; on failure sets `errno` and returns `failed`.
pub(crate) fn call<T>(failed: T, call: impl FnOnce() -> Result<T, Errno>) -> T {
    let outcome = panic::catch_unwind(AssertUnwindSafe(call));
    match outcome.unwrap_or(Err(Errno::ENOBUFS)) {
        Ok(value) => value,
        Err(error) => {
            set_errno(error);
            failed
        }
    }
}

/// Runs a call without a result; returns 0 or -1.
pub(crate) fn status(outcome: impl FnOnce() -> Result<(), Errno>) -> c_int {
    call(-1, || outcome().map(|()| 0))
}

fn set_errno(error: Errno) {
    // SAFETY: the C library's location of this thread's `errno`.
    unsafe { *libc::__errno_location() = error.code() };
}

/// Bytes passed by the program.
///
/// # Errors
/// `EFAULT` for NULL with a length, `EINVAL` for an impossible length.
///
/// # Safety
/// The pointer is NULL, or points to `length` bytes that nobody changes or frees during the call.
pub(crate) unsafe fn bytes<'a>(pointer: *const c_void, length: usize) -> Result<&'a [u8], Errno> {
    if length == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(Errno::EFAULT);
    }
    if length > isize::MAX as usize {
        return Err(Errno::EINVAL);
    }
    // SAFETY: as the caller promises; neither NULL nor longer than an object can be.
    Ok(unsafe { slice::from_raw_parts(pointer.cast(), length) })
}

/// Copies as many bytes as fit into the program's memory; returns the number copied.
///
/// # Safety
/// The pointer is NULL, or points to memory for `room` bytes.
pub(crate) unsafe fn lay(pointer: *mut c_void, room: usize, bytes: &[u8]) -> usize {
    let length = bytes.len().min(room);
    if pointer.is_null() || length == 0 {
        return 0;
    }
    // SAFETY: as the caller promises, and `length` is no more than either side has.
    unsafe {
        pointer
            .cast::<u8>()
            .copy_from_nonoverlapping(bytes.as_ptr(), length);
    }
    length
}

/// Reads a value from the program, unless the pointer is NULL.
///
/// # Safety
/// The pointer is NULL, or points to a `T`.
pub(crate) unsafe fn read<T: Copy>(pointer: *const T) -> Option<T> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    Some(unsafe { pointer.read_unaligned() })
}

/// Writes a value for the program, unless the pointer is NULL.
///
/// # Safety
/// The pointer is NULL, or points to memory for a `T`.
pub(crate) unsafe fn write<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: as the caller promises.
        unsafe { pointer.write_unaligned(value) };
    }
}

/// Copies bytes to malloc memory, which the program frees; NULL if memory is exhausted.
pub(crate) fn allocate(bytes: &[u8]) -> *mut c_void {
    // SAFETY: any size is valid; at least one byte, so that NULL always means failure.
    let memory = unsafe { libc::malloc(bytes.len().max(1)) };
    // SAFETY: the memory is NULL or has room for the bytes.
    unsafe { lay(memory, bytes.len(), bytes) };
    memory
}

/// Frees memory of the C library.
///
/// # Safety
/// The pointer is NULL or came from [`allocate`], and nobody uses it.
pub(crate) unsafe fn free(memory: *mut c_void) {
    // SAFETY: as the caller promises.
    unsafe { libc::free(memory) };
}

/// Copies a text to a NUL-terminated C string, which the program frees.
pub(crate) fn allocate_text(text: &str) -> *mut c_char {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    allocate(&bytes).cast()
}
