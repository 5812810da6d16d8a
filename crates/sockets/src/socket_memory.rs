//! Sizes of buffers that programs ask for (`SO_SNDBUF`, `SO_RCVBUF`).

/// The sizes that a system gives sockets for one direction, bytes: Linux's `net.core.wmem_default` and
/// `wmem_max`, or `rmem_default` and `rmem_max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketMemory {
    /// The size that a socket begins with.
    pub usual: u32,
    /// The largest that a program may ask for.
    pub most: u32,
}

impl SocketMemory {
    /// The sizes of a Linux that nobody has tuned.
    pub const LINUX: Self = Self {
        usual: 212_992,
        most: 212_992,
    };
    /// Twice this still fits the sign of a C `int`.
    const UNBOUNDED: u32 = 0x3fff_ffff;

    /// The size that a socket has after a program has asked for one: twice as much, for the overhead.
    pub(crate) fn granted(self, asked: u32, least: u32) -> u32 {
        Self::doubled(asked.min(self.most), least)
    }

    /// The same for a program that no bound holds for (`SO_SNDBUFFORCE`).
    pub(crate) fn doubled(asked: u32, least: u32) -> u32 {
        asked.min(Self::UNBOUNDED).saturating_mul(2).max(least)
    }
}
