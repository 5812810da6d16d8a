use std::os::unix::fs::symlink;

use super::*;
use crate::transfer::name::NameRule;

const PLAIN: Permissions = Permissions::SHARED;

fn name(text: &str) -> Name {
    Name::parse(text.as_bytes(), NameRule::Native).unwrap()
}

#[test]
fn a_link_in_the_way_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    let inside = tempfile::tempdir().unwrap();
    symlink(outside.path(), inside.path().join("a")).unwrap();
    let mut tree = Tree::open(inside.path()).unwrap();
    assert!(tree.look(&name("a/x")).is_err());
    assert!(tree.make_directory(&name("a/x"), PLAIN).is_err());
    assert!(tree.make_link(&name("a/x"), b"y", Existing::Keep).is_err());
    tree.open_part("p", PLAIN).unwrap();
    assert!(tree.place("p", &name("a/x"), Existing::Overwrite).is_err());
    assert_eq!(outside.path().read_dir().unwrap().count(), 0);
}

#[test]
fn the_directory_of_parts_cannot_be_a_link_elsewhere() {
    let outside = tempfile::tempdir().unwrap();
    let inside = tempfile::tempdir().unwrap();
    symlink(outside.path(), inside.path().join(PARTIAL_DIRECTORY)).unwrap();
    let mut tree = Tree::open(inside.path()).unwrap();
    assert!(tree.open_part("p", PLAIN).is_err());
    assert_eq!(outside.path().read_dir().unwrap().count(), 0);
}

#[test]
fn an_existing_file_stays_unless_it_is_to_be_replaced() {
    let inside = tempfile::tempdir().unwrap();
    let mut tree = Tree::open(inside.path()).unwrap();
    std::fs::write(inside.path().join("x"), "old").unwrap();
    tree.open_part("p", PLAIN).unwrap();
    assert!(tree.place("p", &name("x"), Existing::Keep).is_err());
    assert_eq!(std::fs::read(inside.path().join("x")).unwrap(), b"old");
    tree.place("p", &name("x"), Existing::Overwrite).unwrap();
    assert_eq!(std::fs::read(inside.path().join("x")).unwrap(), b"");
}

#[test]
fn replacing_a_link_leaves_its_target_alone() {
    let inside = tempfile::tempdir().unwrap();
    let mut tree = Tree::open(inside.path()).unwrap();
    std::fs::write(inside.path().join("target"), "kept").unwrap();
    symlink("target", inside.path().join("x")).unwrap();
    tree.open_part("p", PLAIN).unwrap();
    tree.place("p", &name("x"), Existing::Overwrite).unwrap();
    assert_eq!(
        std::fs::read(inside.path().join("target")).unwrap(),
        b"kept"
    );
    let found = tree.look(&name("x")).unwrap();
    assert!(matches!(found, Found::File { size: 0, .. }), "{found:?}");
    tree.make_link(&name("x"), b"target", Existing::Overwrite)
        .unwrap();
    assert_eq!(
        tree.look(&name("x")).unwrap(),
        Found::Link(b"target".to_vec())
    );
}

#[test]
fn a_part_is_locked_against_another_opening() {
    let inside = tempfile::tempdir().unwrap();
    let mut tree = Tree::open(inside.path()).unwrap();
    let first = tree.open_part("p", PLAIN).unwrap();
    assert!(tree.open_part("p", PLAIN).is_err());
    drop(first);
    assert!(tree.open_part("p", PLAIN).is_ok());
}

#[test]
fn times_before_1970_are_kept() {
    let time = UNIX_EPOCH - std::time::Duration::new(1, 250_000_000);
    let modified = ModifiedAt::from(time);
    assert_eq!((modified.seconds, modified.nanos), (-2, 750_000_000));
}

#[test]
fn the_directory_of_parts_is_removed_when_empty() {
    let inside = tempfile::tempdir().unwrap();
    let mut tree = Tree::open(inside.path()).unwrap();
    tree.open_part("p", PLAIN).unwrap();
    tree.tidy();
    assert!(inside.path().join(PARTIAL_DIRECTORY).exists());
    tree.place("p", &name("a/b/c"), Existing::Keep).unwrap();
    tree.tidy();
    assert!(!inside.path().join(PARTIAL_DIRECTORY).exists());
    assert!(inside.path().join("a/b/c").exists());
}
