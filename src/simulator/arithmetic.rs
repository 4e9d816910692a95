//! [`Arithmetic`]: sums of products in the ways that backends compute them.
//!
//! Why it exists: where a specification leaves the order of a sum and the fusing of its products open, two right
//! backends differ in the last bits, and a check must let both pass.

/// Three components.
pub(super) type Vector = [f32; 3];

/// How sums are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arithmetic {
    /// Products are not rounded before they are added. (The sum is rounded to f64 and then to f32, which differs from a
    /// fused multiply-add in about one of 2^29 results, by the last bit.)
    pub(super) fused: bool,
    /// Sums run from the last term to the first.
    pub(super) reversed: bool,
}

impl Arithmetic {
    /// a·b + c.
    #[inline(always)]
    pub(super) fn multiply_add(self, a: f32, b: f32, c: f32) -> f32 {
        if self.fused { (f64::from(a) * f64::from(b) + f64::from(c)) as f32 } else { a * b + c }
    }

    /// Σ aᵢ·bᵢ.
    #[inline(always)]
    pub(super) fn dot<const N: usize>(self, a: [f32; N], b: [f32; N]) -> f32 {
        let mut sum = if self.reversed { a[N - 1] * b[N - 1] } else { a[0] * b[0] };
        for i in 1..N {
            let i = if self.reversed { N - 1 - i } else { i };
            sum = self.multiply_add(a[i], b[i], sum);
        }
        sum
    }

    /// Σ aᵢ·bᵢ + c: c is the last term.
    #[inline(always)]
    pub(super) fn dot_plus<const N: usize>(self, a: [f32; N], b: [f32; N], c: f32) -> f32 {
        if !self.reversed {
            return self.dot(a, b) + c;
        }
        let mut sum = c;
        for i in (0..N).rev() {
            sum = self.multiply_add(a[i], b[i], sum);
        }
        sum
    }

    /// a × b.
    #[inline(always)]
    pub(super) fn cross(self, a: Vector, b: Vector) -> Vector {
        let minor = |i: usize, j: usize| self.dot([a[i], -a[j]], [b[j], b[i]]);
        [minor(1, 2), minor(2, 0), minor(0, 1)]
    }

    /// v divided by its length; zero where it has none.
    #[inline(always)]
    pub(super) fn normalize(self, v: Vector) -> Vector {
        let squared = self.dot(v, v);
        if squared > 0.0 { scale(v, 1.0 / squared.sqrt()) } else { [0.0; 3] }
    }

    /// As [`normalize`](Self::normalize) for vectors of any size: their largest component is brought near 1 first.
    pub(super) fn normalize_scaled(self, v: Vector) -> Vector {
        let largest = v.iter().fold(0.0f32, |largest, component| largest.max(component.abs()));
        if !(largest > 0.0 && largest < f32::INFINITY) {
            return [0.0; 3];
        }
        // A power of two, and so exact; without the two lowest bits of the exponent it is a normal f32 for 2^127 too.
        let power = f32::from_bits(0x7f00_0000 - (largest.to_bits() & 0x7e00_0000));
        self.normalize(scale(v, power))
    }
}

#[inline(always)]
pub(super) fn scale(v: Vector, factor: f32) -> Vector {
    [v[0] * factor, v[1] * factor, v[2] * factor]
}

#[inline(always)]
pub(super) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn subtract(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// A number as a 16-bit float keeps it.
pub(super) fn half(value: f32) -> f32 {
    half::f16::from_f32(value).to_f32()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_and_the_fusing_show_where_digits_cancel() {
        // 2^12+1 squared is 2^24 + 2^13 + 1, which f32 rounds to 2^24 + 2^13.
        let x = 4097.0f32;
        let plain = Arithmetic { fused: false, reversed: false };
        let fused = Arithmetic { fused: true, reversed: false };
        assert_eq!(plain.dot([16_785_408.0, x], [-1.0, x]), 0.0);
        assert_eq!(fused.dot([16_785_408.0, x], [-1.0, x]), 1.0);
        // (1 + 2^-24) − 1 is 0 from the left, 2^-24 from the right.
        let tiny = 1.0 / 16_777_216.0;
        let reversed = Arithmetic { fused: false, reversed: true };
        assert_eq!(plain.dot([1.0, tiny, -1.0], [1.0; 3]), 0.0);
        assert_eq!(reversed.dot([tiny, -1.0, 1.0], [1.0; 3]), tiny);
        assert_eq!(plain.dot_plus([tiny], [1.0], 1.0), 1.0);
    }

    #[test]
    fn tiny_vectors_have_a_direction() {
        let plain = Arithmetic { fused: false, reversed: false };
        assert_eq!(plain.normalize([1e-30, 0.0, 0.0]), [0.0; 3]);
        assert_eq!(plain.normalize_scaled([1e-30, 0.0, 0.0]), [1.0, 0.0, 0.0]);
    }
}
