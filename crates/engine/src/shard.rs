use sheave_wire::Vtag;

/// The place of an endpoint among several that share their addresses, so that each can run on a
/// core of its own without knowing the others.
///
/// The verification tags that a shard hands out say whose they are: their remainder by the number
/// of shards is the shard's index. Whoever spreads the packets needs to look at the tag alone, from
/// whatever path of an association a packet comes. The ports that shards connect from are disjoint
/// in the same way, so that two shards never speak to one peer from one port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    index: u16,
    of: u16,
}

impl Shard {
    /// The only one.
    pub const ONLY: Self = Self { index: 0, of: 1 };

    /// The shard of that index, from 0 on, of so many; `None` unless the index is below the number
    /// and the number is at most 1024.
    #[must_use]
    pub const fn new(index: u16, of: u16) -> Option<Self> {
        if index < of && of <= 1024 {
            Some(Self { index, of })
        } else {
            None
        }
    }

    /// The index, from 0 on.
    #[must_use]
    pub const fn index(self) -> u16 {
        self.index
    }

    /// Number of shards.
    #[must_use]
    pub const fn of(self) -> u16 {
        self.of
    }

    /// The index of the shard that hands out a tag.
    #[must_use]
    pub const fn of_tag(self, tag: Vtag) -> u16 {
        #[expect(clippy::cast_possible_truncation, reason = "below `of`")]
        let index = (tag.0 % self.of as u32) as u16;
        index
    }

    /// A tag of this shard near `random`, if there is one.
    pub(crate) fn tag_near(self, random: u32) -> Option<Vtag> {
        let first = random - random % u32::from(self.of);
        let tag = first.checked_add(self.index.into())?;
        (tag != 0).then_some(Vtag(tag))
    }

    /// Whether it may connect from that port.
    pub(crate) const fn has_port(self, port: u16) -> bool {
        port % self.of == self.index
    }
}

impl Default for Shard {
    fn default() -> Self {
        Self::ONLY
    }
}

#[cfg(test)]
mod tests;
