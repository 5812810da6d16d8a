//! Transfers of many files over FTP, HTTP, or the protocol of `sheave send`.

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

/// Prefix of every file name, followed by the file's number.
const NAME: &str = "file";
/// Bytes of a file passed to a transport at once, as in `sheave send`.
const CHUNK: u32 = 128 << 10;

/// Files of equal size, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Files {
    /// Number of files.
    pub count: u32,
    /// Size of each file, bytes.
    pub len: u64,
}

impl Files {
    /// The name of a file.
    fn name(number: u32) -> String {
        format!("{NAME}{number:06}")
    }

    /// The number of the file with that name, if any.
    fn find(&self, name: &str) -> Option<u32> {
        let number = name.strip_prefix(NAME)?.parse().ok()?;
        (number < self.count).then_some(number)
    }

    /// File content: at most that many bytes, and at most one chunk.
    fn content(left: u64) -> Bytes {
        const ZEROS: &[u8] = &[0; CHUNK as usize];
        let len = usize::try_from(left).unwrap_or(usize::MAX).min(ZEROS.len());
        Bytes::from_static(ZEROS).slice(..len)
    }
}

#[cfg(test)]
mod tests;
