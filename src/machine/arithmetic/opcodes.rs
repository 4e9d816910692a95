//! One function an opcode: the reference that everything else is compared with.
//!
//! Operands come with swizzle and sign applied, and in `nv-spec` with denormals flushed. Section numbers are those of
//! NV_vertex_program ("NV") and ARB_vertex_program ("ARB"). Sums run from x to w: `((x + y) + z) + w`, and every
//! product and every sum is rounded.

use super::{NumericModel, primitives::canonical};
use crate::instruction::Opcode;

/// Four components.
type Vector = [f32; 4];

/// The result of an opcode for operands `a`, `b`, `c`, before the write mask. `ARL` and `NOP` have none.
pub(crate) fn execute(opcode: Opcode, model: NumericModel, operands: [Vector; 3]) -> Vector {
    // Once an instruction, and not once a product.
    match model {
        NumericModel::NvSpec => execute_by(opcode, NumericModel::NvSpec, operands),
        NumericModel::Ieee => execute_by(opcode, NumericModel::Ieee, operands),
    }
}

#[inline(always)]
fn execute_by(opcode: Opcode, model: NumericModel, [a, b, c]: [Vector; 3]) -> Vector {
    match opcode {
        Opcode::Nop | Opcode::Arl => [0.0; 4],
        Opcode::Mov | Opcode::Swz => a,
        Opcode::Abs => a.map(f32::abs),
        Opcode::Mul => multiply(model, a, b),
        Opcode::Add => add(model, a, b),
        Opcode::Sub => add(model, a, b.map(|x| -x)),
        Opcode::Mad => add(model, multiply(model, a, b), c),
        Opcode::Dp3 => [dot3(model, a, b); 4],
        Opcode::Dp4 => [model.add(dot3(model, a, b), model.multiply(a[3], b[3])); 4],
        Opcode::Dph => [model.add(dot3(model, a, b), b[3]); 4],
        Opcode::Dst => [1.0, model.multiply(a[1], b[1]), a[2], b[3]],
        Opcode::Xpd => cross(model, a, b),
        Opcode::Min => minimum(model, a, b),
        Opcode::Max => maximum(model, a, b),
        Opcode::Slt => per_component(a, b, |x, y| unit(model.less(x, y))),
        Opcode::Sge => per_component(a, b, |x, y| unit(model.greater_or_equal(x, y))),
        Opcode::Rcp => [reciprocal(model, a[0]); 4],
        Opcode::Rcc => [reciprocal_clamped(model, a[0]); 4],
        Opcode::Rsq => [reciprocal_square_root(model, a[0]); 4],
        Opcode::Exp => partial_exponential(model, a[0]),
        Opcode::Log => partial_logarithm(model, a[0]),
        Opcode::Ex2 => [exponential(model, a[0]); 4],
        Opcode::Lg2 => [logarithm(model, a[0]); 4],
        Opcode::Pow => [power(model, a[0], b[0]); 4],
        Opcode::Lit => light(model, a),
        Opcode::Flr => a.map(|x| canonical(x.floor())),
        Opcode::Frc => a.map(|x| model.fraction(x)),
    }
}

#[inline(always)]
fn per_component(a: Vector, b: Vector, operation: impl Fn(f32, f32) -> f32) -> Vector {
    [operation(a[0], b[0]), operation(a[1], b[1]), operation(a[2], b[2]), operation(a[3], b[3])]
}

fn unit(condition: bool) -> f32 {
    if condition { 1.0 } else { 0.0 }
}

/// MUL: NV 2.14.1.10.3, ARB 2.14.5.19.
#[inline(always)]
fn multiply(model: NumericModel, a: Vector, b: Vector) -> Vector {
    per_component(a, b, |x, y| model.multiply(x, y))
}

/// ADD: NV 2.14.1.10.4, ARB 2.14.5.2.
#[inline(always)]
fn add(model: NumericModel, a: Vector, b: Vector) -> Vector {
    per_component(a, b, |x, y| model.add(x, y))
}

/// DP3: NV 2.14.1.10.8, ARB 2.14.5.4.
#[inline(always)]
fn dot3(model: NumericModel, a: Vector, b: Vector) -> f32 {
    let product = |i: usize| model.multiply(a[i], b[i]);
    model.add(model.add(product(0), product(1)), product(2))
}

/// XPD: ARB 2.14.5.27, which leaves w open; here it is never written.
fn cross(model: NumericModel, a: Vector, b: Vector) -> Vector {
    let component = |i: usize, j: usize| model.add(model.multiply(a[i], b[j]), -model.multiply(a[j], b[i]));
    [component(1, 2), component(2, 0), component(0, 1), 0.0]
}

