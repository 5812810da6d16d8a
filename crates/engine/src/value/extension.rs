use sheave_wire::ChunkType;

/// The extensions of this engine, a row each.
///
/// Those parameters that are ours are of types, mostly private ones, which a peer that does not
/// know them skips and does not report.
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
    // Who lists it and has told no key vector does not have it all the same.
    Row {
        bit: ExtensionSet::AUTHENTICATION,
        chunks: &[ChunkType::AUTH],
        parameter: None,
    },
    Row {
        bit: ExtensionSet::PARTIAL_RELIABILITY,
        chunks: &[ChunkType::FORWARD_TSN],
        // Forward-TSN-Supported (RFC 3758 §3.1); a peer that says so in either way has it.
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

/// An extension that both ends must know before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Extension {
    /// Messages can be given up (RFC 3758); where they are interleaved, that takes one extension more, see
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
    /// The set of it alone.
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

/// A set of extensions, one bit each; it travels in the cookie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ExtensionSet(pub(crate) u32);

impl ExtensionSet {
    pub(crate) const NONE: Self = Self(0);
    /// Nothing beyond a gap is kept or reported (the data centre papers).
    pub(crate) const GO_BACK_N: Self = Self(1);
    /// Headers of DATA have a checksum of their own; see docs/chunk-checksum.md.
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

    /// Messages can be given up (RFC 3758).
    pub(crate) const PARTIAL_RELIABILITY: Self = Self(64);

    /// Messages of several streams may be interleaved (RFC 8260).
    pub(crate) const INTERLEAVING: Self = Self(1 << 16);
    /// The peer may give up messages that are interleaved (RFC 8260 §2.3.1).
    pub(crate) const I_FORWARD_TSN: Self = Self(1 << 17);

    /// A first window of data may come before COOKIE ACK, each packet with the COOKIE ECHO; see
    /// [`EarlyData::FirstWindow`](crate::EarlyData::FirstWindow).
    pub(crate) const EARLY_WINDOW: Self = Self(1 << 18);

    /// Data acknowledged beyond a gap is kept (draft-natarajan-tsvwg-sctp-nrsack).
    pub(crate) const NR_SACK: Self = Self(1 << 12);

    /// Packets that arrive damaged are reported (draft-stewart-sctp-pktdrprep).
    pub(crate) const PACKET_DROP_REPORTS: Self = Self(1 << 13);

    /// The chunk types that they add.
    pub(crate) fn chunks(self) -> impl Iterator<Item = ChunkType> {
        let rows = ROWS.iter().filter(move |row| self.contains(row.bit));
        rows.flat_map(|row| row.chunks).copied()
    }

    /// Whether one of them is an extension that lists the chunk type as its own.
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

    /// Whether something of `other` is in it.
    pub(crate) const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether all of `other` is in it.
    pub(crate) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The representation of an extension in INIT and INIT ACK.
///
/// A new extension adds a row and its own file; neither the reading nor the writing of INIT and
/// INIT ACK changes.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The bit of the extension.
    pub(crate) bit: ExtensionSet,
    /// Chunk types of the extension, which Supported Extensions lists; a peer that lists all of
    /// them has it.
    pub(crate) chunks: &'static [ChunkType],
    /// A parameter of its own that says that the sender has it, whole, as it stands on the wire.
    pub(crate) parameter: Option<&'static [u8]>,
}
