use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Deref;

use arbitrary::{Arbitrary, Unstructured};
use sheave_wire::{
    Abort, Asconf, AsconfAck, AsconfOutcome, AsconfRequest, Auth, Cause, Causes, Chunk, ChunkType,
    CommonHeader, CookieEcho, Data, DataFlags, ErrorChunk, ForwardTsn, GapBlock, Heartbeat, IData,
    IForwardTsn, Init, List, MessageOrder, Mid, Parameter, Parameters, Ppid, RawChunk,
    RawParameter, ReConfig, ReConfigParameter, ReConfigResult, Sack, Shutdown, ShutdownComplete,
    SkippedMessages, SkippedStream, Ssn, StreamId, TagReflection, TlvList, Tsn, Vtag,
};

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

#[derive(Arbitrary, Debug)]
pub(crate) enum ChunkModel {
    Data {
        flags: u8,
        tsn: u32,
        stream: u16,
        ssn: u16,
        ppid: u32,
        payload: Opaque,
    },
    Init(InitModel),
    InitAck(InitModel),
    Sack {
        cumulative_tsn_ack: u32,
        a_rwnd: u32,
        gaps: Several<(u16, u16)>,
        duplicates: Several<u32>,
        packets: u8,
    },
    Heartbeat(Opaque),
    HeartbeatAck(Opaque),
    Abort {
        reflected: ReflectionModel,
        causes: Several<CauseModel>,
    },
    Shutdown(u32),
    ShutdownAck,
    Error(Several<CauseModel>),
    CookieEcho(Opaque),
    CookieAck,
    ShutdownComplete(ReflectionModel),
    ReConfig(Several<ReConfigModel>),
    Auth {
        key: u16,
        algorithm: u16,
        hmac: Opaque,
    },
    Asconf {
        serial: u32,
        address: IpAddr,
        requests: Several<(ChangeModel, u32, IpAddr)>,
    },
    AsconfAck {
        serial: u32,
        outcomes: Several<(u32, Option<CauseModel>)>,
    },
    ForwardTsn(u32, Several<(u16, u16)>),
    IData {
        flags: u8,
        tsn: u32,
        stream: u16,
        mid: u32,
        ppid_or_fsn: u32,
        payload: Opaque,
    },
    IForwardTsn {
        new_cumulative_tsn: u32,
        skipped: Several<(u16, bool, u32)>,
    },
    Unknown {
        chunk_type: u8,
        flags: u8,
        value: Opaque,
    },
}

