//! Socket buffer sizes (`SO_SNDBUF`, `SO_RCVBUF`).

/// Buffer sizes for one direction, bytes: Linux's `net.core.wmem_default` and `wmem_max`, or
/// `rmem_default` and `rmem_max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketMemory {
    /// The initial size.
    pub usual: u32,
    /// The largest size that a program may ask for.
    pub most: u32,
}

impl SocketMemory {
    /// The sizes of an untuned Linux.
    pub const LINUX: Self = Self {
        usual: 212_992,
        most: 212_992,
    };
    /// Largest size whose double fits a C `int`.
    const UNBOUNDED: u32 = 0x3fff_ffff;

    /// The size granted to a program: twice the request, for overhead.
    pub(crate) fn granted(self, asked: u32, least: u32) -> u32 {
        Self::doubled(asked.min(self.most), least)
    }

    /// Like [`granted`](Self::granted), without the limit (`SO_SNDBUFFORCE`).
    pub(crate) fn doubled(asked: u32, least: u32) -> u32 {
        asked.min(Self::UNBOUNDED).saturating_mul(2).max(least)
    }
}
