//! Channels by their labels, and what waits to be sent on them.

use std::collections::VecDeque;
use std::time::Instant;

use bytes::BytesMut;
use rtc::data_channel::{RTCDataChannel, RTCDataChannelId, RTCDataChannelMessage};
use rtc::peer_connection::RTCPeerConnection;

use crate::Outcome;

/// Bytes of a channel that wait for acknowledgement at most, before the last message.
const BUFFER: usize = 4 << 20;

/// A message to be sent.
#[derive(Clone)]
pub(crate) struct Message {
    is_text: bool,
    bytes: BytesMut,
}

impl Message {
    /// The letters a to z, over and over.
    pub(crate) fn letters(is_text: bool, size: usize) -> Self {
        let bytes = (b'a'..=b'z').cycle().take(size).collect();
        Self { is_text, bytes }
    }
}

struct Channel {
    id: RTCDataChannelId,
    label: String,
    is_open: bool,
    waiting: VecDeque<Message>,
}

/// All channels that are not closed.
#[derive(Default)]
pub(crate) struct Channels(Vec<Channel>);

impl Channels {
    pub(crate) fn add(&mut self, id: RTCDataChannelId, label: &str) {
        self.0.push(Channel {
            id,
            label: label.to_owned(),
            is_open: false,
            waiting: VecDeque::new(),
        });
    }

    pub(crate) fn id(&self, label: &str) -> Outcome<RTCDataChannelId> {
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
    pub(crate) fn flush(&mut self, stack: &mut RTCPeerConnection) -> Outcome<bool> {
        let (mut sent, now) = (false, Instant::now());
        for channel in self.0.iter_mut().filter(|channel| channel.is_open) {
            let Some(mut end) = stack.data_channel(channel.id) else {
                continue;
            };
            while end.outstanding_bytes() < BUFFER
                && let Some(message) = channel.waiting.pop_front()
            {
                match message.is_text {
                    true => end.send_text(now, String::from_utf8(message.bytes.to_vec())?)?,
                    false => end.send(now, message.bytes)?,
                }
                sent = true;
            }
        }
        Ok(sent)
    }

    pub(crate) fn opened(&mut self, end: &RTCDataChannel<'_>) {
        println!("opened {} {}", end.label(), options(end));
        if self.by_id(end.id()).is_none() {
            self.add(end.id(), end.label());
        }
        if let Some(channel) = self.by_id(end.id()) {
            channel.is_open = true;
        }
    }

    /// Tells of a message, or sends it back on a channel whose label begins so.
    pub(crate) fn arrived(
        &mut self,
        id: RTCDataChannelId,
        message: RTCDataChannelMessage,
    ) -> Outcome {
        let channel = self.by_id(id).ok_or("a message on no channel")?;
        let RTCDataChannelMessage { is_string, data } = message;
        if channel.label.starts_with("echo") {
            channel.waiting.push_back(Message {
                is_text: is_string,
                bytes: data,
            });
            return Ok(());
        }
        let kind = if is_string { "text" } else { "binary" };
        let add = |sum: u32, byte: &u8| sum.wrapping_add((*byte).into());
        let sum = data.iter().fold(0, add);
        println!("message {} {kind} {} {sum}", channel.label, data.len());
        Ok(())
    }

    pub(crate) fn closed(&mut self, id: RTCDataChannelId) {
        if let Some(channel) = self.by_id(id) {
            println!("closed {}", channel.label);
        }
        self.0.retain(|channel| channel.id != id);
    }

    pub(crate) fn low(&mut self, id: RTCDataChannelId) {
        if let Some(channel) = self.by_id(id) {
            println!("low {}", channel.label);
        }
    }

    fn by_id(&mut self, id: RTCDataChannelId) -> Option<&mut Channel> {
        self.0.iter_mut().find(|channel| channel.id == id)
    }
}

/// Order, limits and protocol as they are told, `-` for no limit.
fn options(end: &RTCDataChannel<'_>) -> String {
    let order = match end.ordered() {
        true => "ordered",
        false => "unordered",
    };
    let limit = |limit: Option<u16>| limit.map_or("-".to_owned(), |limit| limit.to_string());
    let (retransmits, lifetime) = (
        limit(end.max_retransmits()),
        limit(end.max_packet_life_time()),
    );
    format!("{order} {retransmits} {lifetime} {:?}", end.protocol())
}
