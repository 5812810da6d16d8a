use std::collections::BTreeSet;
use std::format;
use std::vec::Vec;

use super::Rng;

fn draws(rng: &mut Rng) -> Vec<u64> {
    (0..8).map(|_| rng.u64()).collect()
}

#[test]
fn the_same_seed_gives_the_same_draws() {
    assert_eq!(draws(&mut Rng::new([7; 32])), draws(&mut Rng::new([7; 32])));
    assert_ne!(draws(&mut Rng::new([7; 32])), draws(&mut Rng::new([8; 32])));
}

#[test]
fn the_draws_are_the_same_on_every_platform_and_in_every_build() {
    let mut rng = Rng::new([0; 32]);
    assert_eq!(rng.u64(), 0x53f9_5507_6a9a_f49b); // the vector that ChaCha12 is known by
    let mut fork = rng.fork("tags");
    assert_eq!(fork.u64(), 0xcb31_215d_e7b1_922c);
}

#[test]
fn a_fork_depends_on_its_label_and_not_on_what_was_drawn_before() {
    let mut rng = Rng::new([7; 32]);
    let early = draws(&mut rng.fork("a"));
    rng.u64();
    assert_eq!(draws(&mut rng.fork("a")), early);
    assert_ne!(draws(&mut rng.fork("b")), early);
    assert_ne!(draws(&mut Rng::new([7; 32])), early);
}

#[test]
fn below_reaches_every_number_and_no_other() {
    let mut rng = Rng::new([1; 32]);
    let seen: BTreeSet<u64> = (0..400).map(|_| rng.below(10)).collect();
    assert!(seen.into_iter().eq(0..10));
}

#[test]
fn below_holds_at_its_edges() {
    let mut rng = Rng::new([1; 32]);
    for _ in 0..100 {
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.below(1), 0);
        assert!(rng.below(u64::MAX) < u64::MAX);
        assert!(rng.below((1 << 63) + 1) <= 1 << 63);
    }
}

#[test]
fn fill_leaves_no_byte_untouched() {
    let mut rng = Rng::new([1; 32]);
    let mut seen = [0_u8; 100];
    for _ in 0..16 {
        let mut bytes = [0; 100];
        rng.fill(&mut bytes);
        seen.iter_mut()
            .zip(bytes)
            .for_each(|(all, one)| *all |= one);
    }
    assert!(seen.iter().all(|byte| *byte != 0));
}

#[test]
fn a_tag_is_never_zero() {
    let mut rng = Rng::new([1; 32]);
    assert!((0..1000).all(|_| rng.nonzero_u32() != 0));
}

#[test]
fn printing_it_tells_nothing() {
    assert_eq!(format!("{:?}", Rng::new([7; 32])), "Rng { drawn: 0, .. }");
}
