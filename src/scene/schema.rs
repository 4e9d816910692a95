//! Parses glTF's JSON into the schema types of the `gltf` crate.
//!
//! Why it exists: the crate's schema is good, but loses what a reference must not lose. Its index type cuts a number
//! to 32 bits without a word, it demands properties that the specification makes optional, and it reports type errors
//! by line and column only. So the JSON is read once as plain values, checked and completed, and only then given to
//! the crate, with the JSON path recorded on the way.

use gltf::json::{Root, Value};

use super::{compressed, error::Problem, misfit};

/// The extensions that every build implements.
const SUPPORTED_EXTENSIONS: [&str; 11] = [
    "EXT_texture_webp",
    "KHR_lights_punctual",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_texture_transform",
];

/// Whether an extension is implemented; a file may require no others.
pub(super) fn is_supported(extension: &str) -> bool {
    SUPPORTED_EXTENSIONS.contains(&extension) || compressed::is_read(extension)
}

/// Properties that hold an index or an enumeration, alone or in an array.
const WORD_PROPERTIES: [&str; 27] = [
    "buffer",
    "bufferView",
    "camera",
    "children",
    "componentType",
    "index",
    "indices",
    "input",
    "inverseBindMatrices",
    "joints",
    "light",
    "magFilter",
    "material",
    "mesh",
    "minFilter",
    "mode",
    "node",
    "nodes",
    "output",
    "sampler",
    "scene",
    "skeleton",
    "skin",
    "source",
    "texCoord",
    "wrapS",
    "wrapT",
];

/// A problem and its JSON path.
pub(super) type Misfit = (String, Problem);

/// Both views of the JSON.
#[derive(Debug)]
pub(super) struct Schema {
    /// The crate's types.
    pub(super) root: Root,
    /// Everything, for what the crate's types leave out.
    pub(super) raw: Value,
}

/// Bytes that an object takes: as plain values, as the crate's type and as ours, and what drawing it takes. Measured: 552 MB for
/// reading 10⁶ empty nodes, 1.0 GB for drawing them.
const OBJECT_BYTES: u64 = 1024;
/// Bytes that any other value takes.
const VALUE_BYTES: u64 = 64;
/// How often the text is held: as it is, as plain values, written once more, and as the crate's strings.
const TEXT_COPIES: u64 = 4;

/// The memory that parsing takes, counted before it begins: a value ends at each comma, and begins with each list and object.
pub(super) fn memory(json: &[u8]) -> u64 {
    let (mut in_text, mut escaped) = (false, false);
    let mut bytes = TEXT_COPIES * json.len() as u64;
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' => bytes += OBJECT_BYTES,
            b'[' | b',' => bytes += VALUE_BYTES,
            _ => {}
        }
    }
    bytes
}

/// Parses and checks version, required extensions and the types of all properties.
pub(super) fn parse(json: &[u8]) -> Result<Schema, Misfit> {
    let whole = |problem| (String::new(), problem);
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    let mut raw: Value =
        serde_json::from_slice(json).map_err(|error| whole(Problem::Json(format!("not valid JSON: {error}"))))?;
    if !raw.is_object() {
        return Err(whole(Problem::Json("the JSON is not an object".to_owned())));
    }
    check_version(&raw)?;
    check_extensions(&raw)?;
    make_whole(&mut raw);
    check_words(&raw, &mut String::new(), false)?;
    complete(&mut raw);
    let root = Root::from_slice(raw.to_string().as_bytes())
        .map_err(|error| (misfit::place(&raw, &error), Problem::Json(misfit::message(&error))))?;
    Ok(Schema { root, raw })
}

/// `asset.version` must be 2.x, and `asset.minVersion` at most 2.0.
fn check_version(raw: &Value) -> Result<(), Misfit> {
    let asset = raw.get("asset").ok_or_else(|| ("asset".to_owned(), Problem::Missing("it".to_owned())))?;
    let place = "asset.version".to_owned();
    match asset.get("version") {
        None => return Err((place, Problem::Missing("it".to_owned()))),
        Some(Value::String(version)) if version.starts_with("2.") => {}
        Some(version) => return Err((place, Problem::Version(version.to_string()))),
    }
    match asset.get("minVersion") {
        None => Ok(()),
        Some(Value::String(version)) if version == "2.0" => Ok(()),
        Some(version) => Err(("asset.minVersion".to_owned(), Problem::Version(version.to_string()))),
    }
}

/// Every required extension must be a supported one.
fn check_extensions(raw: &Value) -> Result<(), Misfit> {
    let required = raw.get("extensionsRequired").and_then(Value::as_array).into_iter().flatten();
    for (index, extension) in required.enumerate() {
        // Anything but a string is the schema's to report.
        if let Some(name) = extension.as_str()
            && !is_supported(name)
        {
            return Err((format!("extensionsRequired[{index}]"), Problem::Extension(name.to_owned())));
        }
    }
    Ok(())
}

