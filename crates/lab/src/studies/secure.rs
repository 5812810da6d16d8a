use crate::Study;

/// The study of what protection by DTLS chunks costs and keeps.
pub(super) static STUDY: Study = Study {
    name: "secure",
    words: include_str!("secure/words.toml"),
    experiments: &[
        ("transfers", include_str!("secure/transfers.toml")),
        ("first-message", include_str!("secure/first-message.toml")),
        ("cut", include_str!("secure/cut.toml")),
    ],
    ..Study::EMPTY
};
