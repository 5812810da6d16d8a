//! Stacks in this process, in virtual time.

use sheave_engine::{Interleaving, Options, PartialReliability, Profile, StreamScheduler};
use sheave_interop::scenario::{
    self, FEW, LARGE, LONG, MIXED, SMALL, beside, exchange_called_by, many_streams,
};
use sheave_interop::session::offering;
use sheave_interop::{Dcsctp, Impairment, Pair, SctpProto, Sheave, Side, Stack, Traffic, partial};

use crate::{PROFILES, for_several_paths, without_checksums};

/// The constructors of a stack: with its defaults, and with an extension.
struct Peer<P> {
    new: fn() -> P,
    interleaving: fn() -> P,
    within_dtls: fn() -> P,
}

/// Tries a feature with a stack.
pub(crate) fn run(stack: &str, feature: &str, caller: Side) {
    match stack {
        "dcsctp" => {
            let peer = Peer {
                new: Dcsctp::new,
                interleaving: Dcsctp::interleaving,
                within_dtls: Dcsctp::within_dtls,
            };
            case(feature)(&peer, caller);
        }
        "sctp-proto" => {
            let peer = Peer {
                new: SctpProto::new,
                interleaving: SctpProto::new,
                within_dtls: SctpProto::new,
            };
            case(feature)(&peer, caller);
        }
        other => panic!("{other} is no stack in this process"),
    }
}

fn case<P: Stack>(feature: &str) -> fn(&Peer<P>, Side) {
    match feature {
        "messages" => messages,
        "unordered" => |peer, caller| clean(caller, peer.with(many_streams()), &MIXED, 2),
        "large" => large,
        "loss" => loss,
        "shutdown" => shutdown,
        "shutdown_together" => {
            |peer, caller| scenario::shut_down_together(peer.with(many_streams()), caller)
        }
        "abort" => abort,
        "crossing" => |peer, caller| scenario::call_each_other(peer.with(many_streams()), caller),
        "restart" => |peer, caller| scenario::restart(peer.with(many_streams()), caller),
        "offers" => offers,
        "profiles" => profiles,
        "several_paths" => several_paths,
        "zero_checksum" => zero_checksum,
        "interleaving" => interleaving,
        "interleaving_with_loss" => |peer, caller| impaired(caller, peer.interleaving(), &LONG, 4),
        "interleaving_alone" => interleaving_alone,
        "giving_up" => |peer, caller| partial::all(peer.with(giving_up()), caller),
        "giving_up_interleaved" => giving_up_interleaved,
        "giving_up_nothing" => {
            |peer, caller| partial::nothing_without_impairments(peer.with(giving_up()), caller)
        }
        other => panic!("no case for {other}"),
    }
}

impl<P: Stack> Peer<P> {
    /// Makes pairs of our stack with these options, and the peer with its defaults.
    fn with(&self, options: Options) -> impl Fn() -> (Sheave, P) + use<P> {
        beside(options, self.new)
    }

    /// Makes pairs of stacks that interleave messages.
    fn interleaving(&self) -> impl Fn() -> (Sheave, P) + use<P> {
        beside(interleaved(many_streams()), self.interleaving)
    }
}

/// Messages are interleaved; our streams take turns.
fn interleaved(options: Options) -> Options {
    Options {
        interleaving: Interleaving::On,
        scheduler: StreamScheduler::RoundRobin,
        ..options
    }
}

fn giving_up() -> Options {
    Options {
        partial_reliability: PartialReliability::On,
        ..Profile::Rfc9260.options()
    }
}

fn clean<P: Stack>(caller: Side, make: impl Fn() -> (Sheave, P), traffic: &Traffic, seeds: u64) {
    exchange_called_by(caller, make, Impairment::CLEAN, [traffic; 2], 0..seeds);
}

fn impaired<P: Stack>(caller: Side, make: impl Fn() -> (Sheave, P), traffic: &Traffic, seeds: u64) {
    exchange_called_by(caller, make, Impairment::IMPAIRED, [traffic; 2], 0..seeds);
}

