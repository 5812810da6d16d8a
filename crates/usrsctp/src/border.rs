//! The border between C and Rust: pointers become slices and values here, outcomes become return
//! values and `errno`, and panics end here.

use std::ffi::{c_char, c_int, c_void};
use std::panic::{self, AssertUnwindSafe};
use std::slice;

use sheave_sockets::Errno;

/// A pointer of the program that the library hands back and never follows.
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

/// Carries out a call; `failed` if it does not succeed, with the reason in `errno`.
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

/// Carries out a call that only fails or succeeds: 0 or -1.
pub(crate) fn status(outcome: impl FnOnce() -> Result<(), Errno>) -> c_int {
    call(-1, || outcome().map(|()| 0))
}

fn set_errno(error: Errno) {
    // SAFETY: the C library's own place for the code of this thread.
    unsafe { *libc::__errno_location() = error.code() };
}

/// Bytes of the program.
///
/// # Errors
/// `EFAULT` for NULL with a length, `EINVAL` for a length that nothing has.
///
/// # Safety
/// The pointer is NULL, or leads to so many bytes that nobody changes or frees during the call.
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

/// Copies bytes into memory of the program, as many as there is room for; how many.
///
/// # Safety
/// The pointer is NULL, or leads to memory for `room` bytes.
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

/// Reads a value of the program's, which may be missing.
///
/// # Safety
/// The pointer is NULL, or leads to a `T`.
pub(crate) unsafe fn read<T: Copy>(pointer: *const T) -> Option<T> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    Some(unsafe { pointer.read_unaligned() })
}

/// Writes a value into a place of the program's, which may be missing.
///
/// # Safety
/// The pointer is NULL, or leads to memory for a `T`.
pub(crate) unsafe fn write<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: as the caller promises.
        unsafe { pointer.write_unaligned(value) };
    }
}

/// Memory of the C library that holds these bytes, for the program to free; NULL where there is none.
pub(crate) fn allocate(bytes: &[u8]) -> *mut c_void {
    // SAFETY: any size will do; one byte at least, so that NULL means that there is no memory.
    let memory = unsafe { libc::malloc(bytes.len().max(1)) };
    // SAFETY: it is NULL or so long.
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

/// A text of the library as C has it.
pub(crate) fn allocate_text(text: &str) -> *mut c_char {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    allocate(&bytes).cast()
}
