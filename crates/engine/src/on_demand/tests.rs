use super::*;

impl Element for u64 {
    const NONE: &'static VecDeque<Self> = &VecDeque::new();
}

#[test]
fn looking_at_it_makes_nothing() {
    let queue: Queue<u64> = OnDemand::NONE;
    assert!(queue.is_empty());
    assert!(!queue.exists());
    assert_eq!(queue.room(), 0);
}

#[test]
fn the_first_change_makes_it() {
    let mut queue: Queue<u64> = OnDemand::NONE;
    queue.push_back(1);
    assert_eq!(queue.front(), Some(&1));
    assert!(queue.room() >= size_of::<VecDeque<u64>>() + size_of::<u64>());
}

#[test]
fn it_is_given_back_when_nothing_is_in_it() {
    let mut queue: Queue<u64> = OnDemand::NONE;
    queue.push_back(1);
    queue.trim();
    assert!(queue.exists());
    queue.pop_front();
    queue.trim();
    assert!(!queue.exists());
}
