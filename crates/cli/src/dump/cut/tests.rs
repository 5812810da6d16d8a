use super::*;

/// A header, a COOKIE ACK, and then these bytes.
fn packet(rest: &[u8]) -> Vec<u8> {
    [&[0; 12][..], &[11, 0, 0, 4], rest].concat()
}

#[test]
fn a_chunk_that_goes_beyond_the_capture_is_cut() {
    let data = Some(CutChunk {
        chunk_type: Some(0),
    });
    assert_eq!(cut_chunk(&packet(&[0, 3, 0, 20, 1, 2]), 1), data);
    assert_eq!(cut_chunk(&packet(&[0, 3]), 1), data);
    let unknown = Some(CutChunk { chunk_type: None });
    assert_eq!(cut_chunk(&packet(&[]), 1), unknown);
}

#[test]
fn a_chunk_of_no_length_is_malformed_wherever_the_capture_ends() {
    assert_eq!(cut_chunk(&packet(&[0, 3, 0, 3, 1, 2]), 1), None);
    assert_eq!(cut_chunk(&packet(&[0, 3, 0, 6, 1, 2]), 1), None);
    assert_eq!(cut_chunk(&packet(&[0, 3, 0, 20]), 0), None);
}
