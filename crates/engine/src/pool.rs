use alloc::collections::VecDeque;

use bytes::BytesMut;

/// Bytes of a block that several messages share, at most: whoever keeps one small message keeps
/// this much memory.
pub(crate) const SHARED: usize = 4 << 10;

/// Bytes that either shelf holds at most.
const MAX_SHELVED: usize = 2 << 20;

/// Blocks that are looked at before a new one is made.
const TRIES: usize = 4;

/// Blocks of memory in which received messages are put together.
///
/// A block that is full is shelved while its messages are still being read, and is used again
/// when the user has let go of all of them: a steady flow then allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    shared: BlockShelf,
    large: BlockShelf,
}

/// Blocks in the order in which they were filled, each with its length.
#[derive(Clone, Debug, Default)]
struct BlockShelf {
    blocks: VecDeque<(BytesMut, usize)>,
    bytes: usize,
}

impl Pool {
    /// An empty block with room for `len` bytes.
    pub(crate) fn take(&mut self, len: usize) -> BytesMut {
        let shelved = self.shelf(len).take(len);
        shelved.unwrap_or_else(|| BytesMut::with_capacity(len))
    }

    /// Shelves a block of `len` bytes that is full.
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

    /// A block for which there is no room is left to its messages.
    fn put(&mut self, block: BytesMut, size: usize) {
        if self.bytes + size <= MAX_SHELVED {
            self.bytes += size;
            self.blocks.push_back((block, size));
        }
    }
}

#[cfg(test)]
mod tests;
