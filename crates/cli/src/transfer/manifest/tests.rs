use std::os::unix::fs::symlink;

use super::*;

fn selection(links: LinkPolicy) -> Selection {
    Selection {
        links,
        exclude: Vec::new(),
        input_name: "stdin".to_owned(),
    }
}

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
    let manifest =
        Manifest::collect(&[top.path().join("tree")], &selection(LinkPolicy::Keep)).unwrap();
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
    let manifest = Manifest::collect(&[path], &selection(LinkPolicy::Skip)).unwrap();
    assert_eq!(names(&manifest), ["a", "a/x", "b", "empty"]);
    assert_eq!(manifest.skipped.len(), 2);
}

#[test]
fn followed_links_do_not_go_round_in_circles() {
    let top = sample();
    let manifest =
        Manifest::collect(&[top.path().join("tree")], &selection(LinkPolicy::Follow)).unwrap();
    assert!(names(&manifest).contains(&"tree/link".to_owned()));
    assert!(!names(&manifest).contains(&"tree/a/up/a/up".to_owned()));
    assert_eq!(manifest.skipped.len(), 1);
}

#[test]
fn two_paths_of_the_same_name_clash() {
    let top = sample();
    let tree = top.path().join("tree");
    let twice = Manifest::collect(
        &[tree.join("b"), tree.join("b")],
        &selection(LinkPolicy::Keep),
    );
    assert!(matches!(twice, Err(ManifestError::Twice(_))));
}

#[test]
fn a_missing_path_is_named() {
    let missing = Manifest::collect(&[PathBuf::from("/nowhere/x")], &selection(LinkPolicy::Keep));
    let text = missing.unwrap_err().to_string();
    assert!(text.contains("/nowhere/x"), "{text}");
}

#[test]
fn the_contents_of_an_excluded_directory_are_excluded() {
    let top = sample();
    let path = PathBuf::from(format!("{}/tree/", top.path().display()));
    let mut selection = selection(LinkPolicy::Keep);
    selection.exclude = vec!["a/".parse().unwrap(), "l*".parse().unwrap()];
    let manifest = Manifest::collect(&[path], &selection).unwrap();
    assert_eq!(names(&manifest), ["b", "empty"]);
    assert!(manifest.skipped.is_empty());
}

#[test]
fn hard_links_follow_the_files_and_ends_of_directories_come_last() {
    let top = sample();
    let tree = top.path().join("tree");
    std::fs::hard_link(tree.join("b"), tree.join("a/b2")).unwrap();
    let path = PathBuf::from(format!("{}/", tree.display()));
    let mut manifest = Manifest::collect(&[path], &selection(LinkPolicy::Keep)).unwrap();
    manifest.arrange(Detail::Archive);
    assert_eq!(
        names(&manifest),
        [
            "a", "a/b2", "a/up", "a/x", "empty", "link", "b", "empty", "a"
        ]
    );
    let ids: Vec<EntryId> = manifest.items.iter().map(|item| item.entry.id).collect();
    assert_eq!(ids, (0..9).collect::<Vec<_>>());
    assert_eq!(manifest.items[6].link_to, Some(1));
    assert!(manifest.has_links(1));
    assert!(manifest.is_directory_end(8));
}
