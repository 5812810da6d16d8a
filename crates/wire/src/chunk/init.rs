use alloc::vec::Vec;
use core::fmt;

use crate::{ChunkType, Parameters, Tsn, Vtag, tlv};

/// INIT and INIT ACK: the parameters of one end (RFC 9260 §3.3.2, §3.3.3).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// | 1 | 2 |   0   |    length     |
/// +-------+-------+---------------+
/// |         initiate tag          |
/// +-------------------------------+
/// |            a_rwnd             |
/// +---------------+---------------+
/// |outbound streams|inbound streams|
/// +---------------+---------------+
/// |          initial TSN          |
/// +-------------------------------+
/// | parameters                    |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Init<'a> {
    /// The tag that the peer must put into its packets; 0 is an error.
    pub initiate_tag: Vtag,
    /// Receive window in bytes.
    pub a_rwnd: u32,
    /// Number of outbound streams requested; 0 is an error.
    pub outbound_streams: u16,
    /// Most inbound streams accepted; 0 is an error.
    pub inbound_streams: u16,
    /// The first TSN that the sender will use.
    pub initial_tsn: Tsn,
    /// Addresses, cookie and other optional or variable-length parameters.
    pub parameters: Parameters<'a>,
}

impl<'a> Init<'a> {
    /// Bytes before the parameters, the chunk header included.
    pub const HEADER_LEN: usize = 20;

    pub(crate) fn encoded_len(&self) -> usize {
        Self::HEADER_LEN + self.parameters.encoded_len()
    }

    pub(crate) fn from_wire(value: &'a [u8]) -> Option<Self> {
        let (
            &[
                v0,
                v1,
                v2,
                v3,
                w0,
                w1,
                w2,
                w3,
                o0,
                o1,
                i0,
                i1,
                t0,
                t1,
                t2,
                t3,
            ],
            parameters,
        ) = value.split_first_chunk::<16>()?;
        Some(Self {
            initiate_tag: Vtag(u32::from_be_bytes([v0, v1, v2, v3])),
            a_rwnd: u32::from_be_bytes([w0, w1, w2, w3]),
            outbound_streams: u16::from_be_bytes([o0, o1]),
            inbound_streams: u16::from_be_bytes([i0, i1]),
            initial_tsn: Tsn(u32::from_be_bytes([t0, t1, t2, t3])),
            parameters: Parameters::from_wire(parameters),
        })
    }

    pub(crate) fn write(&self, chunk_type: ChunkType, out: &mut Vec<u8>) {
        let [l0, l1] = tlv::length_field(self.encoded_len());
        out.extend_from_slice(&[chunk_type.0, 0, l0, l1]);
        out.extend_from_slice(&self.initiate_tag.0.to_be_bytes());
        out.extend_from_slice(&self.a_rwnd.to_be_bytes());
        out.extend_from_slice(&self.outbound_streams.to_be_bytes());
        out.extend_from_slice(&self.inbound_streams.to_be_bytes());
        out.extend_from_slice(&self.initial_tsn.0.to_be_bytes());
        self.parameters.write(out);
    }
}

/// The fields, without the chunk's name.
impl fmt::Display for Init<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            initiate_tag,
            a_rwnd,
            outbound_streams,
            inbound_streams,
            initial_tsn,
            ..
        } = self;
        write!(
            f,
            "tag {initiate_tag} a_rwnd {a_rwnd} streams out {outbound_streams} in \
             {inbound_streams} tsn {initial_tsn} {}",
            self.parameters
        )
    }
}

#[cfg(test)]
mod tests;
