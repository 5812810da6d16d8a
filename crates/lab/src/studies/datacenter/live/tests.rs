use super::{OTHERS, contradiction, disturbance};
use crate::Measured;
use crate::live::Segmentation;

/// A sample of 1000 Mb/s that uses half a processor at each end.
fn sample() -> Measured {
    ["send", "receive"]
        .iter()
        .fold(Measured::new(), |sample, end| {
            sample
                .with(&format!("{end}_mbit_per_s"), 1000.0)
                .with(&format!("{end}_cpu_percent"), 50.0)
        })
        .with("interface_bytes_per_packet", 1300.0)
}

#[test]
fn a_sample_beside_other_programs_is_disturbed() {
    let beside = |percent| disturbance(&sample().with(OTHERS, percent));
    assert_eq!(beside(3.0), None);
    let told = beside(130.0);
    assert_eq!(
        told.as_deref(),
        Some("other programs took 130 % of a processor")
    );
    assert_eq!(disturbance(&sample()), None, "the system does not tell");
}

#[test]
fn an_impossible_sample_contradicts_itself() {
    let of = |sample: &Measured| contradiction(sample, Segmentation::Off);
    assert_eq!(of(&sample()), None);
    assert!(of(&sample().with("send_mbit_per_s", 0.0)).is_some());
    assert!(of(&sample().with("send_cpu_percent", 1e5)).is_some());
    assert!(of(&sample().with("interface_bytes_per_packet", 24_000.0)).is_some());
}
