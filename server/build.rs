//! Embedded migrations are read while compiling: tells cargo to look again when one changes.

fn main() {
    println!("cargo:rerun-if-changed=../migrations");
}
