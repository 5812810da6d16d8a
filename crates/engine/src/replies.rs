use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::net::IpAddr;

use sheave_wire::{
    Abort, Causes, Chunk, CommonHeader, PacketWriter, ShutdownComplete, TagReflection,
};

use crate::assoc::extensions::authentication::Authenticator;
use crate::assoc::extensions::protection::Shield;
use crate::{Checksum, Ecn, Marking, PeerAddress, Transmit, Unsealed};

/// Most packets that wait. A host that makes us answer faster than we can send gets no more
/// answers.
const MAX_WAITING: usize = 256;

/// SCTP packet length that fits any path, for packets without an association, bytes.
const MAX_LEN: usize = 1200;

/// Packets sent outside associations, one datagram each: answers to INIT and to out-of-the-blue
/// packets, and the last packets of associations.
#[derive(Clone, Debug)]
pub(crate) struct Replies {
    checksum: Checksum,
    waiting: VecDeque<(Envelope, Vec<u8>)>,
}

/// Addresses and marking of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Envelope {
    pub(crate) local: IpAddr,
    pub(crate) remote: PeerAddress,
    pub(crate) marking: Marking,
}

impl Replies {
    pub(crate) const fn new(checksum: Checksum) -> Self {
        Self {
            checksum,
            waiting: VecDeque::new(),
        }
    }

    /// Queues a packet with one chunk.
    pub(crate) fn push(
        &mut self,
        local: IpAddr,
        remote: PeerAddress,
        header: CommonHeader,
        chunk: &Chunk<'_>,
    ) {
        self.push_proved((local, remote), header, chunk, None);
    }

    /// Like [`push`](Self::push), with a marking.
    pub(crate) fn push_marked(
        &mut self,
        envelope: Envelope,
        header: CommonHeader,
        chunk: &Chunk<'_>,
    ) {
        if self.waiting.len() < MAX_WAITING {
            self.push_last(envelope, header, chunk, None);
        }
    }

    /// Like [`push`](Self::push), authenticated with AUTH if the peer requires it. Returns the
    /// packet if it was queued.
    pub(crate) fn push_proved(
        &mut self,
        (local, remote): (IpAddr, PeerAddress),
        header: CommonHeader,
        chunk: &Chunk<'_>,
        authenticator: Option<&Authenticator>,
    ) -> Option<&mut Vec<u8>> {
        let envelope = Envelope {
            local,
            remote,
            marking: Marking::default(),
        };
        if self.waiting.len() >= MAX_WAITING {
            return None;
        }
        self.push_last(envelope, header, chunk, authenticator);
        self.waiting.back_mut().map(|(_, bytes)| bytes)
    }

    /// Queues the last packet of an association; their number is bounded by the number of
    /// associations.
    fn push_last(
        &mut self,
        envelope: Envelope,
        header: CommonHeader,
        chunk: &Chunk<'_>,
        authenticator: Option<&Authenticator>,
    ) {
        let mut bytes = Vec::new();
        let mut packet = PacketWriter::new(&mut bytes, header, MAX_LEN);
        packet.push(chunk);
        packet.finish_without_checksum();
        if let Some(authenticator) = authenticator
            && let Some(sealing) = authenticator.sealing_for(chunk.chunk_type())
        {
            let packet = 0..bytes.len();
            authenticator.seal(&mut bytes, packet, sealing);
        }
        self.waiting.push_back((envelope, bytes));
    }

    /// Encrypts the packet queued last, which belongs to an association.
    pub(crate) fn seal_last(&mut self, shield: &mut Shield) {
        if let Some((_, bytes)) = self.waiting.back_mut() {
            shield.seal(bytes, 0);
        }
    }

    pub(crate) fn abort(
        &mut self,
        local: IpAddr,
        remote: PeerAddress,
        header: CommonHeader,
        causes: &[u8],
    ) {
        let abort = Abort {
            reflected: TagReflection::Own,
            causes: Causes::from_wire(causes),
        };
        self.push(local, remote, header, &Chunk::Abort(abort));
    }

    /// Queues the ABORT that ends an association.
    pub(crate) fn last_abort(
        &mut self,
        envelope: Envelope,
        header: CommonHeader,
        abort: Abort<'_>,
        authenticator: Option<&Authenticator>,
    ) {
        self.push_last(envelope, header, &Chunk::Abort(abort), authenticator);
    }

    pub(crate) fn shutdown_complete(&mut self, envelope: Envelope, header: CommonHeader) {
        let complete = ShutdownComplete {
            reflected: TagReflection::Own,
        };
        self.push_last(envelope, header, &Chunk::ShutdownComplete(complete), None);
    }

    /// Answers a packet with an ABORT that carries the packet's own tag and the T bit (RFC 9260
    /// §8.4).
    pub(crate) fn reflect_abort(&mut self, ends: (IpAddr, PeerAddress), received: CommonHeader) {
        let abort = Abort {
            reflected: TagReflection::Reflected,
            causes: Causes::EMPTY,
        };
        self.answer(ends, received, &Chunk::Abort(abort));
    }

    /// Answers a SHUTDOWN ACK with SHUTDOWN COMPLETE, like [`reflect_abort`](Self::reflect_abort).
    pub(crate) fn reflect_shutdown_complete(
        &mut self,
        ends: (IpAddr, PeerAddress),
        received: CommonHeader,
    ) {
        let complete = ShutdownComplete {
            reflected: TagReflection::Reflected,
        };
        self.answer(ends, received, &Chunk::ShutdownComplete(complete));
    }

    fn answer(
        &mut self,
        (local, remote): (IpAddr, PeerAddress),
        received: CommonHeader,
        chunk: &Chunk<'_>,
    ) {
        let header = CommonHeader {
            source_port: received.destination_port,
            destination_port: received.source_port,
            vtag: received.vtag,
        };
        self.push(local, remote, header, chunk);
    }

    /// Moves the next packet into `buf`, without its checksum. The queue is usually empty.
    #[inline]
    pub(crate) fn pop(&mut self, buf: &mut Vec<u8>) -> Option<Unsealed> {
        if self.waiting.is_empty() {
            return None;
        }
        self.pop_first(buf)
    }

    fn pop_first(&mut self, buf: &mut Vec<u8>) -> Option<Unsealed> {
        let (envelope, bytes) = self.waiting.pop_front()?;
        buf.extend_from_slice(&bytes);
        let transmit = Transmit {
            local: envelope.local,
            remote: envelope.remote,
            ecn: Ecn::NotEct,
            segment_size: None,
            fragmentation: crate::Fragmentation::Allowed,
            marking: envelope.marking,
        };
        Some(Unsealed {
            transmit,
            checksum: self.checksum,
        })
    }
}
