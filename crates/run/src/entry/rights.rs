//! Detects programs that gain rights (set-user-ID, capabilities): `no_new_privs`, which a seccomp
//! filter requires, removes these rights, and the loader does the same with a preloaded library.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

const SET_USER: u32 = 0o4000;
/// Set-group-ID; without group execution, this bit has another meaning.
const SET_GROUP: u32 = 0o2010;
/// The extended attribute with a file's capabilities (capabilities(7)).
const CAPABILITIES: &str = "security.capability";

/// Whether executing the file would give this process more rights.
pub(super) fn are_gained(file: &Path) -> bool {
    let Ok(metadata) = fs::metadata(file) else {
        return false;
    };
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    if user.is_root() {
        // Root already has all rights.
        return false;
    }
    let mode = metadata.permissions().mode();
    let other_user = mode & SET_USER != 0 && metadata.uid() != user.as_raw();
    let other_group = mode & SET_GROUP == SET_GROUP && metadata.gid() != group.as_raw();
    let capable = || rustix::fs::getxattr(file, CAPABILITIES, &mut [0; 64]).is_ok();
    other_user || other_group || capable()
}
