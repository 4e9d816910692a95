//! [`Comparison`]: two machines' results, and which rule explains each difference.

use std::fmt;

use refrast::vertex_program::Attributes;

/// The rules, as they stand below the table.
pub(crate) const LEGEND: &str = "\
-0        both are 0 and the signs differ: the driver's results pass through a blend of points and lose the sign of zero
denormal  an operand or a result is denormal: ARB_vertex_program leaves them to the implementation, softpipe flushes them
special   an operand is infinite or not a number: 'the result is undefined' (ARB_vertex_program, section 2.14.5)
units     the largest difference left, in units of the last place of refrast's result; 'allowed' is what the opcode may";

/// Counts of one program.
pub(crate) struct Comparison {
    name: String,
    allowed: f64,
    compared: usize,
    same: usize,
    zero_sign: usize,
    denormal: usize,
    special: usize,
    rounded: usize,
    worst: f64,
    example: String,
}

impl Comparison {
    pub(crate) fn new(name: &str, allowed: f64) -> Self {
        Self {
            name: name.to_owned(),
            allowed,
            compared: 0,
            same: 0,
            zero_sign: 0,
            denormal: 0,
            special: 0,
            rounded: 0,
            worst: 0.0,
            example: String::new(),
        }
    }

    pub(crate) fn heading() -> String {
        format!(
            "{:24} {:>9} {:>9} {:>7} {:>8} {:>7} {:>7} {:>9} {:>7}",
            "program", "compared", "same", "-0", "denormal", "special", "rounded", "units", "allowed"
        )
    }

    /// Counts one component of a result: refrast's and the driver's.
    pub(crate) fn add(&mut self, vertex: usize, attributes: &Attributes, ours: f32, theirs: f32) {
        self.compared += 1;
        let any = |rule: fn(f32) -> bool| attributes.as_flattened().iter().any(|&value| rule(value));
        let tiny = |value: f32| value != 0.0 && value.abs() < f32::MIN_POSITIVE;
        if ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan() {
            self.same += 1;
        } else if ours == theirs {
            self.zero_sign += 1;
        } else if tiny(ours) && theirs == 0.0 || any(tiny) {
            self.denormal += 1;
        } else if any(|value| !value.is_finite()) {
            self.special += 1;
        } else {
            self.rounded += 1;
            let units = (f64::from(ours) - f64::from(theirs)).abs() / unit_in_last_place(ours);
            let units = if units.is_nan() { f64::INFINITY } else { units };
            if units > self.worst {
                self.worst = units;
                self.example =
                    format!("vertex {vertex}: refrast {ours:e}, driver {theirs:e}, v[0..2] {:?}", &attributes[..3]);
            }
        }
    }

    pub(crate) fn compared(&self) -> usize {
        self.compared
    }

    /// Whether every difference is explained.
    pub(crate) fn verdict(&self) -> Result<(), String> {
        if self.worst <= self.allowed {
            return Ok(());
        }
        Err(format!("{}: {} units, {} allowed; {}", self.name, self.worst, self.allowed, self.example))
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
            "{:24} {:>9} {:>9} {:>7} {:>8} {:>7} {:>7} {:>9.2} {:>7}",
            self.name,
            self.compared,
            self.same,
            self.zero_sign,
            self.denormal,
            self.special,
            self.rounded,
            self.worst,
            self.allowed
        )
    }
}
