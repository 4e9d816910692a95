//! [`Comparison`]: two machines' results, and which rule explains each difference.

use std::fmt;

use refrast::vertex_program::Attributes;

/// The rules that hold for every program, as they stand below the table.
pub(crate) const LEGEND: &str = "\
same      the same bits, or a NaN on both sides
-0        both are 0 and the signs differ: the driver's results pass through a blend of points and lose the sign of zero
denormal  refrast gives the driver's bits when denormal operands and results are 0, or less than 4 smallest normal numbers
          from them, what is lost on the way: ARB_vertex_program leaves denormals open, and softpipe flushes them
special   an operand is infinite or not a number: ARB_vertex_program leaves such results undefined (section 2.14.5)
own       the rule of the opcode's own, below
rounded   none of these: off by at most `units` in the last place of refrast's result, where `allowed` are. Functions are
          approximated on both sides; LG2 is ln x · log2 e on softpipe, rounded twice";

/// A rule in words, and whether it explains a difference.
pub(crate) type OwnRule = (&'static str, fn(&Difference<'_>) -> bool);

/// What an opcode may differ in.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    /// Units in the last place that a result may be off, where both machines approximate a function.
    pub(crate) units: f64,
    /// The rule of its own.
    pub(crate) own: Option<OwnRule>,
}

impl Rules {
    /// Nothing but what holds for every program.
    pub(crate) const EXACT: Self = Self { units: 0.0, own: None };
}

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

/// Counts of one program.
pub(crate) struct Comparison {
    name: String,
    rules: Rules,
    compared: usize,
    same: usize,
    zero_sign: usize,
    denormal: usize,
    special: usize,
    own: usize,
    rounded: usize,
    worst: f64,
    example: String,
}

impl Comparison {
    pub(crate) fn new(name: &str, rules: Rules) -> Self {
        Self {
            name: name.to_owned(),
            rules,
            compared: 0,
            same: 0,
            zero_sign: 0,
            denormal: 0,
            special: 0,
            own: 0,
            rounded: 0,
            worst: 0.0,
            example: String::new(),
        }
    }

    pub(crate) fn heading() -> String {
        format!(
            "{:24} {:>9} {:>9} {:>7} {:>8} {:>7} {:>7} {:>7} {:>6} {:>7}",
            "program", "compared", "same", "-0", "denormal", "special", "own", "rounded", "units", "allowed"
        )
    }

    /// Counts one component of a result.
    pub(crate) fn add(&mut self, difference: &Difference<'_>) {
        let &Difference { attributes, result, component, ours, flushed, theirs } = difference;
        let identical = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        self.compared += 1;
        if identical(ours, theirs) {
            self.same += 1;
        } else if ours == theirs {
            self.zero_sign += 1;
        } else if identical(flushed, theirs) || flushed == theirs || (flushed - theirs).abs() < 4.0 * f32::MIN_POSITIVE
        {
            self.denormal += 1;
        } else if self.rules.own.is_some_and(|(_, explains)| explains(difference)) {
            self.own += 1;
        } else if attributes[..3].as_flattened().iter().any(|value| !value.is_finite()) {
            self.special += 1;
        } else {
            self.rounded += 1;
            let units = (f64::from(ours) - f64::from(theirs)).abs() / unit_in_last_place(ours);
            let units = if units.is_nan() { f64::INFINITY } else { units };
            if units > self.worst {
                self.worst = units;
                let operands = &attributes[..3];
                self.example = format!(
                    "result {result}, component {component}: refrast {ours:e}, driver {theirs:e} for {operands:?}"
                );
            }
        }
    }

    pub(crate) fn compared(&self) -> usize {
        self.compared
    }

    /// Whether every difference is explained.
    pub(crate) fn verdict(&self) -> Result<(), String> {
        if self.worst <= self.rules.units {
            return Ok(());
        }
        Err(format!("{}: {} units, {} allowed; {}", self.name, self.worst, self.rules.units, self.example))
    }
}

/// The distance from `value` to the next float away from zero (below the largest).
fn unit_in_last_place(value: f32) -> f64 {
    let bits = value.abs().clamp(f32::MIN_POSITIVE, f32::MAX).to_bits().min(f32::MAX.to_bits() - 1);
    f64::from(f32::from_bits(bits + 1)) - f64::from(f32::from_bits(bits))
}

impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:24} {:>9} {:>9} {:>7} {:>8} {:>7} {:>7} {:>7} {:>6.0} {:>7}",
            self.name,
            self.compared,
            self.same,
            self.zero_sign,
            self.denormal,
            self.special,
            self.own,
            self.rounded,
            self.worst,
            self.rules.units
        )
    }
}
