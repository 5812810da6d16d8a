//! File transfer over a data channel: a description, the bytes and a receipt.
//!
//! The channel's protocol is `sheave-file`. The sender first sends the text
//! `{"name":"...","size":N}`, then the file's bytes in order as binary messages. The receiver sends
//! one text: `{"received":N}` or `{"error":"..."}`.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use sheave_datachannel::{ChannelConfig, Kind, Message};

use super::session::json_of;
use crate::transfer::name::{Name, NameRule};
use crate::units::{byte_rate, bytes};

/// Bytes of a file per message, which every browser accepts.
const PIECE: usize = 16 << 10;

/// Most alternative names tried if the name exists.
const MOST_NAMES: usize = 1000;

/// An outgoing file.
pub struct Departure {
    file: File,
    name: String,
    size: u64,
    stage: Stage,
    /// A message that did not fit into the send buffer.
    waiting: Option<Message>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting,
    Described,
    Sent,
    Done,
}

impl Departure {
    /// The protocol of file channels.
    pub const PROTOCOL: &str = "sheave-file";

    /// Opens the file.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::Error::other(
                "not a file; `sheave send` sends directories",
            ));
        }
        let name = path.file_name().unwrap_or(path.as_os_str());
        Ok(Self {
            file,
            name: name.to_string_lossy().into_owned(),
            size: found.len(),
            stage: Stage::Waiting,
            waiting: None,
        })
    }

    /// The configuration of the file's channel.
    pub fn channel(&self) -> ChannelConfig {
        ChannelConfig::new("file").with_protocol(Self::PROTOCOL)
    }

    /// The file's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Starts sending once the channel is open.
    pub fn start(&mut self) {
        let text = json!({ "name": self.name, "size": self.size }).to_string();
        self.waiting = Some(Message::text(text));
        self.stage = Stage::Described;
    }

    /// Sends while there is room.
    pub fn pump(&mut self, send: &mut dyn FnMut(Message) -> bool) -> io::Result<()> {
        while self.stage == Stage::Described {
            let message = match self.waiting.take() {
                Some(message) => message,
                None => {
                    let mut piece = Vec::with_capacity(PIECE);
                    (&mut self.file)
                        .take(PIECE as u64)
                        .read_to_end(&mut piece)?;
                    if piece.is_empty() {
                        self.stage = Stage::Sent;
                        return Ok(());
                    }
                    Message::binary(piece)
                }
            };
            if !send(message.clone()) {
                self.waiting = Some(message);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Handles the receipt; returns the fields of the event.
    /// Errors: the receiver refused the file, or received another number of bytes.
    pub fn on_receipt(&mut self, message: &Message) -> Result<Value, String> {
        let receipt = json_of(message).unwrap_or_default();
        if let Some(error) = receipt["error"].as_str() {
            return Err(format!("{}: the peer refuses it: {error}", self.name));
        }
        if receipt["received"].as_u64() != Some(self.size) {
            return Err(format!(
                "{}: the peer has another number of bytes",
                self.name
            ));
        }
        self.stage = Stage::Done;
        Ok(json!({ "file": self.name, "bytes": self.size }))
    }

    /// Whether the receiver has confirmed the file.
    pub fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }
}

/// An incoming file.
pub struct Arrival {
    directory: Option<PathBuf>,
    under_way: Option<UnderWay>,
}

struct UnderWay {
    file: File,
    path: PathBuf,
    size: u64,
    received: u64,
    began: Instant,
}

/// A receipt for the sender, the fields of an event, and its text.
type Receipt = (String, Value, String);

impl Arrival {
    /// Creates a receiver for a file in `directory`; `None` refuses it.
    pub fn new(directory: Option<&Path>) -> Self {
        Self {
            directory: directory.map(Path::to_owned),
            under_way: None,
        }
    }

    /// Handles a message; returns the receipt after the last one.
    /// Errors: the file is refused, or cannot be written.
    pub fn on_message(
        &mut self,
        now: Instant,
        message: &Message,
    ) -> Result<Option<Receipt>, String> {
        match &mut self.under_way {
            None => self.under_way = Some(self.begin(now, message)?),
            Some(under_way) => under_way.write(message)?,
        }
        let under_way = self.under_way.as_ref().filter(|it| it.received == it.size);
        let receipt = under_way.map(|under_way| under_way.receipt(now));
        if receipt.is_some() {
            self.under_way = None;
            // A further file needs a new channel.
            self.directory = None;
        }
        Ok(receipt)
    }

    /// Whether the file is incomplete.
    pub fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    fn begin(&self, now: Instant, message: &Message) -> Result<UnderWay, String> {
        let description = json_of(message).ok_or("a file begins with a text that describes it")?;
        let name = description["name"].as_str().ok_or("the file has no name")?;
        let size = description["size"].as_u64().ok_or("the file has no size")?;
        let directory = self.directory.as_ref();
        let directory = directory.ok_or("no files are taken here (--receive DIRECTORY)")?;
        if name.contains('/') || Name::parse(name.as_bytes(), NameRule::Portable).is_err() {
            return Err(format!("the name {name:?} is not taken"));
        }
        let (file, path) = create(directory, name).map_err(|error| error.to_string())?;
        Ok(UnderWay {
            file,
            path,
            size,
            received: 0,
            began: now,
        })
    }
}

impl UnderWay {
    fn write(&mut self, message: &Message) -> Result<(), String> {
        if message.kind == Kind::Text {
            return Err("text among the bytes of a file".to_owned());
        }
        self.received += message.payload.len() as u64;
        if self.received > self.size {
            return Err("more bytes than the file was said to have".to_owned());
        }
        let written = self.file.write_all(&message.payload);
        written.map_err(|error| format!("{}: {error}", self.path.display()))
    }

    fn receipt(&self, now: Instant) -> Receipt {
        let took = now.saturating_duration_since(self.began);
        let fields = json!({
            "file": self.path, "bytes": self.size, "seconds": took.as_secs_f64(),
        });
        let text = format!(
            "received {} ({}, {})",
            self.path.display(),
            bytes(self.size),
            byte_rate(self.size, took)
        );
        (
            json!({ "received": self.received }).to_string(),
            fields,
            text,
        )
    }
}

/// Creates a file with this name, or with a number added if it exists.
fn create(directory: &Path, name: &str) -> io::Result<(File, PathBuf)> {
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (stem, format!(".{ending}")),
        _ => (name, String::new()),
    };
    for number in 0..MOST_NAMES {
        let path = match number {
            0 => directory.join(name),
            _ => directory.join(format!("{stem} ({number}){ending}")),
        };
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        "too many files of that name",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(name: &str, size: u64) -> Message {
        Message::text(json!({ "name": name, "size": size }).to_string())
    }

    #[test]
    fn a_name_that_leaves_the_directory_is_refused() {
        let place = tempfile::tempdir().unwrap();
        for name in ["../x", "/etc/x", "a/b", "..", "", "x\0", "CON", "a\\b"] {
            let mut arrival = Arrival::new(Some(place.path()));
            let refused = arrival.on_message(Instant::now(), &describe(name, 1));
            assert!(refused.is_err(), "{name:?}");
        }
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let place = tempfile::tempdir().unwrap();
        for expected in ["a.txt", "a (1).txt"] {
            let mut arrival = Arrival::new(Some(place.path()));
            let now = Instant::now();
            assert!(
                arrival
                    .on_message(now, &describe("a.txt", 3))
                    .unwrap()
                    .is_none()
            );
            let (receipt, ..) = arrival
                .on_message(now, &Message::binary("abc"))
                .unwrap()
                .unwrap();
            assert_eq!(receipt, r#"{"received":3}"#);
            assert_eq!(std::fs::read(place.path().join(expected)).unwrap(), b"abc");
        }
    }

    #[test]
    fn more_bytes_than_were_announced_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let mut arrival = Arrival::new(Some(place.path()));
        arrival
            .on_message(Instant::now(), &describe("a", 2))
            .unwrap();
        assert!(
            arrival
                .on_message(Instant::now(), &Message::binary("abc"))
                .is_err()
        );
    }

    #[test]
    fn no_file_is_taken_without_a_directory() {
        let refused = Arrival::new(None).on_message(Instant::now(), &describe("a", 2));
        assert!(refused.unwrap_err().contains("--receive"));
    }
}
