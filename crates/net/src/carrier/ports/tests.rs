use super::*;

fn ports(list: impl IntoIterator<Item = u16>) -> Ports {
    let mut ports = Ports::default();
    list.into_iter().for_each(|port| ports.add(port));
    ports
}

#[test]
fn neighbouring_ports_share_a_range() {
    assert_eq!(ports([5, 3, 4, 9]).ranges(), [3..=5, 9..=9]);
}

#[test]
fn too_many_ranges_merge_and_still_cover_every_port() {
    let owned = ports((0..4000).map(|n| n * 16 + n % 7));
    let ranges = owned.ranges();
    assert!(ranges.len() <= MAX_RANGES);
    let covered = |port: &u16| ranges.iter().any(|range| range.contains(port));
    assert!(owned.users.keys().all(covered));
}

#[test]
fn a_port_stays_until_its_last_user_leaves() {
    let mut owned = ports([7, 7]);
    let before = owned.revision();
    owned.remove(7);
    assert!(owned.contains(7));
    assert_eq!(owned.revision(), before);
    owned.remove(7);
    assert!(!owned.contains(7));
    assert_ne!(owned.revision(), before);
}
