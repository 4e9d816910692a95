//! Values of registers, as they are written on the command line and in files.
//!
//! `c0=1,0,0,0; c[1]=0,1` inline, or JSON: `{"c0": [1, 0, 0, 0], "c[1]": [0, 1]}`, inline or in a file. Missing
//! components are those of (0, 0, 0, 1), as vertex attributes are filled. JSON has no infinities: there, and inline,
//! `inf`, `-inf` and `nan` are understood (in JSON between quotes).

use std::{collections::BTreeMap, fs, path::Path};

use refrast::vertex_program::UNSET;
use serde::{Deserialize, Serialize, Serializer};

/// A number as JSON has it, or by name where JSON has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number(pub(super) f32);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f32(self.0)
        } else {
            serializer.serialize_str(&self.0.to_string())
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Name(String),
}

/// Named vectors in the order of their names.
pub(super) type Values = BTreeMap<String, [f32; 4]>;

/// Reads named vectors: inline, inline JSON or the name of a JSON file.
///
/// `option` is the option that they were given to, for messages.
pub(super) fn read_values(option: &str, given: &str) -> Result<Values, String> {
    let given = given.trim();
    if given.starts_with('{') {
        return from_json(option, given);
    }
    if given.contains('=') && !Path::new(given).exists() {
        return given.split(';').filter(|entry| !entry.trim().is_empty()).map(|entry| inline(option, entry)).collect();
    }
    let text = fs::read_to_string(given).map_err(|error| {
        format!("{option} {given}: can not be read: {error}; name a JSON file, or write c0=1,0,0,0")
    })?;
    from_json(given, &text)
}

fn from_json(place: &str, text: &str) -> Result<Values, String> {
    let wanted = r#"it must hold {"NAME": [1 to 4 numbers], …}"#;
    let entries: BTreeMap<String, Vec<Written>> =
        serde_json::from_str(text).map_err(|error| format!("{place}: no values: {error}; {wanted}"))?;
    let entry = |(name, written): (String, Vec<Written>)| {
        let numbers: Option<Vec<f32>> = written.iter().map(number).collect();
        let vector = numbers.and_then(|numbers| vector(&numbers));
        vector.map(|vector| (name.clone(), vector)).ok_or_else(|| format!("{place}: `{name}` is no vector; {wanted}"))
    };
    entries.into_iter().map(entry).collect()
}

fn number(written: &Written) -> Option<f32> {
    match written {
        Written::Number(number) => Some(*number as f32),
        Written::Name(name) => name.parse().ok(),
    }
}

fn inline(option: &str, entry: &str) -> Result<(String, [f32; 4]), String> {
    let parse = || {
        let (name, numbers) = entry.split_once('=')?;
        let numbers: Option<Vec<f32>> = numbers.split(',').map(|number| number.trim().parse().ok()).collect();
        Some((name.trim().to_owned(), vector(&numbers?)?))
    };
    parse()
        .ok_or_else(|| format!("{option}: `{}` is no value; write NAME=x,y,z,w with one to four numbers", entry.trim()))
}

fn vector(numbers: &[f32]) -> Option<[f32; 4]> {
    let mut vector = UNSET;
    vector.get_mut(..numbers.len()).filter(|given| !given.is_empty())?.copy_from_slice(numbers);
    Some(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_values_and_json_say_the_same() {
        let expected: Values =
            [("c[1]".to_owned(), [0.5, -2.0, 0.0, 1.0]), ("v0".to_owned(), [1e-3, 2.0, 3.0, 4.0])].into();
        assert_eq!(read_values("--constants", "c[1]=0.5,-2; v0 = 1e-3,2,3,4;"), Ok(expected.clone()));
        assert_eq!(read_values("--constants", r#"{"c[1]": [0.5, -2], "v0": [1e-3, 2, 3, 4]}"#), Ok(expected));
    }

    #[test]
    fn infinities_and_not_a_number_have_names() {
        let values = read_values("--constants", r#"{"c0": ["inf", "-inf", "nan", 0]}"#).unwrap()["c0"];
        assert_eq!(values[..2], [f32::INFINITY, f32::NEG_INFINITY]);
        assert!(values[2].is_nan());
        let inline = read_values("--constants", "c0=inf,-inf,nan,0").unwrap()["c0"];
        assert_eq!(inline[..2], values[..2]);
        assert_eq!(serde_json::to_string(&values.map(Number)).unwrap(), r#"["inf","-inf","NaN",0.0]"#);
    }

    #[test]
    fn what_is_no_value_is_refused_by_name() {
        for given in ["c0=1,2,3,4,5", "c0=", "c0=one", r#"{"c0": []}"#, r#"{"c0": 1}"#, "no-such-file.json"] {
            let error = read_values("--constants", given).unwrap_err();
            assert!(error.contains("--constants"), "{error}");
        }
    }
}
