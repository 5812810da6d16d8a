use core::fmt;

/// Most elements of a list that are printed.
pub(crate) const MAX_ITEMS: usize = 64;

/// Most bytes of an opaque value that are printed.
const MAX_BYTES: usize = 32;

/// Prints opaque bytes in hexadecimal, truncated, with their number.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())?;
        if !self.0.is_empty() {
            f.write_str(" ")?;
        }
        for byte in self.0.iter().take(MAX_BYTES) {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(ellipsis(self.0))
    }
}

/// Prints bytes that are probably text: quoted, escaped and truncated, with their number.
pub(crate) struct Text<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.get(..MAX_BYTES).unwrap_or(self.0);
        write!(
            f,
            "{} bytes \"{}\"{}",
            self.0.len(),
            shown.escape_ascii(),
            ellipsis(self.0)
        )
    }
}

const fn ellipsis(bytes: &[u8]) -> &'static str {
    if bytes.len() > MAX_BYTES { "..." } else { "" }
}

#[cfg(test)]
mod tests;
