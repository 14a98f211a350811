//! Lets the linker make the release binary smaller. It leaves out the names of functions, as `strip` of
//! `[profile.release]` asks: cargo itself strips no binary of a package that has a profile of its own. It packs
//! addresses, which takes 1.6 MB less: the loader of glibc reads packed ones since 2.36, so a binary that is linked on
//! an older system keeps the plain ones.

use std::env;
use std::process::Command;

const FIRST_TO_READ: (u32, u32) = (2, 36);
/// Set by who wants to keep the names.
const STRIP: &str = "CARGO_PROFILE_RELEASE_STRIP";

#[expect(clippy::disallowed_methods, reason = "cargo names the profile and the target there")]
fn main() {
    println!("cargo::rerun-if-changed=build.rs\ncargo::rerun-if-env-changed={STRIP}");
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let is_for_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    if is_release && is_for_linux && env::var(STRIP).is_err() {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
    }
    let is_for_here = env::var("HOST").ok() == env::var("TARGET").ok();
    if is_release && is_for_here && glibc().is_some_and(|version| version >= FIRST_TO_READ) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of this system's C library; none where it is another one.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
