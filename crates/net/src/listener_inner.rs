use std::sync::Arc;
use std::task::{Context, Poll};

use crate::assoc_handle::AssocHandle;
use crate::endpoint_inner::EndpointInner;
use crate::state::{Lifecycle, ListenerId};

/// An open listening port, at some or all addresses; closed on drop.
pub(crate) struct ListenerInner {
    endpoint: Arc<EndpointInner>,
    id: ListenerId,
    port: u16,
}

impl ListenerInner {
    pub(crate) fn new(endpoint: Arc<EndpointInner>, id: ListenerId, port: u16) -> Self {
        Self { endpoint, id, port }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The next association; `None` once the endpoint is closed.
    pub(crate) fn poll_accept(&self, context: &Context<'_>) -> Poll<Option<AssocHandle>> {
        let mut state = self.endpoint.shared.lock();
        match state.next_waiting(self.id) {
            Some(Some(id)) => Poll::Ready(Some(AssocHandle::new(Arc::clone(&self.endpoint), id))),
            Some(None) if state.lifecycle == Lifecycle::Open => {
                if let Some(accept_waiters) = state.accept_waiters(self.id) {
                    accept_waiters.add(Some(context));
                }
                Poll::Pending
            }
            _ => Poll::Ready(None),
        }
    }

    /// Ready while [`poll_accept`](Self::poll_accept) is; takes nothing.
    pub(crate) fn poll_acceptable(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.endpoint.shared.lock();
        let is_open = state.lifecycle == Lifecycle::Open;
        match state.backlog_size(self.id) {
            Some(0) if is_open => {
                if let Some(accept_waiters) = state.accept_waiters(self.id) {
                    accept_waiters.add(Some(context));
                }
                Poll::Pending
            }
            _ => Poll::Ready(()),
        }
    }
}

impl Drop for ListenerInner {
    fn drop(&mut self) {
        self.endpoint
            .shared
            .act(|state, now| state.close_backlog(now, self.id));
    }
}
