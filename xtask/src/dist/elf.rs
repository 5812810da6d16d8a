//! As much of ELF as tells whether a program needs another to be loaded, and whether it carries a
//! library.

/// Length of a program header in files of 64 bits.
const HEADER: usize = 56;
/// `PT_INTERP` of `elf.h`: the name of the program that loads this one.
const INTERPRETER: u32 = 3;
/// The first bytes of a file of 64 bits with the least significant byte first.
const BEGIN: &[u8] = b"\x7fELF\x02\x01";
/// `ET_DYN` of `elf.h`: a shared library.
const LIBRARY: [u8; 2] = 3_u16.to_le_bytes();
/// Where the kind of a file ends in its header.
const KIND_END: usize = 18;

/// Whether a program's file is complete, with no loader and so no shared library. `None` if the file is
/// no program of 64 bits with the least significant byte first.
pub(super) fn is_static(file: &[u8]) -> Option<bool> {
    if !file.starts_with(BEGIN) {
        return None;
    }
    let start = usize::try_from(u64::from_le_bytes(bytes(file, 32)?)).ok()?;
    let count = usize::from(u16::from_le_bytes(bytes(file, 56)?));
    let mut kinds = Vec::new();
    for index in 0..count {
        let at = start.checked_add(index * HEADER)?;
        kinds.push(u32::from_le_bytes(bytes(file, at)?));
    }
    Some(!kinds.contains(&INTERPRETER))
}

/// Whether a program's file has that of a shared library in itself.
pub(super) fn carries_library(file: &[u8]) -> bool {
    let inner = file.windows(KIND_END).skip(1);
    inner
        .filter(|window| window.starts_with(BEGIN))
        .any(|window| window.ends_with(&LIBRARY))
}

fn bytes<const N: usize>(file: &[u8], at: usize) -> Option<[u8; N]> {
    file.get(at..at.checked_add(N)?)?.try_into().ok()
}
