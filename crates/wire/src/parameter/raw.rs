use crate::tlv::Walk;
use crate::{Malformed, ParameterType};

/// A parameter of an unknown type, kept unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawParameter<'a> {
    /// The unknown type.
    pub parameter_type: ParameterType,
    /// Bytes after type and length, without padding.
    pub value: &'a [u8],
    whole: &'a [u8],
}

impl<'a> RawParameter<'a> {
    /// Splits off the first parameter in `bytes`, whatever its type.
    ///
    /// # Errors
    /// [`Malformed`] if the length is less than four or exceeds the input.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        match Walk::new(bytes, 0).next() {
            Some(tlv) => tlv.map(|tlv| Self::new(ParameterType(tlv.kind()), tlv.value, tlv.whole)),
            None => Err(Malformed {
                at: 0,
                what: "no parameter",
            }),
        }
    }

    /// The whole parameter as received, without padding.
    #[inline]
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.whole
    }

    pub(crate) const fn new(
        parameter_type: ParameterType,
        value: &'a [u8],
        whole: &'a [u8],
    ) -> Self {
        Self {
            parameter_type,
            value,
            whole,
        }
    }
}
