#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| refrast_fuzz::check_manifest(text));
