//! The C ABI border: converts pointers to references, texts and slices, results to statuses, and
//! catches panics.

use std::any::Any;
use std::ffi::{CStr, c_char, c_int};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;
use std::slice;
use std::time::Duration;

use crate::failure::Failure;
use crate::last_error;
use crate::status::Status;

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// Runs a call and returns its status.
pub(crate) fn call(call: impl FnOnce() -> Outcome) -> Status {
    match caught(call) {
        Ok(()) => Status::Ok,
        Err(status) => status,
    }
}

/// Runs a call that returns a value; returns `otherwise` on failure.
pub(crate) fn call_or<T>(otherwise: T, call: impl FnOnce() -> Outcome<T>) -> T {
    caught(call).unwrap_or(otherwise)
}

/// Runs a call on the object behind a handle and returns its status.
pub(crate) fn on<T>(object: Option<&T>, name: &str, call: impl FnOnce(&T) -> Outcome) -> Status {
    self::call(|| call(given(object, name)?))
}

/// Runs a call on the object behind a handle that returns a value; returns `otherwise` on failure.
pub(crate) fn on_or<T, R>(
    otherwise: R,
    object: Option<&T>,
    name: &str,
    call: impl FnOnce(&T) -> Outcome<R>,
) -> R {
    call_or(otherwise, || call(given(object, name)?))
}

fn caught<T>(call: impl FnOnce() -> Outcome<T>) -> Result<T, Status> {
    let outcome = match panic::catch_unwind(AssertUnwindSafe(call)) {
        Ok(outcome) => outcome,
        Err(panic) => Err(Failure::new(Status::Panic, panic_text(&*panic))),
    };
    outcome.map_err(|failure| {
        last_error::set(&failure.message);
        failure.status
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("internal error")
}

/// The timeout of a call in milliseconds, as for poll(2): negative means none.
pub(crate) fn timeout(millis: c_int) -> Option<Duration> {
    u64::try_from(millis).ok().map(Duration::from_millis)
}

fn null(name: &str) -> Failure {
    Failure::argument(format_args!("{name} is NULL"))
}

/// The object behind a pointer that must not be NULL.
pub(crate) fn given<T>(object: Option<T>, name: &str) -> Outcome<T> {
    object.ok_or_else(|| null(name))
}

/// A C string without its NUL.
///
/// # Safety
/// The pointer is NULL, or points to a NUL-terminated text that nobody changes or frees during the
/// call.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Outcome<&'a str> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: as the caller promises, and it is not NULL.
    let text = unsafe { CStr::from_ptr(pointer) };
    let not_utf8 = |_| Failure::argument(format_args!("{name} is not UTF-8"));
    text.to_str().map_err(not_utf8)
}

/// A C string that may be NULL.
///
/// # Safety
/// The same as for [`text`].
pub(crate) unsafe fn text_or_empty<'a>(pointer: *const c_char, name: &str) -> Outcome<&'a str> {
    if pointer.is_null() {
        return Ok("");
    }
    // SAFETY: as the caller promises.
    unsafe { text(pointer, name) }
}

/// A C array, which may be NULL if empty.
///
/// # Safety
/// The pointer is NULL, or points to `count` initialised elements that nobody changes or frees
/// during the call.
pub(crate) unsafe fn array<'a, T>(pointer: *const T, count: usize, name: &str) -> Outcome<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(null(name));
    }
    if !pointer.is_aligned() || count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Failure::argument(format_args!(
            "{name} has {count} elements, which no array can have there"
        )));
    }
    // SAFETY: as the caller promises; neither NULL nor misaligned, and no larger than an object is.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// The caller's memory for a result.
pub(crate) struct Place<T>(NonNull<T>);

impl<T> Place<T> {
    /// Memory that must not be NULL.
    ///
    /// # Safety
    /// The pointer is NULL, or points to memory for a `T` that only this call uses.
    pub(crate) unsafe fn new(pointer: *mut T, name: &str) -> Outcome<Self> {
        NonNull::new(pointer).map(Self).ok_or_else(|| null(name))
    }

    /// Memory for a struct whose size the caller passes.
    ///
    /// # Safety
    /// The same as for [`new`](Self::new), if the size is right.
    pub(crate) unsafe fn sized(pointer: *mut T, size: usize, name: &str) -> Outcome<Self> {
        same_size::<T>(size, name)?;
        // SAFETY: as the caller promises.
        unsafe { Self::new(pointer, name) }
    }

    pub(crate) fn put(self, value: T) {
        // SAFETY: the constructor's caller promised exclusive memory, and it is not NULL.
        unsafe { self.0.write(value) };
    }
}

/// Checks the size of a struct in the caller's header.
pub(crate) fn same_size<T>(size: usize, name: &str) -> Outcome {
    let right = size_of::<T>();
    match size == right {
        true => Ok(()),
        false => Err(Failure::argument(format_args!(
            "{name} has a size of {size} bytes instead of {right}: header and library do not fit"
        ))),
    }
}

/// Copies elements to the caller's memory.
///
/// # Safety
/// `to` points to memory for these elements, which only this call uses and which does not overlap
/// `from`.
pub(crate) unsafe fn copy<T: Copy>(from: &[T], to: *mut T) {
    if from.is_empty() {
        return;
    }
    // SAFETY: as the caller promises.
    unsafe { to.copy_from_nonoverlapping(from.as_ptr(), from.len()) };
}

/// Moves an object to the heap for C.
pub(crate) fn give<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Takes an object back from C and drops it; ignores NULL.
///
/// # Safety
/// The pointer is NULL, or came from [`give`], was not taken back before, and is no longer used.
pub(crate) unsafe fn take_back<T>(pointer: *mut T) {
    if pointer.is_null() {
        return;
    }
    // SAFETY: as the caller promises.
    let object = unsafe { Box::from_raw(pointer) };
    let _ = call(|| {
        drop(object);
        Ok(())
    });
}
