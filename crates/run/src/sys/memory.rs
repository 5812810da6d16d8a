//! Reads and writes the memory of a process with a trapped call.
//!
//! Container filters may refuse `process_vm_readv` and `process_vm_writev`, as Docker's did before
//! version 23. The kernel grants the same access through `/proc/PID/mem`, which is the fallback.

use std::io::{self, IoSlice, IoSliceMut};
use std::sync::Arc;

use super::shared::Shared;
use crate::door::preload::lent::{self, Lent};

mod file;

/// The memory is not mapped or lacks the access right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault;

/// A range of another process's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    /// The start address.
    pub(crate) at: u64,
    /// Length, bytes.
    pub(crate) length: usize,
}

/// Most spans per system call (`IOV_MAX`).
pub(crate) const MAX_SPANS: usize = 1024;

fn remote(spans: &[Span]) -> Vec<libc::iovec> {
    let iovec = |span: &Span| libc::iovec {
        iov_base: std::ptr::without_provenance_mut(usize::try_from(span.at).unwrap_or(usize::MAX)),
        iov_len: span.length,
    };
    spans.iter().map(iovec).collect()
}

fn pid(process: u32) -> libc::pid_t {
    libc::pid_t::try_from(process).unwrap_or(0)
}

/// The outcome of `process_vm_readv` or `process_vm_writev`.
enum Moved {
    All,
    NotAll,
    /// A filter or the kernel refuses the call or the access.
    Refused,
}

fn moved(moved: isize, wanted: usize) -> Moved {
    match usize::try_from(moved) {
        Ok(moved) if moved == wanted => Moved::All,
        Ok(_) => Moved::NotAll,
        Err(_) => match io::Error::last_os_error().raw_os_error() {
            Some(libc::EPERM | libc::ENOSYS) => Moved::Refused,
            _ => Moved::NotAll,
        },
    }
}

/// The method of accessing another process's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryAccess {
    /// `process_vm_readv` and `process_vm_writev`.
    Calls,
    /// The file `/proc/PID/mem`.
    File,
}

/// Finds a method that works for this process.
///
/// # Errors
/// The kernel's error if no method works.
pub(crate) fn access(process: u32) -> io::Result<MemoryAccess> {
    let refused = match calls_access(process) {
        Ok(()) => return Ok(MemoryAccess::Calls),
        Err(error) => error,
    };
    file::access(process)
        .map(|()| MemoryAccess::File)
        .map_err(|_| refused)
}

fn calls_access(process: u32) -> io::Result<()> {
    let mut byte = [0];
    let local = [IoSliceMut::new(&mut byte)];
    // Nothing is mapped at 0, but the kernel checks the access right first.
    let remote = remote(&[Span { at: 0, length: 1 }]);
    let (local, remote) = (local.as_ptr().cast(), remote.as_ptr());
    // SAFETY: an IoSliceMut has the layout of an iovec and names a live, writable byte; the remote
    // address is checked by the kernel.
    let moved = unsafe { libc::process_vm_readv(pid(process), local, 1, remote, 1, 0) };
    if moved >= 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::EFAULT) => Ok(()),
        _ => Err(error),
    }
}

/// The memory of a process with a trapped call.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    process: u32,
    loan: Option<Loan>,
}

/// Memory lent by a call, valid while it is the last call in the region.
#[derive(Clone, Debug)]
pub(crate) struct Loan {
    region: Arc<Shared>,
    /// The library's id of the call.
    asked: u64,
}

impl Loan {
    pub(crate) fn new(region: Arc<Shared>, asked: u64) -> Self {
        Self { region, asked }
    }

    fn lent(&self) -> Option<&Lent> {
        (self.region.asked() == self.asked).then(|| self.region.lent())
    }
}

impl Memory {
    /// The memory of a process, part of which the call may lend.
    pub(crate) fn new(process: u32, loan: Option<Loan>) -> Self {
        Self { process, loan }
    }

    fn lent(&self) -> Option<&Lent> {
        self.loan.as_ref()?.lent()
    }

    /// Fills `into` from address `at`.
    pub(crate) fn read(&self, at: u64, into: &mut [u8]) -> Result<(), Fault> {
        match self.lent().and_then(|lent| lent.read(at, into)) {
            Some(()) => Ok(()),
            None => read(self.process, at, into),
        }
    }

    /// Fills `into` from address `at` up to the first unmapped page; returns the number of bytes
    /// read.
    pub(crate) fn read_some(&self, at: u64, into: &mut [u8]) -> usize {
        match self.lent().and_then(|lent| lent.read(at, into)) {
            Some(()) => into.len(),
            None => read_some(self.process, at, into),
        }
    }

    /// Reads all spans into one buffer.
    pub(crate) fn gather(&self, spans: &[Span]) -> Result<Vec<u8>, Fault> {
        match self.lent().and_then(|lent| gather_lent(lent, spans)) {
            Some(bytes) => Ok(bytes),
            None => gather(self.process, spans),
        }
    }

