//! Channels by their labels, and what waits to be sent on them.

use std::collections::VecDeque;

use str0m::Rtc;
use str0m::channel::{ChannelConfig, ChannelData, ChannelId, Reliability};

use crate::Outcome;

/// A message to be sent.
#[derive(Clone)]
pub(crate) struct Message {
    is_binary: bool,
    data: Vec<u8>,
}

impl Message {
    /// The letters a to z, over and over.
    pub(crate) fn letters(is_binary: bool, size: usize) -> Self {
        let data = (b'a'..=b'z').cycle().take(size).collect();
        Self { is_binary, data }
    }
}

struct Channel {
    id: ChannelId,
    label: String,
    waiting: VecDeque<Message>,
}

/// All channels that are not closed.
#[derive(Default)]
pub(crate) struct Channels(Vec<Channel>);

impl Channels {
    pub(crate) fn add(&mut self, id: ChannelId, label: String) {
        let waiting = VecDeque::new();
        self.0.push(Channel { id, label, waiting });
    }

    pub(crate) fn id(&self, label: &str) -> Outcome<ChannelId> {
        let found = self.0.iter().find(|channel| channel.label == label);
        Ok(found.ok_or_else(|| format!("channel {label}"))?.id)
    }

    pub(crate) fn queue(&mut self, label: &str, message: Message, count: usize) -> Outcome {
        let id = self.id(label)?;
        let channel = self.by_id(id).ok_or("a channel without an id")?;
        channel.waiting.extend(std::iter::repeat_n(message, count));
        Ok(())
    }

    /// Sends what there is room for; whether there was anything.
    pub(crate) fn flush(&mut self, rtc: &mut Rtc) -> Outcome<bool> {
        let mut sent = false;
        for channel in &mut self.0 {
            while let Some(message) = channel.waiting.front() {
                let Some(mut end) = rtc.channel(channel.id) else {
                    break;
                };
                if !end.write(message.is_binary, &message.data)? {
                    break;
                }
                channel.waiting.pop_front();
                sent = true;
            }
        }
        Ok(sent)
    }

    pub(crate) fn opened(&mut self, rtc: &mut Rtc, id: ChannelId, label: String) {
        let config = rtc.channel(id).and_then(|it| it.config().cloned());
        println!("opened {label} {}", options(&config.unwrap_or_default()));
        if self.by_id(id).is_none() {
            self.add(id, label);
        }
    }

    /// Tells of a message, or sends it back on a channel whose label begins so.
    pub(crate) fn arrived(&mut self, message: ChannelData) -> Outcome {
        let channel = self.by_id(message.id).ok_or("a message on no channel")?;
        if channel.label.starts_with("echo") {
            channel.waiting.push_back(Message {
                is_binary: message.binary,
                data: message.data,
            });
            return Ok(());
        }
        let kind = if message.binary { "binary" } else { "text" };
        let sum = message
            .data
            .iter()
            .fold(0_u32, |sum, byte| sum.wrapping_add((*byte).into()));
        println!(
            "message {} {kind} {} {sum}",
            channel.label,
            message.data.len()
        );
        Ok(())
    }

    pub(crate) fn closed(&mut self, id: ChannelId) {
        if let Some(channel) = self.by_id(id) {
            println!("closed {}", channel.label);
        }
        self.0.retain(|channel| channel.id != id);
    }

    pub(crate) fn low(&mut self, id: ChannelId) {
        if let Some(channel) = self.by_id(id) {
            println!("low {}", channel.label);
        }
    }

    fn by_id(&mut self, id: ChannelId) -> Option<&mut Channel> {
        self.0.iter_mut().find(|channel| channel.id == id)
    }
}

/// Order, limits and protocol as they are told, `-` for no limit.
fn options(config: &ChannelConfig) -> String {
    let order = if config.ordered {
        "ordered"
    } else {
        "unordered"
    };
    let limits = match config.reliability {
        Reliability::Reliable => "- -".to_owned(),
        Reliability::MaxRetransmits { retransmits } => format!("{retransmits} -"),
        Reliability::MaxPacketLifetime { lifetime } => format!("- {lifetime}"),
    };
    format!("{order} {limits} {:?}", config.protocol)
}
