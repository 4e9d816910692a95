//! [`Breaks`]: what a program that runs on stops at.

use std::{collections::BTreeSet, fmt, str::FromStr};

use refrast_words::Offer;

/// What a program that runs on stops at, before the instruction is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breaks {
    /// An instruction that writes a NaN.
    pub nan: bool,
    /// An instruction that reads a constant outside of `c[0..95]` through the address register.
    pub out_of_range: bool,
    /// These instructions, from 0.
    pub instructions: BTreeSet<usize>,
}

/// One thing to stop at, as it is written on the command line: `nan`, `range`, or the number of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// A NaN is written.
    Nan,
    /// A relative read is out of range.
    OutOfRange,
    /// The instruction of this number, from 0.
    Instruction(usize),
}

impl Breaks {
    /// Whether nothing stops the program.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Breaks at an instruction, or no longer.
    pub fn toggle(&mut self, instruction: usize) {
        if !self.instructions.remove(&instruction) {
            self.instructions.insert(instruction);
        }
    }
}

impl FromIterator<Break> for Breaks {
    fn from_iter<I: IntoIterator<Item = Break>>(all: I) -> Self {
        let mut breaks = Self::default();
        for one in all {
            match one {
                Break::Nan => breaks.nan = true,
                Break::OutOfRange => breaks.out_of_range = true,
                Break::Instruction(number) => {
                    breaks.instructions.insert(number);
                }
            }
        }
        breaks
    }
}

/// The text is nothing that a program can stop at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is nothing to stop at: write nan, range, or the number of an instruction from 0")]
pub struct ParseBreakError(String);

impl Break {
    const NAN: Offer = Offer::new("nan", "An instruction that writes a NaN");
    const RANGE: Offer = Offer::new("range", "A read through A0.x outside of the constants");
    const NUMBER: Offer = Offer::new("NUMBER", "The instruction of this number, from 0");

    /// What can be written for something to stop at.
    pub fn offers() -> impl Iterator<Item = Offer> {
        [Self::NAN, Self::RANGE, Self::NUMBER].into_iter()
    }
}

impl FromStr for Break {
    type Err = ParseBreakError;

    fn from_str(text: &str) -> Result<Self, ParseBreakError> {
        let text = text.trim();
        if text == Self::NAN.name {
            Ok(Self::Nan)
        } else if text == Self::RANGE.name {
            Ok(Self::OutOfRange)
        } else {
            text.parse().map(Self::Instruction).map_err(|_| ParseBreakError(text.to_owned()))
        }
    }
}

/// As the command line takes them, separated by commas.
impl fmt::Display for Breaks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words =
            [(self.nan, Break::NAN.name), (self.out_of_range, Break::RANGE.name)].into_iter().filter(|(on, _)| *on);
        let words = words.map(|(_, word)| word.to_owned()).chain(self.instructions.iter().map(usize::to_string));
        formatter.write_str(&words.collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let words = ["12", "nan", "3", "range", "12"];
        let breaks: Breaks = words.iter().map(|word| word.parse::<Break>().unwrap()).collect();
        assert_eq!(breaks.to_string(), "nan,range,3,12");
        assert!(!breaks.is_empty() && "inf".parse::<Break>().is_err() && "-1".parse::<Break>().is_err());
    }

    #[test]
    fn a_second_click_takes_a_break_away() {
        let mut breaks = Breaks::default();
        breaks.toggle(4);
        assert!(breaks.instructions.contains(&4));
        breaks.toggle(4);
        assert!(breaks.is_empty());
    }
}
