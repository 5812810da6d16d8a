use core::fmt;

/// An error code as a system call returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Errno(i32);

macro_rules! codes {
    ($($name:ident $code:literal $text:literal),+ $(,)?) => {
        impl Errno {
            $(#[doc = concat!("Linux's code ", stringify!($code), ": ", $text, ".")]
            pub const $name: Self = Self($code);)+
        }

        impl fmt::Display for Errno {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0 {
                    $($code => f.write_str(stringify!($name)),)+
                    code => write!(f, "error {code}"),
                }
            }
        }
    };
}

codes! {
    EPERM 1 "not permitted",
    EINTR 4 "interrupted by a signal",
    EBADF 9 "no such descriptor",
    EAGAIN 11 "the call would block",
    ENOMEM 12 "no room for the answer",
    EACCES 13 "not allowed",
    EFAULT 14 "bad address",
    EBUSY 16 "in use",
    EEXIST 17 "exists already",
    EINVAL 22 "invalid argument",
    EPIPE 32 "nothing can be sent any more",
    EDOM 33 "a number out of its range",
    ENOPROTOOPT 92 "no such option",
    EPROTONOSUPPORT 93 "the protocol is not supported",
    ESOCKTNOSUPPORT 94 "the type of socket is not supported",
    EOPNOTSUPP 95 "the operation is not supported",
    EAFNOSUPPORT 97 "the address family is not supported",
    EADDRINUSE 98 "the address is in use",
    EADDRNOTAVAIL 99 "the address is not available",
    ECONNABORTED 103 "the association was aborted here",
    ECONNRESET 104 "the association was aborted by the peer",
    ENOBUFS 105 "no buffers are left",
    EISCONN 106 "connected already",
    ENOTCONN 107 "not connected",
    ESHUTDOWN 108 "a shutdown has begun",
    ETIMEDOUT 110 "the peer does not answer",
    ECONNREFUSED 111 "the peer refused",
    EHOSTUNREACH 113 "no path to the peer",
    EALREADY 114 "connecting already",
    EINPROGRESS 115 "connecting",
    EMSGSIZE 90 "the message is too long",
    ENOENT 2 "no entry of that name",
    ESRCH 3 "not found",
}

impl Errno {
    /// The error with this code.
    #[must_use]
    pub const fn from_code(code: i32) -> Self {
        Self(code)
    }

    /// The code as on Linux, positive.
    #[must_use]
    pub const fn code(self) -> i32 {
        self.0
    }
}

impl core::error::Error for Errno {}
