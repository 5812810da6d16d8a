use bytes::Bytes;

/// Source of messages, as an application sends them one after the other.
#[derive(Clone, Debug)]
pub struct UserData {
    len: usize,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// Writes every message before it is sent, filled with this byte.
    Fresh(u8),
    /// Uses one buffer, written once, for all messages.
    Shared(Bytes),
}

impl UserData {
    /// Messages of `len` bytes, each written before it is sent, as in real use. A stack that takes
    /// ownership gets a new buffer each time; one that copies gets the same buffer again.
    #[must_use]
    pub const fn fresh(len: usize) -> Self {
        Self {
            len,
            source: Source::Fresh(0),
        }
    }

    /// Messages of `len` bytes that share one buffer in the processor's cache, which isolates the
    /// cost of the stack. This favours a stack that does not copy.
    #[must_use]
    pub fn shared(len: usize) -> Self {
        Self {
            len,
            source: Source::Shared(Bytes::from(vec![0x5a; len])),
        }
    }

    /// Size of each message, bytes.
    pub const fn message_len(&self) -> usize {
        self.len
    }

    /// Returns the next message in a shareable buffer.
    pub fn next_bytes(&mut self) -> Bytes {
        match &mut self.source {
            Source::Fresh(byte) => Bytes::from(written(byte, self.len)),
            Source::Shared(bytes) => bytes.clone(),
        }
    }

    /// Returns the next message in its own buffer.
    pub fn next_vec(&mut self) -> Vec<u8> {
        match &mut self.source {
            Source::Fresh(byte) => written(byte, self.len),
            Source::Shared(bytes) => bytes.to_vec(),
        }
    }

    /// Writes the next message into the application's buffer, for a stack that copies.
    ///
    /// # Panics
    /// The buffer's length differs from the message's.
    pub fn write_next(&mut self, buffer: &mut [u8]) {
        assert_eq!(buffer.len(), self.len, "the length of a message");
        match &mut self.source {
            Source::Fresh(byte) => {
                *byte = byte.wrapping_add(1);
                buffer.fill(*byte);
            }
            Source::Shared(bytes) => buffer.copy_from_slice(bytes),
        }
    }
}

fn written(byte: &mut u8, len: usize) -> Vec<u8> {
    *byte = byte.wrapping_add(1);
    let mut buffer = Vec::with_capacity(len);
    buffer.resize(len, *byte);
    buffer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_messages_differ_and_have_buffers_of_their_own() {
        let mut data = UserData::fresh(3);
        let (first, second) = (data.next_bytes(), data.next_bytes());
        assert_eq!((&first[..], &second[..]), (&[1, 1, 1][..], &[2, 2, 2][..]));
        assert_ne!(first.as_ptr(), second.as_ptr());
        assert_eq!(data.next_vec(), [3, 3, 3]);
        let mut kept = [0; 3];
        data.write_next(&mut kept);
        assert_eq!(kept, [4, 4, 4]);
    }

    #[test]
    fn shared_messages_are_one_buffer() {
        let mut data = UserData::shared(3);
        let (first, second) = (data.next_bytes(), data.next_bytes());
        assert_eq!(first.as_ptr(), second.as_ptr());
        assert_eq!(data.next_vec(), first);
    }
}
