//! The variants that are compared.

use core::time::Duration;

use sheave::config::Offload;
use sheave::options::{
    Bundling, DeliverySacks, LossRecovery, PathMtuDiscovery, WindowRules, ZeroChecksum,
};
use sheave::{Options, Profile};

use crate::live::Segmentation;

/// Whether TCP delays segments that are not full (Nagle's algorithm).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nagle {
    On,
    Off,
}

/// The transport of a variant.
#[derive(Clone, Debug)]
pub(super) enum Transport {
    /// The kernel's TCP.
    Tcp(Nagle),
    /// Sheave's SCTP over UDP.
    Sctp {
        options: Box<Options>,
        offload: Offload,
    },
}

/// A transport and its segmentation offload.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    pub(super) transport: Transport,
    pub(super) segmentation: Segmentation,
}

/// Variants with a single optimisation: the columns of the ablation.
pub(super) const ALONE: [&str; 6] = [
    "classic + full packets",
    "classic + SACK per 7",
    "classic + one SACK per trigger",
    "classic + no burst limit",
    "classic + GSO/GRO",
    "classic + go-back-N",
];

/// The names of all variants.
pub(super) const NAMES: [&str; 13] = [
    "tcp",
    "tcp, no delay",
    "tcp, segmentation",
    "sctp-classic",
    ALONE[0],
    ALONE[1],
    ALONE[2],
    ALONE[3],
    ALONE[4],
    ALONE[5],
    "sctp",
    "sctp, CRC32c",
    "sctp, segmentation",
];

impl Variant {
    /// The variant with this name, with receive and send buffers of `buffer` bytes.
    pub(super) fn named(name: &str, buffer: usize) -> Option<Self> {
        let off = Segmentation::Off;
        let tcp = |nagle, segmentation| Self {
            transport: Transport::Tcp(nagle),
            segmentation,
        };
        let sctp = |options: Options, offload, segmentation| Self {
            transport: Transport::Sctp {
                options: Box::new(options),
                offload,
            },
            segmentation,
        };
        let (classic, best) = (classic(buffer), best(buffer));
        Some(match name {
            "tcp" => tcp(Nagle::On, off),
            "tcp, no delay" => tcp(Nagle::Off, off),
            "tcp, segmentation" => tcp(Nagle::On, Segmentation::On),
            "sctp-classic" => sctp(classic, Offload::Off, off),
            "sctp" => sctp(best, Offload::Automatic, off),
            "sctp, segmentation" => sctp(best, Offload::Automatic, Segmentation::On),
            "sctp, CRC32c" => {
                let computed = Options {
                    zero_checksum: ZeroChecksum::Off,
                    ..best
                };
                sctp(computed, Offload::Automatic, off)
            }
            "classic + GSO/GRO" => sctp(classic, Offload::Automatic, off),
            _ => sctp(alone(name, buffer)?, Offload::Off, off),
        })
    }
}

/// Options without any optimisation, and without CRC32c: the papers removed it to represent
/// hardware checksums.
fn classic(buffer: usize) -> Options {
    Options {
        rto_initial: Duration::from_millis(200),
        rto_min: Duration::from_millis(200),
        sack_frequency: 2,
        delivery_sacks: DeliverySacks::Always,
        max_burst: Some(4),
        bundling: Bundling::Always,
        window_rules: WindowRules::Rfc9260,
        zero_checksum: ZeroChecksum::Memory,
        path_mtu_discovery: PathMtuDiscovery::Off,
        send_buffer: buffer,
        receive_buffer: buffer,
        ..Profile::Rfc9260.options()
    }
}

/// Options with all optimisations.
fn best(buffer: usize) -> Options {
    Options {
        sack_frequency: Profile::Datacenter.options().sack_frequency,
        delivery_sacks: DeliverySacks::WhenWindowOpens,
        max_burst: None,
        bundling: Bundling::SpareFullChunks,
        ..classic(buffer)
    }
}

/// Options with one optimisation.
fn alone(name: &str, buffer: usize) -> Option<Options> {
    let (classic, best) = (classic(buffer), best(buffer));
    Some(match name {
        "classic + full packets" => Options {
            bundling: best.bundling,
            ..classic
        },
        "classic + SACK per 7" => Options {
            sack_frequency: best.sack_frequency,
            ..classic
        },
        "classic + one SACK per trigger" => Options {
            delivery_sacks: best.delivery_sacks,
            ..classic
        },
        "classic + no burst limit" => Options {
            max_burst: best.max_burst,
            ..classic
        },
        "classic + go-back-N" => Options {
            loss_recovery: LossRecovery::GoBackN,
            ..classic
        },
        _ => return None,
    })
}
