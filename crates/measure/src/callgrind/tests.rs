use super::Instructions;

/// Two functions; the first calls the second, which computes checksums.
const PROFILE: &str = "\
# callgrind format
version: 1
positions: line
events: Ir
summary: 160

fl=(1) main.rs
fn=(1) chunk_checksum::push
10 20
cfn=(2) crc_fast::update
calls=3 0
+1 130
+1 7

fn=(2)
30 100
fi=(2) simd.rs
* 30

fn=(1)
-1 3
";

#[test]
fn the_cost_of_a_callee_counts_once_and_in_its_own_function() {
    assert_eq!(
        Instructions::parse(PROFILE),
        Some(Instructions {
            total: 160,
            checksum: 130
        })
    );
}

#[test]
fn a_malformed_profile_gives_no_counts() {
    assert_eq!(Instructions::parse("valgrind: no such program\n"), None);
}
