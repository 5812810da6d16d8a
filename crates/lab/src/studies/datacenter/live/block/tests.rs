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
    // Other tests of this process take and free memory meanwhile: then it is weighed again.
    let mut weights = Vec::new();
    while weights.len() < 10 {
        let weight = weigh().expect("the system tells the resident memory");
        if (300.0..10_000.0).contains(&weight) {
            return;
        }
        weights.push(weight);
    }
    panic!("{weights:?}");
}
