/// The path for fast retransmissions if the peer has several addresses. Data that timed out goes to
/// another active one in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FastRetransmissions {
    /// To the address that the chunk was sent to before (RFC 9260 §6.4).
    #[default]
    SamePath,
    /// To another active address, if there is one (RFC 2960 §6.4).
    OtherPath,
}

/// The sign that a path has failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Failover {
    /// Timeouts of data and of heartbeats (RFC 9260 §8.2).
    #[default]
    Timeouts,
    /// Silence for two round trips, where another path that is asked then does answer.
    RoundTrips,
}

/// The fate of a Fast Recovery (RFC 9260 §7.2.4) in which T3-rtx expires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FastRecoveryAtTimeout {
    /// The timeout ends it: the window grows from one packet by slow start (RFC 9260 §7.2.1), and a
    /// further loss may be a new cut.
    #[default]
    Ends,
    /// The timeout does not end it: until all that was outstanding when it began is acknowledged, the
    /// window stays one packet, as in ns-2's SCTP. For comparisons with simulations only.
    Lasts,
}

/// Retention and reports of data beyond a gap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LossRecovery {
    /// Data beyond a gap is kept and reported in gap blocks (RFC 9260 §6.2.1).
    #[default]
    Selective,
    /// Nothing, if the peer wants that, too; else as `Selective`. The sender goes back to the
    /// first chunk that is missing and sends all from there on again: cheaper for both ends while
    /// losses are rare. INIT and INIT ACK say so with a parameter of the private type 0x9E01
    /// without a value.
    GoBackN,
}

/// The answer to a retransmission timeout that proves to have been needless: an acknowledgement shows
/// that what was in flight had only been slow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SpuriousTimeouts {
    /// None: all that was in flight is sent again, from a window of one packet on (RFC 9260 §6.3.3).
    #[default]
    Kept,
    /// The timeout is taken back (RFC 5682 §3.1, RFC 4015): what has not yet been sent again stays in
    /// flight, and the congestion control has its window back, if it knows how
    /// ([`Cubic`](crate::CongestionAlgorithm::Cubic), RFC 9438 §4.9.1). Nothing is sent otherwise than
    /// it would be before that shows. Without effect but with [`LossDetection::Rack`].
    Undone,
}

/// The way in which a sender detects that a chunk was lost, other than by T3-rtx.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LossDetection {
    /// By miss indications, [`missing_reports`](crate::Options::missing_reports) of them, and once
    /// for each chunk (RFC 9260 §7.2.4).
    #[default]
    MissingReports,
    /// By time (RACK-TLP, RFC 8985): what was sent more than a round trip and a reordering window
    /// before something that was delivered is lost, retransmissions too; where nothing is heard for
    /// two round trips, the tail is probed. The peer need not know of it. Without effect where both
    /// ends have [`LossRecovery::GoBackN`].
    Rack,
}
