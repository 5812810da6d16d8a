use alloc::vec::Vec;

use super::codec::Writer;
use super::state::{
    AddressSerials, Credentials, KeyStanding, Numbers, PathStanding, Receiving, Requests, Sending,
    State,
};
use crate::PathState;
use crate::assoc::extensions::reconfiguration::ReConfigAnswer;

/// The first bytes of an exported association.
pub(super) const MAGIC: [u8; 4] = *b"SHVH";

/// The version written, and the only one read.
pub(super) const VERSION: u8 = 1;

impl State {
    /// Encodes the state in the format documented in `handover`.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer(MAGIC.to_vec());
        out.u8(VERSION);
        out.u16(self.ports.0);
        out.u16(self.ports.1);
        out.u32(self.tags.0.0);
        out.u32(self.tags.1.0);
        out.u32(self.extensions.0);
        out.u32(self.announced.0);
        write_sending(&mut out, &self.sending);
        write_receiving(&mut out, &self.receiving);
        out.list(&self.local, |out, ip| out.address(*ip));
        out.list(&self.paths, write_path);
        out.u8(self.primary.0);
        out.optional(self.requests.as_ref(), write_requests);
        out.optional(self.address_serials.as_ref(), write_address_serials);
        out.optional(self.credentials.as_ref(), write_credentials);
        out.optional(self.echo, |out, tsn| out.u32(tsn.0));
        out.0
    }
}

fn write_numbers(out: &mut Writer, numbers: &Numbers) {
    out.list(numbers, |out, (stream, number)| {
        out.u16(stream.0);
        out.u32(*number);
    });
}

fn write_sending(out: &mut Writer, sending: &Sending) {
    out.u32(sending.next_tsn.0);
    out.u16(sending.streams);
    out.u32(sending.peer_rwnd);
    out.u32(sending.widest_rwnd);
    write_numbers(out, &sending.ordered);
    write_numbers(out, &sending.unordered);
}

fn write_receiving(out: &mut Writer, receiving: &Receiving) {
    out.u32(receiving.cumulative_tsn.0);
    out.u16(receiving.streams);
    write_numbers(out, &receiving.ordered);
}

fn write_path(out: &mut Writer, path: &PathStanding) {
    out.address(path.local);
    out.address(path.remote.ip);
    out.optional(path.remote.encapsulation, Writer::u16);
    out.u8(match path.state {
        PathState::Unconfirmed => 0,
        PathState::Active => 1,
        PathState::PotentiallyFailed => 2,
        PathState::Inactive => 3,
    });
    out.u32(path.errors);
    out.u16(path.pmtu);
    out.u64(path.cwnd);
    out.u64(path.ssthresh);
    out.optional(path.rto.srtt, Writer::u64);
    out.u64(path.rto.rttvar);
    out.u64(path.rto.rto);
}

fn write_requests(out: &mut Writer, requests: &Requests) {
    out.u32(requests.next);
    out.u32(requests.expected);
    out.list(&requests.answers, |out, answer: &ReConfigAnswer| {
        out.u32(answer.request);
        out.u32(answer.result.0);
        out.optional(answer.next_tsns, |out, (ours, theirs)| {
            out.u32(ours.0);
            out.u32(theirs.0);
        });
    });
    out.optional(requests.invited_reset, Writer::u32);
    out.u16(requests.invited_streams);
}

fn write_address_serials(out: &mut Writer, serials: &AddressSerials) {
    out.u32(serials.next);
    out.u32(serials.due);
    out.optional(serials.answer.as_deref(), Writer::bytes);
}

fn write_credentials(out: &mut Writer, credentials: &Credentials) {
    out.bytes(credentials.vectors.ours.bytes());
    out.bytes(credentials.vectors.theirs.bytes());
    out.u16(credentials.active.0);
    out.optional(credentials.heard, |out, key| out.u16(key.0));
    out.list(&credentials.keys, |out, key| {
        out.u16(key.id.0);
        out.u8(u8::from(key.standing == KeyStanding::Deactivated));
        out.bytes(&key.secret);
    });
}
