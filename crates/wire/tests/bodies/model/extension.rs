//! Chunks of extensions: they travel as unknown chunks do.

use std::net::IpAddr;

use arbitrary::Arbitrary;
use sheave_wire::{
    Asconf, AsconfAck, AsconfOutcome, AsconfRequest, Auth, Cause, Causes, Chunk, ForwardTsn, IData,
    IForwardTsn, List, MessageOrder, Mid, RawChunk, ReConfig, ReConfigParameter, ReConfigResult,
    SkippedMessages, SkippedStream, Ssn, StreamId, TlvList, Tsn,
};

use super::Several;
use super::cause::CauseModel;

pub(super) fn with_auth(key: u16, algorithm: u16, hmac: &[u8], f: impl FnOnce(&Chunk<'_>)) {
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

pub(super) fn with_asconf(
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

pub(super) fn with_asconf_ack(
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

/// Calls `f` with a FORWARD TSN chunk, after reading it gave what was drawn.
pub(super) fn with_forward_tsn(tsn: u32, streams: &[(u16, u16)], f: impl FnOnce(&Chunk<'_>)) {
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
pub(super) fn with_i_data(chunk: &IData<'_>, f: impl FnOnce(&Chunk<'_>)) {
    let mut whole = Vec::new();
    chunk.write(&mut whole);
    assert_eq!(whole.len(), chunk.encoded_len());
    let raw = RawChunk::parse(&whole).expect("a whole chunk");
    assert_eq!(IData::from_raw(&raw), Some(*chunk));
    f(&Chunk::Unknown(raw));
}

/// Calls `f` with an I-FORWARD-TSN chunk, after reading it gave what was drawn.
pub(super) fn with_i_forward_tsn(
    tsn: Tsn,
    skipped: &[(u16, bool, u32)],
    f: impl FnOnce(&Chunk<'_>),
) {
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
pub(super) fn with_re_config(models: &[ReConfigModel], f: impl FnOnce(&Chunk<'_>)) {
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
