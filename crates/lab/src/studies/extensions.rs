use crate::Study;

/// The study of SCTP's extensions, with an experiment for each.
pub(super) static STUDY: Study = Study {
    name: "extensions",
    words: include_str!("extensions/words.toml"),
    experiments: &[
        ("reordering", include_str!("extensions/reordering.toml")),
        ("tails", include_str!("extensions/tails.toml")),
        ("losses", include_str!("extensions/losses.toml")),
        (
            "large-windows",
            include_str!("extensions/large-windows.toml"),
        ),
        ("black-hole", include_str!("extensions/black-hole.toml")),
        (
            "multipath-buffers",
            include_str!("extensions/multipath-buffers.toml"),
        ),
        (
            "multipath-sharing",
            include_str!("extensions/multipath-sharing.toml"),
        ),
        (
            "multipath-radios",
            include_str!("extensions/multipath-radios.toml"),
        ),
        (
            "urgent-messages",
            include_str!("extensions/urgent-messages.toml"),
        ),
        ("bbr-alone", include_str!("extensions/bbr-alone.toml")),
        ("bbr-sharing", include_str!("extensions/bbr-sharing.toml")),
    ],
    ..Study::EMPTY
};
