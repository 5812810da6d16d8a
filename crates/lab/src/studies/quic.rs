use crate::quic::{RECEIVE_BUFFER, SEND_BUFFER};
use crate::{Quantity, Study};

/// The study of SCTP, TCP and QUIC on the same networks.
pub(super) static STUDY: Study = Study {
    name: "quic",
    words: include_str!("quic/words.toml"),
    quantities,
    experiments: &[
        ("shared", include_str!("quic/shared.toml")),
        ("messages", include_str!("quic/messages.toml")),
        ("radio", include_str!("quic/radio.toml")),
        ("alone", include_str!("quic/alone.toml")),
    ],
    ..Study::EMPTY
};

fn quantities() -> Vec<Quantity> {
    let mib = |bytes: u32| (bytes >> 20).to_string();
    vec![
        ("quic_send_mib", mib(SEND_BUFFER)),
        ("quic_receive_mib", mib(RECEIVE_BUFFER)),
    ]
}

#[cfg(test)]
mod tests;
