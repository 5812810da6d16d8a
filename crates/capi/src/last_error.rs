//! The message of a thread's last failure.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Keeps the message for the thread.
pub(crate) fn set(message: &str) {
    let text = c_text(message);
    // A thread that is about to end has no place for it any more.
    let _ = MESSAGE.try_with(|last| last.replace(text));
}

/// The message, valid until the thread's next failure.
pub(crate) fn text() -> *const c_char {
    let pointer = MESSAGE.try_with(|last| last.borrow().as_ptr());
    pointer.unwrap_or(c"".as_ptr())
}

/// A text for C; zero bytes, which C cannot have, are left out.
pub(crate) fn c_text(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}
