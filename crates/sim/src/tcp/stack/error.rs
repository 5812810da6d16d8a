use core::fmt;

/// The reason why a connection could not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectError {
    /// A connection between these two ends already exists.
    Exists,
}

/// The reason why a port cannot listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenError {
    /// The port is already listening.
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
