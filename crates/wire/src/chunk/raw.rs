use core::fmt;

use crate::print::Hex;
use crate::tlv::{Tlv, Walk};
use crate::{
    Asconf, AsconfAck, Auth, CheckedData, ChunkType, Corruption, Cwr, EcnEcho, ForwardTsn, IData,
    IForwardTsn, Malformed, NrSack, PacketDrop, Pad, ReConfig,
};

/// A chunk of a type that is not known here, with every bit of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawChunk<'a> {
    /// The unknown type.
    pub chunk_type: ChunkType,
    /// The flags, whose meaning the type decides.
    pub flags: u8,
    /// What follows the four header bytes, without padding.
    pub value: &'a [u8],
    whole: &'a [u8],
}

impl<'a> RawChunk<'a> {
    /// The chunk that `bytes` begin with, whatever its type.
    ///
    /// # Errors
    /// [`Malformed`] if the length is below four or goes past the end.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        match Walk::new(bytes, 0).next() {
            Some(tlv) => tlv.map(|tlv| Self::from_tlv(&tlv)),
            None => Err(Malformed {
                at: 0,
                what: "no chunk",
            }),
        }
    }

    /// The whole chunk as received, without padding.
    #[inline]
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.whole
    }

    pub(crate) const fn from_tlv(tlv: &Tlv<'a>) -> Self {
        let [chunk_type, flags] = tlv.head;
        Self {
            chunk_type: ChunkType(chunk_type),
            flags,
            value: tlv.value,
            whole: tlv.whole,
        }
    }
}

/// What stands behind the type: of our own types and those of extensions their contents, of others
/// flags and value.
impl fmt::Display for RawChunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(checked) = CheckedData::from_raw(self) {
            return checked.fmt(f);
        }
        if let Some(corruption) = Corruption::from_raw(self) {
            return corruption.fmt(f);
        }
        if let Some(echo) = EcnEcho::from_raw(self) {
            return echo.fmt(f);
        }
        if let Some(cwr) = Cwr::from_raw(self) {
            return cwr.fmt(f);
        }
        if let Some(data) = IData::from_raw(self) {
            return data.fmt(f);
        }
        if let Some(forward) = IForwardTsn::from_raw(self) {
            return forward.fmt(f);
        }
        if let Some(nr_sack) = NrSack::from_raw(self) {
            return nr_sack.fmt(f);
        }
        if let Some(re_config) = ReConfig::from_raw(self) {
            return re_config.fmt(f);
        }
        if let Some(auth) = Auth::from_raw(self) {
            return auth.fmt(f);
        }
        if let Some(asconf) = Asconf::from_raw(self) {
            return asconf.fmt(f);
        }
        if let Some(ack) = AsconfAck::from_raw(self) {
            return ack.fmt(f);
        }
        if let Some(pad) = Pad::from_raw(self) {
            return pad.fmt(f);
        }
        if let Some(drop) = PacketDrop::from_raw(self) {
            return drop.fmt(f);
        }
        if let Some(forward_tsn) = ForwardTsn::from_raw(self) {
            return forward_tsn.fmt(f);
        }
        write!(f, "flags {:02x}, {}", self.flags, Hex(self.value))
    }
}
