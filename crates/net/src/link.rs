use std::net::IpAddr;
use std::num::NonZeroU16;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use sheave_engine::{
    self as engine, Abandonments, AddressChange, AddressChangeError, AssocId, AssocStats,
    CloseReason, Event, KeyError, KeyId, Message, PartialReliability, PathError, PathStats, Policy,
    Received, ReconfigurationError, SendOptions, SharedKey, StreamDirection, StreamError,
    StreamScheduler, Time,
};

use crate::driver::{Act, Shared};
use crate::joiner::Joiner;
use crate::lifeline::Lifeline;
use crate::slot::{Slot, Stage};
use crate::state::{Life, State};
use crate::{ConnectError, ReceiveError, SendError, StreamId};

/// What the handles of one association share. Dropping it closes the association gracefully in
/// the background.
///
/// A `poll_` function without a context does not wait: pending then means "not now".
pub(crate) struct Link {
    life: Arc<Lifeline>,
    id: AssocId,
    joiner: Mutex<Joiner>,
}

impl Link {
    pub(crate) fn new(life: Arc<Lifeline>, id: AssocId) -> Self {
        Self {
            life,
            id,
            joiner: Mutex::default(),
        }
    }

    pub(crate) fn id(&self) -> AssocId {
        self.id
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.life.shared
    }

    /// Waits until it is established, or has failed to be.
    pub(crate) fn poll_established(&self, context: &Context<'_>) -> Poll<Result<(), ConnectError>> {
        let mut state = self.shared().lock();
        let Some(slot) = state.slots.get_mut(&self.id) else {
            return Poll::Ready(Err(ConnectError::EndpointClosed));
        };
        match &slot.stage {
            Stage::Established { .. } => Poll::Ready(Ok(())),
            Stage::Ended { reason, .. } => Poll::Ready(Err(ConnectError::Failed(reason.clone()))),
            Stage::Connecting => {
                slot.stagers.add(Some(context));
                Poll::Pending
            }
        }
    }

    /// Queues the message in `parcel`; while there is no room, it stays there.
    pub(crate) fn poll_send(
        &self,
        context: Option<&Context<'_>>,
        parcel: &mut Option<Message>,
        options: SendOptions,
    ) -> Poll<Result<(), SendError>> {
        let Some(message) = parcel.take() else {
            return Poll::Ready(Ok(()));
        };
        let now = self.shared().clock.now();
        let mut state = self.shared().lock();
        let Some(mut assoc) = state.engine.assoc(self.id) else {
            return Poll::Ready(Err(self
                .ended(&state)
                .map_or(SendError::ShuttingDown, SendError::Closed)));
        };
        match assoc.send(now, message, options) {
            Ok(()) => {
                self.shared().settle_for_application(state, now, Act::Send);
                Poll::Ready(Ok(()))
            }
            Err(engine::SendError::BufferFull(message)) => {
                *parcel = Some(message);
                if let Some(slot) = state.slots.get_mut(&self.id) {
                    slot.writers.add(context);
                }
                Poll::Pending
            }
            Err(engine::SendError::InvalidStream) => Poll::Ready(Err(SendError::InvalidStream)),
            Err(engine::SendError::Empty) => Poll::Ready(Err(SendError::Empty)),
            Err(engine::SendError::TooLarge) => Poll::Ready(Err(SendError::TooLarge)),
            Err(engine::SendError::ShuttingDown) => Poll::Ready(Err(SendError::ShuttingDown)),
        }
    }

    /// Queues a message if there is room for it now.
    pub(crate) fn try_send(&self, message: Message, options: SendOptions) -> Result<(), SendError> {
        let mut parcel = Some(message);
        match (self.poll_send(None, &mut parcel, options), parcel) {
            (Poll::Ready(outcome), _) => outcome,
            (Poll::Pending, Some(message)) => Err(SendError::Full(message)),
            (Poll::Pending, None) => Ok(()),
        }
    }

