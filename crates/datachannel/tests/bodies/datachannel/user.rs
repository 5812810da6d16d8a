//! The user of an end's data channels, who remembers what happened.

use std::collections::BTreeMap;

use sheave_datachannel::{ChannelEvent, ChannelId, ClosedReason, DataChannels};

/// The channels of an end as its user knows them.
#[derive(Debug, Default)]
pub(super) struct User {
    channels: BTreeMap<ChannelId, Known>,
    serial: u32,
}

/// The life of a channel so far.
#[derive(Debug)]
struct Known {
    label: String,
    standing: Standing,
    /// Lengths of the messages that were sent and must arrive.
    sent: Vec<usize>,
    /// Lengths of the messages that arrived.
    received: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Standing {
    Waiting,
    Open,
    /// We have closed it: what comes is dropped.
    Closing,
    Closed(ClosedReason),
}

impl User {
    /// A number for the next channel, which no other channel of this end has.
    pub(super) const fn next_serial(&mut self) -> u32 {
        self.serial += 1;
        self.serial
    }

    pub(super) fn on_open(&mut self, id: ChannelId) {
        let label = format!("{}", self.serial);
        self.begin(id, label, Standing::Waiting);
    }

    fn begin(&mut self, id: ChannelId, label: String, standing: Standing) {
        let known = Known {
            label,
            standing,
            sent: Vec::new(),
            received: Vec::new(),
        };
        let before = self.channels.insert(id, known);
        assert!(before.is_none(), "{id:?} begins twice");
    }

    pub(super) fn on_sent(&mut self, id: ChannelId, len: usize) {
        self.known(id).sent.push(len);
    }

    pub(super) fn on_close(&mut self, id: ChannelId) {
        let known = self.known(id);
        if !matches!(known.standing, Standing::Closed(_)) {
            known.standing = Standing::Closing;
        }
    }

    fn known(&mut self, id: ChannelId) -> &mut Known {
        self.channels.get_mut(&id).expect("a channel that began")
    }

    /// Some channel, closed ones among them.
    pub(super) fn pick(&self, choice: u8) -> Option<ChannelId> {
        let count = self.channels.len().min(20);
        let place = usize::from(choice).checked_rem(count)?;
        self.channels.keys().rev().nth(place).copied()
    }

    pub(super) fn on_event(&mut self, channels: &DataChannels, event: ChannelEvent) {
        match event {
            ChannelEvent::Opened { channel } => {
                let known = self.known(channel);
                let may = matches!(known.standing, Standing::Waiting | Standing::Closing);
                assert!(may, "{channel:?} is {:?}", known.standing);
                if known.standing == Standing::Waiting {
                    known.standing = Standing::Open;
                }
            }
            ChannelEvent::Incoming { channel } => {
                let label = channels
                    .channel(channel)
                    .map(|channel| channel.label().to_owned());
                self.begin(channel, label.unwrap_or_default(), Standing::Open);
            }
            ChannelEvent::Message { channel, message } => {
                let known = self.known(channel);
                let may = matches!(known.standing, Standing::Open | Standing::Closing);
                assert!(may, "{channel:?} is {:?}", known.standing);
                known.received.push(message.payload.len());
            }
            ChannelEvent::BufferLow { channel } | ChannelEvent::Closing { channel } => {
                let known = self.known(channel);
                let over = matches!(known.standing, Standing::Closed(_));
                assert!(!over, "{channel:?} is {:?}", known.standing);
            }
            ChannelEvent::Closed { channel, reason } => {
                assert!(channels.channel(channel).is_none());
                let known = self.known(channel);
                let over = matches!(known.standing, Standing::Closed(_));
                assert!(!over, "{channel:?} ends twice");
                known.standing = Standing::Closed(reason);
            }
            ChannelEvent::Writable | ChannelEvent::Refused { .. } => {}
        }
    }

    /// Checks that everything due at another user has arrived: all that was sent on a channel that is open
    /// still, or that this end closed.
    pub(super) fn compare(&self, other: &Self) {
        for (id, known) in &self.channels {
            let Some((_, there)) = other
                .channels
                .iter()
                .find(|(there, other)| there.stream() == id.stream() && other.label == known.label)
            else {
                continue;
            };
            if known.standing == Standing::Open
                && there.standing == Standing::Open
                && !known.sent.is_empty()
            {
                let [mut sent, mut received] = [&known.sent, &there.received].map(Clone::clone);
                sent.sort_unstable();
                received.sort_unstable();
                assert_eq!(sent, received, "on {id:?}");
            }
        }
    }
}
