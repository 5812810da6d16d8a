/// The UDP port through which an INIT must come to be answered where its sender has an association
/// already (draft-tuexen-tsvwg-sctp-udp-encaps-cons-03 §4).
///
/// Such an INIT proves nothing: behind an address translator it may be of another host that has
/// chosen the same SCTP port, and would take the association over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RestartPorts {
    /// The one through which that address of the peer is reached, or none if it is reached without
    /// UDP; any other gets an ABORT with the cause Restart of an Association with New Encapsulation
    /// Port, and the association goes on. A peer that lost its state and its UDP port waits until
    /// the association has ended.
    #[default]
    Current,
    /// Any: the INIT begins a restart as RFC 9260 §5.2.2 has it.
    Any,
}
