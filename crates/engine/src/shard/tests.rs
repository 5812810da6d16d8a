use sheave_wire::Vtag;

use super::Shard;

#[test]
fn a_tag_tells_whose_it_is() {
    for index in 0..7 {
        let shard = Shard::new(index, 7).unwrap();
        for random in [0, 1, 6, 7, 1_000_000_007, u32::MAX - 7, u32::MAX] {
            let Some(tag) = shard.tag_near(random) else {
                continue;
            };
            assert_eq!(shard.of_tag(tag), index);
        }
    }
}

#[test]
fn zero_is_never_a_tag() {
    assert_eq!(Shard::ONLY.tag_near(0), None);
    assert_eq!(Shard::ONLY.tag_near(5), Some(Vtag(5)));
}

#[test]
fn there_is_no_shard_beyond_the_last() {
    assert_eq!(Shard::new(2, 2), None);
    assert_eq!(Shard::new(0, 0), None);
    assert_eq!(Shard::new(0, 1025), None);
}
