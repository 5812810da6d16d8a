use std::env;
use std::process::Command;

use super::{slab_bytes, weigh};

#[test]
fn the_table_of_slabs_tells_the_size_of_tcps_block() {
    let table = "slabinfo - version: 2.1\n\
        # name <active_objs> <num_objs> <objsize> <objperslab>\n\
        TCPv6                 13     13   2496   13    8 : tunables\n\
        TCP                   26     26   2368   13    8 : tunables\n";
    assert_eq!(slab_bytes(table), Some(2368.0));
    assert_eq!(slab_bytes("TCPv6 13 13 2496"), None);
}

#[test]
fn an_association_weighs_between_a_few_hundred_bytes_and_the_papers_10_kb() {
    // Runs in its own process, since other tests in this one allocate memory at the same time.
    let own = env::current_exe().expect("this program");
    let mut alone = Command::new(own);
    let name = "studies::datacenter::live::block::tests::an_association_is_weighed";
    let output = alone
        .args(["--exact", name, "--ignored", "--nocapture"])
        .output();
    let output = output.expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "started by the test above"]
fn an_association_is_weighed() {
    let weight = weigh().expect("the system tells the resident memory");
    assert!((300.0..10_000.0).contains(&weight), "{weight}");
}