    /// Takes the next message if there is one now.
    pub(crate) fn try_receive(&self) -> Result<Option<Received>, ReceiveError> {
        match self.poll_receive(None) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => Err(ReceiveError::NotYet),
        }
    }

    /// Takes the next message, or `None` at the graceful end.
    pub(crate) fn poll_receive(
        &self,
        context: Option<&Context<'_>>,
    ) -> Poll<Result<Option<Received>, ReceiveError>> {
        let now = self.shared().clock.now();
        let mut state = self.shared().lock();
        let received = state
            .engine
            .assoc(self.id)
            .and_then(|mut assoc| assoc.receive(now));
        if received.is_some() {
            self.shared().settle_for_application(state, now, Act::Other);
            return Poll::Ready(Ok(received));
        }
        let Some(slot) = state.slots.get_mut(&self.id) else {
            return Poll::Ready(Err(ReceiveError::Closed(CloseReason::Aborted)));
        };
        match slot.stage.end() {
            None => {
                slot.readers.add(context);
                Poll::Pending
            }
            Some(reason) => Poll::Ready(match (slot.unread.pop_front(), reason) {
                (Some(unread), _) => Ok(Some(unread)),
                (None, CloseReason::Graceful) => Ok(None),
                (None, reason) => Err(ReceiveError::Closed(reason.clone())),
            }),
        }
    }

    /// Takes the next whole message of at most `limit` bytes.
    pub(crate) fn poll_receive_whole(
        &self,
        context: Option<&Context<'_>>,
        limit: usize,
    ) -> Poll<Result<Option<Message>, ReceiveError>> {
        let mut joiner = self.joiner.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let received = match self.poll_receive(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(Some(received))) => received,
                Poll::Ready(Ok(None)) => return Poll::Ready(Ok(None)),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            };
            if let Some(joined) = joiner.push(received, limit) {
                return Poll::Ready(joined.map(Some));
            }
        }
    }

    /// Waits until it is gone, and says why.
    pub(crate) fn poll_ended(&self, context: &Context<'_>) -> Poll<CloseReason> {
        let mut state = self.shared().lock();
        if let Some(reason) = self.ended(&state) {
            return Poll::Ready(reason);
        }
        if let Some(slot) = state.slots.get_mut(&self.id) {
            slot.stagers.add(Some(context));
        }
        Poll::Pending
    }

    /// Why it ended; `None` while it exists.
    pub(crate) fn end(&self) -> Option<CloseReason> {
        self.ended(&self.shared().lock())
    }

    fn ended(&self, state: &State) -> Option<CloseReason> {
        let slot = state.slots.get(&self.id);
        slot.map_or(Some(CloseReason::Aborted), |slot| slot.stage.end().cloned())
    }

    /// Streams out and in.
    pub(crate) fn streams(&self) -> (u16, u16) {
        let state = self.shared().lock();
        let slot = state.slots.get(&self.id);
        slot.map_or((0, 0), |slot| slot.stage.streams())
    }

    pub(crate) fn stats(&self) -> Option<AssocStats> {
        let mut state = self.shared().lock();
        Some(state.engine.assoc(self.id)?.stats())
    }

    pub(crate) fn partial_reliability(&self) -> PartialReliability {
        let mut state = self.shared().lock();
        let assoc = state.engine.assoc(self.id);
        assoc.map_or(PartialReliability::Off, |assoc| assoc.partial_reliability())
    }

    pub(crate) fn abandonments(&self, policy: Policy, stream: Option<StreamId>) -> Abandonments {
        let mut state = self.shared().lock();
        let Some(assoc) = state.engine.assoc(self.id) else {
            return Abandonments::default();
        };
        match stream {
            Some(stream) => assoc.abandonments_on(stream, policy),
            None => assoc.abandonments(policy),
        }
    }

    pub(crate) fn path_stats(&self) -> Vec<PathStats> {
        let mut state = self.shared().lock();
        let assoc = state.engine.assoc(self.id);
        assoc.map_or_else(Vec::new, |assoc| assoc.path_stats())
    }

    pub(crate) fn set_primary(&self, remote: IpAddr) -> Result<(), PathError> {
        self.shared().act(|state, _| {
            let mut assoc = state.engine.assoc(self.id).ok_or(PathError::Unknown)?;
            assoc.set_primary(remote)
        })
    }

    pub(crate) fn reset_streams(
        &self,
        streams: &[StreamId],
        direction: StreamDirection,
    ) -> Result<(), ReconfigurationError> {
        self.reconfigure(|assoc, now| assoc.reset_streams(now, streams, direction))
    }

    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general enough in its lifetime"
    )]
    pub(crate) fn reset_tsns(&self) -> Result<(), ReconfigurationError> {
        self.reconfigure(|assoc, now| assoc.reset_tsns(now))
    }

    pub(crate) fn add_streams(
        &self,
        count: u16,
        direction: StreamDirection,
    ) -> Result<(), ReconfigurationError> {
        self.reconfigure(|assoc, now| assoc.add_streams(now, count, direction))
    }

    fn reconfigure(
        &self,
        ask: impl FnOnce(&mut engine::Assoc<'_>, Time) -> Result<(), ReconfigurationError>,
    ) -> Result<(), ReconfigurationError> {
        self.shared().act(|state, now| {
            let assoc = state.engine.assoc(self.id);
            let mut assoc = assoc.ok_or(ReconfigurationError::NotEstablished)?;
            ask(&mut assoc, now)
        })
    }

    pub(crate) fn stream_scheduler(&self) -> Option<StreamScheduler> {
        let mut state = self.shared().lock();
        Some(state.engine.assoc(self.id)?.stream_scheduler())
    }

    pub(crate) fn set_stream_scheduler(&self, scheduler: StreamScheduler) {
        self.shared().act(|state, now| {
            if let Some(mut assoc) = state.engine.assoc(self.id) {
                assoc.set_stream_scheduler(now, scheduler);
            }
        });
    }

    pub(crate) fn set_stream_priority(
        &self,
        stream: StreamId,
        priority: u16,
    ) -> Result<(), StreamError> {
        self.shared().act(|state, now| {
            let mut assoc = state.engine.assoc(self.id).ok_or(StreamError::Unknown)?;
            assoc.set_stream_priority(now, stream, priority)
        })
    }

    pub(crate) fn set_stream_weight(
        &self,
        stream: StreamId,
        weight: NonZeroU16,
    ) -> Result<(), StreamError> {
        self.shared().act(|state, now| {
            let mut assoc = state.engine.assoc(self.id).ok_or(StreamError::Unknown)?;
            assoc.set_stream_weight(now, stream, weight)
        })
    }

    pub(crate) fn change_address(&self, change: AddressChange) -> Result<(), AddressChangeError> {
        self.shared().act(|state, now| {
            let assoc = state.engine.assoc(self.id);
            let mut assoc = assoc.ok_or(AddressChangeError::NotEstablished)?;
            match change {
                AddressChange::Add(ip) => assoc.add_address(now, ip),
                AddressChange::Delete(ip) => assoc.delete_address(now, ip),
                AddressChange::SetPrimary(ip) => assoc.set_peer_primary(now, ip),
            }
        })
    }

    pub(crate) fn insert_key(&self, key: SharedKey) -> Result<(), KeyError> {
        self.change_keys(|assoc, _| assoc.insert_key(key))
    }

    pub(crate) fn activate_key(&self, id: KeyId) -> Result<(), KeyError> {
        self.change_keys(|assoc, _| assoc.activate_key(id))
    }

    pub(crate) fn deactivate_key(&self, id: KeyId) -> Result<(), KeyError> {
        self.change_keys(|assoc, now| assoc.deactivate_key(now, id))
    }

    pub(crate) fn delete_key(&self, id: KeyId) -> Result<(), KeyError> {
        self.change_keys(|assoc, _| assoc.delete_key(id))
    }

    fn change_keys(
        &self,
        change: impl FnOnce(&mut engine::Assoc<'_>, Time) -> Result<(), KeyError>,
    ) -> Result<(), KeyError> {
        self.shared().act(|state, now| {
            let assoc = state.engine.assoc(self.id);
            change(&mut assoc.ok_or(KeyError::Unavailable)?, now)
        })
    }

    pub(crate) fn request_heartbeat(&self, remote: IpAddr) -> Result<(), PathError> {
        self.shared().act(|state, now| {
            let mut assoc = state.engine.assoc(self.id).ok_or(PathError::Unknown)?;
            assoc.request_heartbeat(now, remote)
        })
    }

    pub(crate) fn start_shutdown(&self) {
        self.shared()
            .act(|state, now: Time| state.shut_down(now, self.id));
    }

    pub(crate) fn abort(&self, reason: Bytes) {
        self.shared()
            .act(|state, now| state.abort(now, self.id, reason));
    }

    /// A taker of events.
    pub(crate) fn watch(&self) -> Watch {
        let mut state = self.shared().lock();
        if let Some(slot) = state.slots.get_mut(&self.id) {
            slot.watchers += 1;
        }
        Watch {
            shared: Arc::clone(&self.life.shared),
            id: self.id,
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.shared().act(|state, now| state.release(now, self.id));
    }
}

/// A taker of an association's events; does not keep it open.
pub(crate) struct Watch {
    shared: Arc<Shared>,
    id: AssocId,
}

impl Watch {
    /// The next event; `None` after the last.
    pub(crate) fn poll_next(&self, context: Option<&Context<'_>>) -> Poll<Option<Event>> {
        let mut state = self.shared.lock();
        let Some(slot) = state.slots.get_mut(&self.id) else {
            return Poll::Ready(None);
        };
        match (slot.pop_event(), slot.stage.end()) {
            (Some(event), _) => Poll::Ready(Some(event)),
            (None, Some(_)) => Poll::Ready(None),
            (None, None) => {
                slot.takers().add(context);
                Poll::Pending
            }
        }
    }

    /// The next event if there is one now.
    pub(crate) fn try_next(&self) -> Option<Event> {
        match self.poll_next(None) {
            Poll::Ready(event) => event,
            Poll::Pending => None,
        }
    }

    pub(crate) fn lost(&self) -> u64 {
        let state = self.shared.lock();
        let slot = state.slots.get(&self.id);
        slot.map_or(0, Slot::lost_events)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if let Some(slot) = state.slots.get_mut(&self.id) {
            slot.watchers = slot.watchers.saturating_sub(1);
        }
        state.forget(self.id);
    }
}

/// A port that is listened on; dropping it stops that.
pub(crate) struct Door {
    life: Arc<Lifeline>,
    port: u16,
}

impl Door {
    pub(crate) fn new(life: Arc<Lifeline>, port: u16) -> Self {
        Self { life, port }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The next association; `None` once the endpoint is closed.
    pub(crate) fn poll_accept(&self, context: &Context<'_>) -> Poll<Option<Link>> {
        let mut state = self.life.shared.lock();
        match state.next_waiting(self.port) {
            Some(Some(id)) => Poll::Ready(Some(Link::new(Arc::clone(&self.life), id))),
            Some(None) if state.life == Life::Open => {
                if let Some(acceptors) = state.acceptors(self.port) {
                    acceptors.add(Some(context));
                }
                Poll::Pending
            }
            _ => Poll::Ready(None),
        }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.life
            .shared
            .act(|state, now| state.close_backlog(now, self.port));
    }
}
