use super::{SFEATURES, has, is_segmentation, set_request};

#[test]
fn the_features_that_split_packets_later_are_known_by_their_names() {
    for name in [
        "tx-tcp-segmentation",
        "tx-udp-segmentation",
        "tx-generic-segmentation",
    ] {
        assert!(is_segmentation(name), "{name}");
    }
    for name in ["tx-checksum-ipv4", "rx-gro", "tx-scatter-gather"] {
        assert!(!is_segmentation(name), "{name}");
    }
}

#[test]
fn a_request_names_the_features_and_wants_none_of_them() {
    let request = set_request(60, &[1, 33]);
    assert_eq!(request, [SFEATURES, 2, 1 << 1, 0, 1 << 1, 0]);
    assert!(has(&[0, 2], 33) && !has(&[0, 2], 32));
}

#[cfg(target_os = "linux")]
#[test]
fn the_loopback_interface_names_its_features() {
    // Whoever may not ask has nothing to test.
    if let Ok(names) = super::names("lo") {
        assert!(names.iter().any(|name| is_segmentation(name)), "{names:?}");
    }
}
