//! Proposals of published papers, each enabled by an option.

mod chunk_checksum;
mod early_decrease;
mod ecn_discrimination;
mod error_warning;
mod full_packets;
mod go_back_n;
mod potentially_failed;
mod rfc2960;
mod rto_gains;
