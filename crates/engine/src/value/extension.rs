use sheave_wire::ChunkType;

/// The table of the engine's extensions, one row each.
///
/// Our own parameters use types, mostly private, that a peer without support skips without
/// reporting them.
pub(crate) const ROWS: &[Row] = &[
    Row {
        bit: ExtensionSet::GO_BACK_N,
        chunks: &[],
        parameter: Some(&[0x9E, 0x01, 0, 4]),
    },
    Row {
        bit: ExtensionSet::CHUNK_CHECKSUM,
        chunks: &[],
        parameter: Some(&[0x9E, 0x02, 0, 4]),
    },
    Row {
        bit: ExtensionSet::EARLY_WINDOW,
        chunks: &[],
        parameter: Some(&[0x9E, 0x04, 0, 4]),
    },
    Row {
        bit: ExtensionSet::ECN,
        chunks: &[],
        // ECN Capable, whose type RFC 9260 §3.3.2 reserves.
        parameter: Some(&[0x80, 0x00, 0, 4]),
    },
    // Zero Checksum Acceptable and its error detection method (RFC 9653 §4).
    Row {
        bit: ExtensionSet::ZERO_CHECKSUM_DTLS,
        chunks: &[],
        parameter: Some(&[0x80, 0x01, 0, 8, 0, 0, 0, 1]),
    },
    Row {
        bit: ExtensionSet::ZERO_CHECKSUM_MEMORY,
        chunks: &[],
        parameter: Some(&[0x80, 0x01, 0, 8, 0xFF, 0xFF, 0x9E, 0x03]),
    },
    Row {
        bit: ExtensionSet::RECONFIGURATION,
        chunks: &[ChunkType::RE_CONFIG],
        parameter: None,
    },
    // A peer that lists AUTH without a key vector does not support it.
    Row {
        bit: ExtensionSet::AUTHENTICATION,
        chunks: &[ChunkType::AUTH],
        parameter: None,
    },
    Row {
        bit: ExtensionSet::PARTIAL_RELIABILITY,
        chunks: &[ChunkType::FORWARD_TSN],
        // Forward-TSN-Supported (RFC 3758 §3.1); either announcement counts.
        parameter: Some(&[0xC0, 0x00, 0, 4]),
    },
    Row {
        bit: ExtensionSet::INTERLEAVING,
        chunks: &[ChunkType::I_DATA],
        parameter: None,
    },
    Row {
        bit: ExtensionSet::I_FORWARD_TSN,
        chunks: &[ChunkType::I_FORWARD_TSN],
        parameter: None,
    },
    Row {
        bit: ExtensionSet::ADDRESS_CHANGES,
        chunks: &[ChunkType::ASCONF, ChunkType::ASCONF_ACK],
        parameter: None,
    },
    Row {
        bit: ExtensionSet::NR_SACK,
        chunks: &[ChunkType::NR_SACK],
        parameter: None,
    },
    Row {
        bit: ExtensionSet::PACKET_DROP_REPORTS,
        chunks: &[ChunkType::PACKET_DROP],
        parameter: None,
    },
];

/// An extension that both ends must support before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Extension {
    /// Messages can be abandoned (RFC 3758). Interleaved messages need one more extension; see
    /// [`Assoc::partial_reliability`](crate::Assoc::partial_reliability).
    PartialReliability,
    /// Messages of several streams may be interleaved (RFC 8260).
    Interleaving,
    /// Streams can be reset and added (RFC 6525).
    Reconfiguration,
    /// Chunks can be authenticated (RFC 4895).
    Authentication,
    /// Addresses can be added and deleted (RFC 5061).
    AddressChanges,
    /// Explicit congestion notification (RFC 4960 Appendix A).
    ExplicitCongestion,
}

