//! Chunks that RFC 9260 does not define.

use std::net::IpAddr;

use arbitrary::Arbitrary;
use sheave_wire::{
    Asconf, AsconfAck, AsconfOutcome, AsconfRequest, Auth, Cause, Causes, CheckedData, Chunk,
    Corruption, CorruptionEvent, Cwr, Data, DataFlags, Dtls, DtlsContext, EcnEcho, ForwardTsn,
    IData, IForwardTsn, List, MessageOrder, Mid, NrSack, PacketDrop, PacketDropFlags, Pad, Ppid,
    ReConfig, ReConfigParameter, ReConfigResult, SkippedMessages, SkippedStream, Ssn, StreamId,
    TlvList, Tsn,
};

use super::cause::CauseModel;
use super::{Opaque, Several, blocks};

/// A chunk of an extension. A new one adds a variant, and what it becomes.
#[derive(Arbitrary, Debug)]
pub(crate) enum ExtensionModel {
    Auth(u16, u16, Opaque),
    Asconf(u32, IpAddr, Several<(ChangeModel, u32, IpAddr)>),
    AsconfAck(u32, Several<(u32, Option<CauseModel>)>),
    CheckedData(u8, (u32, u16, u16, u32), u32, Opaque),
    Corruption(Several<(u32, u32)>),
    Cwr(u32),
    EcnEcho(u32),
    ForwardTsn(u32, Several<(u16, u16)>),
    IData(u8, u32, u16, u32, u32, Opaque),
    IForwardTsn(u32, Several<(u16, bool, u32)>),
    NrSack(
        (u32, u32),
        Several<(u16, u16)>,
        Several<(u16, u16)>,
        Several<u32>,
    ),
    PacketDrop(u8, (u32, u32, u16), Opaque),
    Dtls(bool, u8, Opaque),
    Pad(u16),
    ReConfig(Several<ReConfigModel>),
}

