use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Maximum ranges; more are merged across their smallest gaps.
pub(super) const MAX_RANGES: usize = 500;

/// SCTP ports in use, each with its number of users.
#[derive(Debug, Default)]
pub(crate) struct Ports {
    users: BTreeMap<u16, usize>,
    revision: u64,
}

impl Ports {
    /// Adds a user of `port`.
    pub(crate) fn add(&mut self, port: u16) {
        let users = self.users.entry(port).or_insert(0);
        *users += 1;
        if *users == 1 {
            self.revision += 1;
        }
    }

    /// Removes a user of `port`.
    pub(crate) fn remove(&mut self, port: u16) {
        match self.users.get_mut(&port) {
            Some(1) => {
                self.users.remove(&port);
                self.revision += 1;
            }
            Some(users) => *users -= 1,
            None => {}
        }
    }

    /// Whether `port` has users.
    pub(crate) fn contains(&self, port: u16) -> bool {
        self.users.contains_key(&port)
    }

    /// Revision number; changes with the set of used ports.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// The used ports as at most [`MAX_RANGES`] ascending ranges; beyond that, ranges also cover
    /// unused ports.
    pub(crate) fn ranges(&self) -> Vec<RangeInclusive<u16>> {
        let mut ranges: Vec<RangeInclusive<u16>> = Vec::new();
        for &port in self.users.keys() {
            match ranges.last_mut() {
                Some(last) if last.end().checked_add(1) == Some(port) => {
                    *last = *last.start()..=port;
                }
                _ => ranges.push(port..=port),
            }
        }
        merge_closest(ranges)
    }
}

/// Merges neighbours across the smallest gaps until at most [`MAX_RANGES`] ranges are left.
fn merge_closest(ranges: Vec<RangeInclusive<u16>>) -> Vec<RangeInclusive<u16>> {
    let Some(surplus) = ranges.len().checked_sub(MAX_RANGES).filter(|&n| n > 0) else {
        return ranges;
    };
    let mut gaps: Vec<u16> = ranges
        .windows(2)
        .map(|pair| pair[1].start() - pair[0].end())
        .collect();
    gaps.sort_unstable();
    let widest = gaps[surplus - 1];
    let mut merged: Vec<RangeInclusive<u16>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start() - last.end() <= widest => {
                *last = *last.start()..=*range.end();
            }
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests;
