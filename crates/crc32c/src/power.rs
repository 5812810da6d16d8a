//! Powers of x modulo the polynomial of CRC32c, bit 31 the coefficient of x^0.

/// The polynomial without x^32.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// A residue times x.
pub(crate) const fn times_x(residue: u32) -> u32 {
    (residue >> 1) ^ (POLYNOMIAL & (residue & 1).wrapping_neg())
}
