//! The two ways of waiting.

use std::fmt;

pub(crate) use sealed::DropMode;

/// The way in which the calls of a handle wait: [`Blocking`] or [`Async`].
pub trait Mode: sealed::Sealed {}

/// Handles whose calls wait on the calling thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocking {}

/// Handles whose calls are `async` functions.
#[cfg(feature = "tokio")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Async {}

impl Mode for Blocking {}

#[cfg(feature = "tokio")]
impl Mode for Async {}

impl sealed::Sealed for Blocking {
    const DROP: DropMode = DropMode::Wait;
}

#[cfg(feature = "tokio")]
impl sealed::Sealed for Async {
    const DROP: DropMode = DropMode::Background;
}

mod sealed {
    use super::fmt;

    /// No mode but those of this crate.
    pub trait Sealed: Clone + Copy + fmt::Debug + Send + Sync + Unpin + 'static {
        /// The behaviour when the last handle of an endpoint is dropped.
        const DROP: DropMode;
    }

    /// The behaviour when the last handle of an endpoint is dropped.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DropMode {
        /// The drop waits until the endpoint has closed.
        Wait,
        /// The endpoint's threads close it in the background.
        #[cfg(feature = "tokio")]
        Background,
    }
}
