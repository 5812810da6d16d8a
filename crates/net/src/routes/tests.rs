use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use sheave_engine::Routes;

use super::SystemRoutes;

#[test]
fn a_loopback_address_leads_to_this_machine_and_no_further() {
    let routes = SystemRoutes::default();
    let here = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 1));
    assert!(routes.lead(here, IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2))));
    let v6 = IpAddr::V6(Ipv6Addr::LOCALHOST);
    assert!(routes.lead(v6, v6));
}

#[test]
fn every_address_of_this_machine_leads_to_itself() {
    let routes = SystemRoutes::default();
    for ip in crate::address::usable().expect("the system lists them") {
        assert!(routes.lead(ip, ip), "{ip}");
    }
}
