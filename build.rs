//! Where the functions of everyday work lie in the program (docs/adr/0006).

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=.cargo/functions.ld");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let knows_the_list = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ARCH", "x86_64");
    if knows_the_list && is("PROFILE", "release") {
        let here = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        println!("cargo:rustc-link-arg-bins=-Wl,-T,{here}/.cargo/functions.ld");
    }
}
