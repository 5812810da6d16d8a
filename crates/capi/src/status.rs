//! Results of calls.

use std::ffi::{CStr, c_char, c_int};

use crate::last_error;

/// The result of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Success.
    Ok = 0,
    /// Timeout: no data arrived or no room became free; another call may succeed.
    Again = 1,
    /// End of stream: every message of the peer has been received.
    End = 2,
    /// The association ended without a graceful shutdown, or its endpoint was closed.
    Closed = 3,
    /// A shutdown has begun at either end: no new data can be sent.
    ShuttingDown = 4,
    /// The association was not established: no answer, or refused.
    ConnectFailed = 5,
    /// An argument is NULL, out of range, or has a wrong size.
    InvalidArgument = 6,
    /// A text with options, a configuration or a target is invalid; sheave_last_error() names the
    /// key.
    InvalidOption = 7,
    /// The stream does not exist.
    InvalidStream = 8,
    /// The message is larger than allowed.
    TooLarge = 9,
    /// An address cannot be used, or the peer has no such address.
    Address = 10,
    /// The port or the key is in use.
    InUse = 11,
    /// Raw IP needs root or CAP_NET_RAW.
    NoPermission = 12,
    /// An end lacks the extension.
    NotAgreed = 13,
    /// The association is not established.
    NotEstablished = 14,
    /// Another request of this kind is in progress.
    Busy = 15,
    /// A limit of the endpoint was reached.
    Limit = 16,
    /// A system call failed.
    System = 17,
    /// Internal error: the library panicked. The handle may only be freed.
    Panic = 18,
}

impl Status {
    const ALL: [(Self, &'static CStr); 19] = [
        (Self::Ok, c"done"),
        (Self::Again, c"nothing within the time allowed"),
        (Self::End, c"the graceful end of the association"),
        (Self::Closed, c"the association or its endpoint is closed"),
        (Self::ShuttingDown, c"the association is shutting down"),
        (Self::ConnectFailed, c"the association was not set up"),
        (Self::InvalidArgument, c"invalid argument"),
        (Self::InvalidOption, c"invalid option"),
        (Self::InvalidStream, c"no such stream"),
        (Self::TooLarge, c"message too large"),
        (Self::Address, c"unusable address"),
        (Self::InUse, c"port or key in use"),
        (Self::NoPermission, c"no permission for raw IP"),
        (Self::NotAgreed, c"one end lacks the extension"),
        (Self::NotEstablished, c"the association is not established"),
        (Self::Busy, c"another request is under way"),
        (Self::Limit, c"a limit of the endpoint is reached"),
        (Self::System, c"the operating system refused"),
        (Self::Panic, c"internal error of the library"),
    ];

    /// The description of a status number.
    fn describe(status: c_int) -> &'static CStr {
        let all = Self::ALL.iter();
        let found = all.into_iter().find(|(known, _)| *known as c_int == status);
        found.map_or(c"no such status", |(_, text)| text)
    }
}

/// The library's version, such as "0.2.0". The text is constant.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// A short description of a status; unknown numbers also have one. The text is constant.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_strerror(status: c_int) -> *const c_char {
    Status::describe(status).as_ptr()
}

/// The error message of this thread's last failed call (status other than SHEAVE_STATUS_OK, NULL or
/// -1): a sentence that names the option, address or reason. Empty before the first failure. Valid
/// until the thread's next failure.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_last_error() -> *const c_char {
    last_error::text()
}
