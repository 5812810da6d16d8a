mod handlers;

/// Whether an association finds out how long the packets are that its paths carry (RFC 8899).
///
/// It probes with packets that hold a HEARTBEAT and padding (RFC 4820) and nothing that would be
/// missed, so that no data waits for a probe that is lost, and no peer needs to know of it. All
/// other packets must then not be fragmented on their way: the carrier heeds
/// [`Transmit::fragmentation`](crate::Transmit::fragmentation).
///
/// Over IPv6, where no router fragments, packets have 1280 bytes until a probe of
/// [`initial_pmtu`](crate::Options::initial_pmtu) was answered. A path that narrows later and does
/// not say so loses what was cut before; over IPv4 that is sent in fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PathMtuDiscovery {
    /// The carrier of the packets decides: Sheave's own sockets do discovery, up to
    /// [`USUAL_MAX`](Self::USUAL_MAX) and what the interface takes; where nobody says, as in
    /// simulations, it is `Off`.
    #[default]
    Automatic,
    /// No discovery: packets may be fragmented, and are as long as
    /// [`initial_pmtu`](crate::Options::initial_pmtu) says unless an ICMP message lowers that.
    Off,
    /// Discovery by probes, from data's first packet on.
    Plpmtud {
        /// The longest packet to look for, bytes of IP packet; 576 to 65535.
        max: u16,
    },
}

impl PathMtuDiscovery {
    /// The longest packet that is looked for unless the user says otherwise, bytes of IP packet:
    /// an Ethernet jumbo frame. Ours.
    pub const USUAL_MAX: u16 = 9000;

    /// The longest packet to look for, if any are looked for.
    pub(crate) const fn max(self) -> Option<u16> {
        match self {
            Self::Automatic | Self::Off => None,
            Self::Plpmtud { max } => Some(max),
        }
    }
}
