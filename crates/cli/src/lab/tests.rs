use sheave_lab::Shard;

use super::parse_shard;

#[test]
fn a_shard_is_a_part_of_so_many() {
    assert_eq!(parse_shard("2/4"), Ok(Shard { part: 2, of: 4 }));
    for wrong in ["0/4", "5/4", "4", "a/b", "/", "1/0"] {
        assert!(parse_shard(wrong).is_err(), "{wrong}");
    }
}
