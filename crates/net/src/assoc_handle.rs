use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use sheave_engine::{
    self as engine, Assoc, AssocId, CloseReason, Message, OptionError, Options, PeerAddress,
    Received, SendOptions, StreamScheduler, Time,
};

use crate::assoc_state::{AssocState, Stage};
use crate::driver::{Act, Shared};
use crate::endpoint_inner::EndpointInner;
use crate::error::{ConnectError, ReceiveError, SendError};
use crate::event_subscription::EventSubscription;
use crate::joiner::Joiner;
use crate::state::State;
use crate::wait::{self, Deadline};

/// State shared by the handles of one association. Dropping it closes the association gracefully in
/// the background.
///
/// A `poll_` function without a context registers no waker; `Pending` then means "not now".
pub(crate) struct AssocHandle {
    endpoint: Arc<EndpointInner>,
    id: AssocId,
    joiner: Mutex<Joiner>,
}

impl AssocHandle {
    pub(crate) fn new(endpoint: Arc<EndpointInner>, id: AssocId) -> Self {
        Self {
            endpoint,
            id,
            joiner: Mutex::default(),
        }
    }

    pub(crate) fn id(&self) -> AssocId {
        self.id
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.endpoint.shared
    }

    /// Ready when the association is established or set-up has failed.
    pub(crate) fn poll_established(&self, context: &Context<'_>) -> Poll<Result<(), ConnectError>> {
        self.poll_stage(|entry| match entry.stage {
            Stage::Connecting | Stage::Answered { .. } => {
                entry.stage_waiters.add(Some(context));
                Poll::Pending
            }
            Stage::Established { .. } | Stage::Ended { .. } => Poll::Ready(()),
        })
    }

    /// Ready when the peer has answered, so that data may be sent, or set-up has failed.
    pub(crate) fn poll_answered(&self, context: &Context<'_>) -> Poll<Result<(), ConnectError>> {
        self.poll_stage(|entry| match entry.stage {
            Stage::Connecting => {
                entry.send_waiters.add(Some(context));
                Poll::Pending
            }
            Stage::Answered { .. } | Stage::Established { .. } | Stage::Ended { .. } => {
                Poll::Ready(())
            }
        })
    }

    /// Ready when `poll` is; if the association ended first, with the reason.
    fn poll_stage(
        &self,
        poll: impl FnOnce(&mut AssocState) -> Poll<()>,
    ) -> Poll<Result<(), ConnectError>> {
        let mut state = self.shared().lock();
        let Some(entry) = state.assocs.get_mut(&self.id) else {
            return Poll::Ready(Err(ConnectError::EndpointClosed));
        };
        poll(entry).map(|()| match (&entry.stage, &entry.lost) {
            (Stage::Ended { .. }, Some(error)) => Err(error.clone()),
            (Stage::Ended { reason, .. }, None) => Err(ConnectError::Failed(reason.clone())),
            _ => Ok(()),
        })
    }

