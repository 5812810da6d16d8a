use core::time::Duration;

use sheave_engine::Time;

use super::Files;
use crate::Progress;

/// When a file was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileReceipt {
    /// Number of the file, from 0 on.
    pub number: u32,
    /// When the receiver knew that it had the last byte.
    pub whole: Time,
}

/// Files received, and the state of the transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReceipts {
    files: Files,
    receipts: Vec<FileReceipt>,
    failed: Failed,
}

/// Whether the transfer can still succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failed {
    No,
    Yes,
}

impl FileReceipts {
    pub(super) const fn new(files: Files) -> Self {
        Self {
            files,
            receipts: Vec::new(),
            failed: Failed::No,
        }
    }

    /// Receipts of complete files, in order of arrival.
    pub fn receipts(&self) -> &[FileReceipt] {
        &self.receipts
    }

    /// Whether all files have arrived.
    pub fn is_complete(&self) -> bool {
        self.receipts.len() as u64 >= u64::from(self.files.count)
    }

    /// Time from `start` to the first complete file.
    pub fn first(&self, start: Time) -> Option<Duration> {
        Some(self.receipts.first()?.whole.since(start))
    }

    /// Time from `start` to the last file; `None` if files are missing.
    pub fn all(&self, start: Time) -> Option<Duration> {
        let last = self.receipts.last().filter(|_| self.is_complete())?;
        Some(last.whole.since(start))
    }

    /// Progress of the receiver.
    pub fn progress(&self) -> Progress {
        if self.is_complete() || self.failed == Failed::Yes {
            Progress::Done
        } else {
            Progress::Working
        }
    }

    /// Records the end of a file after `bytes`; a wrong length makes the transfer fail.
    pub(super) fn on_file(&mut self, now: Time, number: u32, bytes: u64) {
        if bytes == self.files.len {
            let whole = now;
            self.receipts.push(FileReceipt { number, whole });
        } else {
            self.on_failure();
        }
    }

    /// Records that no more files will come.
    pub(super) const fn on_failure(&mut self) {
        self.failed = Failed::Yes;
    }
}
