//! [`unroll!`](crate::unroll): arrays of vectors without closures.
//!
//! Why it exists: `array::map` and `array::from_fn` call a closure, and a closure that the compiler chooses not to
//! inline is compiled without the instruction set of the function around it: every vector operation in it becomes a
//! call. It made the rasteriser several times slower. So where vectors are computed, arrays are written out.

/// `unroll!(i in [0, 1, 2] => expression)`: the array of the expression's values, written out.
#[macro_export]
macro_rules! unroll {
    ($index:pat in [$($value:expr),+] => $body:expr) => {
        [$({ let $index = $value; $body }),+]
    };
}
