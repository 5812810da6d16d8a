use alloc::boxed::Box;

use super::{Group, Parts};

#[derive(Debug, Default)]
struct Pair {
    left: Option<Box<u32>>,
    right: Option<Box<u32>>,
}

impl Parts for Pair {
    const NONE: &'static Self = &Self {
        left: None,
        right: None,
    };

    fn is_empty(&self) -> bool {
        self.left.is_none() && self.right.is_none()
    }
}

fn left(pair: &mut Pair) -> &mut Option<Box<u32>> {
    &mut pair.left
}

fn right(pair: &mut Pair) -> &mut Option<Box<u32>> {
    &mut pair.right
}

#[test]
fn a_group_takes_one_pointer() {
    assert_eq!(size_of::<Group<Pair>>(), size_of::<usize>());
}

#[test]
fn to_change_or_take_what_is_not_there_allocates_nothing() {
    let mut group: Group<Pair> = Group::NONE;
    assert_eq!(group.part(left), None);
    assert_eq!(group.take(left), None);
    group.put(right, None);
    assert_eq!(group.get(|pair| &pair.left), None);
    assert!(group.left.is_none());
    assert_eq!(group.footprint(), 0);
}

#[test]
fn a_group_lives_from_its_first_part_to_its_last() {
    let mut group: Group<Pair> = Group::NONE;
    group.put(left, Some(Box::new(1)));
    *group.part_or_else(right, || 0) += 2;
    assert_eq!(group.part(left), Some(&mut 1));
    assert_eq!(group.right.as_deref(), Some(&2));
    assert_eq!(group.get(|pair| &pair.right), Some(&2));
    assert_eq!(group.take(left).as_deref(), Some(&1));
    assert_eq!(group.part(left), None);
    assert_eq!(group.part(right), Some(&mut 2));
    group.put(right, None);
    assert_eq!(group.footprint(), 0);
}
