//! SCTP on real networks.