    /// Writes each part to its address.
    pub(crate) fn scatter(&self, parts: &[(u64, &[u8])]) -> Result<(), Fault> {
        if self.lent().and_then(|lent| lent.write(parts)).is_some() {
            return Ok(());
        }
        parts
            .chunks(MAX_SPANS)
            .try_for_each(|parts| scatter(self.process, parts))
    }
}

/// Reads all spans from lent memory; `None` unless all are lent.
fn gather_lent(lent: &Lent, spans: &[Span]) -> Option<Vec<u8>> {
    let lengths = spans.iter().map(|span| span.length);
    let wanted = lengths.fold(0, usize::saturating_add);
    if wanted > lent::ROOM {
        return None;
    }
    let mut bytes = vec![0; wanted];
    let mut left = &mut bytes[..];
    for span in spans.iter().filter(|span| span.length > 0) {
        let (part, later) = left.split_at_mut(span.length);
        lent.read(span.at, part)?;
        left = later;
    }
    Some(bytes)
}

/// Fills `into` from address `at`.
fn read(process: u32, at: u64, into: &mut [u8]) -> Result<(), Fault> {
    let wanted = into.len();
    if wanted == 0 {
        return Ok(());
    }
    let local = [IoSliceMut::new(into)];
    let remote = remote(&[Span { at, length: wanted }]);
    // SAFETY: an IoSliceMut has the layout of an iovec and names live, writable bytes; the remote
    // addresses are checked by the kernel.
    let read = unsafe {
        libc::process_vm_readv(
            pid(process),
            local.as_ptr().cast(),
            1,
            remote.as_ptr(),
            1,
            0,
        )
    };
    match moved(read, wanted) {
        Moved::All => Ok(()),
        Moved::NotAll => Err(Fault),
        Moved::Refused => file::read(process, at, into),
    }
}

/// Fills `into` from address `at` up to the first unmapped page; returns the number of bytes read.
fn read_some(process: u32, at: u64, into: &mut [u8]) -> usize {
    /// The smallest page size; a page is mapped as a whole.
    const PAGE: usize = 4096;
    let mut done = 0;
    while done < into.len() {
        let next = at.wrapping_add(u64::try_from(done).unwrap_or(0));
        let offset = usize::try_from(next).unwrap_or(0) % PAGE;
        let length = (PAGE - offset).min(into.len() - done);
        if read(process, next, &mut into[done..done + length]).is_err() {
            break;
        }
        done += length;
    }
    done
}

/// Reads all spans into one buffer.
fn gather(process: u32, spans: &[Span]) -> Result<Vec<u8>, Fault> {
    let wanted = spans.iter().map(|span| span.length).sum();
    let mut bytes = Vec::with_capacity(wanted);
    if wanted == 0 {
        return Ok(bytes);
    }
    let spans = spans.get(..MAX_SPANS.min(spans.len())).unwrap_or_default();
    let local = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: wanted,
    };
    let remote = remote(spans);
    let count = libc::c_ulong::try_from(remote.len()).unwrap_or(0);
    // SAFETY: `local` names the `wanted` bytes that the vector has room for; the remote addresses
    // are checked by the kernel.
    let read = unsafe {
        libc::process_vm_readv(pid(process), &raw const local, 1, remote.as_ptr(), count, 0)
    };
    match moved(read, wanted) {
        Moved::All => {
            // SAFETY: the kernel has just written that many bytes.
            unsafe { bytes.set_len(wanted) };
            Ok(bytes)
        }
        Moved::NotAll => Err(Fault),
        Moved::Refused => file::gather(process, spans),
    }
}

/// Writes each part to its address.
fn scatter(process: u32, parts: &[(u64, &[u8])]) -> Result<(), Fault> {
    let spans = parts.iter().map(|&(at, part)| Span {
        at,
        length: part.len(),
    });
    let spans: Vec<Span> = spans.collect();
    let wanted = spans.iter().map(|span| span.length).sum();
    if wanted == 0 {
        return Ok(());
    }
    let local: Vec<IoSlice<'_>> = parts.iter().map(|(_, part)| IoSlice::new(part)).collect();
    let remote = remote(&spans);
    let count = libc::c_ulong::try_from(parts.len()).unwrap_or(0);
    // SAFETY: an IoSlice has the layout of an iovec and names live bytes, which are only read; the
    // remote addresses are checked by the kernel.
    let written = unsafe {
        libc::process_vm_writev(
            pid(process),
            local.as_ptr().cast(),
            count,
            remote.as_ptr(),
            count,
            0,
        )
    };
    match moved(written, wanted) {
        Moved::All => Ok(()),
        Moved::NotAll => Err(Fault),
        Moved::Refused => file::scatter(process, parts),
    }
}
