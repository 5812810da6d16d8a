//! Segmentation offloads of a network interface.
//!
//! The kernel may renumber interface features, but keeps their names. So the names are read first
//! (`ETHTOOL_GSTRINGS`), then the features with these names are set and read back.

use std::io;

use crate::sys::ethtool;

const GSTRINGS: u32 = 0x1b;
const GSSET_INFO: u32 = 0x37;
const GFEATURES: u32 = 0x3a;
const SFEATURES: u32 = 0x3b;
/// The string set that holds feature names.
const FEATURE_NAMES: u32 = 4;
/// Length of a name in bytes.
const NAME_LEN: usize = 32;

/// Switches off segmentation offloads (TCP, UDP and generic) of an interface in this process's
/// network namespace, by which several packets are handled as one and split later. Needs
/// `CAP_NET_ADMIN` in that namespace.
///
/// # Errors
/// The interface lacks these features, or some stay on.
pub fn switch_segmentation_off(interface: &str) -> io::Result<()> {
    let names = names(interface)?;
    let numbers: Vec<usize> = (0..names.len())
        .filter(|number| is_segmentation(&names[*number]))
        .collect();
    if numbers.is_empty() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let mut request = set_request(names.len(), &numbers);
    ethtool(interface, &mut request)?;
    let active = active(interface, names.len())?;
    let still: Vec<&str> = numbers
        .into_iter()
        .filter(|number| has(&active, *number))
        .map(|number| names[number].as_str())
        .collect();
    if still.is_empty() {
        return Ok(());
    }
    let told = format!("{interface}: {} cannot be switched off", still.join(", "));
    Err(io::Error::new(io::ErrorKind::Unsupported, told))
}

fn is_segmentation(name: &str) -> bool {
    name.starts_with("tx-") && name.ends_with("-segmentation")
}

/// Names of all features, in numerical order.
fn names(interface: &str) -> io::Result<Vec<String>> {
    // Command, reserved, 64-bit mask of wanted sets, and the set's length.
    let mut info = [GSSET_INFO, 0, 0, 0, 0];
    let mask = (1_u64 << FEATURE_NAMES).to_ne_bytes();
    let (low, high) = mask.split_at(4);
    info[2] = word(low);
    info[3] = word(high);
    ethtool(interface, &mut info)?;
    let count = usize::try_from(info[4]).unwrap_or(0);
    // Command, set, number of names, then the names.
    let mut strings = vec![0; 3 + count * NAME_LEN / 4];
    (strings[0], strings[1], strings[2]) = (GSTRINGS, FEATURE_NAMES, info[4]);
    ethtool(interface, &mut strings)?;
    let bytes: Vec<u8> = strings[3..]
        .iter()
        .flat_map(|word| word.to_ne_bytes())
        .collect();
    let names = bytes.chunks_exact(NAME_LEN).map(|name| {
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    });
    Ok(names.collect())
}

fn word(bytes: &[u8]) -> u32 {
    bytes.try_into().map_or(0, u32::from_ne_bytes)
}

/// A request that turns these features off, of `count` in all: command, number of blocks, and per
/// block of 32 features a mask of those to change and their new values.
fn set_request(count: usize, numbers: &[usize]) -> Vec<u32> {
    let blocks = count.div_ceil(32);
    let mut request = vec![0; 2 + 2 * blocks];
    request[0] = SFEATURES;
    request[1] = u32::try_from(blocks).unwrap_or(0);
    for number in numbers {
        request[2 + 2 * (number / 32)] |= 1 << (number % 32);
    }
    request
}

/// Reads which features are on, 32 per word.
fn active(interface: &str, count: usize) -> io::Result<Vec<u32>> {
    let blocks = count.div_ceil(32);
    // Per block: available, requested, active, never changed.
    let mut features = vec![0; 2 + 4 * blocks];
    features[0] = GFEATURES;
    features[1] = u32::try_from(blocks).unwrap_or(0);
    ethtool(interface, &mut features)?;
    Ok(features[2..]
        .chunks_exact(4)
        .map(|block| block[2])
        .collect())
}

fn has(features: &[u32], number: usize) -> bool {
    features[number / 32] >> (number % 32) & 1 == 1
}

#[cfg(test)]
mod tests;
