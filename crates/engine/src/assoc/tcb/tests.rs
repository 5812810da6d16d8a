extern crate std;

use super::*;
use crate::congestion::NewReno;

#[test]
fn the_blocks_of_an_idle_association_are_counted() {
    let sizes = [
        ("Tcb", size_of::<Tcb>()),
        ("  of it Outbound", size_of::<Outbound>()),
        ("  of it Inbound", size_of::<Inbound>()),
        ("Path", size_of::<Path>()),
        ("NewReno", size_of::<NewReno>()),
    ];
    for (name, bytes) in sizes {
        std::println!("{name}: {bytes} bytes");
    }
    let block = size_of::<Tcb>() + size_of::<Path>() + size_of::<NewReno>();
    assert!(block <= 1280, "{block} bytes before any heap block");
}
