#![no_main]

use libfuzzer_sys::fuzz_target;
use refrast_vertex_program::Dialect;

fuzz_target!(|body: &str| refrast_fuzz::check(Dialect::Vp10, body));
