//! Where in a JSON value an error of its parser lies.
//!
//! Why it exists: the parser of the `gltf` crate is compiled there, once, and tells a line and a column. A parser that keeps
//! track of the path while it reads has to be compiled again for every type of the schema, which took longer than all the rest
//! of this room. So the path is found afterwards: the text is our own, without a space, so a column leads to it.

use gltf::json::Value;

/// What is wrong, without the place in the text.
pub(super) fn message(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.clone(), |(message, _)| message.to_owned())
}

/// The JSON path of the innermost value that had been read up to `error`, in the compact text of `value`; empty for the
/// whole.
///
/// A value of the wrong type is complained about at its last character, or before its first one where that is a bracket; a
/// missing property at the brace that ends its object, which is behind all that the object holds.
pub(super) fn place(value: &Value, error: &serde_json::Error) -> String {
    let (mut value, mut start, mut place) = (value, 0, String::new());
    'inner: loop {
        // Behind the bracket.
        let mut at = start + 1;
        let mut holds = |length: usize| {
            let begin = at;
            at += length + 1;
            (begin <= error.column() && error.column() <= begin + length).then_some(begin)
        };
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    if let Some(begin) = holds(length(item)) {
                        place.push_str(&format!("[{index}]"));
                        (value, start) = (item, begin);
                        continue 'inner;
                    }
                }
            }
            Value::Object(properties) => {
                for (name, property) in properties {
                    holds(length(&Value::String(name.clone())));
                    if let Some(begin) = holds(length(property)) {
                        place.push_str(if place.is_empty() { "" } else { "." });
                        place.push_str(name);
                        (value, start) = (property, begin);
                        continue 'inner;
                    }
                }
            }
            _ => {}
        }
        return place;
    }
}

/// Bytes of the compact text of a value.
fn length(value: &Value) -> usize {
    value.to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_lead_to_paths() {
        #[derive(Debug, serde::Deserialize)]
        #[allow(dead_code, reason = "only read to be refused")]
        struct Inner {
            whole: u32,
            list: Option<Vec<[f32; 2]>>,
        }
        #[derive(Debug, serde::Deserialize)]
        #[allow(dead_code, reason = "only read to be refused")]
        struct Outer {
            inner: Vec<Inner>,
        }
        for (text, expected) in [
            (r#"{"inner":[{"whole":1},{"whole":"ü"}]}"#, "inner[1].whole"),
            (r#"{"inner":[{"whole":1},{"whole":-1}]}"#, "inner[1].whole"),
            (r#"{"inner":[{"whole":1},{"list":[[1,2]]}]}"#, "inner[1]"),
            (r#"{"inner":[{"list":[[1,2],[1,true]],"whole":1}]}"#, "inner[0].list[1][1]"),
            (r#"{"inner":[{"list":[[1,2],[1]],"whole":1}]}"#, "inner[0].list[1]"),
            (r#"{"inner":[{"list":[[1,2],{"x":1}],"whole":1}]}"#, "inner[0].list[1]"),
            (r#"{"inner":[{"list":[[[],2]],"whole":1}]}"#, "inner[0].list[0][0]"),
            (r#"{"inner":{"whole":1}}"#, "inner"),
            (r#"{"inner":[[]]}"#, "inner[0]"),
            (r#"{"inner":7,"ahead":"{[,:"}"#, "inner"),
            (r#"{"outer":[]}"#, ""),
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            let error = serde_json::from_str::<Outer>(&value.to_string()).unwrap_err();
            assert_eq!(place(&value, &error), expected, "{error}");
            assert!(!message(&error).contains("column"), "{error}");
        }
    }
}