    /// Queues the message in `pending`, where it stays while the send buffer is full.
    pub(crate) fn poll_send(
        &self,
        context: Option<&Context<'_>>,
        pending: &mut Option<Message>,
        options: SendOptions,
    ) -> Poll<Result<(), SendError>> {
        let Some(message) = pending.take() else {
            return Poll::Ready(Ok(()));
        };
        let (stream, size) = (message.stream, message.payload.len());
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
                *pending = Some(message);
                if let Some(entry) = state.assocs.get_mut(&self.id) {
                    entry.send_waiters.add(context);
                }
                Poll::Pending
            }
            Err(engine::SendError::InvalidStream) => {
                let entry = state.assocs.get(&self.id);
                let streams = entry.map_or(0, |entry| entry.stage.streams().0);
                Poll::Ready(Err(SendError::InvalidStream { stream, streams }))
            }
            Err(engine::SendError::Empty) => Poll::Ready(Err(SendError::Empty)),
            Err(engine::SendError::TooLarge) => {
                let limit = assoc.max_message_size();
                Poll::Ready(Err(SendError::TooLarge { size, limit }))
            }
            Err(engine::SendError::ShuttingDown) => Poll::Ready(Err(SendError::ShuttingDown)),
            Err(engine::SendError::Key(error)) => Poll::Ready(Err(SendError::Key(error))),
        }
    }

    /// Queues a message if the send buffer has room.
    pub(crate) fn try_send(&self, message: Message, options: SendOptions) -> Result<(), SendError> {
        let mut pending = Some(message);
        match (self.poll_send(None, &mut pending, options), pending) {
            (Poll::Ready(outcome), _) => outcome,
            (Poll::Pending, Some(message)) => Err(SendError::Full(message)),
            (Poll::Pending, None) => Ok(()),
        }
    }

    /// Takes the next message if one is waiting.
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
        let Some(entry) = state.assocs.get_mut(&self.id) else {
            return Poll::Ready(Err(ReceiveError::Closed(CloseReason::Aborted)));
        };
        match entry.stage.end() {
            None => {
                entry.receive_waiters.add(context);
                Poll::Pending
            }
            Some(reason) => Poll::Ready(match (entry.unread.pop_front(), reason) {
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
        let joined = self.poll_receive_joined(context, limit);
        joined.map_ok(|received| received.map(|received| received.message))
    }

    /// Takes the next whole message of at most `limit` bytes, with its position in the peer's
    /// sending order.
    pub(crate) fn poll_receive_joined(
        &self,
        context: Option<&Context<'_>>,
        limit: usize,
    ) -> Poll<Result<Option<Received>, ReceiveError>> {
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

    /// Blocks until a reader's poll function is ready; `None` if the deadline comes first.
    pub(crate) fn read_until<T>(
        &self,
        deadline: Deadline,
        poll: impl FnMut(&Context<'_>) -> Poll<T>,
    ) -> Option<T> {
        self.shared().read_until(self.id, deadline, poll)
    }

    /// Blocks until a reader's poll function is ready.
    pub(crate) fn read_forever<T>(&self, mut poll: impl FnMut(&Context<'_>) -> Poll<T>) -> T {
        wait::endless(|| self.read_until(Deadline::Never, &mut poll))
    }

    /// Ready while [`poll_receive`](Self::poll_receive) is; takes nothing.
    pub(crate) fn poll_readable(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.shared().lock();
        let readable = state.engine.assoc(self.id).map(|assoc| assoc.is_readable());
        let Some(entry) = state.assocs.get_mut(&self.id) else {
            return Poll::Ready(());
        };
        if entry.stage.end().is_some() || readable == Some(true) {
            return Poll::Ready(());
        }
        entry.receive_waiters.add(Some(context));
        Poll::Pending
    }

    /// Ready once the association has ended, with the reason.
    pub(crate) fn poll_ended(&self, context: &Context<'_>) -> Poll<CloseReason> {
        let mut state = self.shared().lock();
        if let Some(reason) = self.ended(&state) {
            return Poll::Ready(reason);
        }
        if let Some(entry) = state.assocs.get_mut(&self.id) {
            entry.stage_waiters.add(Some(context));
        }
        Poll::Pending
    }

    /// The reason why the association ended; `None` while it exists.
    pub(crate) fn end(&self) -> Option<CloseReason> {
        self.ended(&self.shared().lock())
    }

    fn ended(&self, state: &State) -> Option<CloseReason> {
        let entry = state.assocs.get(&self.id);
        entry.map_or(Some(CloseReason::Aborted), |entry| {
            entry.stage.end().cloned()
        })
    }

    /// Number of outbound and inbound streams.
    pub(crate) fn streams(&self) -> (u16, u16) {
        let state = self.shared().lock();
        let entry = state.assocs.get(&self.id);
        entry.map_or((0, 0), |entry| entry.stage.streams())
    }

    /// The peer's current address; once closed, its address at set-up.
    pub(crate) fn peer(&self) -> Option<PeerAddress> {
        let mut state = self.shared().lock();
        let peer = state.peer_of(self.id);
        let peer = peer.or_else(|| state.assocs.get(&self.id)?.peer)?;
        drop(state);
        Some(self.shared().carrier.real_peer(peer))
    }

    /// The engine's name for the peer; `None` once closed.
    pub(crate) fn engine_peer(&self) -> Option<PeerAddress> {
        self.shared().lock().peer_of(self.id)
    }

    /// The engine's name for a peer address: the same, except over DTLS.
    pub(crate) fn engine_name(&self, remote: IpAddr) -> IpAddr {
        let carrier = &self.shared().carrier;
        if !carrier.has_dtls() {
            return remote;
        }
        match self.shared().lock().peer_of(self.id) {
            Some(peer) if carrier.real_peer(peer).ip == remote => peer.ip,
            _ => remote,
        }
    }

    /// Runs `read` on the association; `None` once it has ended.
    pub(crate) fn read<R>(&self, read: impl FnOnce(Assoc<'_>) -> R) -> Option<R> {
        let mut state = self.shared().lock();
        state.engine.assoc(self.id).map(read)
    }

    /// Runs `ask` on the association and sends what results; fails with `gone` once it has ended.
    pub(crate) fn ask<E>(
        &self,
        gone: E,
        ask: impl FnOnce(&mut Assoc<'_>, Time) -> Result<(), E>,
    ) -> Result<(), E> {
        self.shared().act(|state, now| {
            let mut assoc = state.engine.assoc(self.id).ok_or(gone)?;
            ask(&mut assoc, now)
        })
    }

    pub(crate) fn set_stream_scheduler(&self, scheduler: StreamScheduler) {
        self.shared().act(|state, now| {
            if let Some(mut assoc) = state.engine.assoc(self.id) {
                assoc.set_stream_scheduler(now, scheduler);
            }
        });
    }

    pub(crate) fn retune(&self, options: &Options) -> Result<(), OptionError> {
        self.shared()
            .act(|state, now| match state.engine.assoc(self.id) {
                Some(mut assoc) => assoc.retune(now, options),
                None => options.validate(),
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

    /// Subscribes to the events.
    pub(crate) fn subscribe(&self) -> EventSubscription {
        let mut state = self.shared().lock();
        if let Some(entry) = state.assocs.get_mut(&self.id) {
            entry.watchers += 1;
        }
        EventSubscription {
            shared: Arc::clone(&self.endpoint.shared),
            id: self.id,
        }
    }
}

impl Drop for AssocHandle {
    fn drop(&mut self) {
        self.shared().act(|state, now| state.release(now, self.id));
    }
}
