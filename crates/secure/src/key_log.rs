use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::TrafficKeys;

/// A file to which the keys of associations are appended, with which a capture can be decrypted.
/// A line holds the keys of one direction, in hexadecimal digits except for the epoch:
///
/// ```text
/// SCTP_DTLS_KEYS SUITE EPOCH KEY IV SN_KEY
/// ```
#[derive(Clone, Debug)]
pub struct KeyLog(Arc<Mutex<File>>);

impl KeyLog {
    /// Begins each line.
    pub const LABEL: &'static str = "SCTP_DTLS_KEYS";

    /// Opens or creates the file; a new one is readable by its owner alone.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn append_to(path: impl AsRef<Path>) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self(Arc::new(Mutex::new(options.open(path)?))))
    }

    /// Appends the keys of both directions. A failure loses only them.
    pub(crate) fn write(&self, epoch: u64, keys: [&TrafficKeys; 2]) {
        let line = |keys: &&TrafficKeys| format!("{} {}\n", Self::LABEL, keys.to_text(epoch));
        let lines: String = keys.iter().map(line).collect();
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = file.write_all(lines.as_bytes());
    }
}
