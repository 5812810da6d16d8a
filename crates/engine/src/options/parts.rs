//! Options that are part of another option's value and have a name of their own in text form.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Options;
use super::declaration::{Field, OptionDeclaration, OptionGroup};
use super::form::choice::Words;
use super::form::special::{ActiveKey, Algorithms, Secret, Secrets};
use crate::{
    Authentication, AuthenticationOptions, BufferSplitting, ChunkSet, ConcurrentTransfer, Coupling,
    HmacAlgorithm, KeyId, Multipath, PathScheduler, RetransmissionPath, SharedKey, Unauthenticated,
};

/// The transfer to assume while `multipath` is off.
static SINGLE: ConcurrentTransfer = ConcurrentTransfer {
    scheduler: PathScheduler::LowestRtt,
    retransmissions: RetransmissionPath::LargestWindow,
    splitting: BufferSplitting::Off,
    coupling: Coupling::Uncoupled,
};

static NO_KEYS: Vec<SharedKey> = Vec::new();

/// The values to assume while authentication is off.
static NO_ALGORITHMS: Vec<HmacAlgorithm> = Vec::new();

/// The declarations, listed after the options to which they belong.
pub(super) static PARTS: &[OptionDeclaration] = &[
    OptionDeclaration {
        name: "path_scheduler",
        group: OptionGroup::Multipath,
        text: "The path for new data among those with room: the one with the shortest round trip, \
               the one with the most room in its window, or each in turn.",
        rfc: "draft-tuexen-tsvwg-sctp-multipath",
        field: &Field {
            form: Words(&[
                ("lowest-rtt", PathScheduler::LowestRtt),
                ("largest-window", PathScheduler::LargestWindow),
                ("round-robin", PathScheduler::RoundRobin),
            ]),
            get: |options: &Options| &transfer(options).scheduler,
            set: |options, value| change(options, |transfer| transfer.scheduler = value),
        },
    },
    OptionDeclaration {
        name: "retransmission_path",
        group: OptionGroup::Multipath,
        text: "The path for lost chunks: the one with the largest congestion window, the one with \
               the largest slow-start threshold, or the one that lost them.",
        rfc: "Iyengar, Amer and Stewart 2006",
        field: &Field {
            form: Words(&[
                ("largest-window", RetransmissionPath::LargestWindow),
                ("largest-threshold", RetransmissionPath::LargestThreshold),
                ("same", RetransmissionPath::Same),
            ]),
            get: |options: &Options| &transfer(options).retransmissions,
            set: |options, value| change(options, |transfer| transfer.retransmissions = value),
        },
    },
    OptionDeclaration {
        name: "buffer_splitting",
        group: OptionGroup::Multipath,
        text: "Whether each path may fill only an even share of the buffers.",
        rfc: "Dreibholz and others 2010",
        field: &Field {
            form: Words(&[
                ("off", BufferSplitting::Off),
                ("even", BufferSplitting::Even),
            ]),
            get: |options: &Options| &transfer(options).splitting,
            set: |options, value| change(options, |transfer| transfer.splitting = value),
        },
    },
    OptionDeclaration {
        name: "coupling",
        group: OptionGroup::Multipath,
        text: "Whether the congestion windows of the paths are coupled: not at all, by shares of \
               slow-start thresholds (CMT/RPv1), by shares of rates (CMT/RPv2), or by linked \
               increases (RFC 6356). Coupled windows need congestion = new-reno.",
        rfc: "RFC 6356",
        field: &Field {
            form: Words(&[
                ("uncoupled", Coupling::Uncoupled),
                ("pooled-thresholds", Coupling::PooledThresholds),
                ("pooled-rates", Coupling::PooledRates),
                ("linked-increases", Coupling::LinkedIncreases),
            ]),
            get: |options: &Options| &transfer(options).coupling,
            set: |options, value| change(options, |transfer| transfer.coupling = value),
        },
    },
    OptionDeclaration {
        name: "authentication_key",
        group: OptionGroup::Extensions,
        text: "The secret that both ends share, as the key of id 1. If `authentication` is off, \
               setting a key turns authentication on for all chunks and refuses peers without it. \
               On a command line, other users of the machine can see the secret.",
        rfc: "RFC 4895 §6.1",
        field: &Field {
            form: Secret,
            get: keys,
            set: share_keys,
        },
    },
    OptionDeclaration {
        name: "authentication_keys",
        group: OptionGroup::Extensions,
        text: "Several secrets that both ends share, each with its id; use it instead of \
               `authentication_key`. The first key is used for sending, unless \
               `active_authentication_key` names another.",
        rfc: "RFC 4895 §6.1",
        field: &Field {
            form: Secrets,
            get: keys,
            set: |options, keys| match keys.is_empty() {
                // `off` leaves a key set by `authentication_key` in place.
                true => Ok(()),
                false => share_keys(options, keys),
            },
        },
    },
    OptionDeclaration {
        name: "active_authentication_key",
        group: OptionGroup::Extensions,
        text: "The id of the key used for sending at first.",
        rfc: "RFC 4895 §6.1",
        field: &Field {
            form: ActiveKey,
            get: |options: &Options| match &options.authentication {
                Authentication::On(on) => &on.active,
                Authentication::Off => &KeyId(0),
            },
            set: |options, value| set(options, value, &KeyId(0), |on| &mut on.active),
        },
    },
    OptionDeclaration {
        name: "hmac_algorithms",
        group: OptionGroup::Extensions,
        text: "The HMAC algorithms that the peer may use, in order of preference; SHA-1 is \
               mandatory.",
        rfc: "RFC 4895 §3.3",
        field: &Field {
            form: Algorithms,
            get: |options: &Options| match &options.authentication {
                Authentication::On(on) => &on.algorithms,
                Authentication::Off => &NO_ALGORITHMS,
            },
            set: |options, value| {
                let usual = AuthenticationOptions::default().algorithms;
                set(options, value, &usual, |on| &mut on.algorithms)
            },
        },
    },
    OptionDeclaration {
        name: "unauthenticated_peers",
        group: OptionGroup::Extensions,
        text: "Whether an association with a peer that does not authenticate is accepted or refused.",
        rfc: "RFC 4895 §6.2",
        field: &Field {
            form: Words(&[
                ("accepted", Unauthenticated::Accepted),
                ("refused", Unauthenticated::Refused),
            ]),
            get: |options: &Options| match &options.authentication {
                Authentication::On(on) => &on.others,
                Authentication::Off => &Unauthenticated::Accepted,
            },
            set: |options, value| {
                set(options, value, &Unauthenticated::Accepted, |on| {
                    &mut on.others
                })
            },
        },
    },
];

