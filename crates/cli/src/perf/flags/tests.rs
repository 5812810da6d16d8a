use super::*;

#[test]
fn a_type_of_service_is_read_in_all_bases_and_only_0_is_taken() {
    for text in ["0", "0x0", "00"] {
        assert_eq!(parse_tos(text), Ok(0), "{text}");
    }
    for text in ["52", "064", "0x34"] {
        assert!(parse_tos(text).unwrap_err().contains("cannot be set"));
    }
    for text in ["256", "x", ""] {
        assert_eq!(parse_tos(text).unwrap_err(), "expected 0 to 255", "{text}");
    }
}