/// Refuses indices and enumerations that do not fit 32 bits, which the crate would silently cut. `is_word` says
/// whether a number here is one.
fn check_words(value: &Value, place: &mut String, is_word: bool) -> Result<(), Misfit> {
    let length = place.len();
    match value {
        Value::Number(number) if is_word && number.as_u64().is_some_and(|number| number > u64::from(u32::MAX)) => {
            return Err((place.clone(), Problem::Json(format!("{number} is too large for an index"))));
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                place.push_str(&format!("[{index}]"));
                check_words(item, place, is_word)?;
                place.truncate(length);
            }
        }
        Value::Object(properties) => {
            // All numbers in these maps from attribute to accessor are indices.
            let is_map = place.ends_with(".attributes") || is_morph_target(place);
            for (name, property) in properties.iter().filter(|(name, _)| *name != "extras") {
                if length > 0 {
                    place.push('.');
                }
                place.push_str(name);
                check_words(property, place, is_map || WORD_PROPERTIES.contains(&name.as_str()))?;
                place.truncate(length);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Turns numbers such as `1.0` and `1e2` into integers: to JSON Schema, which glTF's properties are described in, they are
/// integers, and to the crate they are not. A negative zero keeps its sign.
fn make_whole(value: &mut Value) {
    match value {
        Value::Number(number) => {
            // Up to 2^53 every whole number is one f64.
            let whole = number.as_f64().filter(|own| {
                number.is_f64()
                    && own.fract() == 0.0
                    && own.abs() <= 9_007_199_254_740_992.0
                    && own.to_bits() != (-0.0_f64).to_bits()
            });
            if let Some(whole) = whole {
                *number = (whole as i64).into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_whole),
        Value::Object(properties) => {
            properties.iter_mut().filter(|(name, _)| *name != "extras").for_each(|(_, own)| make_whole(own));
        }
        _ => {}
    }
}

/// Whether the JSON path ends in `.targets[n]`.
fn is_morph_target(place: &str) -> bool {
    place.rsplit_once('[').is_some_and(|(list, _)| list.ends_with(".targets"))
}

/// Fills in what the specification makes optional and the crate demands: a scene may have no nodes, and a channel
/// without a target node is ignored.
fn complete(raw: &mut Value) {
    for scene in elements(raw, "scenes") {
        if let Value::Object(scene) = scene {
            scene.entry("nodes").or_insert_with(|| Value::Array(Vec::new()));
        }
    }
    for animation in elements(raw, "animations") {
        if let Some(Value::Array(channels)) = animation.get_mut("channels") {
            channels.retain(|channel| {
                channel.get("target").is_none_or(|target| !target.is_object() || target.get("node").is_some())
            });
        }
    }
}

/// The elements of a top-level array; none where it is absent or no array.
fn elements<'a>(raw: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    raw.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(json: &str) -> (String, String) {
        let (place, problem) = parse(json.as_bytes()).unwrap_err();
        (place, problem.to_string())
    }

    #[test]
    fn type_errors_carry_their_json_path() {
        let (place, message) =
            error(r#"{"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{},"mode":"4"}]}]}"#);
        assert_eq!(place, "meshes[0].primitives[0].mode");
        assert!(message.contains("string"), "{message}");
    }

    #[test]
    fn what_parsing_takes_is_counted_by_the_text() {
        assert_eq!(memory(b"{}"), 2 * 4 + 1024);
        assert_eq!(memory(br#"[1,{"a":[2,3]}]"#), 15 * 4 + 1024 + 4 * 64);
        // What stands in a text is text.
        assert_eq!(memory(br#"["{,[\"{",1]"#), 12 * 4 + 2 * 64);
    }

    #[test]
    fn indices_are_not_cut_to_32_bits() {
        for (json, expected) in [
            (r#"{"asset":{"version":"2.0"},"scene":4294967296}"#, "scene"),
            (r#"{"asset":{"version":"2.0"},"nodes":[{"children":[4294967296]}]}"#, "nodes[0].children[0]"),
            (
                r#"{"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{},"targets":[{"POSITION":4294967297}]}]}]}"#,
                "meshes[0].primitives[0].targets[0].POSITION",
            ),
            (
                r#"{"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{"POSITION":4294967296}}]}]}"#,
                "meshes[0].primitives[0].attributes.POSITION",
            ),
        ] {
            let (place, message) = error(json);
            assert_eq!(place, expected);
            assert!(message.contains("too large"), "{message}");
        }
    }

    #[test]
    fn large_whole_numbers_stay_numbers() {
        let json = r#"{"asset":{"version":"2.0"},"nodes":[{"translation":[5000000000,0,0]}],"scenes":[{}]}"#;
        let schema = parse(json.as_bytes()).unwrap();
        assert_eq!(schema.root.nodes[0].translation, Some([5e9, 0.0, 0.0]));
        assert!(schema.root.scenes[0].nodes.is_empty());
    }

    #[test]
    fn versions_and_extensions_are_checked_first() {
        assert_eq!(error(r#"{"asset":{"version":"1.0"}}"#).0, "asset.version");
        assert_eq!(error(r#"{"asset":{"version":"2.1","minVersion":"2.1"}}"#).0, "asset.minVersion");
        assert_eq!(error(r#"{}"#).0, "asset");
        let (place, message) =
            error(r#"{"asset":{"version":"2.0"},"extensionsRequired":["KHR_mesh_quantization","EXT_packed"]}"#);
        assert_eq!(place, "extensionsRequired[1]");
        assert!(message.contains("EXT_packed"), "{message}");
    }

    #[test]
    fn a_channel_without_a_node_is_ignored() {
        let json = r#"{"asset":{"version":"2.0"},"animations":[{"samplers":[],"channels":[
            {"sampler":0,"target":{"path":"pointer"}}]}]}"#;
        assert!(parse(json.as_bytes()).unwrap().root.animations[0].channels.is_empty());
    }
}