/// MIN: `a < b ? a : b` in NV 2.14.1.10.11, `a > b ? b : a` in ARB 2.14.5.17, both with the usual comparison (the total
/// order is for SLT and SGE). They differ for NaN and for zeros of different sign.
fn minimum(model: NumericModel, a: Vector, b: Vector) -> Vector {
    per_component(a, b, |x, y| {
        canonical(match model {
            NumericModel::NvSpec if x < y => x,
            NumericModel::NvSpec => y,
            NumericModel::Ieee if x > y => y,
            NumericModel::Ieee => x,
        })
    })
}

/// MAX: `a >= b ? a : b` in NV 2.14.1.10.12, `a > b ? a : b` in ARB 2.14.5.16.
fn maximum(model: NumericModel, a: Vector, b: Vector) -> Vector {
    per_component(a, b, |x, y| {
        let first = match model {
            NumericModel::NvSpec => x >= y,
            NumericModel::Ieee => x > y,
        };
        canonical(if first { x } else { y })
    })
}

/// RCP: NV 2.14.1.10.6, ARB 2.14.5.21. One correctly rounded division, which gives 1 for 1, ±Inf for ±0 and ±0 for ±Inf.
fn reciprocal(model: NumericModel, x: f32) -> f32 {
    model.result(1.0 / x)
}

/// RCC: NV_vertex_program1_1 2.14.1.10.19. The clamp is by the sign of the reciprocal, so that RCC(+Inf) = +2^-64.
fn reciprocal_clamped(model: NumericModel, x: f32) -> f32 {
    const LARGEST: f32 = f32::from_bits(0x5f80_0000);
    const SMALLEST: f32 = f32::from_bits(0x1f80_0000);
    let reciprocal = reciprocal(model, x);
    if reciprocal.is_nan() { reciprocal } else { reciprocal.abs().clamp(SMALLEST, LARGEST).copysign(reciprocal) }
}

/// RSQ: NV 2.14.1.10.7, ARB 2.14.5.22. A correctly rounded square root, then a correctly rounded division: together
/// within 2^-23 of the exact value, where 2^-22 is asked for.
fn reciprocal_square_root(model: NumericModel, x: f32) -> f32 {
    model.result(1.0 / x.abs().sqrt())
}

/// EXP: NV 2.14.1.10.15, ARB 2.14.5.9. z is 2^x to f32 accuracy, where 2^-11 is asked for.
fn partial_exponential(model: NumericModel, x: f32) -> Vector {
    if x.is_nan() {
        return [f32::NAN, f32::NAN, f32::NAN, 1.0];
    }
    // "EXP(-Inf) or if the exponential result underflows"; without denormals that is below 2^-126.
    if x == f32::NEG_INFINITY || (model == NumericModel::NvSpec && x < -126.0) {
        return [0.0, 0.0, 0.0, 1.0];
    }
    // "EXP(+Inf) or overflows" (NV). ARB keeps y = x − floor(x) for finite x.
    if x == f32::INFINITY || (model == NumericModel::NvSpec && x >= 128.0) {
        return [f32::INFINITY, 0.0, f32::INFINITY, 1.0];
    }
    [power_of_two(x.floor()), model.fraction(x), libm::exp2f(x), 1.0]
}

/// 2^n for an integer n.
fn power_of_two(n: f32) -> f32 {
    match n as i32 {
        128.. => f32::INFINITY,
        n @ -126..=127 => f32::from_bits(((n + 127) as u32) << 23),
        n @ -149..=-127 => f32::from_bits(1 << (n + 149)),
        _ => 0.0,
    }
}

/// EX2: ARB 2.14.5.8.
fn exponential(model: NumericModel, x: f32) -> f32 {
    model.result(libm::exp2f(x))
}

/// LOG: NV 2.14.1.10.16, ARB 2.14.5.14. z is log2 to f32 accuracy, where 2^-11 is asked for.
fn partial_logarithm(model: NumericModel, x: f32) -> Vector {
    let x = x.abs();
    if x.is_nan() {
        return [f32::NAN, f32::NAN, f32::NAN, 1.0];
    }
    if x == 0.0 {
        return [f32::NEG_INFINITY, 1.0, f32::NEG_INFINITY, 1.0];
    }
    if x == f32::INFINITY {
        return [f32::INFINITY, 1.0, f32::INFINITY, 1.0];
    }
    // A denormal number (`ieee` only) is normal after multiplication by 2^23.
    let (normal, shift) = if x.is_subnormal() { (x * 8_388_608.0, 23) } else { (x, 0) };
    let exponent = (normal.to_bits() >> 23) as i32 - 127 - shift;
    let mantissa = f32::from_bits(normal.to_bits() & 0x7f_ffff | 1.0_f32.to_bits());
    [exponent as f32, mantissa, logarithm(model, x), 1.0]
}

