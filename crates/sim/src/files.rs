//! Transfers of many files, in three ways: FTP, HTTP, and the protocol of `sheave send`.

mod ftp_client;
mod ftp_server;
mod http_client;
mod http_server;
mod lines;
mod receipts;
mod receiver;
mod sender;
mod transfer_message;

use bytes::Bytes;

pub use ftp_client::{FtpClient, FtpStage};
pub use ftp_server::FtpServer;
pub use http_client::{HttpClient, Requests};
pub use http_server::HttpServer;
pub use receipts::{FileReceipt, FileReceipts};
pub use receiver::FileReceiver;
pub use sender::FileSender;
pub use transfer_message::TransferMessage;

/// The prefix of every file name; the file's number follows.
const NAME: &str = "file";
/// Bytes of a file that are handed to a transport at once, as `sheave send` does.
const CHUNK: u32 = 128 << 10;

/// Equal files: those numbered 0 to `count`, exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Files {
    /// Number of files.
    pub count: u32,
    /// Bytes of each.
    pub len: u64,
}

impl Files {
    /// The name of a file.
    fn name(number: u32) -> String {
        format!("{NAME}{number:06}")
    }

    /// The number of the file of that name, if there is one.
    fn find(&self, name: &str) -> Option<u32> {
        let number = name.strip_prefix(NAME)?.parse().ok()?;
        (number < self.count).then_some(number)
    }

    /// Whatever a file consists of: at most that many bytes of it, and no more than a chunk.
    fn content(left: u64) -> Bytes {
        const ZEROS: &[u8] = &[0; CHUNK as usize];
        let len = usize::try_from(left).unwrap_or(usize::MAX).min(ZEROS.len());
        Bytes::from_static(ZEROS).slice(..len)
    }
}

#[cfg(test)]
mod tests;
