//! In-memory captures of runs.

use core::time::Duration;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Block type of an enhanced packet block (pcapng).
const PACKET: u32 = 6;

/// A shared buffer that a capture is written to.
#[derive(Clone, Debug, Default)]
pub(super) struct Recording(Arc<Mutex<Vec<u8>>>);

impl Recording {
    /// The bytes written so far.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.clone()
    }
}

impl Write for Recording {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Parses the packets of the simulator's captures (pcapng), with their times.
pub(super) fn packets(capture: &[u8]) -> Vec<(Duration, &[u8])> {
    let mut packets = Vec::new();
    let mut rest = capture;
    let word = |bytes: &[u8], at: usize| {
        let four = bytes.get(at..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*four))
    };
    while let (Some(kind), Some(len)) = (word(rest, 0), word(rest, 4)) {
        let len = len as usize;
        let Some(block) = rest.get(..len).filter(|_| len >= 12) else {
            break;
        };
        if kind == PACKET
            && let (Some(high), Some(low)) = (word(block, 12), word(block, 16))
            && let Some(captured) = word(block, 20)
            && let Some(packet) = block.get(28..28 + captured as usize)
        {
            let nanos = u64::from(high) << 32 | u64::from(low);
            packets.push((Duration::from_nanos(nanos), packet));
        }
        rest = &rest[len..];
    }
    packets
}

#[cfg(test)]
mod tests {
    use super::packets;

    #[test]
    fn a_capture_that_breaks_off_has_no_further_packet() {
        assert!(packets(&[6, 0, 0, 0, 40, 0, 0, 0, 1]).is_empty());
        assert!(packets(&[]).is_empty());
    }
}
