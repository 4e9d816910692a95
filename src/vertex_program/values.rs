//! [`Values`]: register values as people and scripts write them.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::input_register::InputRegister;
use refrast_machine::{ATTRIBUTES, Attributes, CONSTANTS, ConstantFile, MissingState, ParameterInputs, Program, UNSET};

/// What a program is run on.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// `c[0..95]`; for ARB `program.env[0..95]`. What is not given is (0, 0, 0, 0).
    pub constants: ConstantFile,
    /// ARB: `program.local[0..95]`.
    pub locals: ConstantFile,
    /// `v[0..15]`. What is not given is (0, 0, 0, 1).
    pub attributes: Attributes,
    /// ARB: OpenGL state vectors by canonical name.
    pub state: BTreeMap<String, [f32; 4]>,
}

impl Default for Values {
    fn default() -> Self {
        Self {
            constants: [[0.0; 4]; CONSTANTS],
            locals: [[0.0; 4]; CONSTANTS],
            attributes: [UNSET; ATTRIBUTES],
            state: BTreeMap::new(),
        }
    }
}

/// Values that can not be understood.
#[derive(Debug, thiserror::Error)]
pub enum ValueError {
    /// The text is not JSON of the expected form.
    #[error("the values are not JSON of the form {{\"constants\": {{\"4\": [1, 0, 0, 1]}}, \"attributes\": …}}: {0}")]
    Json(#[from] serde_json::Error),
    /// No register has this name.
    #[error(
        "there is no register `{0}`: use c[0] to c[95], v[0] to v[15] or their names (v[OPOS]), local[n], or state.…"
    )]
    Register(String),
    /// The components are no numbers, or not one to four.
    #[error("`{0}` is not one to four numbers, such as 1, 0.5, -inf, nan")]
    Numbers(String),
}

/// A component: a JSON number, or a string for what JSON has no number for.
#[derive(Deserialize)]
#[serde(untagged)]
enum Component {
    Number(f32),
    Text(String),
}

/// The JSON form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Json {
    constants: BTreeMap<String, Vec<Component>>,
    locals: BTreeMap<String, Vec<Component>>,
    attributes: BTreeMap<String, Vec<Component>>,
    state: BTreeMap<String, Vec<Component>>,
}

impl Values {
    /// Sets what a JSON text gives: objects `constants`, `locals`, `attributes` and `state`, each from register numbers
    /// (or names) to one to four components. A component that is no JSON number is a string: `"inf"`, `"-inf"`, `"nan"`.
    ///
    /// # Errors
    ///
    /// When the text is no such JSON, or names a register that does not exist.
    pub fn set_json(&mut self, text: &str) -> Result<(), ValueError> {
        let Json { constants, locals, attributes, state } = serde_json::from_str(text)?;
        let groups = [("c", constants), ("local", locals), ("v", attributes), ("state", state)];
        for (kind, group) in groups {
            for (name, components) in group {
                let numbers = components.iter().map(|component| match component {
                    Component::Number(number) => Some(*number),
                    Component::Text(text) => text.parse().ok(),
                });
                let numbers = numbers.collect::<Option<Vec<f32>>>();
                let numbers = numbers.ok_or_else(|| ValueError::Numbers(format!("{kind} {name}")))?;
                let register = if kind == "state" { name } else { format!("{kind}[{name}]") };
                self.set(&register, &numbers)?;
            }
        }
        Ok(())
    }

    /// Sets one register from `register=numbers`, such as `c[4]=1,0.5,0,1` or `v[OPOS]=1,2,3`.
    ///
    /// # Errors
    ///
    /// When there is no such register, or the numbers are no one to four numbers.
    pub fn set_inline(&mut self, assignment: &str) -> Result<(), ValueError> {
        let (register, numbers) =
            assignment.split_once('=').ok_or_else(|| ValueError::Numbers(assignment.to_owned()))?;
        let parsed = numbers.split(',').map(|number| number.trim().parse().ok()).collect::<Option<Vec<f32>>>();
        self.set(register.trim(), &parsed.ok_or_else(|| ValueError::Numbers(numbers.to_owned()))?)
    }

    /// Sets a register; missing components stay those of an unset register.
    fn set(&mut self, register: &str, numbers: &[f32]) -> Result<(), ValueError> {
        let unknown = || ValueError::Register(register.to_owned());
        if numbers.is_empty() || numbers.len() > 4 {
            return Err(ValueError::Numbers(format!("{register} = {numbers:?}")));
        }
        let target = if register.starts_with("state.") {
            self.state.entry(register.to_owned()).or_default()
        } else {
            let local = register.strip_prefix("program.").unwrap_or(register).strip_prefix("local[");
            let target = match (local.and_then(|rest| rest.strip_suffix(']')), register.parse()) {
                (Some(index), _) => index.parse().ok().and_then(|index: usize| self.locals.get_mut(index)),
                (None, Ok(InputRegister::Constant(index))) => self.constants.get_mut(usize::from(index)),
                (None, Ok(InputRegister::Attribute(index))) => self.attributes.get_mut(usize::from(index)),
                (None, Err(_)) => None,
            };
            target.ok_or_else(unknown)?
        };
        target[..numbers.len()].copy_from_slice(numbers);
        Ok(())
    }

    /// The constant registers as the program will see them.
    ///
    /// # Errors
    ///
    /// When the program is bound to OpenGL state that was not given.
    pub fn constant_file(&self, program: &Program) -> Result<ConstantFile, MissingState> {
        let state = |name: &str| self.state.get(name).copied();
        program.constant_file(&ParameterInputs { constants: &self.constants, locals: &self.locals, state: &state })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_set_by_number_and_by_name() {
        let mut values = Values::default();
        values.set_inline("c[95] = 1, -0.5, inf, nan").unwrap();
        values.set_inline("v[NRML]=0,0,1").unwrap();
        values
            .set_json(
                r#"{"constants": {"4": [1, "-inf"]}, "attributes": {"OPOS": [7]}, "state": {"state.fog.color": [1]}}"#,
            )
            .unwrap();
        assert_eq!(values.constants[95][..3], [1.0, -0.5, f32::INFINITY]);
        assert!(values.constants[95][3].is_nan());
        assert_eq!(values.attributes[2], [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(values.constants[4], [1.0, f32::NEG_INFINITY, 0.0, 0.0]);
        assert_eq!(values.attributes[0], [7.0, 0.0, 0.0, 1.0]);
        assert_eq!(values.state["state.fog.color"], [1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn mistakes_are_named() {
        let mut values = Values::default();
        for assignment in ["c[96]=1", "v[TEX9]=1", "o[HPOS]=1", "c=1"] {
            assert!(matches!(values.set_inline(assignment), Err(ValueError::Register(_))), "{assignment}");
        }
        for assignment in ["c[1]=1,2,3,4,5", "c[1]=", "c[1]=one", "c[1]"] {
            assert!(matches!(values.set_inline(assignment), Err(ValueError::Numbers(_))), "{assignment}");
        }
        assert!(matches!(values.set_json("{\"constant\": {}}"), Err(ValueError::Json(_))));
    }
}
