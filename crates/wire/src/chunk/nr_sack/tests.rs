use crate::Chunk;
use crate::captured::hex;

#[test]
fn counts_that_belie_the_length_are_malformed() {
    let bytes = hex("10000020 f814c106 00020000 00010001 00010000 00020003 00050009 ffffffff");
    let is_read = |bytes: &[u8]| matches!(Chunk::parse(bytes), Ok(Chunk::NrSack(_)));
    assert!(is_read(&bytes));
    for place in [13, 15, 17] {
        for count in [0, 2, 255] {
            let mut bytes = bytes.clone();
            bytes[place] = count;
            assert!(!is_read(&bytes), "{place} {count}");
        }
    }
    let mut short = bytes[..16].to_vec();
    short[3] = 16;
    assert!(!is_read(&short));
}
