use bytes::{Buf, BytesMut};

/// Receives a line-based protocol.
#[derive(Debug, Default)]
pub(super) struct Lines {
    buffer: BytesMut,
    /// Leading bytes known to contain no line end.
    searched: usize,
}

impl Lines {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete line, without its line end. Invalid UTF-8 is replaced.
    pub(super) fn poll_line(&mut self) -> Option<String> {
        let rest = self.buffer.get(self.searched..).unwrap_or_default();
        let Some(at) = rest.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.buffer.len();
            return None;
        };
        let line = self.buffer.split_to(self.searched + at + 1);
        self.searched = 0;
        let text = String::from_utf8_lossy(&line);
        Some(text.trim_end().to_owned())
    }

    /// Drops at most `max` bytes; returns how many.
    pub(super) fn discard(&mut self, max: u64) -> u64 {
        let len = usize::try_from(max).unwrap_or(usize::MAX);
        let len = len.min(self.buffer.len());
        self.buffer.advance(len);
        self.searched = 0;
        len as u64
    }
}