impl ChunkModel {
    /// Calls `f` with the chunk.
    pub(crate) fn with_chunk(&self, f: impl FnOnce(&Chunk<'_>)) {
        match self {
            Self::Data {
                flags,
                tsn,
                stream,
                ssn,
                ppid,
                payload,
            } => f(&Chunk::Data(Data {
                flags: DataFlags::from_bits(*flags),
                tsn: Tsn(*tsn),
                stream: StreamId(*stream),
                ssn: Ssn(*ssn),
                ppid: Ppid(*ppid),
                payload,
            })),
            Self::Init(init) => init.with_init(|init| f(&Chunk::Init(init))),
            Self::InitAck(init) => init.with_init(|init| f(&Chunk::InitAck(init))),
            Self::Sack {
                cumulative_tsn_ack,
                a_rwnd,
                gaps,
                duplicates,
                packets,
            } => {
                let gaps: Vec<_> = gaps
                    .iter()
                    .map(|&(start, end)| GapBlock { start, end })
                    .collect();
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
            Self::Abort { reflected, causes } => with_causes(causes, |causes| {
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
            Self::ReConfig(models) => with_re_config(models, f),
            Self::Auth {
                key,
                algorithm,
                hmac,
            } => with_auth(*key, *algorithm, hmac, f),
            Self::Asconf {
                serial,
                address,
                requests,
            } => with_asconf(*serial, *address, requests, f),
            Self::AsconfAck { serial, outcomes } => with_asconf_ack(*serial, outcomes, f),
            Self::ForwardTsn(tsn, streams) => with_forward_tsn(*tsn, streams, f),
            Self::IData {
                flags,
                tsn,
                stream,
                mid,
                ppid_or_fsn,
                payload,
            } => with_i_data(
                &IData {
                    flags: DataFlags::from_bits(*flags),
                    tsn: Tsn(*tsn),
                    stream: StreamId(*stream),
                    mid: Mid(*mid),
                    ppid_or_fsn: *ppid_or_fsn,
                    payload,
                },
                f,
            ),
            Self::IForwardTsn {
                new_cumulative_tsn,
                skipped,
            } => with_i_forward_tsn(Tsn(*new_cumulative_tsn), skipped, f),
            Self::Unknown {
                chunk_type,
                flags,
                value,
            } => {
                let chunk_type = match ChunkType(*chunk_type) {
                    known if known <= ChunkType::SHUTDOWN_COMPLETE => known.0 | 0x40,
                    unknown => unknown.0,
                };
                let [high, low] = length_field(value);
                let whole = [&[chunk_type, *flags, high, low], &value[..]].concat();
                f(&Chunk::Unknown(
                    RawChunk::parse(&whole).expect("a whole chunk"),
                ));
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

#[derive(Arbitrary, Debug)]
pub(crate) enum ParameterModel {
    HeartbeatInfo(Opaque),
    Ipv4Address(Ipv4Addr),
    Ipv6Address(Ipv6Addr),
    StateCookie(Opaque),
    UnrecognizedParameter(Opaque),
    CookiePreservative(u32),
    HostNameAddress(Opaque),
    SupportedAddressTypes(Several<u16>),
    EcnCapable,
    Random(Opaque),
    ChunkList(Opaque),
    RequestedHmacs(Several<u16>),
    AdaptationLayerIndication(u32),
    Unknown { kind: u16, value: Opaque },
}

impl ParameterModel {
    /// The whole bytes of an unknown parameter, which a [`RawParameter`] borrows.
    fn raw(&self) -> Vec<u8> {
        let Self::Unknown { kind, value } = self else {
            return Vec::new();
        };
        // Known types are below 16, 0x8000 to 0x8004, and 0xC006.
        let kind = if kind & 0x3ff0 == 0 {
            kind | 0x2000
        } else {
            *kind
        };
        [&kind.to_be_bytes()[..], &length_field(value), value].concat()
    }

    fn parameter<'a>(&'a self, raw: &'a [u8]) -> Parameter<'a> {
        match self {
            Self::HeartbeatInfo(value) => Parameter::HeartbeatInfo(value),
            Self::Ipv4Address(address) => Parameter::Ipv4Address(*address),
            Self::Ipv6Address(address) => Parameter::Ipv6Address(*address),
            Self::StateCookie(value) => Parameter::StateCookie(value),
            Self::UnrecognizedParameter(value) => Parameter::UnrecognizedParameter(value),
            Self::CookiePreservative(increment) => Parameter::CookiePreservative {
                increment: *increment,
            },
            Self::HostNameAddress(value) => Parameter::HostNameAddress(value),
            Self::SupportedAddressTypes(types) => {
                Parameter::SupportedAddressTypes(List::from(&types[..]))
            }
            Self::EcnCapable => Parameter::EcnCapable,
            Self::Random(number) => Parameter::Random(number),
            Self::ChunkList(types) => Parameter::ChunkList(types),
            Self::RequestedHmacs(ids) => Parameter::RequestedHmacs(List::from(&ids[..])),
            Self::AdaptationLayerIndication(number) => {
                Parameter::AdaptationLayerIndication(*number)
            }
            Self::Unknown { .. } => {
                Parameter::Unknown(RawParameter::parse(raw).expect("a whole parameter"))
            }
        }
    }
}

#[derive(Arbitrary, Debug)]
pub(crate) enum CauseModel {
    InvalidStreamIdentifier(u16),
    MissingMandatoryParameter(Several<u16>),
    StaleCookie(u32),
    OutOfResource,
    UnresolvableAddress(Opaque),
    UnrecognizedChunkType(Opaque),
    InvalidMandatoryParameter,
    UnrecognizedParameters(Opaque),
    NoUserData(u32),
    CookieReceivedWhileShuttingDown,
    RestartWithNewAddresses(Opaque),
    UserInitiatedAbort(Opaque),
    ProtocolViolation(Opaque),
    DeleteLastAddress(Opaque),
    ResourceShortage(Opaque),
    DeleteSourceAddress(Opaque),
    IllegalAsconfAck,
    NotAuthorized(Opaque),
    UnsupportedHmac(u16),
    RestartWithNewEncapsulationPort { current: u16, new: u16 },
    Unknown { code: u16, value: Opaque },
}

impl CauseModel {
    fn cause(&self) -> Cause<'_> {
        match self {
            Self::InvalidStreamIdentifier(stream) => {
                Cause::InvalidStreamIdentifier(StreamId(*stream))
            }
            Self::MissingMandatoryParameter(types) => {
                Cause::MissingMandatoryParameter(List::from(&types[..]))
            }
            Self::StaleCookie(staleness) => Cause::StaleCookie {
                staleness: *staleness,
            },
            Self::OutOfResource => Cause::OutOfResource,
            Self::UnresolvableAddress(value) => Cause::UnresolvableAddress(value),
            Self::UnrecognizedChunkType(value) => Cause::UnrecognizedChunkType(value),
            Self::InvalidMandatoryParameter => Cause::InvalidMandatoryParameter,
            Self::UnrecognizedParameters(value) => Cause::UnrecognizedParameters(value),
            Self::NoUserData(tsn) => Cause::NoUserData(Tsn(*tsn)),
            Self::CookieReceivedWhileShuttingDown => Cause::CookieReceivedWhileShuttingDown,
            Self::RestartWithNewAddresses(value) => Cause::RestartWithNewAddresses(value),
            Self::UserInitiatedAbort(value) => Cause::UserInitiatedAbort(value),
            Self::ProtocolViolation(value) => Cause::ProtocolViolation(value),
            Self::DeleteLastAddress(value) => Cause::DeleteLastAddress(value),
            Self::ResourceShortage(value) => Cause::ResourceShortage(value),
            Self::DeleteSourceAddress(value) => Cause::DeleteSourceAddress(value),
            Self::IllegalAsconfAck => Cause::IllegalAsconfAck,
            Self::NotAuthorized(value) => Cause::NotAuthorized(value),
            Self::UnsupportedHmac(id) => Cause::UnsupportedHmac(*id),
            Self::RestartWithNewEncapsulationPort { current, new } => {
                Cause::RestartWithNewEncapsulationPort {
                    current: *current,
                    new: *new,
                }
            }
            Self::Unknown { code, value } => {
                // Known codes are below 0x200.
                let code = if *code < 0x200 { code | 0x4000 } else { *code };
                Cause::Unknown { code, value }
            }
        }
    }
}

fn with_auth(key: u16, algorithm: u16, hmac: &[u8], f: impl FnOnce(&Chunk<'_>)) {
    let auth = Auth {
        key,
        algorithm,
        hmac,
    };
    let mut whole = Vec::new();
    auth.write(&mut whole);
    assert_eq!(whole.len(), auth.encoded_len());
    let raw = RawChunk::parse(&whole).expect("a whole chunk");
    assert_eq!(Auth::from_raw(&raw), Some(auth));
    f(&Chunk::Unknown(raw));
}

fn with_asconf(
    serial: u32,
    address: IpAddr,
    requests: &[(ChangeModel, u32, IpAddr)],
    f: impl FnOnce(&Chunk<'_>),
) {
    let requests: Vec<AsconfRequest<'_>> = requests
        .iter()
        .map(|(change, id, address)| change.request(*id, *address))
        .collect();
    let asconf = Asconf {
        serial,
        address,
        requests: TlvList::from(&requests[..]),
    };
    let mut whole = Vec::new();
    asconf.write(&mut whole);
    assert_eq!(whole.len(), asconf.encoded_len());
    let raw = RawChunk::parse(&whole).expect("a whole chunk");
    assert_eq!(Asconf::from_raw(&raw), Some(asconf));
    f(&Chunk::Unknown(raw));
}

fn with_asconf_ack(
    serial: u32,
    outcomes: &[(u32, Option<CauseModel>)],
    f: impl FnOnce(&Chunk<'_>),
) {
    let causes: Vec<Option<Cause<'_>>> = outcomes
        .iter()
        .map(|(_, cause)| cause.as_ref().map(CauseModel::cause))
        .collect();
    let outcomes: Vec<AsconfOutcome<'_>> = outcomes
        .iter()
        .zip(&causes)
        .map(|((id, _), cause)| match cause {
            None => AsconfOutcome::Success { id: *id },
            Some(cause) => AsconfOutcome::Failure {
                id: *id,
                causes: Causes::from(std::slice::from_ref(cause)),
            },
        })
        .collect();
    let ack = AsconfAck {
        serial,
        outcomes: TlvList::from(&outcomes[..]),
    };
    let mut whole = Vec::new();
    ack.write(&mut whole);
    assert_eq!(whole.len(), ack.encoded_len());
    let raw = RawChunk::parse(&whole).expect("a whole chunk");
    assert_eq!(AsconfAck::from_raw(&raw), Some(ack));
    f(&Chunk::Unknown(raw));
}

#[derive(Arbitrary, Debug)]
pub(crate) enum ChangeModel {
    Add,
    Delete,
    SetPrimary,
}

impl ChangeModel {
    fn request<'a>(&self, id: u32, address: IpAddr) -> AsconfRequest<'a> {
        match self {
            Self::Add => AsconfRequest::Add { id, address },
            Self::Delete => AsconfRequest::Delete { id, address },
            Self::SetPrimary => AsconfRequest::SetPrimary { id, address },
        }
    }
}

/// Calls `f` with a FORWARD TSN chunk, after reading it gave what was drawn.
fn with_forward_tsn(tsn: u32, streams: &[(u16, u16)], f: impl FnOnce(&Chunk<'_>)) {
    let skipped: Vec<SkippedStream> = streams
        .iter()
        .map(|&(stream, ssn)| SkippedStream {
            stream: StreamId(stream),
            ssn: Ssn(ssn),
        })
        .collect();
    let chunk = ForwardTsn {
        new_cumulative_tsn: Tsn(tsn),
        skipped: List::from(&skipped[..]),
    };
    let mut bytes = Vec::new();
    chunk.write(&mut bytes);
    let raw = RawChunk::parse(&bytes).expect("a whole chunk");
    assert_eq!(ForwardTsn::from_raw(&raw), Some(chunk));
    f(&Chunk::Unknown(raw));
}

/// Calls `f` with an I-DATA chunk, after reading it gave what was drawn.
fn with_i_data(chunk: &IData<'_>, f: impl FnOnce(&Chunk<'_>)) {
    let mut whole = Vec::new();
    chunk.write(&mut whole);
    assert_eq!(whole.len(), chunk.encoded_len());
    let raw = RawChunk::parse(&whole).expect("a whole chunk");
    assert_eq!(IData::from_raw(&raw), Some(*chunk));
    f(&Chunk::Unknown(raw));
}

/// Calls `f` with an I-FORWARD-TSN chunk, after reading it gave what was drawn.
fn with_i_forward_tsn(tsn: Tsn, skipped: &[(u16, bool, u32)], f: impl FnOnce(&Chunk<'_>)) {
    let skipped: Vec<SkippedMessages> = skipped
        .iter()
        .map(|&(stream, unordered, mid)| SkippedMessages {
            stream: StreamId(stream),
            order: if unordered {
                MessageOrder::Unordered
            } else {
                MessageOrder::Ordered
            },
            mid: Mid(mid),
        })
        .collect();
    let chunk = IForwardTsn {
        new_cumulative_tsn: tsn,
        skipped: List::from(&skipped[..]),
    };
    let mut whole = Vec::new();
    chunk.write(&mut whole);
    assert_eq!(whole.len(), chunk.encoded_len());
    let raw = RawChunk::parse(&whole).expect("a whole chunk");
    assert_eq!(IForwardTsn::from_raw(&raw), Some(chunk));
    f(&Chunk::Unknown(raw));
}

/// Calls `f` with a RE-CONFIG chunk, after reading it gave what was drawn.
fn with_re_config(models: &[ReConfigModel], f: impl FnOnce(&Chunk<'_>)) {
    let streams: Vec<Vec<StreamId>> = models.iter().map(ReConfigModel::streams).collect();
    let parameters: Vec<ReConfigParameter<'_>> = models
        .iter()
        .zip(&streams)
        .map(|(model, streams)| model.parameter(streams))
        .collect();
    let chunk = ReConfig {
        parameters: TlvList::from(&parameters[..]),
    };
    let mut whole = Vec::new();
    chunk.write(&mut whole);
    assert_eq!(whole.len(), chunk.encoded_len());
    let raw = RawChunk::parse(&whole).expect("a whole chunk");
    assert_eq!(ReConfig::from_raw(&raw), Some(chunk));
    f(&Chunk::Unknown(raw));
}

#[derive(Arbitrary, Debug)]
pub(crate) enum ReConfigModel {
    OutgoingReset {
        request: u32,
        response: u32,
        last_tsn: u32,
        streams: Several<u16>,
    },
    IncomingReset {
        request: u32,
        streams: Several<u16>,
    },
    TsnReset(u32),
    Response {
        request: u32,
        result: u32,
        next_tsns: Option<(u32, u32)>,
    },
    AddOutgoing(u32, u16),
    AddIncoming(u32, u16),
}

impl ReConfigModel {
    fn streams(&self) -> Vec<StreamId> {
        match self {
            Self::OutgoingReset { streams, .. } | Self::IncomingReset { streams, .. } => {
                streams.iter().copied().map(StreamId).collect()
            }
            _ => Vec::new(),
        }
    }

    fn parameter<'a>(&self, streams: &'a [StreamId]) -> ReConfigParameter<'a> {
        let streams = List::from(streams);
        match *self {
            Self::OutgoingReset {
                request,
                response,
                last_tsn,
                ..
            } => ReConfigParameter::OutgoingReset {
                request,
                response,
                last_tsn: Tsn(last_tsn),
                streams,
            },
            Self::IncomingReset { request, .. } => {
                ReConfigParameter::IncomingReset { request, streams }
            }
            Self::TsnReset(request) => ReConfigParameter::TsnReset { request },
            Self::Response {
                request,
                result,
                next_tsns,
            } => ReConfigParameter::Response {
                request,
                result: ReConfigResult(result),
                next_tsns: next_tsns.map(|(senders, receivers)| (Tsn(senders), Tsn(receivers))),
            },
            Self::AddOutgoing(request, count) => ReConfigParameter::AddOutgoing { request, count },
            Self::AddIncoming(request, count) => ReConfigParameter::AddIncoming { request, count },
        }
    }
}

fn with_causes(models: &[CauseModel], f: impl FnOnce(Causes<'_>)) {
    let causes: Vec<Cause<'_>> = models.iter().map(CauseModel::cause).collect();
    f(Causes::from(&causes[..]));
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
