//! Wait modes of the handles: blocking and `async`.

use std::fmt;

pub(crate) use sealed::DropMode;

/// Wait mode of a handle's calls: [`Blocking`] or [`Async`].
pub trait Mode: sealed::Sealed {}

/// Mode of handles whose calls block the calling thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocking {}

/// Mode of handles whose calls are `async` functions.
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

    /// Prevents other crates from implementing [`Mode`](super::Mode).
    pub trait Sealed: Clone + Copy + fmt::Debug + Send + Sync + Unpin + 'static {
        /// Effect of dropping an endpoint's last handle.
        const DROP: DropMode;
    }

    /// Effect of dropping an endpoint's last handle.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DropMode {
        /// Blocks until the endpoint has closed.
        Wait,
        /// Lets the endpoint's threads close it in the background.
        #[cfg(feature = "tokio")]
        Background,
    }
}
