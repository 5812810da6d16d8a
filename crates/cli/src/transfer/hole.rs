//! Holes: runs of zeros that use no disk space.

use std::fs::File;

/// A data run or a hole, with its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Data up to this offset.
    Data(u64),
    /// A hole up to this offset.
    Hole(u64),
}

/// The extent at `offset` of a file of `size` bytes. Without support of the file system or the
/// operating system, everything is data.
#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
pub fn extent_at(file: &File, offset: u64, size: u64) -> Extent {
    use rustix::fs::{SeekFrom, seek};
    use rustix::io::Errno;

    match seek(file, SeekFrom::Data(offset)) {
        Ok(data) if data > offset => Extent::Hole(data.min(size)),
        Ok(_) => match seek(file, SeekFrom::Hole(offset)) {
            Ok(hole) if hole > offset => Extent::Data(hole.min(size)),
            _ => Extent::Data(size),
        },
        // No data follows.
        Err(Errno::NXIO) => Extent::Hole(size),
        Err(_) => Extent::Data(size),
    }
}

/// The rest of the file, as data: this system does not report holes.
#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "freebsd")))]
pub fn extent_at(_file: &File, _offset: u64, size: u64) -> Extent {
    Extent::Data(size)
}

pub fn hash_zeros(hasher: &mut blake3::Hasher, len: u64) {
    const ZEROS: [u8; 16 << 10] = [0; 16 << 10];
    let mut left = len;
    while left > 0 {
        let step = left.min(ZEROS.len() as u64);
        hasher.update(&ZEROS[..usize::try_from(step).unwrap_or(ZEROS.len())]);
        left -= step;
    }
}
