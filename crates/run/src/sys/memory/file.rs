//! Access to a process's memory through `/proc/PID/mem`.
//!
//! Each access reopens the file, because an open one keeps referring to the program that the
//! process ran then. Unlike `process_vm_writev`, a write ignores read-only pages.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Once;

use super::{Fault, Span};

fn open(process: u32, options: &OpenOptions) -> io::Result<File> {
    options.open(format!("/proc/{process}/mem"))
}

/// Opens the file for a call. The program only gets `EFAULT`, so the reason is printed to the user
/// once.
fn open_for_call(process: u32, options: &OpenOptions) -> Result<File, Fault> {
    static SAID: Once = Once::new();
    let opened = open(process, options);
    if let Err(error) = &opened
        && error.kind() == io::ErrorKind::PermissionDenied
    {
        SAID.call_once(|| {
            eprintln!(
                "sheave: the memory of process {process} cannot be reached ({error}), so its SCTP calls \
                 fail with EFAULT: run `sheave run` as the user of its programs, or give it \
                 CAP_SYS_PTRACE; `sheave doctor` says more"
            );
        });
    }
    opened.map_err(|_| Fault)
}

/// Checks that the file can be opened.
///
/// # Errors
/// The kernel's error.
pub(super) fn access(process: u32) -> io::Result<()> {
    open(process, OpenOptions::new().read(true).write(true)).map(drop)
}

/// Fills `into` from address `at`.
pub(super) fn read(process: u32, at: u64, into: &mut [u8]) -> Result<(), Fault> {
    let file = open_for_call(process, OpenOptions::new().read(true))?;
    file.read_exact_at(into, at).map_err(|_| Fault)
}

/// Reads all spans into one buffer.
pub(super) fn gather(process: u32, spans: &[Span]) -> Result<Vec<u8>, Fault> {
    let file = open_for_call(process, OpenOptions::new().read(true))?;
    let mut bytes = vec![0; spans.iter().map(|span| span.length).sum()];
    let mut left = &mut bytes[..];
    for span in spans {
        let (part, rest) = left.split_at_mut(span.length);
        file.read_exact_at(part, span.at).map_err(|_| Fault)?;
        left = rest;
    }
    Ok(bytes)
}

/// Writes each part to its address.
pub(super) fn scatter(process: u32, parts: &[(u64, &[u8])]) -> Result<(), Fault> {
    let file = open_for_call(process, OpenOptions::new().write(true))?;
    let written = |(at, part): &(u64, &[u8])| file.write_all_at(part, *at);
    parts.iter().try_for_each(written).map_err(|_| Fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(bytes: &[u8]) -> u64 {
        u64::try_from(bytes.as_ptr().addr()).unwrap()
    }

    #[test]
    fn spans_are_gathered_in_their_order() {
        let (first, second) = (*b"of this", *b"process");
        let spans = [&second[..], &first[..3]].map(|bytes| Span {
            at: at(bytes),
            length: bytes.len(),
        });
        let own = std::process::id();
        assert_eq!(gather(own, &spans), Ok(b"processof ".to_vec()));
        let mut read_back = [0; 7];
        assert_eq!(read(own, at(&first), &mut read_back), Ok(()));
        assert_eq!(read_back, first);
    }

    #[test]
    fn parts_are_written_to_their_addresses() {
        let room = std::cell::UnsafeCell::new([b'.'; 8]);
        let start = u64::try_from(room.get().addr()).unwrap();
        let parts: [(u64, &[u8]); 3] = [(start + 5, b"ab"), (start, b""), (start + 1, b"cde")];
        assert_eq!(scatter(std::process::id(), &parts), Ok(()));
        assert_eq!(room.into_inner(), *b".cde.ab.");
    }

    #[test]
    fn addresses_without_memory_fault() {
        let own = std::process::id();
        let nowhere = Span { at: 0, length: 4 };
        assert_eq!(gather(own, &[nowhere]), Err(Fault));
        assert_eq!(scatter(own, &[(0, b"four")]), Err(Fault));
        assert_eq!(read(own, u64::MAX - 1, &mut [0; 4]), Err(Fault));
    }
}
