use alloc::vec::Vec;

use sheave_wire::{ChunkType, Parameter, ParameterType, RawParameter};

use crate::assoc::extensions::authentication::KeyVector;

/// Supported Extensions: the chunk types beyond RFC 9260 that the sender handles (RFC 5061
/// §4.2.7).
const SUPPORTED_EXTENSIONS: ParameterType = ParameterType(0x8008);

/// The extensions of this engine, a row each.
///
/// Those parameters that are ours are of types, mostly private ones, which a peer that does not
/// know them skips and does not report.
const ROWS: &[Row] = &[
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

impl Row {
    /// Whether a peer whose Supported Extensions are `listed` has it.
    fn is_listed(&self, listed: &[u8]) -> bool {
        !self.chunks.is_empty()
            && self
                .chunks
                .iter()
                .all(|chunk_type| listed.contains(&chunk_type.0))
    }

    fn own_parameter<'a>(&self) -> Option<RawParameter<'a>> {
        RawParameter::parse(self.parameter?).ok()
    }

    /// Whether `parameter` says that the peer has it: with our value, where ours has one.
    fn is_said_by(&self, parameter: &RawParameter<'_>) -> bool {
        self.own_parameter().is_some_and(|own| {
            own.parameter_type == parameter.parameter_type
                && (own.value.is_empty() || own.value == parameter.value)
        })
    }
}

/// The meaning of a received parameter to the extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recognition {
    /// Known; it says that the peer has these.
    Known(ExtensionSet),
    /// No extension that is on knows it: RFC 9260 §3.2.1 says what to do.
    Unknown,
}

/// The extensions that are on: what we offer, and what we understand.
#[derive(Clone, Debug)]
pub(crate) struct Extensions {
    rows: &'static [Row],
    on: ExtensionSet,
    /// Our Supported Extensions, whole; `None` if there is nothing to list.
    listed: Option<Vec<u8>>,
    /// Our key vector.
    vector: Option<KeyVector>,
    /// Our adaptation indication.
    adaptation: Option<u32>,
}

impl Extensions {
    /// The extensions of this engine that are in `on`.
    pub(crate) fn on(on: ExtensionSet) -> Self {
        Self::of(ROWS, on)
    }

    /// None at all.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self::on(ExtensionSet::NONE)
    }

    fn of(rows: &'static [Row], on: ExtensionSet) -> Self {
        let chunk_types = rows
            .iter()
            .filter(|row| on.contains(row.bit))
            .flat_map(|row| row.chunks);
        let listed = supported_extensions(chunk_types);
        Self {
            rows,
            on,
            listed,
            vector: None,
            adaptation: None,
        }
    }

    /// With what our user speaks (RFC 5061 §4.2.6).
    pub(crate) fn with_adaptation(self, adaptation: Option<u32>) -> Self {
        Self { adaptation, ..self }
    }

    /// With our key vector (RFC 4895 §6.1).
    pub(crate) fn with_vector(self, vector: Option<KeyVector>) -> Self {
        Self { vector, ..self }
    }

    /// Appends the parameters that offer them.
    pub(crate) fn offer<'a>(&'a self, parameters: &mut Vec<Parameter<'a>>) {
        let listed = self.listed.as_deref();
        let listed = listed.and_then(|whole| RawParameter::parse(whole).ok());
        let own = self.enabled().filter_map(Row::own_parameter);
        parameters.extend(self.vector.iter().flat_map(KeyVector::parameters));
        parameters.extend(self.adaptation.map(Parameter::AdaptationLayerIndication));
        // Last comes one that has a value, as from most stacks: the crate `rtc` drops an INIT that ends
        // in a parameter of four bytes.
        parameters.extend(own.chain(listed).map(Parameter::Unknown));
    }

    /// The meaning of a parameter of the peer that RFC 9260 does not define.
    pub(crate) fn recognize(&self, parameter: &RawParameter<'_>) -> Recognition {
        if parameter.parameter_type == SUPPORTED_EXTENSIONS {
            let listed = self.enabled().filter(|row| row.is_listed(parameter.value));
            return Recognition::Known(union_of(listed));
        }
        match union_of(self.enabled().filter(|row| row.is_said_by(parameter))) {
            ExtensionSet::NONE => Recognition::Unknown,
            said => Recognition::Known(said),
        }
    }

    /// The meaning of a parameter of the peer that RFC 9260 only reserves, for the extension
    /// `said`.
    pub(crate) const fn recognize_reserved(&self, said: ExtensionSet) -> ExtensionSet {
        self.on.intersection(said)
    }

    fn enabled(&self) -> impl Iterator<Item = &'static Row> {
        let on = self.on;
        self.rows.iter().filter(move |row| on.contains(row.bit))
    }
}

/// Supported Extensions with these chunk types, if there are any.
fn supported_extensions<'a>(chunk_types: impl Iterator<Item = &'a ChunkType>) -> Option<Vec<u8>> {
    let types: Vec<u8> = chunk_types.map(|chunk_type| chunk_type.0).collect();
    let len = u16::try_from(types.len() + 4).ok()?;
    let header = [SUPPORTED_EXTENSIONS.0.to_be_bytes(), len.to_be_bytes()];
    (!types.is_empty()).then(|| [header.as_flattened(), &types].concat())
}

fn union_of<'a>(rows: impl Iterator<Item = &'a Row>) -> ExtensionSet {
    rows.fold(ExtensionSet::NONE, |set, row| set.union(row.bit))
}

#[cfg(test)]
mod tests;
