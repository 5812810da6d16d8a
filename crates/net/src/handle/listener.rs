use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::{Association, Blocking, Mode};
use crate::listener_inner::ListenerInner;
use crate::wait::{self, Deadline};

/// Accepts associations on one SCTP port. Cheap to clone. Dropping the last clone stops listening
/// and aborts associations not yet accepted; accepted ones continue.
#[derive(Clone)]
pub struct Listener<M: Mode = Blocking> {
    inner: Arc<ListenerInner>,
    mode: PhantomData<M>,
}

impl<M: Mode> Listener<M> {
    pub(crate) fn new(inner: ListenerInner) -> Self {
        Self {
            inner: Arc::new(inner),
            mode: PhantomData,
        }
    }

    pub(crate) fn inner(&self) -> &ListenerInner {
        &self.inner
    }

    /// The SCTP port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.inner.port()
    }
}

/// Calls that block the calling thread.
impl Listener<Blocking> {
    /// Waits for the next association; `None` once the endpoint is closed.
    #[must_use]
    pub fn accept(&self) -> Option<Association> {
        let handle = wait::forever(|context| self.inner.poll_accept(context))?;
        Some(Association::new(handle))
    }

    /// Accepts the next association; also `None` if none came within `timeout`.
    #[must_use]
    pub fn accept_timeout(&self, timeout: Duration) -> Option<Association> {
        let deadline = Deadline::after(timeout);
        let handle = wait::until(deadline, |context| self.inner.poll_accept(context))??;
        Some(Association::new(handle))
    }

    /// Iterates over incoming associations until the endpoint is closed.
    pub fn incoming(&self) -> impl Iterator<Item = Association> + '_ {
        std::iter::from_fn(|| self.accept())
    }
}

#[cfg(feature = "tokio")]
mod asynchronous {
    use std::future::poll_fn;

    use super::{Association, Listener};
    use crate::handle::Async;

    /// `async` calls.
    impl Listener<Async> {
        /// The next association; `None` once the endpoint is closed.
        ///
        /// # Cancellation
        /// Safe: dropping the future loses no association.
        pub async fn accept(&self) -> Option<Association<Async>> {
            let handle = poll_fn(|context| self.inner.poll_accept(context)).await?;
            Some(Association::new(handle))
        }
    }
}

impl<M: Mode> fmt::Debug for Listener<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener")
            .field("port", &self.port())
            .finish_non_exhaustive()
    }
}
