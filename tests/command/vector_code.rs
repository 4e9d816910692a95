//! Kernels are vector code throughout. A closure that is not made part of its caller is compiled without the caller's
//! instruction set, and then each vector operation in it is the call of a function: the same bits, at a fifth of the speed.
//! No test of results sees that, and no bench says why; the names of the functions in the program do.

/// The function that an operation of `fearless_simd` becomes when it is not part of its caller.
const OPERATION: &str = "__fearless_simd_kernel";

/// The function in which an instruction set beyond the baseline is entered.
const ENTRY: &str = "vectorize_avx2";

#[test]
fn no_vector_operation_is_the_call_of_a_function() {
    let program = std::fs::read(env!("CARGO_BIN_EXE_refrast")).unwrap();
    // The table of symbols ends each name with a zero.
    let names: Vec<&str> = program
        .split(|&byte| byte == 0)
        .filter_map(|name| std::str::from_utf8(name).ok())
        .filter(|name| name.starts_with("_"))
        .collect();
    assert!(
        names.iter().any(|name| name.contains(ENTRY)),
        "the names of functions are not in the program, or fearless_simd enters its levels by another one than {ENTRY}"
    );
    let called: Vec<_> = names.iter().filter(|name| name.contains(OPERATION)).collect();
    assert!(
        called.is_empty(),
        "{} vector operations are calls: {}. `objdump --disassemble --demangle` shows which function calls them; a closure or \
         a generic function in it is not `#[inline(always)]`, or `&closure` or `array::map` is where the closure should be",
        called.len(),
        called.iter().take(8).map(|name| format!("\n  {name}")).collect::<String>()
    );
}
