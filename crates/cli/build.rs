//! Where the functions of everyday work lie in the static program (docs/adr/0006).

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=../../.cargo/functions.ld");
    let has = |name: &str, value: &str| {
        env::var(name).is_ok_and(|found| found.split(',').any(|part| part == value))
    };
    // A plain build has to work with every linker, and not all take such a list.
    if has("CARGO_CFG_TARGET_FEATURE", "crt-static")
        && has("CARGO_CFG_TARGET_OS", "linux")
        && has("CARGO_CFG_TARGET_ARCH", "x86_64")
    {
        let here = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        println!("cargo:rustc-link-arg-bins=-Wl,-T,{here}/../../.cargo/functions.ld");
    }
}
