//! `cargo xtask usrsctp`: the library that stands in for usrsctp's, built and installed below a folder.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::capi::{Request, build, replace_link};

/// The name that programs were linked with.
const SONAME: &str = "libusrsctp.so.2";
/// The release of usrsctp whose header programs were compiled with.
const VERSION: &str = "0.9.5";

/// Builds the library and installs it: `lib/libusrsctp.so.2`, `lib/libusrsctp.so` for the linker, and
/// `lib/pkgconfig/usrsctp.pc`. Returns the installed files.
/// Errors: the arguments are wrong, the library cannot be built, or a file cannot be written.
pub(crate) fn install(
    root: &Path,
    arguments: impl Iterator<Item = OsString>,
) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let Request { prefix, profile } = Request::parse(arguments)?;
    let built = build(root, "sheave-usrsctp", profile)?.join("libusrsctp.so");
    let lib = prefix.join("lib");
    fs::create_dir_all(lib.join("pkgconfig"))?;
    let shared = lib.join(SONAME);
    fs::copy(built, &shared)?;
    let link = lib.join("libusrsctp.so");
    replace_link(&shared, &link)?;
    let package = lib.join("pkgconfig/usrsctp.pc");
    fs::write(&package, package_text(&prefix))?;
    Ok(vec![shared, link, package])
}

fn package_text(prefix: &Path) -> String {
    format!(
        "prefix={}\n\
         libdir=${{prefix}}/lib\n\
         \n\
         Name: usrsctp\n\
         Description: Sheave behind the functions of usrsctp.h, a header of usrsctp\n\
         Version: {VERSION}\n\
         Libs: -L${{libdir}} -lusrsctp\n",
        prefix.display()
    )
}
