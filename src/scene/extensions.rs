//! Extensions that a file uses and that are not drawn.
//!
//! Why it exists: a picture without them is right by glTF, and so is one with them. Whoever compares two renderers wants to
//! know of each.

use std::collections::BTreeMap;

use gltf::json::Value;

use super::{document::Document, remark::RemarkKind, schema::is_supported};

/// Where an extension is used first, and how often.
type Uses = BTreeMap<String, (String, usize)>;

/// Remarks on each extension that the file uses and that changes nothing here.
pub(super) fn remark_on_ignored(document: &Document) {
    let mut uses = Uses::new();
    find(&document.raw, &mut String::new(), &mut uses);
    for (name, (place, count)) in uses {
        let where_else = if count > 1 { format!(", here and in {} more places", count - 1) } else { String::new() };
        let detail = format!("{name} is not drawn{where_else}");
        document.note(RemarkKind::ExtensionIgnored, place, detail);
    }
}

/// Collects the objects of extensions below a value; JSON of more than 128 levels has been refused.
fn find(value: &Value, place: &mut String, uses: &mut Uses) {
    let length = place.len();
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                place.push_str(&format!("[{index}]"));
                find(item, place, uses);
                place.truncate(length);
            }
        }
        Value::Object(properties) => {
            for (name, property) in properties.iter().filter(|(name, _)| *name != "extras") {
                if length > 0 {
                    place.push('.');
                }
                place.push_str(name);
                match property {
                    Value::Object(extensions) if name == "extensions" => {
                        for own in extensions.keys().filter(|own| !is_supported(own)) {
                            let entry = uses.entry(own.clone()).or_insert_with(|| (format!("{place}.{own}"), 0));
                            entry.1 += 1;
                        }
                        // What an extension holds may use others, which is its own affair where it is not drawn.
                        for (own, inner) in extensions.iter().filter(|(own, _)| is_supported(own)) {
                            let length = place.len();
                            place.push_str(&format!(".{own}"));
                            find(inner, place, uses);
                            place.truncate(length);
                        }
                    }
                    _ => find(property, place, uses),
                }
                place.truncate(length);
            }
        }
        _ => {}
    }
}
