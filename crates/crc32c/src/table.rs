//! A byte at a time by a table, where the processor has no instruction for it.

use crate::power::times_x;

/// The register that each byte leaves in an empty one.
static TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u32;
    while byte < 256 {
        let mut left = byte;
        let mut bit = 0;
        while bit < 8 {
            left = times_x(left);
            bit += 1;
        }
        table[byte as usize] = left;
        byte += 1;
    }
    table
};

/// CRC32c of `bytes` behind others, whose CRC32c is `crc`.
pub(crate) fn append(crc: u32, bytes: &[u8]) -> u32 {
    let step =
        |left: u32, byte: &u8| (left >> 8) ^ TABLE[usize::from(left.to_le_bytes()[0] ^ byte)];
    !bytes.iter().fold(!crc, step)
}
