/// The path of fast retransmissions if the peer has several addresses. Data that timed out is
/// always sent to another active address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FastRetransmissions {
    /// The address to which the chunk was sent before (RFC 9260 §6.4).
    #[default]
    SamePath,
    /// Another active address, if there is one (RFC 2960 §6.4).
    OtherPath,
}

/// Evidence that a path has failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Failover {
    /// Timeouts of data and of heartbeats (RFC 9260 §8.2).
    #[default]
    Timeouts,
    /// No acknowledgement for two round trips, while another path, tried then, gets one.
    RoundTrips,
}

/// Treatment of Fast Recovery (RFC 9260 §7.2.4) when T3-rtx expires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FastRecoveryAtTimeout {
    /// Fast Recovery ends: the window grows from one packet by slow start (RFC 9260 §7.2.1), and a
    /// later loss may cut it again.
    #[default]
    Ends,
    /// Fast Recovery continues: the window stays at one packet until everything outstanding at its
    /// start is acknowledged, as in ns-2's SCTP. For comparisons with simulations only.
    Lasts,
}

/// Whether data beyond a gap is stored and reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LossRecovery {
    /// Data beyond a gap is stored and reported in gap blocks (RFC 9260 §6.2.1).
    #[default]
    Selective,
    /// Data beyond a gap is dropped, if the peer agrees; otherwise same as `Selective`. The sender
    /// returns to the first missing chunk and resends everything from there: cheaper for both ends
    /// while losses are rare. Announced in INIT and INIT ACK by an empty parameter of the private
    /// type 0x9E01.
    GoBackN,
}

/// Reaction to a spurious retransmission timeout, which an acknowledgement reveals: the data in
/// flight was only delayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SpuriousTimeouts {
    /// None: all data in flight is retransmitted, starting from a window of one packet (RFC 9260
    /// §6.3.3).
    #[default]
    Kept,
    /// The timeout is undone (RFC 5682 §3.1, RFC 4015): data not yet retransmitted counts as in
    /// flight again, and the congestion control restores its window if it can
    /// ([`Cubic`](crate::CongestionAlgorithm::Cubic), RFC 9438 §4.9.1). Until then, sending is
    /// unchanged. Requires [`LossDetection::Rack`].
    Undone,
}

/// Detection of lost chunks, other than by T3-rtx.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LossDetection {
    /// By [`missing_reports`](crate::Options::missing_reports) miss indications, once per chunk
    /// (RFC 9260 §7.2.4).
    #[default]
    MissingReports,
    /// By time (RACK-TLP, RFC 8985): a chunk, even a retransmitted one, is lost if it was sent more
    /// than a round trip and a reordering window before a delivered chunk. After two round trips
    /// without an acknowledgement, a tail loss probe is sent. The peer needs no support. No effect
    /// if both ends have [`LossRecovery::GoBackN`].
    Rack,
}
