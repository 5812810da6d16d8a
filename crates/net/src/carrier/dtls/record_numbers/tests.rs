use super::*;

#[test]
fn masks_are_those_of_the_provider_however_many_keys_there_are() {
    let theirs = provider::default_provider().dtls13_cipher_suites;
    assert_eq!(suites().len(), theirs.len());
    for (ours, theirs) in suites().iter().zip(theirs) {
        for round in 0..3 * u16::try_from(PLACES).unwrap() {
            // Keys recur, and some share a slot.
            let number = (round % 1500).wrapping_mul(1021);
            let mut key = vec![0; ours.key_len()];
            key[..2].copy_from_slice(&number.to_le_bytes());
            let sample = [number.to_le_bytes()[1]; 16];
            let (found, wanted) = (
                ours.encrypt_sn(&key, &sample),
                theirs.encrypt_sn(&key, &sample),
            );
            assert_eq!(found, wanted, "{ours:?}");
        }
    }
}

#[test]
fn the_keys_of_many_connections_are_set_up_once() {
    let suites = suites();
    let ours = suites.iter().find(|suite| suite.key_len() == 16).unwrap();
    for round in 0..2 {
        for number in 0..200_u16 {
            let mut key = vec![7; 16];
            key[..2].copy_from_slice(&number.to_le_bytes());
            let is_known = KNOWN.with_borrow(|known| {
                let mut known = known.iter().flatten();
                known.any(|it| it.key == key)
            });
            assert_eq!(is_known, round == 1, "{number}");
            ours.encrypt_sn(&key, &[0; 16]);
        }
    }
}
