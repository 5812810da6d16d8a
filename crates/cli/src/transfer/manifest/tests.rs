use std::os::unix::fs::symlink;

use super::*;

fn names(manifest: &Manifest) -> Vec<String> {
    let name = |item: &Item| String::from_utf8_lossy(&item.entry.name).into_owned();
    manifest.items.iter().map(name).collect()
}

fn sample() -> tempfile::TempDir {
    let top = tempfile::tempdir().unwrap();
    let tree = top.path().join("tree");
    std::fs::create_dir_all(tree.join("empty")).unwrap();
    std::fs::create_dir_all(tree.join("a")).unwrap();
    std::fs::write(tree.join("a/x"), "12345").unwrap();
    std::fs::write(tree.join("b"), "").unwrap();
    symlink("a/x", tree.join("link")).unwrap();
    symlink("..", tree.join("a/up")).unwrap();
    top
}

#[test]
fn a_directory_is_listed_under_its_own_name_in_order() {
    let top = sample();
    let manifest = Manifest::collect(&[top.path().join("tree")], LinkPolicy::Keep).unwrap();
    assert_eq!(
        names(&manifest),
        [
            "tree",
            "tree/a",
            "tree/a/up",
            "tree/a/x",
            "tree/b",
            "tree/empty",
            "tree/link"
        ]
    );
    assert_eq!(manifest.bytes, 5);
}

#[test]
fn a_trailing_slash_means_the_contents() {
    let top = sample();
    let path = PathBuf::from(format!("{}/tree/", top.path().display()));
    let manifest = Manifest::collect(&[path], LinkPolicy::Skip).unwrap();
    assert_eq!(names(&manifest), ["a", "a/x", "b", "empty"]);
    assert_eq!(manifest.skipped.len(), 2);
}

#[test]
fn followed_links_do_not_go_round_in_circles() {
    let top = sample();
    let manifest = Manifest::collect(&[top.path().join("tree")], LinkPolicy::Follow).unwrap();
    assert!(names(&manifest).contains(&"tree/link".to_owned()));
    assert!(!names(&manifest).contains(&"tree/a/up/a/up".to_owned()));
    assert_eq!(manifest.skipped.len(), 1);
}

#[test]
fn two_paths_of_the_same_name_clash() {
    let top = sample();
    let tree = top.path().join("tree");
    let twice = Manifest::collect(&[tree.join("b"), tree.join("b")], LinkPolicy::Keep);
    assert!(matches!(twice, Err(ManifestError::Twice(_))));
}

#[test]
fn a_missing_path_is_named() {
    let missing = Manifest::collect(&[PathBuf::from("/nowhere/x")], LinkPolicy::Keep);
    let text = missing.unwrap_err().to_string();
    assert!(text.contains("/nowhere/x"), "{text}");
}
