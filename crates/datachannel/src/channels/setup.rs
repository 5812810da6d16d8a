//! Opening of channels: announcement and acknowledgement (RFC 8832 §6).

use alloc::vec::Vec;

use sheave_engine::{Assoc, SendError, SendOptions, Time};
use sheave_wire::StreamId;

use super::DataChannels;
use crate::channel::Stage;
use crate::dcep::Dcep;
use crate::{Channel, ChannelEvent, ClosedReason, ppid};

/// The next step of a channel that may still lack its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setup {
    /// Send the OPEN.
    Open,
    /// Send the ACK for the peer's OPEN.
    Ack,
    /// Open a negotiated channel, without any message.
    Negotiated,
}

impl DataChannels {
    /// Sets up the channels whose streams exist, as far as the send buffer has room.
    pub(super) fn set_up(&mut self, now: Time, assoc: &mut Assoc<'_>, outbound: u16) {
        while let Some((&stream, &setup)) = self.setups.range(..StreamId(outbound)).next() {
            let Some(channel) = self.streams.at(stream) else {
                self.setups.remove(&stream);
                continue;
            };
            prepare(now, assoc, channel);
            match announce(now, assoc, setup, channel) {
                Ok(()) => self.on_set_up(stream, setup),
                Err(SendError::TooLarge) => self.end(stream, ClosedReason::Unannounced),
                Err(_) => return,
            }
        }
    }

    fn on_set_up(&mut self, stream: StreamId, setup: Setup) {
        self.setups.remove(&stream);
        if setup == Setup::Negotiated {
            self.on_opened(stream);
        }
    }

    /// Opens a channel of ours.
    pub(super) fn on_opened(&mut self, stream: StreamId) {
        if let Some(channel) = self.streams.at_mut(stream)
            && channel.stage == Stage::Connecting
        {
            channel.stage = Stage::Open;
            self.stats.data_channels_opened += 1;
            let channel = channel.id;
            self.events.push_back(ChannelEvent::Opened { channel });
        }
    }
}

/// Applies a channel's priority and low-water mark to its stream.
fn prepare(now: Time, assoc: &mut Assoc<'_>, channel: &Channel) {
    let (stream, priority) = (channel.id.stream, channel.config.priority);
    // The stream exists, so these calls succeed; each scheduler uses the setting that applies to
    // it.
    let _ = assoc.set_stream_weight(now, stream, priority.weight());
    let _ = assoc.set_stream_priority(now, stream, priority.rank());
    super::mark(Some(assoc), stream, Some(channel.low_water));
}

/// Sends the control message of the step, ordered and reliable (RFC 8832 §6).
fn announce(
    now: Time,
    assoc: &mut Assoc<'_>,
    setup: Setup,
    channel: &Channel,
) -> Result<(), SendError> {
    let control = match setup {
        Setup::Open => Dcep::Open(channel.config.announcement()),
        Setup::Ack => Dcep::Ack,
        Setup::Negotiated => return Ok(()),
    };
    let mut payload = Vec::new();
    control.write(&mut payload);
    let message = sheave_engine::Message::new(channel.id.stream, payload);
    assoc.send(
        now,
        message.with_ppid(ppid::CONTROL),
        SendOptions::default(),
    )
}
