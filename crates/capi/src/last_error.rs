//! The message of a thread's last failure.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Stores the message for this thread.
pub(crate) fn set(message: &str) {
    let text = c_text(message);
    // Fails only while the thread is ending.
    let _ = MESSAGE.try_with(|last| last.replace(text));
}

/// The message, valid until the thread's next failure.
pub(crate) fn text() -> *const c_char {
    let pointer = MESSAGE.try_with(|last| last.borrow().as_ptr());
    pointer.unwrap_or(c"".as_ptr())
}

/// Converts a text to a C string; NUL bytes inside are removed.
pub(crate) fn c_text(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}