fn messages<P: Stack>(peer: &Peer<P>, caller: Side) {
    let stacks = peer.with(many_streams());
    clean(caller, &stacks, &SMALL, 2);
    for one_way in [[&LONG, &Traffic::NONE], [&Traffic::NONE, &LONG]] {
        exchange_called_by(caller, &stacks, Impairment::CLEAN, one_way, 0..1);
    }
}

fn large<P: Stack>(peer: &Peer<P>, caller: Side) {
    let stacks = peer.with(many_streams());
    clean(caller, &stacks, &LARGE, 1);
    exchange_called_by(caller, &stacks, Impairment::LOSSY, [&LARGE; 2], 0..2);
}

fn loss<P: Stack>(peer: &Peer<P>, caller: Side) {
    let stacks = peer.with(many_streams());
    impaired(caller, &stacks, &LONG, 10);
    scenario::exchange_while_each_way_is_cut(&stacks, caller);
}

fn shutdown<P: Stack>(peer: &Peer<P>, by: Side) {
    for caller in Side::BOTH {
        let stacks = peer.with(many_streams());
        scenario::everything_sent_arrives_before_the_end(stacks, caller, by);
    }
}

fn abort<P: Stack>(peer: &Peer<P>, by: Side) {
    for caller in Side::BOTH {
        scenario::abort(peer.with(many_streams()), caller, by);
    }
}

fn offers<P: Stack>(peer: &Peer<P>, caller: Side) {
    let stacks = peer.with(offering());
    clean(caller, &stacks, &MIXED, 1);
    impaired(caller, &stacks, &LONG, 2);
}

fn profiles<P: Stack>(peer: &Peer<P>, caller: Side) {
    for profile in PROFILES {
        let stacks = peer.with(profile.options());
        clean(caller, &stacks, &MIXED, 1);
        impaired(caller, &stacks, &FEW, 2);
    }
}

fn several_paths<P: Stack>(peer: &Peer<P>, caller: Side) {
    let stacks = peer.with(for_several_paths(many_streams()));
    clean(caller, &stacks, &MIXED, 2);
    impaired(caller, &stacks, &LONG, 4);
}

/// Packets within DTLS, of ours and of theirs; none is damaged there.
fn zero_checksum<P: Stack>(peer: &Peer<P>, caller: Side) {
    let ours = || without_checksums(many_streams());
    let stacks = beside(ours(), peer.within_dtls);
    let mut pair = Pair::of(stacks(), Impairment::CLEAN, 1);
    scenario::establish(&mut pair, caller);
    assert!(pair.right.uses_zero_checksum());
    exchange_called_by(caller, stacks, Impairment::LOSSY, [&LONG; 2], 0..2);
    // One that needs checksums gets them.
    clean(caller, beside(many_streams(), peer.within_dtls), &FEW, 1);
    clean(caller, peer.with(ours()), &FEW, 1);
}

fn interleaving<P: Stack>(peer: &Peer<P>, caller: Side) {
    let stacks = peer.interleaving();
    let mut pair = Pair::of(stacks(), Impairment::CLEAN, 1);
    scenario::establish(&mut pair, caller);
    assert!(pair.right.uses_interleaving());
    for traffic in [&SMALL, &MIXED, &LARGE] {
        clean(caller, &stacks, traffic, 1);
    }
}

fn interleaving_alone<P: Stack>(peer: &Peer<P>, caller: Side) {
    let ours_only = peer.with(interleaved(many_streams()));
    let theirs_only = beside(many_streams(), peer.interleaving);
    clean(caller, ours_only, &MIXED, 1);
    clean(caller, theirs_only, &MIXED, 1);
}

fn giving_up_interleaved<P: Stack>(peer: &Peer<P>, caller: Side) {
    let stacks = beside(interleaved(giving_up()), peer.interleaving);
    partial::over_impaired_links(stacks, caller);
}
