use std::fmt;
use std::str::FromStr;

/// Bytes of a SHA-256 hash.
const LENGTH: usize = 32;

/// SHA-256 hash of a certificate (RFC 8122 §5), used to authenticate a peer. As text: 32 bytes in
/// hexadecimal, with or without colons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint([u8; LENGTH]);

/// The text is not a SHA-256 fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FingerprintError;

impl Fingerprint {
    /// Wraps a SHA-256 hash.
    #[must_use]
    pub const fn new(hash: [u8; LENGTH]) -> Self {
        Self(hash)
    }

    /// The hash.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; LENGTH] {
        &self.0
    }
}

impl FromStr for Fingerprint {
    type Err = FingerprintError;

    fn from_str(text: &str) -> Result<Self, FingerprintError> {
        let text = text.trim();
        let text = text.strip_prefix("sha-256 ").unwrap_or(text);
        let digits: Vec<u32> = text
            .chars()
            .filter(|&digit| digit != ':')
            .map(|digit| digit.to_digit(16).ok_or(FingerprintError))
            .collect::<Result<_, _>>()?;
        let bytes: Vec<u8> = digits
            .chunks_exact(2)
            .filter_map(|pair| u8::try_from(pair[0] << 4 | pair[1]).ok())
            .collect();
        match (digits.len() == 2 * LENGTH, bytes.try_into()) {
            (true, Ok(hash)) => Ok(Self(hash)),
            _ => Err(FingerprintError),
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, byte) in self.0.iter().enumerate() {
            let colon = if position == 0 { "" } else { ":" };
            write!(f, "{colon}{byte:02X}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

impl fmt::Display for FingerprintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a SHA-256 fingerprint has 64 hexadecimal digits, such as AB:CD:... with 32 bytes",
        )
    }
}

impl std::error::Error for FingerprintError {}

#[cfg(test)]
mod tests;
