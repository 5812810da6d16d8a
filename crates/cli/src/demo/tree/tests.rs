use super::*;

#[test]
fn the_tree_has_the_files_and_bytes_asked_for() {
    let top = tempfile::tempdir().unwrap();
    let made = make(top.path(), 300, 3_000_000).unwrap();
    assert_eq!((made.files, made.bytes), (300, 3_000_000));
    assert_eq!(count(top.path()).unwrap(), made);
    let mut noise = Noise(1);
    assert!(
        sizes(300, 3_000_000, &mut noise)
            .iter()
            .filter(|&&size| size == 0)
            .count()
            >= 5
    );
}

#[test]
fn a_difference_of_one_byte_is_found() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for top in [&one, &other] {
        make(top.path(), 60, 1_000_000).unwrap();
    }
    assert_eq!(compare(one.path(), other.path()).unwrap().files, 60);
    let file = other.path().join("part-00/group-000/note-1.txt");
    let mut bytes = b"some text".to_vec();
    fs::write(&file, &bytes).unwrap();
    fs::write(one.path().join("part-00/group-000/note-1.txt"), &bytes).unwrap();
    bytes.push(0);
    fs::write(&file, &bytes).unwrap();
    assert!(
        compare(one.path(), other.path())
            .unwrap_err()
            .contains("longer")
    );
    bytes.pop();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&file, &bytes).unwrap();
    assert!(
        compare(one.path(), other.path())
            .unwrap_err()
            .contains("differs")
    );
    fs::remove_file(&file).unwrap();
    assert!(
        compare(one.path(), other.path())
            .unwrap_err()
            .contains("other entries")
    );
}
