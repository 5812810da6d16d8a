use super::*;

#[test]
fn a_type_of_service_is_read_in_all_bases_without_its_ecn_bits() {
    for text in ["0", "0x0", "00"] {
        assert_eq!(parse_tos(text), Ok(0), "{text}");
    }
    for text in ["52", "064", "0x34"] {
        assert_eq!(parse_tos(text), Ok(52), "{text}");
    }
    assert_eq!(parse_tos("0xbb"), Ok(0xb8));
    for text in ["256", "x", ""] {
        assert_eq!(parse_tos(text).unwrap_err(), "expected 0 to 255", "{text}");
    }
}
