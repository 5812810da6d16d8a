//! Features of network interfaces (`linux/ethtool.h`), readable by any user.

use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::AsRawFd;

/// The ioctl of every command.
const SIOCETHTOOL: libc::c_ulong = 0x8946;
/// Commands.
const GET_STRINGS: u32 = 0x1b;
const GET_SET_SIZE: u32 = 0x37;
const GET_FEATURES: u32 = 0x3a;
/// The string set with the feature names.
const FEATURES: u32 = 4;
/// Size of a name, bytes.
const NAME: usize = 32;
/// An upper bound of the number of names.
const MANY: u32 = 512;

/// The state of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Switched on.
    Active,
    /// Switched off.
    Inactive,
}

/// The state of an interface's feature.
/// Errors: the interface or the kernel lacks the feature, or the call fails.
pub fn feature(interface: &str, name: &str) -> io::Result<Feature> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    // struct ethtool_sset_info: command, reserved, a mask of 64 bits, a size for each bit.
    let [low, high] = [1 << FEATURES, 0];
    let mut size = [GET_SET_SIZE, 0, low, high, 0];
    ask(&socket, interface, &mut size)?;
    let count = size[4].min(MANY);
    let words = usize::try_from(count).unwrap_or(0) * NAME / 4;
    // struct ethtool_gstrings: command, set, count, the names.
    let mut strings = vec![0; 3 + words];
    strings[..3].copy_from_slice(&[GET_STRINGS, FEATURES, count]);
    ask(&socket, interface, &mut strings)?;
    let bit = position(&strings[3..], name).ok_or(io::ErrorKind::NotFound)?;
    // struct ethtool_gfeatures: command, blocks, four words for each block of 32 features.
    let blocks = count.div_ceil(32);
    let mut features = vec![0; 2 + 4 * usize::try_from(blocks).unwrap_or(0)];
    features[..2].copy_from_slice(&[GET_FEATURES, blocks]);
    ask(&socket, interface, &mut features)?;
    Ok(match is_active(&features[2..], bit) {
        true => Feature::Active,
        false => Feature::Inactive,
    })
}

/// The index of a name in an array of 32-byte names.
fn position(words: &[u32], name: &str) -> Option<usize> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    bytes.chunks(NAME).position(|entry| {
        let end = entry.iter().position(|byte| *byte == 0).unwrap_or(NAME);
        entry.get(..end) == Some(name.as_bytes())
    })
}

/// Whether a feature is active: each block has words for available, requested, active and
/// never-changed features.
fn is_active(blocks: &[u32], bit: usize) -> bool {
    let active = blocks.get(4 * (bit / 32) + 2);
    active.is_some_and(|active| active & (1 << (bit % 32)) != 0)
}

/// Performs a request that begins with a command.
fn ask(socket: &UdpSocket, interface: &str, request: &mut [u32]) -> io::Result<()> {
    let mut wanted = libc::ifreq {
        ifr_name: [0; libc::IFNAMSIZ],
        ifr_ifru: libc::__c_anonymous_ifr_ifru {
            ifru_data: request.as_mut_ptr().cast(),
        },
    };
    if interface.len() >= libc::IFNAMSIZ {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (to, from) in wanted.ifr_name.iter_mut().zip(interface.bytes()) {
        *to = libc::c_char::from_ne_bytes([from]);
    }
    #[expect(
        clippy::useless_conversion,
        reason = "the C libraries differ in this type"
    )]
    let number = SIOCETHTOOL.try_into().unwrap_or_default();
    // SAFETY: `wanted` is live; it points to `request`, which has room for the answer: the request
    // says how many entries fit.
    let outcome = unsafe { libc::ioctl(socket.as_raw_fd(), number, &raw mut wanted) };
    match outcome {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_is_found_by_its_whole_name() {
        let mut bytes = [0; 2 * NAME];
        bytes[..5].copy_from_slice(b"first");
        bytes[NAME..NAME + 6].copy_from_slice(b"second");
        let words: Vec<u32> = bytes
            .chunks(4)
            .map(|word| u32::from_ne_bytes(word.try_into().unwrap()))
            .collect();
        assert_eq!(position(&words, "second"), Some(1));
        assert_eq!(position(&words, "sec"), None);
    }

    #[test]
    fn the_third_word_of_a_block_says_what_is_active() {
        let blocks = [0, 0, 1, 0, 0, 0, 2, 0];
        assert!(is_active(&blocks, 0));
        assert!(!is_active(&blocks, 1));
        assert!(is_active(&blocks, 33));
        assert!(!is_active(&blocks, 64));
    }
}
