//! [`Comparison`]: two machines' results, and which rule explains each difference.

use std::fmt;

use crate::difference::{Difference, OwnRule, unit_in_last_place};

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
        let &Difference { attributes, result, component, ours, theirs, .. } = difference;
        self.compared += 1;
        if difference.is_identical() {
            self.same += 1;
        } else if ours == theirs {
            self.zero_sign += 1;
        } else if difference.is_denormal() {
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
