use std::sync::Arc;
use std::task::{Context, Poll};

use sheave_engine::{AssocId, Event};

use crate::assoc_state::AssocState;
use crate::driver::Shared;

/// A subscription to an association's events; does not keep the association open.
pub(crate) struct EventSubscription {
    pub(crate) shared: Arc<Shared>,
    pub(crate) id: AssocId,
}

impl EventSubscription {
    /// The next event; `None` after the last.
    pub(crate) fn poll_next(&self, context: Option<&Context<'_>>) -> Poll<Option<Event>> {
        let mut state = self.shared.lock();
        let Some(entry) = state.assocs.get_mut(&self.id) else {
            return Poll::Ready(None);
        };
        match (entry.pop_event(), entry.stage.end()) {
            (Some(event), _) => {
                drop(state);
                Poll::Ready(Some(self.shared.named_by_address(event)))
            }
            (None, Some(_)) => Poll::Ready(None),
            (None, None) => {
                entry.event_waiters().add(context);
                Poll::Pending
            }
        }
    }

    /// Ready while [`poll_next`](Self::poll_next) is; takes nothing.
    pub(crate) fn poll_waiting(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.shared.lock();
        let Some(entry) = state.assocs.get_mut(&self.id) else {
            return Poll::Ready(());
        };
        if entry.has_event() || entry.stage.end().is_some() {
            return Poll::Ready(());
        }
        entry.event_waiters().add(Some(context));
        Poll::Pending
    }

    /// The next event, if one is queued.
    pub(crate) fn try_next(&self) -> Option<Event> {
        match self.poll_next(None) {
            Poll::Ready(event) => event,
            Poll::Pending => None,
        }
    }

    pub(crate) fn lost(&self) -> u64 {
        let state = self.shared.lock();
        let entry = state.assocs.get(&self.id);
        entry.map_or(0, AssocState::lost_events)
    }
}

impl Drop for EventSubscription {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if let Some(entry) = state.assocs.get_mut(&self.id) {
            entry.watchers = entry.watchers.saturating_sub(1);
        }
        state.forget(self.id);
    }
}
