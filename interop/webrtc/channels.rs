//! Channels by their labels, and what waits to be sent on them.

use std::collections::VecDeque;

use crate::program::Outcome;

/// A message to be sent.
#[derive(Clone)]
pub(crate) struct Message {
    pub(crate) is_text: bool,
    pub(crate) bytes: Vec<u8>,
}

impl Message {
    /// The letters a to z, over and over.
    pub(crate) fn letters(is_text: bool, size: usize) -> Self {
        let bytes = (b'a'..=b'z').cycle().take(size).collect();
        Self { is_text, bytes }
    }
}

/// A channel with the stack's id for it.
pub(crate) struct Channel<Id> {
    pub(crate) id: Id,
    label: String,
    is_open: bool,
    pub(crate) waiting: VecDeque<Message>,
}

/// The channels that are not closed.
pub(crate) struct Channels<Id>(Vec<Channel<Id>>);

impl<Id: Copy + PartialEq> Channels<Id> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn add(&mut self, id: Id, label: &str) {
        self.0.push(Channel {
            id,
            label: label.to_owned(),
            is_open: false,
            waiting: VecDeque::new(),
        });
    }

    pub(crate) fn id(&self, label: &str) -> Outcome<Id> {
        let found = self.0.iter().find(|channel| channel.label == label);
        Ok(found.ok_or_else(|| format!("channel {label}"))?.id)
    }

    pub(crate) fn queue(&mut self, label: &str, message: Message, count: usize) -> Outcome {
        let id = self.id(label)?;
        let channel = self.by_id(id).ok_or("a channel without an id")?;
        channel.waiting.extend(std::iter::repeat_n(message, count));
        Ok(())
    }

    pub(crate) fn open(&mut self) -> impl Iterator<Item = &mut Channel<Id>> {
        self.0.iter_mut().filter(|channel| channel.is_open)
    }

    /// Tells of an open channel, and its `properties`.
    pub(crate) fn opened(&mut self, id: Id, label: &str, properties: &str) {
        println!("opened {label} {properties}");
        if self.by_id(id).is_none() {
            self.add(id, label);
        }
        if let Some(channel) = self.by_id(id) {
            channel.is_open = true;
        }
    }

    /// Tells of a message, or sends it back on a channel whose label begins so.
    pub(crate) fn arrived(&mut self, id: Id, message: Message) -> Outcome {
        let channel = self.by_id(id).ok_or("a message on no channel")?;
        if channel.label.starts_with("echo") {
            channel.waiting.push_back(message);
            return Ok(());
        }
        let Message { is_text, bytes } = message;
        let kind = if is_text { "text" } else { "binary" };
        let add = |sum: u32, byte: &u8| sum.wrapping_add((*byte).into());
        let sum = bytes.iter().fold(0, add);
        println!("message {} {kind} {} {sum}", channel.label, bytes.len());
        Ok(())
    }

    pub(crate) fn closed(&mut self, id: Id) {
        if let Some(channel) = self.by_id(id) {
            println!("closed {}", channel.label);
        }
        self.0.retain(|channel| channel.id != id);
    }

    pub(crate) fn low(&mut self, id: Id) {
        if let Some(channel) = self.by_id(id) {
            println!("low {}", channel.label);
        }
    }

    fn by_id(&mut self, id: Id) -> Option<&mut Channel<Id>> {
        self.0.iter_mut().find(|channel| channel.id == id)
    }
}
