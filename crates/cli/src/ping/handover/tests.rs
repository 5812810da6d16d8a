use std::os::unix::fs::MetadataExt;

use super::*;

#[test]
fn only_its_owner_may_open_the_socket() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("echo");
    let doorway = HandoverSocket::open(&path).unwrap();
    let found = fs::symlink_metadata(&path).unwrap();
    assert!(found.file_type().is_socket());
    assert_eq!(found.mode() & 0o777, 0o600);
    assert_eq!(
        fs::read_dir(&home).unwrap().count(),
        1,
        "nothing else is left"
    );
    drop(doorway);
    assert!(!path.exists());
}

#[test]
fn a_name_that_a_dead_server_left_is_taken() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("echo");
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    assert!(call(&path).unwrap().is_none());
    let _doorway = HandoverSocket::open(&path).unwrap();
    assert!(call(&path).unwrap().is_some());
}

#[test]
fn a_file_that_is_no_socket_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("precious");
    fs::write(&path, "text").unwrap();
    assert!(call(&path).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"text");
}
