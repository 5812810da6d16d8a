use super::*;

/// The chunk after a COOKIE ACK in a packet that ends with `rest` and lacks `missing` bytes.
fn second(rest: &[u8], missing: usize) -> Option<String> {
    let bytes = [&[0; 12][..], &[11, 0, 0, 4], rest].concat();
    let packet = Packet::parse(&bytes).unwrap();
    let mut chunks = CapturedChunk::all(&packet, missing).map(|chunk| chunk.to_string());
    assert_eq!(chunks.next().as_deref(), Some("COOKIE ACK"));
    chunks.next()
}

#[test]
fn a_chunk_that_goes_beyond_the_capture_is_cut() {
    let cut = Some("DATA, cut by the capture".to_owned());
    assert_eq!(second(&[0, 3, 0, 20, 1, 2], 14), cut);
    assert_eq!(second(&[0, 3], 18), cut);
    assert_eq!(second(&[], 20), None);
}

#[test]
fn a_chunk_of_no_length_is_malformed_wherever_the_capture_ends() {
    for (rest, missing) in [
        ([0, 3, 0, 3, 1, 2], 14),
        ([0, 3, 0, 6, 1, 2], 14),
        ([0, 3, 0, 20, 1, 2], 0),
    ] {
        let said = second(&rest, missing).unwrap();
        assert!(said.starts_with("MALFORMED: "), "{rest:?}: {said}");
    }
}
