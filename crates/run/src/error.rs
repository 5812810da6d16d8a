use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use sheave::error::BindError;

use crate::sys::start::StartError;

/// The reason why a program cannot be run.
#[derive(Debug)]
pub enum RunError {
    /// The program does not exist.
    NotFound(OsString),
    /// An argument contains a NUL byte.
    Nul,
    /// The program cannot be executed.
    Execute(PathBuf, io::Error),
    /// A supervisor around this process has the only listener that a process tree may have.
    Nested,
    /// A filter or a sandbox around this process refuses seccomp filters.
    Refused(io::Error),
    /// This build has no library to preload.
    NoLibrary,
    /// The kernel release is older than 5.14.
    OldKernel(String),
    /// The network sockets cannot be bound.
    Bind(BindError),
    /// The host with this name or UDP port belongs to another user.
    OtherUser,
    /// Packets cannot be captured here, because another `sheave run` carries them.
    TapOfJoined,
    /// The host protects packets with another certificate, or does not and is asked to, or does
    /// without being asked.
    KeysOfJoined,
    /// Another system call failed.
    System {
        /// The attempted action.
        what: &'static str,
        /// The system's error.
        error: io::Error,
    },
}

impl RunError {
    pub(crate) fn system(what: &'static str) -> impl Fn(io::Error) -> Self {
        move |error| Self::System { what, error }
    }

    pub(crate) fn start(error: StartError, file: &Path) -> Self {
        match error {
            StartError::Process(error) => Self::System {
                what: "start a process",
                error,
            },
            StartError::Execute(code) => {
                Self::Execute(file.into(), io::Error::from_raw_os_error(code))
            }
            StartError::Filter(libc::EBUSY) => Self::Nested,
            StartError::Filter(code) => Self::Refused(io::Error::from_raw_os_error(code)),
        }
    }

    /// A remedy, if there is one.
    #[must_use]
    pub fn fix(&self) -> Option<&'static str> {
        match self {
            Self::Nested => Some(
                "a process tree can have only one seccomp listener: run one `sheave run -- sh -c '...'` around \
                 all programs, or leave the sandbox that has it",
            ),
            Self::Refused(_) if crate::is_filtered() => Some(
                "a seccomp filter around this process refuses it: allow the call seccomp() in the \
                 container's profile (that of Docker does), or use the library `sheave`",
            ),
            Self::Refused(_) => Some(
                "the kernel is built without seccomp listeners, or is not Linux (gVisor): use the \
                 library `sheave` there",
            ),
            Self::NoLibrary => {
                Some("build it with rustup's toolchain, which has the linker for it")
            }
            Self::OldKernel(_) => Some("use the library `sheave`, or a newer kernel"),
            Self::Bind(BindError::NoPermission) => {
                Some("omit --raw, or grant the capability CAP_NET_RAW")
            }
            Self::Bind(BindError::Address { error, .. })
                if error.kind() == io::ErrorKind::AddrNotAvailable =>
            {
                Some("no interface has this address: see `ip addr`; containers often have no IPv6")
            }
            Self::Bind(BindError::Address { .. }) => {
                Some("choose another UDP port with --udp PORT (0 picks a free one)")
            }
            Self::OtherUser => Some("choose another UDP port with --udp PORT, or --join NAME"),
            Self::TapOfJoined => Some(
                "give --pcap to the first `sheave run`, which carries every packet; or choose \
                 another UDP port with --udp PORT",
            ),
            Self::KeysOfJoined => Some(
                "give each the same --secure, --cert and --key (`sheave run --list` shows the \
                 fingerprint); or choose another UDP port with --udp PORT",
            ),
            Self::NotFound(_)
            | Self::Nul
            | Self::Execute(..)
            | Self::Bind(_)
            | Self::System { .. } => None,
        }
    }

    /// The exit code, as in a shell: 127 if the program was not found, 126 if it cannot be
    /// executed, otherwise 1.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NotFound(_) => 127,
            Self::Execute(_, error) if error.kind() == io::ErrorKind::NotFound => 127,
            Self::Execute(..) => 126,
            _ => 1,
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(program) => write!(f, "{}: no such program", program.display()),
            Self::Nul => f.write_str("an argument contains a NUL byte"),
            Self::Execute(file, error) => write!(f, "{}: {error}", file.display()),
            Self::Nested => f.write_str("another seccomp listener surrounds this process (EBUSY)"),
            Self::Refused(error) => write!(f, "cannot install a seccomp listener: {error}"),
            Self::NoLibrary => f.write_str(
                "this build has no library to preload: it was built with SHEAVE_WITHOUT_PRELOAD",
            ),
            Self::OldKernel(release) => {
                write!(f, "Linux {release} is too old: 5.14 is needed")
            }
            Self::Bind(error) => error.fmt(f),
            Self::OtherUser => f.write_str(
                "a `sheave run` of another user has this UDP port or name; it serves only programs of that user",
            ),
            Self::TapOfJoined => f.write_str(
                "no packets to capture: this program would join the host of another `sheave run`",
            ),
            Self::KeysOfJoined => f.write_str(
                "this program would join the host of another `sheave run`, which protects packets \
                 with another certificate, or only one of the two protects them",
            ),
            Self::System { what, error } => write!(f, "cannot {what}: {error}"),
        }
    }
}

impl std::error::Error for RunError {}
