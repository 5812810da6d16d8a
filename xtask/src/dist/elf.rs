//! As much of ELF as tells whether a program needs another to be loaded.

/// Length of a program header in files of 64 bits.
const HEADER: usize = 56;
/// `PT_INTERP` of `elf.h`: the name of the program that loads this one.
const INTERPRETER: u32 = 3;

/// Whether a program's file is complete, with no loader and so no shared library. `None` if the file is
/// no program of 64 bits with the least significant byte first.
pub(super) fn is_static(file: &[u8]) -> Option<bool> {
    if file.get(..6)? != b"\x7fELF\x02\x01" {
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

fn bytes<const N: usize>(file: &[u8], at: usize) -> Option<[u8; N]> {
    file.get(at..at.checked_add(N)?)?.try_into().ok()
}