impl ExtensionModel {
    /// Calls `f` with the chunk.
    pub(super) fn with_chunk(&self, f: impl FnOnce(&Chunk<'_>)) {
        match self {
            Self::Auth(key, algorithm, hmac) => f(&Chunk::Auth(Auth {
                key: *key,
                algorithm: *algorithm,
                hmac,
            })),
            Self::Asconf(serial, address, requests) => {
                let requests: Vec<AsconfRequest<'_>> = requests
                    .iter()
                    .map(|(change, id, address)| change.request(*id, *address))
                    .collect();
                f(&Chunk::Asconf(Asconf {
                    serial: *serial,
                    address: *address,
                    requests: TlvList::from(&requests[..]),
                }));
            }
            Self::AsconfAck(serial, outcomes) => with_asconf_ack(*serial, outcomes, f),
            Self::CheckedData(flags, (tsn, stream, ssn, ppid), header_checksum, payload) => {
                f(&Chunk::CheckedData(CheckedData {
                    data: Data {
                        flags: DataFlags::from_bits(*flags),
                        tsn: Tsn(*tsn),
                        stream: StreamId(*stream),
                        ssn: Ssn(*ssn),
                        ppid: Ppid(*ppid),
                        payload,
                    },
                    header_checksum: *header_checksum,
                }));
            }
            Self::Corruption(events) => {
                let events: Vec<_> = events.iter().copied().map(event).collect();
                let events = List::from(&events[..]);
                f(&Chunk::Corruption(Corruption { events }));
            }
            Self::Cwr(tsn) => f(&Chunk::Cwr(Cwr {
                lowest_tsn: Tsn(*tsn),
            })),
            Self::EcnEcho(tsn) => f(&Chunk::EcnEcho(EcnEcho {
                lowest_tsn: Tsn(*tsn),
            })),
            Self::ForwardTsn(tsn, streams) => {
                let skipped: Vec<_> = streams.iter().copied().map(skipped_stream).collect();
                f(&Chunk::ForwardTsn(ForwardTsn {
                    new_cumulative_tsn: Tsn(*tsn),
                    skipped: List::from(&skipped[..]),
                }));
            }
            Self::IData(flags, tsn, stream, mid, ppid_or_fsn, payload) => f(&Chunk::IData(IData {
                flags: DataFlags::from_bits(*flags),
                tsn: Tsn(*tsn),
                stream: StreamId(*stream),
                mid: Mid(*mid),
                ppid_or_fsn: *ppid_or_fsn,
                payload,
            })),
            Self::IForwardTsn(tsn, skipped) => {
                let skipped: Vec<_> = skipped.iter().copied().map(skipped_messages).collect();
                f(&Chunk::IForwardTsn(IForwardTsn {
                    new_cumulative_tsn: Tsn(*tsn),
                    skipped: List::from(&skipped[..]),
                }));
            }
            Self::NrSack((cumulative_tsn_ack, a_rwnd), gaps, nr_gaps, duplicates) => {
                let (gaps, nr_gaps) = (blocks(gaps), blocks(nr_gaps));
                let duplicates: Vec<_> = duplicates.iter().copied().map(Tsn).collect();
                f(&Chunk::NrSack(NrSack {
                    cumulative_tsn_ack: Tsn(*cumulative_tsn_ack),
                    a_rwnd: *a_rwnd,
                    gap_blocks: List::from(&gaps[..]),
                    nr_gap_blocks: List::from(&nr_gaps[..]),
                    duplicates: List::from(&duplicates[..]),
                }));
            }
            Self::PacketDrop(flags, (bandwidth, queued, full_len), quoted) => {
                f(&Chunk::PacketDrop(PacketDrop {
                    flags: PacketDropFlags::from_bits(*flags),
                    bandwidth: *bandwidth,
                    queued: *queued,
                    full_len: *full_len,
                    quoted,
                }));
            }
            Self::Dtls(restart, padding, record) => f(&Chunk::Dtls(Dtls {
                context: if *restart {
                    DtlsContext::Restart
                } else {
                    DtlsContext::Primary
                },
                padding: *padding,
                record,
            })),
            Self::Pad(len) => f(&Chunk::Pad(Pad {
                len: (*len).clamp(4, 3000),
            })),
            Self::ReConfig(models) => with_re_config(models, f),
        }
    }
}

fn event((tsn, found_at): (u32, u32)) -> CorruptionEvent {
    CorruptionEvent {
        tsn: Tsn(tsn),
        found_at,
    }
}

fn skipped_stream((stream, ssn): (u16, u16)) -> SkippedStream {
    SkippedStream {
        stream: StreamId(stream),
        ssn: Ssn(ssn),
    }
}

fn skipped_messages((stream, unordered, mid): (u16, bool, u32)) -> SkippedMessages {
    SkippedMessages {
        stream: StreamId(stream),
        order: if unordered {
            MessageOrder::Unordered
        } else {
            MessageOrder::Ordered
        },
        mid: Mid(mid),
    }
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
    f(&Chunk::AsconfAck(AsconfAck {
        serial,
        outcomes: TlvList::from(&outcomes[..]),
    }));
}

/// Calls `f` with a RE-CONFIG chunk.
fn with_re_config(models: &[ReConfigModel], f: impl FnOnce(&Chunk<'_>)) {
    let streams: Vec<Vec<StreamId>> = models.iter().map(ReConfigModel::streams).collect();
    let parameters: Vec<ReConfigParameter<'_>> = models
        .iter()
        .zip(&streams)
        .map(|(model, streams)| model.parameter(streams))
        .collect();
    f(&Chunk::ReConfig(ReConfig {
        parameters: TlvList::from(&parameters[..]),
    }));
}

#[derive(Arbitrary, Debug)]
pub(crate) enum ReConfigModel {
    OutgoingReset(u32, u32, u32, Several<u16>),
    IncomingReset(u32, Several<u16>),
    TsnReset(u32),
    Response(u32, u32, Option<(u32, u32)>),
    AddOutgoing(u32, u16),
    AddIncoming(u32, u16),
}

impl ReConfigModel {
    fn streams(&self) -> Vec<StreamId> {
        match self {
            Self::OutgoingReset(.., streams) | Self::IncomingReset(_, streams) => {
                streams.iter().copied().map(StreamId).collect()
            }
            _ => Vec::new(),
        }
    }

    fn parameter<'a>(&self, streams: &'a [StreamId]) -> ReConfigParameter<'a> {
        let streams = List::from(streams);
        match *self {
            Self::OutgoingReset(request, response, last_tsn, _) => {
                ReConfigParameter::OutgoingReset {
                    request,
                    response,
                    last_tsn: Tsn(last_tsn),
                    streams,
                }
            }
            Self::IncomingReset(request, _) => {
                ReConfigParameter::IncomingReset { request, streams }
            }
            Self::TsnReset(request) => ReConfigParameter::TsnReset { request },
            Self::Response(request, result, next_tsns) => ReConfigParameter::Response {
                request,
                result: ReConfigResult(result),
                next_tsns: next_tsns.map(|(senders, receivers)| (Tsn(senders), Tsn(receivers))),
            },
            Self::AddOutgoing(request, count) => ReConfigParameter::AddOutgoing { request, count },
            Self::AddIncoming(request, count) => ReConfigParameter::AddIncoming { request, count },
        }
    }
}
