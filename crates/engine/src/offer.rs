use alloc::vec::Vec;

use sheave_wire::{ChunkType, Parameter, ParameterType, RawParameter};

use crate::assoc::extensions::authentication::KeyVector;
use crate::value::extension::{ExtensionSet, ROWS, Row};
use crate::value::protection::KeyParameter;

/// Supported Extensions: the chunk types beyond RFC 9260 that the sender of the parameter supports
/// (RFC 5061 §4.2.7).
const SUPPORTED_EXTENSIONS: ParameterType = ParameterType(0x8008);

impl Row {
    /// Whether the Supported Extensions `listed` contain all chunk types of this extension.
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

    /// Whether `parameter` announces this extension, with our value if ours has one.
    fn is_said_by(&self, parameter: &RawParameter<'_>) -> bool {
        self.own_parameter().is_some_and(|own| {
            own.parameter_type == parameter.parameter_type
                && (own.value.is_empty() || own.value == parameter.value)
        })
    }
}

/// Meaning of a received parameter for the extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recognition {
    /// Known; it announces these extensions of the peer.
    Known(ExtensionSet),
    /// Unknown to all enabled extensions: RFC 9260 §3.2.1 defines the reaction.
    Unknown,
}

/// The enabled extensions, which we offer and understand.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    rows: &'static [Row],
    on: ExtensionSet,
    /// Our encoded Supported Extensions parameter; `None` if empty.
    listed: Option<Vec<u8>>,
    /// Our key vector.
    vector: Option<KeyVector>,
    /// Our adaptation indication.
    adaptation: Option<u32>,
    /// Our DTLS Key Management.
    protection: Option<KeyParameter>,
}

impl Offer {
    /// Creates an offer of this engine's extensions in `on`.
    pub(crate) fn on(on: ExtensionSet) -> Self {
        Self::of(ROWS, on)
    }

    /// An offer without extensions.
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
            protection: None,
        }
    }

    /// Adds our user's adaptation indication (RFC 5061 §4.2.6).
    pub(crate) fn with_adaptation(self, adaptation: Option<u32>) -> Self {
        Self { adaptation, ..self }
    }

    /// Adds our DTLS Key Management parameter for DTLS chunks.
    pub(crate) fn with_protection(self, protection: Option<KeyParameter>) -> Self {
        Self { protection, ..self }
    }

    /// Adds our key vector (RFC 4895 §6.1).
    pub(crate) fn with_vector(self, vector: Option<KeyVector>) -> Self {
        Self { vector, ..self }
    }

    /// Appends the parameters that offer the extensions.
    pub(crate) fn offer<'a>(&'a self, parameters: &mut Vec<Parameter<'a>>) {
        let listed = self.listed.as_deref();
        let listed = listed.and_then(|whole| RawParameter::parse(whole).ok());
        let own = self.enabled().filter_map(Row::own_parameter);
        parameters.extend(self.vector.iter().flat_map(KeyVector::parameters));
        parameters.extend(self.protection.iter().map(KeyParameter::parameter));
        parameters.extend(self.adaptation.map(Parameter::AdaptationLayerIndication));
        // Parameters with values come last, as in most stacks: the crate `rtc` drops an INIT whose
        // last parameter is four bytes long.
        parameters.extend(own.chain(listed).map(Parameter::Unknown));
    }

    /// The meaning of a parameter not defined in RFC 9260 for the extensions.
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

    /// The extension `said`, if enabled, announced by a parameter that RFC 9260 only reserves.
    pub(crate) const fn recognize_reserved(&self, said: ExtensionSet) -> ExtensionSet {
        self.on.intersection(said)
    }

    fn enabled(&self) -> impl Iterator<Item = &'static Row> {
        let on = self.on;
        self.rows.iter().filter(move |row| on.contains(row.bit))
    }
}

/// The Supported Extensions parameter with these chunk types; `None` if empty.
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
