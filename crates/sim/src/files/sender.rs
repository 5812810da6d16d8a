use std::collections::VecDeque;

use bytes::Bytes;
use sheave_engine::Time;

use super::transfer_message::TransferMessage;
use super::{CHUNK, Files};
use crate::{Admission, Standing, Transport, Workload};

/// Most entries announced but not settled, as `sheave recv` allows.
const WINDOW: u32 = 1024;

/// Sends files as `sheave send` does: control messages on stream 0, files on the other streams, one
/// at a time per stream, with streams taking turns per chunk. The transport must preserve message
/// boundaries.
#[derive(Debug)]
pub struct FileSender {
    files: Files,
    stage: SenderStage,
    announced: u32,
    settled: u32,
    wanted: VecDeque<u32>,
    lanes: Vec<Lane>,
    next_lane: usize,
    control: VecDeque<TransferMessage>,
    /// A message refused by the transport for lack of room.
    refused: Option<(u16, Bytes)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SenderStage {
    Opening,
    AwaitingWelcome,
    Running,
    AwaitingReport,
    Closed,
}

/// A file stream, and the file on it.
#[derive(Debug)]
struct Lane {
    stream: u16,
    job: Option<Job>,
}

#[derive(Clone, Copy, Debug)]
struct Job {
    id: u32,
    next: Next,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Begin,
    /// The part of the file that is left, from that many bytes before its end.
    Data(u64),
}

impl FileSender {
    /// A sender of `files` over streams 1 to `streams`.
    #[must_use]
    pub fn new(files: Files, streams: u16) -> Self {
        let lane = |stream| Lane { stream, job: None };
        Self {
            files,
            stage: SenderStage::Opening,
            announced: 0,
            settled: 0,
            wanted: VecDeque::new(),
            lanes: (1..=streams.max(1)).map(lane).collect(),
            next_lane: 0,
            control: VecDeque::new(),
            refused: None,
        }
    }

    /// Whether the receiver has reported all files.
    pub fn is_over(&self) -> bool {
        self.stage == SenderStage::Closed
    }

    fn on_message(&mut self, message: TransferMessage) {
        match message {
            TransferMessage::Welcome => self.stage = SenderStage::Running,
            TransferMessage::Want(id) => self.wanted.push_back(id),
            TransferMessage::Settled(_) => self.settled += 1,
            TransferMessage::Report => self.stage = SenderStage::Closed,
            _ => {}
        }
        if self.stage == SenderStage::Running {
            self.announce();
        }
    }

    fn announce(&mut self) {
        while self.announced < self.files.count && self.announced - self.settled < WINDOW {
            let entry = TransferMessage::Entry(self.announced);
            self.control.push_back(entry);
            self.announced += 1;
        }
        if self.settled == self.files.count {
            self.control.push_back(TransferMessage::Finish);
            self.stage = SenderStage::AwaitingReport;
        }
    }

    /// The next message; control messages go first.
    fn poll(&mut self) -> Option<(u16, TransferMessage)> {
        if let Some(message) = self.control.pop_front() {
            return Some((0, message));
        }
        let count = self.lanes.len();
        for turn in 0..count {
            let at = (self.next_lane + turn) % count;
            let lane = &mut self.lanes[at];
            if lane.job.is_none() {
                let next = Next::Begin;
                lane.job = self.wanted.pop_front().map(|id| Job { id, next });
            }
            if let Some(message) = lane.poll(self.files.len) {
                self.next_lane = at + 1;
                return Some((lane.stream, message));
            }
        }
        None
    }
}

impl Lane {
    fn poll(&mut self, len: u64) -> Option<TransferMessage> {
        let job = self.job.as_mut()?;
        let id = job.id;
        Some(match job.next {
            Next::Begin => {
                job.next = Next::Data(len);
                TransferMessage::Begin(id)
            }
            Next::Data(0) => {
                self.job = None;
                TransferMessage::End(id)
            }
            Next::Data(left) => {
                let bytes = left.min(u64::from(CHUNK));
                job.next = Next::Data(left - bytes);
                TransferMessage::Data(id, bytes)
            }
        })
    }
}

impl Workload for FileSender {
    fn run(&mut self, now: Time, transport: &mut dyn Transport) {
        while let Some(arrival) = transport.receive(now) {
            if let Some(message) = TransferMessage::parse(&arrival.payload) {
                self.on_message(message);
            }
        }
        if transport.standing() != Standing::Open {
            return;
        }
        if self.stage == SenderStage::Opening {
            self.stage = SenderStage::AwaitingWelcome;
            self.control.push_back(TransferMessage::Hello);
        }
        while let Some((stream, payload)) = self.refused.take().or_else(|| {
            let (stream, message) = self.poll()?;
            Some((stream, message.write()))
        }) {
            if transport.send(now, stream, payload.clone()) == Admission::Full {
                self.refused = Some((stream, payload));
                return;
            }
        }
        if self.stage == SenderStage::Closed {
            transport.close(now);
        }
    }
}
