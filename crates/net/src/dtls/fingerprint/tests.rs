use super::*;

#[test]
fn a_fingerprint_is_read_as_it_is_written() {
    let fingerprint = Fingerprint::new(std::array::from_fn(|at| u8::try_from(at * 7).unwrap()));
    let text = fingerprint.to_string();
    assert!(text.starts_with("00:07:0E:15:"));
    assert_eq!(text.parse(), Ok(fingerprint));
    assert_eq!(
        text.replace(':', "").to_lowercase().parse(),
        Ok(fingerprint)
    );
    assert_eq!(format!("sha-256 {text}").parse(), Ok(fingerprint));
}

#[test]
fn a_text_of_another_length_or_alphabet_is_no_fingerprint() {
    for text in [
        "",
        "AB",
        &"AB:".repeat(31),
        &"AB:".repeat(33),
        &"XY:".repeat(32),
    ] {
        assert_eq!(text.parse::<Fingerprint>(), Err(FingerprintError), "{text}");
    }
}