impl Extension {
    /// The set with this extension only.
    pub(crate) const fn bit(self) -> ExtensionSet {
        match self {
            Self::PartialReliability => ExtensionSet::PARTIAL_RELIABILITY,
            Self::Interleaving => ExtensionSet::INTERLEAVING,
            Self::Reconfiguration => ExtensionSet::RECONFIGURATION,
            Self::Authentication => ExtensionSet::AUTHENTICATION,
            Self::AddressChanges => ExtensionSet::ADDRESS_CHANGES,
            Self::ExplicitCongestion => ExtensionSet::ECN,
        }
    }
}

/// A set of extensions, one bit each; part of the cookie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ExtensionSet(pub(crate) u32);

impl ExtensionSet {
    pub(crate) const NONE: Self = Self(0);
    /// Data beyond a gap is neither stored nor reported (the data centre papers).
    pub(crate) const GO_BACK_N: Self = Self(1);
    /// DATA headers have a checksum of their own; see docs/chunk-checksum.md.
    pub(crate) const CHUNK_CHECKSUM: Self = Self(2);
    /// Explicit congestion notification (RFC 4960 Appendix A).
    pub(crate) const ECN: Self = Self(4);
    /// Packets in DTLS records may have a checksum of zero (RFC 9653).
    pub(crate) const ZERO_CHECKSUM_DTLS: Self = Self(8);
    /// Packets that stay in memory may have a checksum of zero.
    pub(crate) const ZERO_CHECKSUM_MEMORY: Self = Self(16);

    /// Streams can be reset and added (RFC 6525).
    pub(crate) const RECONFIGURATION: Self = Self(32);
    /// Chunks can be authenticated (RFC 4895).
    pub(crate) const AUTHENTICATION: Self = Self(1 << 10);
    /// Addresses can be added and deleted (RFC 5061).
    pub(crate) const ADDRESS_CHANGES: Self = Self(1 << 11);

    /// Messages can be abandoned (RFC 3758).
    pub(crate) const PARTIAL_RELIABILITY: Self = Self(64);

    /// Messages of several streams may be interleaved (RFC 8260).
    pub(crate) const INTERLEAVING: Self = Self(1 << 16);
    /// Interleaved messages can be abandoned (RFC 8260 §2.3.1).
    pub(crate) const I_FORWARD_TSN: Self = Self(1 << 17);

    /// An initial window of data may come before COOKIE ACK, each packet with the COOKIE ECHO; see
    /// [`EarlyData::FirstWindow`](crate::EarlyData::FirstWindow).
    pub(crate) const EARLY_WINDOW: Self = Self(1 << 18);

    /// Data acknowledged beyond a gap is kept (draft-natarajan-tsvwg-sctp-nrsack).
    pub(crate) const NR_SACK: Self = Self(1 << 12);

    /// Packets that arrive damaged are reported (draft-stewart-sctp-pktdrprep).
    pub(crate) const PACKET_DROP_REPORTS: Self = Self(1 << 13);

    /// The chunk types of the extensions in the set.
    pub(crate) fn chunks(self) -> impl Iterator<Item = ChunkType> {
        let rows = ROWS.iter().filter(move |row| self.contains(row.bit));
        rows.flat_map(|row| row.chunks).copied()
    }

    /// Whether an extension in the set defines the chunk type.
    pub(crate) fn give(self, chunk_type: ChunkType) -> bool {
        self.chunks().any(|own| own == chunk_type)
    }

    /// The union of both sets.
    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The intersection of both sets.
    pub(crate) const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// This set without the members of `other`.
    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the sets have a member in common.
    pub(crate) const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set includes all of `other`.
    pub(crate) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Announcement of an extension in INIT and INIT ACK.
///
/// A new extension needs a row here and a file of its own; parsing and writing of INIT and INIT ACK
/// stay unchanged.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The bit of the extension.
    pub(crate) bit: ExtensionSet,
    /// Chunk types listed in Supported Extensions; a peer that lists all of them has the extension.
    pub(crate) chunks: &'static [ChunkType],
    /// A dedicated parameter that announces the extension, in wire format.
    pub(crate) parameter: Option<&'static [u8]>,
}