/// LG2: ARB 2.14.5.12, of the absolute value as "log - vs" has it: ARB leaves negative numbers open.
fn logarithm(model: NumericModel, x: f32) -> f32 {
    model.result(libm::log2f(x.abs()))
}

/// POW: ARB 2.14.5.20, 2^(exponent · log2 base), in f64 and rounded once. 0 as exponent gives 1 for every base ("0.0
/// times anything must be 0.0, taking any base to the power of 0.0 will yield 1.0", NV 2.14.1.10.17).
fn power(model: NumericModel, base: f32, exponent: f32) -> f32 {
    if exponent == 0.0 || base == 1.0 {
        return 1.0;
    }
    // log2 of a negative number is a NaN: ARB says that POW may not serve negative bases.
    model.result(libm::exp2(f64::from(exponent) * libm::log2(f64::from(base))) as f32)
}

/// LIT: NV 2.14.1.10.17, ARB 2.14.5.13. The exponent is clamped to ±(128 − 1/256).
fn light(model: NumericModel, [x, y, _, w]: Vector) -> Vector {
    const MOST: f32 = 128.0 - 1.0 / 256.0;
    let diffuse = if x < 0.0 { 0.0 } else { canonical(x) };
    let base = if y < 0.0 { 0.0 } else { y };
    let specular = if x > 0.0 { power(model, base, w.clamp(-MOST, MOST)) } else { 0.0 };
    [1.0, diffuse, specular, 1.0]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::primitives::BELOW_ONE, *};

    /// Largest relative error of a scalar opcode against f64 over all kinds of positive numbers.
    fn worst_relative_error(opcode: Opcode, exact: impl Fn(f64) -> f64, inputs: impl Iterator<Item = f32>) -> f64 {
        inputs
            .map(|x| {
                let result = f64::from(execute(opcode, NumericModel::NvSpec, [[x; 4]; 3])[0]);
                let exact = exact(f64::from(x));
                ((result - exact) / exact).abs()
            })
            .fold(0.0, f64::max)
    }

    #[test]
    fn reciprocals_are_within_two_to_the_minus_22() {
        let inputs = || (0..200_000).map(|i| 1.0 + i as f32 * (3.0 / 200_000.0));
        assert!(worst_relative_error(Opcode::Rcp, |x| 1.0 / x, inputs()) < 0.25 / 1_048_576.0);
        assert!(worst_relative_error(Opcode::Rsq, |x| 1.0 / libm::sqrt(x), inputs()) < 0.25 / 1_048_576.0);
    }

    proptest! {
        #[test]
        fn exp_and_log_are_within_two_to_the_minus_11(x in -100.0_f32..100.0) {
            let [whole, fraction, exponential, _] = execute(Opcode::Exp, NumericModel::NvSpec, [[x; 4]; 3]);
            let exact = libm::exp2(f64::from(x));
            prop_assert!((f64::from(exponential) - exact).abs() < f64::from(whole) / 2048.0);
            prop_assert!((0.0..1.0).contains(&fraction));
            prop_assert!((f64::from(whole) * libm::exp2(f64::from(fraction)) - exact).abs() <= exact / 4_194_304.0);

            let argument = f64::from(exponential);
            let [exponent, mantissa, logarithm, _] = execute(Opcode::Log, NumericModel::NvSpec, [[exponential; 4]; 3]);
            prop_assert!((f64::from(logarithm) - libm::log2(argument)).abs() < 1.0 / 2048.0);
            prop_assert!((1.0..2.0).contains(&mantissa));
            prop_assert_eq!(f64::from(mantissa) * libm::exp2(f64::from(exponent)), argument);
        }
    }

    /// The fraction is the specification's x − floor(x) and never reaches 1, even just below an integer.
    #[test]
    fn a_fraction_stays_below_one() {
        for model in [NumericModel::NvSpec, NumericModel::Ieee] {
            assert_eq!(execute(Opcode::Frc, model, [[-1.0e-20; 4]; 3])[0], BELOW_ONE);
            assert_eq!(execute(Opcode::Frc, model, [[-1.75; 4]; 3])[0], 0.25);
        }
    }
}
