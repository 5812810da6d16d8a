use std::string::ToString;

use super::*;

#[test]
fn a_registered_identifier_prints_its_name_and_any_other_its_number() {
    let printed =
        [3, 18, 50, 60, 4242, 0, 26, 49, 0x5348_5644].map(|number| Ppid(number).to_string());
    let expected = [
        "3 (M3UA)",
        "18 (S1AP)",
        "50 (WebRTC DCEP)",
        "60 (NGAP)",
        "4242 (DTLS key management)",
        "0",
        "26",
        "49",
        "1397249604",
    ];
    assert_eq!(printed, expected);
}

#[test]
fn the_registry_is_in_the_order_of_numbers() {
    assert!(NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0));
}
