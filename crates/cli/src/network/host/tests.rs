use super::*;

fn chosen(found: &[&str], family: Option<Family>) -> Vec<String> {
    let found = found.iter().map(|ip| ip.parse().unwrap());
    let chosen = choose(found, family);
    chosen.iter().map(ToString::to_string).collect()
}

#[test]
fn all_addresses_of_a_name_are_tried_in_the_resolvers_order() {
    let found = ["2001:db8::1", "192.0.2.1", "192.0.2.1", "192.0.2.2"];
    assert_eq!(
        chosen(&found, None),
        ["2001:db8::1", "192.0.2.1", "192.0.2.2"]
    );
    assert_eq!(chosen(&found, Some(Family::V4)), ["192.0.2.1", "192.0.2.2"]);
    assert_eq!(chosen(&found, Some(Family::V6)), ["2001:db8::1"]);
}

#[test]
fn loopback_addresses_and_others_do_not_go_together() {
    let found = ["127.0.1.1", "192.0.2.1", "::1"];
    assert_eq!(chosen(&found, None), ["127.0.1.1", "::1"]);
    let found = ["192.0.2.1", "127.0.1.1"];
    assert_eq!(chosen(&found, None), ["192.0.2.1"]);
}

#[test]
fn link_local_addresses_are_refused_by_name() {
    let found = ["fe80::1", "192.0.2.1"];
    assert_eq!(chosen(&found, None), ["192.0.2.1"]);
    let failure = resolve("fe80::1").unwrap_err();
    assert_eq!(failure.what, "fe80::1: link-local addresses cannot be used");
}

#[test]
fn an_obstacle_is_one_to_all_addresses() {
    let here = Ipv4Addr::LOCALHOST.into();
    // No socket of this kind may send to all machines of a network.
    let nowhere = Ipv4Addr::BROADCAST.into();
    assert!(obstacle(&[nowhere]).is_some());
    assert!(obstacle(&[nowhere, here]).is_none());
    assert!(obstacle(&[]).is_none());
}
