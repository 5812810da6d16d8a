//! The protocol of `sheave send` (`docs/transfer-protocol.md`): control on stream 0, files on the
//! others.

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use sheave::{Association, Profile};
use sheave_sim::TransferMessage;

use super::part::Equal;
use super::receipts::Receipts;
use crate::live::{FAR, NEAR, Parent, STAMP, call, clock, say, serve, stamp, stamped};
use crate::studies::transfer::STREAMS;

/// Time limit for a peer to connect or to reply.
const PATIENCE: Duration = Duration::from_secs(300);
/// Largest part of a file in a message, bytes.
const CHUNK: u64 = 128 << 10;

/// Receives files; or sends them, if `to` is an address.
pub(super) fn take_part(
    profile: Profile,
    to: Option<SocketAddr>,
    files: Equal,
    parent: &Parent,
) -> Result<(), String> {
    match to {
        None => receive(profile, files, parent),
        Some(to) => send(profile, to, files),
    }
}

fn receive(profile: Profile, files: Equal, parent: &Parent) -> Result<(), String> {
    let (_endpoint, association) = serve(parent, FAR, profile.options(), PATIENCE)?;
    let mut receipts = Receipts::since(clock());
    let mut open: BTreeMap<u32, u64> = BTreeMap::new();
    loop {
        let payload = hear(&association)?;
        let reply = match TransferMessage::parse(&payload).ok_or("no message of the protocol")? {
            TransferMessage::Hello => {
                let began = payload.get(AT..).and_then(stamped);
                receipts = Receipts::since(began.ok_or("a short Hello")?);
                TransferMessage::Welcome
            }
            TransferMessage::Entry(id) => TransferMessage::Want(id),
            TransferMessage::Begin(id) => {
                open.insert(id, 0);
                continue;
            }
            TransferMessage::Data(id, bytes) => {
                *open.entry(id).or_default() += bytes;
                continue;
            }
            TransferMessage::End(id) => {
                if open.remove(&id) == Some(files.len) {
                    receipts.on_file();
                }
                TransferMessage::Settled(id)
            }
            TransferMessage::Finish => {
                say(&association, 0, TransferMessage::Report.write())?;
                receipts.tell(parent, 1)?;
                // Keeps the process alive while the report is sent.
                thread::sleep(PATIENCE);
                return Ok(());
            }
            other => return Err(format!("{other:?} is not for a receiver")),
        };
        say(&association, 0, reply.write())?;
    }
}

fn send(profile: Profile, to: SocketAddr, files: Equal) -> Result<(), String> {
    let began = clock();
    let (_endpoint, association) = call(NEAR, to, profile.options(), PATIENCE)?;
    let association = Arc::new(association);
    let mut hello = TransferMessage::Hello.write().to_vec();
    // Puts the time into a field that has no meaning here.
    hello[AT..AT + STAMP].copy_from_slice(&stamp(began));
    say(&association, 0, hello)?;
    let answers = answers(Arc::clone(&association));
    if next(&answers)? != TransferMessage::Welcome {
        return Err("the receiver did not answer".to_owned());
    }
    for id in 0..files.count {
        say(&association, 0, TransferMessage::Entry(id).write())?;
    }
    let mut lanes = Lanes::new(files);
    while lanes.settled < files.count {
        while let Ok(answer) = answers.try_recv() {
            lanes.take(answer?);
        }
        match lanes.poll() {
            Some((stream, message)) => say(&association, stream, message.write())?,
            None if lanes.settled < files.count => lanes.take(next(&answers)?),
            None => {}
        }
    }
    say(&association, 0, TransferMessage::Finish.write())?;
    thread::sleep(PATIENCE);
    Ok(())
}

/// Offset of the time in Hello.
const AT: usize = 1;

/// Files being sent: one at a time per stream, with the streams taking turns by message.
struct Lanes {
    files: Equal,
    wanted: VecDeque<u32>,
    /// Current file of each stream and its remaining bytes; `None` before the file's first message.
    jobs: Vec<Option<(u32, Option<u64>)>>,
    next: usize,
    settled: u32,
}

impl Lanes {
    fn new(files: Equal) -> Self {
        Self {
            files,
            wanted: VecDeque::new(),
            jobs: vec![None; STREAMS.into()],
            next: 0,
            settled: 0,
        }
    }

    fn take(&mut self, answer: TransferMessage) {
        match answer {
            TransferMessage::Want(id) => self.wanted.push_back(id),
            TransferMessage::Settled(_) => self.settled += 1,
            _ => {}
        }
    }

    /// The next message and its stream.
    fn poll(&mut self) -> Option<(u16, TransferMessage)> {
        let count = self.jobs.len();
        for turn in 0..count {
            let at = (self.next + turn) % count;
            let job = self.jobs[at].take();
            let Some((id, left)) = job.or_else(|| Some((self.wanted.pop_front()?, None))) else {
                continue;
            };
            let message = match left {
                None => {
                    self.jobs[at] = Some((id, Some(self.files.len)));
                    TransferMessage::Begin(id)
                }
                Some(0) => TransferMessage::End(id),
                Some(left) => {
                    let bytes = left.min(CHUNK);
                    self.jobs[at] = Some((id, Some(left - bytes)));
                    TransferMessage::Data(id, bytes)
                }
            };
            self.next = at + 1;
            return Some((u16::try_from(at + 1).unwrap_or(1), message));
        }
        None
    }
}

/// Reads the receiver's answers in a thread.
fn answers(association: Arc<Association>) -> Receiver<Result<TransferMessage, String>> {
    let (sender, answers) = mpsc::channel();
    thread::spawn(move || {
        loop {
            let answer = hear(&association).and_then(|payload| {
                let parsed = TransferMessage::parse(&payload);
                parsed.ok_or_else(|| "no message of the protocol".to_owned())
            });
            let is_over = answer.is_err();
            if sender.send(answer).is_err() || is_over {
                return;
            }
        }
    });
    answers
}

fn next(answers: &Receiver<Result<TransferMessage, String>>) -> Result<TransferMessage, String> {
    let answer = answers.recv_timeout(PATIENCE);
    answer.map_err(|_| "the receiver says nothing".to_owned())?
}

fn hear(association: &Association) -> Result<Vec<u8>, String> {
    let received = association.receive_timeout(PATIENCE);
    let received = received.map_err(|error| error.to_string())?;
    let received = received.ok_or("the peer ended early")?;
    Ok(received.message.payload.to_vec())
}

#[cfg(test)]
mod tests;
