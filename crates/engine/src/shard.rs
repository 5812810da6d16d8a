use sheave_wire::Vtag;

/// Position of an endpoint among several that share their addresses, so that each can run on its
/// own core without knowing the others.
///
/// A shard only issues verification tags whose remainder modulo the number of shards is the shard's
/// index. Packets can thus be distributed by their tag alone, whichever path of an association they
/// use. Shards connect from disjoint ports in the same manner, so that two shards never use the
/// same port towards the same peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    index: u16,
    of: u16,
}

impl Shard {
    /// The only shard.
    pub const ONLY: Self = Self { index: 0, of: 1 };

    /// Shard `index`, counted from 0, of `of` shards; `None` unless `index` is less than `of` and
    /// `of` is at most 1024.
    #[must_use]
    pub const fn new(index: u16, of: u16) -> Option<Self> {
        if index < of && of <= 1024 {
            Some(Self { index, of })
        } else {
            None
        }
    }

    /// The index, counted from 0.
    #[must_use]
    pub const fn index(self) -> u16 {
        self.index
    }

    /// Number of shards.
    #[must_use]
    pub const fn of(self) -> u16 {
        self.of
    }

    /// The index of the shard that issues a tag.
    #[must_use]
    pub const fn of_tag(self, tag: Vtag) -> u16 {
        #[expect(clippy::cast_possible_truncation, reason = "below `of`")]
        let index = (tag.0 % self.of as u32) as u16;
        index
    }

    /// A tag of this shard near `random`, if one exists.
    pub(crate) fn tag_near(self, random: u32) -> Option<Vtag> {
        let first = random - random % u32::from(self.of);
        let tag = first.checked_add(self.index.into())?;
        (tag != 0).then_some(Vtag(tag))
    }

    /// Whether this shard may connect from the port.
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
