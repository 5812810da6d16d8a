//! Messages and timer of an association's key manager.

use bytes::Bytes;
use sheave_wire::{Ppid, StreamId, dtls};

use crate::assoc::Tcb;
use crate::timers::Timer;
use crate::{Message, ProtectionError, SendOptions, Time};

/// Queues a message for the peer's key manager, whatever the send buffer holds.
pub(crate) fn send(tcb: &mut Tcb, payload: Bytes) -> Result<(), ProtectionError> {
    if !tcb.phase.sends_data() {
        return Err(ProtectionError::Closing);
    }
    let message = Message::new(StreamId(0), payload).with_ppid(Ppid(dtls::PPID));
    tcb.enqueue(message, SendOptions::default(), None);
    Ok(())
}

/// Takes the next message of the peer's key manager, and frees its room.
pub(crate) fn receive(tcb: &mut Tcb) -> Option<Bytes> {
    let message = tcb.extensions.shield()?.next_message()?;
    tcb.inbound.release(message.len());
    if tcb.inbound.window_update_due() && tcb.phase.receives_data() {
        tcb.acknowledger.request_now();
    }
    Some(message)
}

/// Sets or stops the timer of the key manager.
pub(crate) fn set_timer(tcb: &mut Tcb, at: Option<Time>) {
    match at {
        Some(at) => tcb.timers.set(Timer::KeyManagement, at),
        None => tcb.timers.stop(Timer::KeyManagement),
    }
}
