mod cause;
mod extension;
mod parameter;

use std::ops::Deref;

use arbitrary::{Arbitrary, Unstructured};
use sheave_wire::{
    Abort, Chunk, ChunkType, CommonHeader, CookieEcho, Data, DataFlags, ErrorChunk, GapBlock,
    Heartbeat, Init, List, Parameter, Parameters, Ppid, RawChunk, Sack, Shutdown, ShutdownComplete,
    Ssn, StreamId, TagReflection, Tsn, Vtag,
};

use self::cause::{CauseModel, with_causes};
use self::extension::ExtensionModel;
use self::parameter::ParameterModel;

/// A packet that owns what a [`Chunk`] borrows, so that it can be drawn from random bytes.
#[derive(Arbitrary, Debug)]
pub(crate) struct PacketModel {
    source_port: u16,
    destination_port: u16,
    vtag: u32,
    pub(crate) chunks: Several<ChunkModel>,
}

impl PacketModel {
    pub(crate) fn header(&self) -> CommonHeader {
        let Self {
            source_port,
            destination_port,
            vtag,
            ..
        } = *self;
        CommonHeader {
            source_port,
            destination_port,
            vtag: Vtag(vtag),
        }
    }
}

/// A chunk, with the fields in the order of the wire; `with_chunk` names them.
#[derive(Arbitrary, Debug)]
pub(crate) enum ChunkModel {
    Data(u8, u32, u16, u16, u32, Opaque),
    Init(InitModel),
    InitAck(InitModel),
    Sack(u32, u32, Several<(u16, u16)>, Several<u32>, u8),
    Heartbeat(Opaque),
    HeartbeatAck(Opaque),
    Abort(ReflectionModel, Several<CauseModel>),
    Shutdown(u32),
    ShutdownAck,
    Error(Several<CauseModel>),
    CookieEcho(Opaque),
    CookieAck,
    ShutdownComplete(ReflectionModel),
    Extension(ExtensionModel),
    Unknown(u8, u8, Opaque),
}