/// Sets a part of the authentication; while that is off, only the usual value can be set.
fn set<T: PartialEq>(
    options: &mut Options,
    value: T,
    usual: &T,
    part: fn(&mut AuthenticationOptions) -> &mut T,
) -> Result<(), &'static str> {
    match &mut options.authentication {
        Authentication::On(on) => {
            *part(on) = value;
            Ok(())
        }
        Authentication::Off if value == *usual => Ok(()),
        Authentication::Off => Err("needs authentication"),
    }
}

fn keys(options: &Options) -> &Vec<SharedKey> {
    match &options.authentication {
        Authentication::On(on) => &on.keys,
        Authentication::Off => &NO_KEYS,
    }
}

fn transfer(options: &Options) -> &ConcurrentTransfer {
    match &options.multipath {
        Multipath::Off => &SINGLE,
        Multipath::Concurrent(transfer) => transfer,
    }
}

/// Changes the transfer; while `multipath` is off, only the defaults can be set.
fn change(
    options: &mut Options,
    change: impl FnOnce(&mut ConcurrentTransfer),
) -> Result<(), &'static str> {
    match &mut options.multipath {
        Multipath::Concurrent(transfer) => {
            change(transfer);
            Ok(())
        }
        Multipath::Off => {
            let mut single = SINGLE;
            change(&mut single);
            (single == SINGLE)
                .then_some(())
                .ok_or("needs multipath = concurrent")
        }
    }
}

fn share_keys(options: &mut Options, keys: Vec<SharedKey>) -> Result<(), &'static str> {
    if options.authentication == Authentication::Off {
        if keys.is_empty() {
            return Ok(());
        }
        options.authentication = Authentication::On(Box::new(AuthenticationOptions {
            chunks: ChunkSet::all(),
            others: Unauthenticated::Refused,
            ..AuthenticationOptions::default()
        }));
    }
    if let Authentication::On(on) = &mut options.authentication {
        on.active = keys.first().map(SharedKey::id).unwrap_or_default();
        on.keys = keys;
    }
    Ok(())
}
