use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use sheave_engine::Time;

use super::transfer_message::TransferMessage;
use super::{FileReceipts, Files};
use crate::{Admission, Progress, Standing, Transport, Workload};

/// Receives files as `sheave recv` does, over any number of streams.
#[derive(Debug)]
pub struct FileReceiver {
    /// Bytes received of incomplete files.
    open: BTreeMap<u32, u64>,
    replies: VecDeque<Bytes>,
    receipts: FileReceipts,
}

impl FileReceiver {
    /// A receiver that expects `files`.
    #[must_use]
    pub fn new(files: Files) -> Self {
        Self {
            open: BTreeMap::new(),
            replies: VecDeque::new(),
            receipts: FileReceipts::new(files),
        }
    }

    /// The files received.
    pub const fn receipts(&self) -> &FileReceipts {
        &self.receipts
    }

    fn on_message(&mut self, now: Time, message: TransferMessage) {
        let reply = match message {
            TransferMessage::Hello => TransferMessage::Welcome,
            TransferMessage::Entry(id) => TransferMessage::Want(id),
            TransferMessage::Begin(id) => {
                self.open.insert(id, 0);
                return;
            }
            TransferMessage::Data(id, bytes) => {
                if let Some(have) = self.open.get_mut(&id) {
                    *have += bytes;
                }
                return;
            }
            TransferMessage::End(id) => {
                let bytes = self.open.remove(&id).unwrap_or(0);
                self.receipts.on_file(now, id, bytes);
                TransferMessage::Settled(id)
            }
            TransferMessage::Finish => TransferMessage::Report,
            _ => return,
        };
        self.replies.push_back(reply.write());
    }
}

impl Workload for FileReceiver {
    fn run(&mut self, now: Time, transport: &mut dyn Transport) {
        while let Some(arrival) = transport.receive(now) {
            match TransferMessage::parse(&arrival.payload) {
                Some(message) => self.on_message(now, message),
                None => self.receipts.on_failure(),
            }
        }
        if transport.standing() == Standing::Closed {
            self.receipts.on_failure();
        }
        while let Some(reply) = self.replies.front() {
            if transport.send(now, 0, reply.clone()) == Admission::Full {
                return;
            }
            self.replies.pop_front();
        }
    }

    fn progress(&self) -> Progress {
        self.receipts.progress()
    }
}
