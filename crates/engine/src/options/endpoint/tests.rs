use alloc::string::ToString;

use super::*;

use crate::SourceShare;

#[test]
fn every_limit_is_read_as_it_is_written() {
    for declaration in EndpointOptions::declarations() {
        let written = declaration.value(&EndpointOptions::default());
        let mut options = EndpointOptions::default();
        assert_eq!(declaration.set(&mut options, &written), Ok(()));
        assert_eq!(options, EndpointOptions::default(), "{declaration:?}");
    }
}

#[test]
fn limits_are_read_from_a_list() {
    let text = "max_memory=256 MiB, source_share=16M,max_associations=7,secret_life=1 min";
    let expected = EndpointOptions {
        max_associations: 7,
        max_memory: 256 << 20,
        source_share: SourceShare::Bytes(16 << 20),
        secret_life: Duration::from_secs(60),
        ..EndpointOptions::default()
    };
    assert_eq!(text.parse(), Ok(expected));
    let all: EndpointOptions = "source_share=all".parse().unwrap();
    assert_eq!(all.source_share, SourceShare::All);
    assert_eq!(all.get("source_share").as_deref(), Some("all"));
}

#[test]
fn a_limit_refuses_nonsense_with_its_range() {
    let fault = |text: &str| text.parse::<EndpointOptions>().unwrap_err().to_string();
    assert_eq!(
        fault("max_associations=0"),
        "max_associations = 0: must be 1 to 1000000000"
    );
    assert_eq!(
        fault("source_share=some"),
        "source_share = some: must be free, all, or 1 B or more"
    );
    assert_eq!(fault("ecn=on"), "ecn = on: there is no such option");
}
