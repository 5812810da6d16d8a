use core::fmt;

/// The reason why a connection was not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectError {
    /// There is one between the same two ends.
    Exists,
}

/// The reason why a port does not listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenError {
    /// The port already listens.
    InUse,
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is a connection between these ends already")
    }
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the port is listened at already")
    }
}

impl core::error::Error for ConnectError {}
impl core::error::Error for ListenError {}
