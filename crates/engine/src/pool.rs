use alloc::collections::VecDeque;

use bytes::BytesMut;

/// Most bytes of a block shared by several messages. A user that keeps one small message keeps this
/// much memory allocated.
pub(crate) const SHARED: usize = 4 << 10;

/// Most bytes that each shelf holds.
const MAX_SHELVED: usize = 2 << 20;

/// Blocks examined before a new one is allocated.
const TRIES: usize = 4;

/// Memory blocks in which received messages are assembled.
///
/// A full block is shelved while its messages are being read, and reused once the user has dropped
/// all of them; steady traffic then allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    shared: BlockShelf,
    large: BlockShelf,
}

/// Blocks in the order in which they were filled, with their lengths.
#[derive(Clone, Debug, Default)]
struct BlockShelf {
    blocks: VecDeque<(BytesMut, usize)>,
    bytes: usize,
}

impl Pool {
    /// Returns an empty block with room for `len` bytes.
    pub(crate) fn take(&mut self, len: usize) -> BytesMut {
        let shelved = self.shelf(len).take(len);
        shelved.unwrap_or_else(|| BytesMut::with_capacity(len))
    }

    /// Shelves a full block of `len` bytes.
    pub(crate) fn shelve(&mut self, block: BytesMut, len: usize) {
        self.shelf(len).put(block, len);
    }

    fn shelf(&mut self, len: usize) -> &mut BlockShelf {
        if len <= SHARED {
            &mut self.shared
        } else {
            &mut self.large
        }
    }
}

impl BlockShelf {
    fn take(&mut self, len: usize) -> Option<BytesMut> {
        for _ in 0..TRIES {
            let (mut block, size) = self.blocks.pop_front()?;
            if block.try_reclaim(len) {
                self.bytes -= size;
                return Some(block);
            }
            self.blocks.push_back((block, size));
        }
        None
    }

    /// Shelves a block; without room on the shelf, its messages free it.
    fn put(&mut self, block: BytesMut, size: usize) {
        if self.bytes + size <= MAX_SHELVED {
            self.bytes += size;
            self.blocks.push_back((block, size));
        }
    }
}

#[cfg(test)]
mod tests;
