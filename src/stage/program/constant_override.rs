//! [`ConstantOverride`]: a constant register that a person has changed.

use std::{fmt, str::FromStr};

use refrast_vertex_program::InputRegister;

/// A constant register with a value of its own, as in `c12=1,0,0,5`.
///
/// Two are equal when their bits are, so that a NaN, which a person may well want to put somewhere, does not look like a
/// change in every frame.
#[derive(Clone, Copy, Debug)]
pub struct ConstantOverride {
    /// The register, 0..=95.
    pub register: u8,
    /// What it holds.
    pub value: [f32; 4],
}

impl PartialEq for ConstantOverride {
    fn eq(&self, other: &Self) -> bool {
        (self.register, self.value.map(f32::to_bits)) == (other.register, other.value.map(f32::to_bits))
    }
}

impl Eq for ConstantOverride {}

/// The text is not a constant and its value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no constant: write a register c0 to c95 and one to four numbers, c12=1,0,0,5")]
pub struct ParseConstantError(String);

impl FromStr for ConstantOverride {
    type Err = ParseConstantError;

    fn from_str(text: &str) -> Result<Self, ParseConstantError> {
        let wrong = || ParseConstantError(text.to_owned());
        let (register, numbers) = text.split_once('=').ok_or_else(wrong)?;
        let InputRegister::Constant(register) = register.trim().parse().map_err(|_| wrong())? else {
            return Err(wrong());
        };
        let mut value = [0.0; 4];
        let numbers: Vec<&str> = numbers.split(',').collect();
        if numbers.len() > value.len() {
            return Err(wrong());
        }
        for (component, number) in value.iter_mut().zip(numbers) {
            *component = number.trim().parse().map_err(|_| wrong())?;
        }
        Ok(Self { register, value })
    }
}

/// As the command line takes it.
impl fmt::Display for ConstantOverride {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z, w] = self.value;
        write!(formatter, "c{}={x},{y},{z},{w}", self.register)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let texts = ["c12=1,0,0,5", "c0=-0,NaN,inf,1e-40", "c95=0.1,16777217,3,4"];
        for text in texts {
            let one: ConstantOverride = text.parse().unwrap();
            assert_eq!(one.to_string().parse::<ConstantOverride>(), Ok(one), "{text}");
        }
        assert_eq!("c[4]=1, 2".parse::<ConstantOverride>().unwrap().value, [1.0, 2.0, 0.0, 0.0]);
        for text in ["c96=1", "v0=1", "c1", "c1=", "c1=a", "c1=1,2,3,4,5"] {
            assert!(text.parse::<ConstantOverride>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_nan_is_itself() {
        let one = ConstantOverride { register: 1, value: [f32::NAN; 4] };
        assert_eq!(one, one);
    }
}
