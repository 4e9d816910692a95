//! Extensions that a file uses and that are not drawn.
//!
//! Why it exists: a picture without them is right by glTF, and so is one with them. Whoever compares two renderers wants to
//! know of each; whoever would rather have no picture than one without what the file asks for reads it strictly.

use std::collections::BTreeMap;

use gltf::json::Value;

use super::{
    document::Document,
    error::{Problem, Result},
    remark::RemarkKind,
    schema::is_supported,
};

/// The extensions that are known to change what is seen, each with the number that turns it on, where there is one: it is 0 where
/// the file does not say it. Those that change nothing (of authors, of variants that nobody chose), and those that nobody here has
/// heard of, are in no list.
const SEEN: [(&str, Option<&str>); 19] = [
    ("EXT_lights_ies", None),
    ("EXT_lights_image_based", None),
    ("EXT_mesh_gpu_instancing", None),
    ("KHR_animation_pointer", None),
    ("KHR_gaussian_splatting", None),
    ("KHR_interactivity", None),
    ("KHR_materials_diffuse_roughness", Some("diffuseRoughnessFactor")),
    ("KHR_materials_diffuse_transmission", Some("diffuseTransmissionFactor")),
    ("KHR_materials_dispersion", Some("dispersion")),
    ("KHR_materials_iridescence", Some("iridescenceFactor")),
    ("KHR_materials_pbrSpecularGlossiness", None),
    ("KHR_materials_subsurface", None),
    ("KHR_materials_transmission", Some("transmissionFactor")),
    ("KHR_materials_volume", Some("thicknessFactor")),
    ("KHR_materials_volume_scatter", None),
    ("KHR_node_visibility", None),
    ("KHR_techniques_webgl", None),
    ("MSFT_lod", None),
    ("MSFT_packing_occlusionRoughnessMetallic", None),
];

/// Whether an object of an extension changes what is seen.
fn is_seen(name: &str, object: &Value) -> bool {
    let listed = SEEN.iter().find(|(seen, _)| *seen == name);
    listed.is_some_and(|(_, switch)| {
        switch.is_none_or(|switch| object.get(switch).is_some_and(|value| value.as_f64() != Some(0.0)))
    })
}

/// Where an extension is used first, and first so that it is seen, and how often it is used.
struct Uses {
    first: String,
    seen: Option<String>,
    count: usize,
}

/// Remarks on each extension that the file uses and that changes nothing here. One that would be seen is a warning, and an error
/// where the file is read strictly.
pub(super) fn remark_on_ignored(document: &Document) -> Result<()> {
    let mut uses = BTreeMap::new();
    find(&document.raw, &mut String::new(), &mut uses);
    for (name, Uses { first, seen, count }) in uses {
        let where_else = if count > 1 { format!(", here and in {} more places", count - 1) } else { String::new() };
        match seen {
            Some(place) if document.is_strict => return Err(document.error(place, Problem::NotDrawn(name))),
            Some(place) => {
                let detail = format!("{name} is not drawn{where_else}, and changes what is seen; --strict refuses it");
                document.warn(RemarkKind::ExtensionIgnored, place, detail);
            }
            None => document.note(RemarkKind::ExtensionIgnored, first, format!("{name} is not drawn{where_else}")),
        }
    }
    Ok(())
}

/// Collects the objects of extensions below a value; JSON of more than 128 levels has been refused.
fn find(value: &Value, place: &mut String, uses: &mut BTreeMap<String, Uses>) {
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
                        for (own, object) in extensions.iter().filter(|(own, _)| !is_supported(own)) {
                            let here = || format!("{place}.{own}");
                            let entry = uses.entry(own.clone());
                            let entry = entry.or_insert_with(|| Uses { first: here(), seen: None, count: 0 });
                            entry.count += 1;
                            if entry.seen.is_none() && is_seen(own, object) {
                                entry.seen = Some(here());
                            }
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