impl ChunkModel {
    /// Calls `f` with the chunk.
    pub(crate) fn with_chunk(&self, f: impl FnOnce(&Chunk<'_>)) {
        match self {
            Self::Data(flags, tsn, stream, ssn, ppid, payload) => f(&Chunk::Data(Data {
                flags: DataFlags::from_bits(*flags),
                tsn: Tsn(*tsn),
                stream: StreamId(*stream),
                ssn: Ssn(*ssn),
                ppid: Ppid(*ppid),
                payload,
            })),
            Self::Init(init) => init.with_init(|init| f(&Chunk::Init(init))),
            Self::InitAck(init) => init.with_init(|init| f(&Chunk::InitAck(init))),
            Self::Sack(cumulative_tsn_ack, a_rwnd, gaps, duplicates, packets) => {
                let gaps = blocks(gaps);
                let duplicates: Vec<_> = duplicates.iter().copied().map(Tsn).collect();
                f(&Chunk::Sack(Sack {
                    cumulative_tsn_ack: Tsn(*cumulative_tsn_ack),
                    a_rwnd: *a_rwnd,
                    gap_blocks: List::from(&gaps[..]),
                    duplicates: List::from(&duplicates[..]),
                    packets: packets % (Sack::MOST_PACKETS + 1),
                }));
            }
            Self::Heartbeat(info) => f(&Chunk::Heartbeat(Heartbeat { info })),
            Self::HeartbeatAck(info) => f(&Chunk::HeartbeatAck(Heartbeat { info })),
            Self::Abort(reflected, causes) => with_causes(causes, |causes| {
                f(&Chunk::Abort(Abort {
                    reflected: reflected.reflection(),
                    causes,
                }));
            }),
            Self::Shutdown(tsn) => f(&Chunk::Shutdown(Shutdown {
                cumulative_tsn_ack: Tsn(*tsn),
            })),
            Self::ShutdownAck => f(&Chunk::ShutdownAck),
            Self::Error(causes) => {
                with_causes(causes, |causes| f(&Chunk::Error(ErrorChunk { causes })));
            }
            Self::CookieEcho(cookie) => f(&Chunk::CookieEcho(CookieEcho { cookie })),
            Self::CookieAck => f(&Chunk::CookieAck),
            Self::ShutdownComplete(reflected) => {
                let reflected = reflected.reflection();
                f(&Chunk::ShutdownComplete(ShutdownComplete { reflected }));
            }
            Self::Extension(model) => model.with_chunk(f),
            Self::Unknown(chunk_type, flags, value) => {
                let [high, low] = length_field(value);
                let whole = [&[unknown(*chunk_type), *flags, high, low], &value[..]].concat();
                let raw = RawChunk::parse(&whole).expect("a whole chunk");
                f(&Chunk::Unknown(raw));
            }
        }
    }
}

#[derive(Arbitrary, Debug)]
pub(crate) enum ReflectionModel {
    Own,
    Reflected,
}

impl ReflectionModel {
    fn reflection(&self) -> TagReflection {
        match self {
            Self::Own => TagReflection::Own,
            Self::Reflected => TagReflection::Reflected,
        }
    }
}

#[derive(Arbitrary, Debug)]
pub(crate) struct InitModel {
    initiate_tag: u32,
    a_rwnd: u32,
    outbound_streams: u16,
    inbound_streams: u16,
    initial_tsn: u32,
    parameters: Several<ParameterModel>,
}

impl InitModel {
    fn with_init(&self, f: impl FnOnce(Init<'_>)) {
        let unknown: Vec<Vec<u8>> = self.parameters.iter().map(ParameterModel::raw).collect();
        let parameters: Vec<Parameter<'_>> = self
            .parameters
            .iter()
            .zip(&unknown)
            .map(|(model, raw)| model.parameter(raw))
            .collect();
        f(Init {
            initiate_tag: Vtag(self.initiate_tag),
            a_rwnd: self.a_rwnd,
            outbound_streams: self.outbound_streams,
            inbound_streams: self.inbound_streams,
            initial_tsn: Tsn(self.initial_tsn),
            parameters: Parameters::from(&parameters[..]),
        });
    }
}

fn blocks(drawn: &[(u16, u16)]) -> Vec<GapBlock> {
    let blocks = drawn.iter().map(|&(start, end)| GapBlock { start, end });
    blocks.collect()
}

/// That type, or the next one that is not known.
fn unknown(chunk_type: u8) -> u8 {
    let mut next = (0..=u8::MAX).map(|step| ChunkType(chunk_type.wrapping_add(step)));
    let unknown = next.find(|next| ChunkType::known().all(|known| known != *next));
    unknown.expect("an unknown type").0
}

/// The length field before a value that is too short to overflow it.
fn length_field(value: &[u8]) -> [u8; 2] {
    u16::try_from(4 + value.len())
        .expect("a short value")
        .to_be_bytes()
}

/// Some bytes in a row; drawing a `Vec<u8>` would ask after each byte whether there is another.
#[derive(Debug)]
pub(crate) struct Opaque(Vec<u8>);

impl<'a> Arbitrary<'a> for Opaque {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let len = usize::from(u.arbitrary::<u8>()?).min(u.len());
        Ok(Self(u.bytes(len)?.to_vec()))
    }
}

impl Deref for Opaque {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Up to eight of the same.
#[derive(Debug)]
pub(crate) struct Several<T>(Vec<T>);

impl<'a, T: Arbitrary<'a>> Arbitrary<'a> for Several<T> {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let count = u.int_in_range(0..=8)?;
        Ok(Self(
            (0..count)
                .map(|_| u.arbitrary())
                .collect::<Result<_, _>>()?,
        ))
    }
}

impl<T> Deref for Several<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}
