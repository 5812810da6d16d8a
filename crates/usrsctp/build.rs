//! Sets the soname that programs were linked with.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libusrsctp.so.2");
}
