//! [`Difference`]: one number of the reference's machine beside a driver's.

use refrast::vertex_program::Attributes;

/// A rule in words, and whether it explains a difference.
pub(crate) type OwnRule = (&'static str, fn(&Difference<'_>) -> bool);

/// One component of a result on both machines.
pub(crate) struct Difference<'a> {
    /// What the program read.
    pub(crate) attributes: &'a Attributes,
    /// Which of the probed results.
    pub(crate) result: usize,
    /// Which component of it.
    pub(crate) component: usize,
    /// refrast's value.
    pub(crate) ours: f32,
    /// refrast's value with denormals flushed on the way in and on the way out.
    pub(crate) flushed: f32,
    /// The driver's value.
    pub(crate) theirs: f32,
}

impl Difference<'_> {
    /// The same bits, or a NaN on both sides.
    pub(crate) fn is_identical(&self) -> bool {
        identical(self.ours, self.theirs)
    }

    /// The driver's value is what the reference gives without denormals, or less than 4 smallest normal numbers away.
    pub(crate) fn is_denormal(&self) -> bool {
        let &Self { flushed, theirs, .. } = self;
        identical(flushed, theirs) || flushed == theirs || (flushed - theirs).abs() < 4.0 * f32::MIN_POSITIVE
    }
}

fn identical(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// The distance from `value` to the next float away from zero (below the largest).
pub(crate) fn unit_in_last_place(value: f32) -> f64 {
    let bits = value.abs().clamp(f32::MIN_POSITIVE, f32::MAX).to_bits().min(f32::MAX.to_bits() - 1);
    f64::from(f32::from_bits(bits + 1)) - f64::from(f32::from_bits(bits))
}

/// 0 for a denormal number.
pub(crate) fn flush(value: f32) -> f32 {
    if value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
}
