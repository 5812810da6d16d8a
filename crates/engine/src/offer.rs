use alloc::vec::Vec;

use sheave_wire::{ChunkType, Parameter, ParameterType, RawParameter};

use crate::assoc::extensions::authentication::KeyVector;
use crate::value::extension::{ExtensionSet, ROWS, Row};
use crate::value::protection::KeyParameter;

/// Supported Extensions: the chunk types beyond RFC 9260 that the sender handles (RFC 5061
/// §4.2.7).
const SUPPORTED_EXTENSIONS: ParameterType = ParameterType(0x8008);

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
pub(crate) struct Offer {
    rows: &'static [Row],
    on: ExtensionSet,
    /// Our Supported Extensions, whole; `None` if there is nothing to list.
    listed: Option<Vec<u8>>,
    /// Our key vector.
    vector: Option<KeyVector>,
    /// Our adaptation indication.
    adaptation: Option<u32>,
    /// Our DTLS Key Management.
    protection: Option<KeyParameter>,
}

impl Offer {
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
            protection: None,
        }
    }

    /// With what our user speaks (RFC 5061 §4.2.6).
    pub(crate) fn with_adaptation(self, adaptation: Option<u32>) -> Self {
        Self { adaptation, ..self }
    }

    /// With how we would agree on keys for DTLS chunks.
    pub(crate) fn with_protection(self, protection: Option<KeyParameter>) -> Self {
        Self { protection, ..self }
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
        parameters.extend(self.protection.iter().map(KeyParameter::parameter));
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
