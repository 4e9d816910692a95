//! What commands print with `--json` has the shapes that `docs/json.schema.json` tells.
//!
//! The validator here knows the words of JSON Schema that the file uses, and fails on any other, so that nothing in it is
//! only decoration. Crates that know all of it bring hundreds of others.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::{folder::Folder, golden_folder};

/// What is wrong with a value, with the way to it.
fn errors(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let words = schema.as_object().expect("a schema is an object");
    let mut found = Vec::new();
    let mut wrong = |what: String| found.push(format!("{path}: {what}"));
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        other => panic!("{other} is no type"),
    };
    let size = value.as_array().map(Vec::len);
    for (word, wanted) in words {
        match word.as_str() {
            "description" | "$schema" | "title" | "$defs" => {}
            "type" => {
                let names = wanted.as_array().cloned().unwrap_or_else(|| vec![wanted.clone()]);
                if !names.iter().any(|name| is(name.as_str().expect("a name"))) {
                    wrong(format!("{value} is not {wanted}"));
                }
            }
            "enum" if !wanted.as_array().expect("a list").contains(value) => {
                wrong(format!("{value} is not in {wanted}"))
            }
            "enum" => {}
            "minimum" if value.as_f64().is_some_and(|number| number < wanted.as_f64().expect("a number")) => {
                wrong(format!("{value} is below {wanted}"));
            }
            "minItems" if size.is_some_and(|size| (size as u64) < wanted.as_u64().expect("a number")) => {
                wrong(format!("it has fewer than {wanted} items"));
            }
            "maxItems" if size.is_some_and(|size| size as u64 > wanted.as_u64().expect("a number")) => {
                wrong(format!("it has more than {wanted} items"));
            }
            "minimum" | "minItems" | "maxItems" => {}
            "required" => {
                let names = wanted.as_array().expect("a list").iter().filter_map(Value::as_str);
                for name in names.filter(|name| value.is_object() && value.get(name).is_none()) {
                    wrong(format!("{name} is missing"));
                }
            }
            "properties" | "additionalProperties" | "items" | "$ref" | "oneOf" => {}
            other => panic!("{path}: the validator does not know {other}"),
        }
    }
    if let (Some(known), Some(fields)) = (words.get("properties").and_then(Value::as_object), value.as_object()) {
        for (name, field) in fields {
            match known.get(name) {
                Some(schema) => found.extend(errors(root, schema, field, &format!("{path}.{name}"))),
                None => found.push(format!("{path}: nobody has told of {name}")),
            }
        }
        assert_eq!(words.get("additionalProperties"), Some(&Value::Bool(false)), "{path}: unknown fields are told");
    }
    if let (Some(schema), Some(items)) = (words.get("items"), value.as_array()) {
        let own = items.iter().enumerate();
        found.extend(own.flat_map(|(index, item)| errors(root, schema, item, &format!("{path}[{index}]"))));
    }
    if let Some(reference) = words.get("$ref") {
        let name =
            reference.as_str().and_then(|name| name.strip_prefix("#/$defs/")).expect("a definition of this file");
        found.extend(errors(root, &root["$defs"][name], value, path));
    }
    if let Some(choices) = words.get("oneOf").and_then(Value::as_array) {
        let all: Vec<Vec<String>> = choices.iter().map(|schema| errors(root, schema, value, path)).collect();
        let fitting = all.iter().filter(|errors| errors.is_empty()).count();
        if fitting != 1 {
            let nearest = all.iter().min_by_key(|errors| errors.len()).cloned().unwrap_or_default();
            found.push(format!("{path}: {fitting} of {} shapes fit", choices.len()));
            found.extend(nearest);
        }
    }
    found
}

/// Runs a command in a folder, and holds what it prints against a definition.
#[track_caller]
fn holds(folder: &Path, line: &str, status: i32, definition: &str) -> Value {
    let output =
        Command::new(env!("CARGO_BIN_EXE_refrast")).args(line.split(' ')).current_dir(folder).output().unwrap();
    assert_eq!(output.status.code(), Some(status), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON alone is on standard output");
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json.schema.json")).unwrap();
    let root: Value = serde_json::from_str(&text).unwrap();
    let schema = root["$defs"].get(definition).unwrap_or_else(|| panic!("{definition} is not defined"));
    let found = errors(&root, schema, &value, definition);
    assert!(found.is_empty(), "{line}: {}", found.join("\n"));
    value
}

#[test]
fn comparisons_and_checks_have_the_shapes_that_are_told() {
    let folder = Folder::new("json");
    let draw = |name: &str, more: &str| {
        let line = format!("render mannequin -o {name} --size 40x60 --animation Walk {more}");
        let done = Command::new(env!("CARGO_BIN_EXE_refrast")).args(line.split(' ')).current_dir(&folder.0).output();
        assert!(done.unwrap().status.success());
    };
    draw("a.png", "--time 0.3");
    draw("b.png", "--time 0.32");
    fs::create_dir_all(folder.path("one")).unwrap();
    fs::create_dir_all(folder.path("two")).unwrap();
    fs::copy(folder.path("a.png"), folder.path("one/only.png")).unwrap();
    fs::copy(folder.path("a.png"), folder.path("one/size.png")).unwrap();
    fs::write(folder.path("one/broken.png"), "no picture").unwrap();
    fs::copy(folder.path("a.png"), folder.path("two/broken.png")).unwrap();
    refrast::golden::Picture::from_rgba8(1, 1, vec![0; 4]).unwrap().write(&folder.path("two/size.png")).unwrap();
    let run = |line: &str, status, definition| holds(&folder.0, line, status, definition);
    run("compare a.png a.png --json", 0, "comparison");
    for metric in ["exact", "threshold", "flip", "psnr", "ssim", "yiq"] {
        let value = run(&format!("compare a.png b.png --json --metric {metric} --ignore 0,0,2,2"), 1, "comparison");
        assert_eq!(value["cases"][0]["measurement"]["score"]["metric"], metric);
    }
    // dEQP's distance forgives a limb that has moved by a pixel.
    run("compare a.png b.png --json --metric fuzzy", 0, "comparison");
    let value = run("compare one two --json", 2, "comparison");
    let outcomes = value["cases"].as_array().unwrap().iter().map(|case| case["outcome"].as_str().unwrap());
    assert_eq!(outcomes.collect::<Vec<_>>(), ["failed", "missing", "sizes"]);
    assert_eq!(value["cases"][2]["candidate_size"], serde_json::json!([1, 1]));
    run("check mannequin a.png --animation Walk --time 0.3 --json", 0, "picture-check");
    let value = run("check mannequin b.png --animation Walk --time 0.3 --json", 1, "picture-check");
    assert_eq!(value["right_with"][0]["option"], "--time");
    let value = run("check mannequin a.png --animation Walk --time 0.3 --size 80x120 --json", 1, "picture-check");
    assert_eq!((&value["asked_size"], &value["size"]), (&serde_json::json!([80, 120]), &serde_json::json!([40, 60])));
    assert_eq!(value["right_with"], serde_json::json!([{ "option": "--size", "value": "40x60" }]));
    // Another moment is no mistake, and a lit picture no view of texture coordinates.
    let views = "diagnose mannequin --candidate b.png --candidate-view uv=a.png --animation Walk --time 0.3 --json";
    let value = run(views, 0, "diagnosis");
    assert_eq!((&value["conclusion"], &value["views"][0]["view"]), (&"another-setup".into(), &"uv".into()));
    assert!(value["views"][0]["wrong"].as_u64() > Some(100), "{value}");
    let goldens = golden_folder::Folder::with_goldens();
    let compare = "compare golden/front.png golden/front.png --json --profile d3d11 --resolve stored";
    let value = holds(&goldens.path("."), compare, 0, "comparison");
    assert_eq!(value["cases"][0]["rules"], "d3d11 --resolve stored");
    holds(&goldens.path("."), "golden check --json", 0, "comparison");
    golden_folder::turn(&goldens.path("golden/front.png"));
    let value = holds(&goldens.path("."), "golden check front --json --diagnose", 1, "comparison");
    assert!(value["cases"][0]["diagnosis"][0].as_str().is_some_and(|line| line.starts_with("nothing")), "{value}");
}

/// A picture that has a name, and one of which only the place is told and what is seen there.
#[test]
fn diagnoses_of_wrong_pictures_have_the_shapes_that_are_told() {
    let folder = Folder::new("json-diagnosis");
    let golden = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/brushed.gltf")).unwrap();
    fs::write(folder.path("right.gltf"), &golden).unwrap();
    let mut read: Value = serde_json::from_str(&golden).unwrap();
    let materials = read["materials"].as_array_mut().unwrap();
    let gold = materials.iter_mut().find(|own| own["name"] == "stretched along the equator").unwrap();
    let color = gold["pbrMetallicRoughness"]["baseColorFactor"].as_array_mut().expect("gold has a colour");
    color.swap(0, 2);
    fs::write(folder.path("wrong.gltf"), read.to_string()).unwrap();
    for (scene, picture) in [("right.gltf", "right.png"), ("wrong.gltf", "blue-gold.png")] {
        let line = format!("render {scene} -o {picture} --size 80x60");
        let done = Command::new(env!("CARGO_BIN_EXE_refrast")).args(line.split(' ')).current_dir(&folder.0).output();
        assert!(done.unwrap().status.success());
    }
    let right = refrast::golden::Picture::read(&folder.path("right.png")).unwrap();
    let (width, height) = right.size();
    let mut bytes = right.samples8().to_vec();
    bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|pixel| pixel.swap(0, 2));
    let exchanged = refrast::golden::Picture::from_rgba8(width, height, bytes).unwrap();
    exchanged.write(&folder.path("exchanged.png")).unwrap();
    let run = |picture: &str, status| {
        let line = format!("diagnose right.gltf --candidate {picture} --json");
        holds(&folder.0, &line, status, "diagnosis")
    };
    let named = run("exchanged.png", 0);
    assert_eq!((&named["conclusion"], &named["place"]["stage"]), (&"named".into(), &"colour".into()), "{named}");
    assert_eq!(named["findings"][0]["cause"], "output-channels-swapped");
    let located = run("blue-gold.png", 1);
    assert_eq!((&located["conclusion"], &located["findings"][0]["explains"]), (&"located".into(), &false.into()));
    let place = &located["place"];
    assert_eq!((&place["stage"], &place["nodes"][0]["name"]), (&"colour".into(), &"`gold ball`".into()), "{place}");
    assert_eq!(place["likeness"]["of"], "node `gold ball`", "{place}");
}

#[test]
fn vertices_lint_and_programs_have_the_shapes_that_are_told() {
    let folder = Folder::new("json-vertices");
    for (name, more) in [("a.npy", "--time 1"), ("b.npy", "--time 1.2"), ("c.npy", "--time 1 --given palette")] {
        let line = format!("vertices mannequin --animation Flex -o {name} {more}");
        let done = Command::new(env!("CARGO_BIN_EXE_refrast")).args(line.split(' ')).current_dir(&folder.0).output();
        assert!(done.unwrap().status.success());
    }
    fs::write(folder.path("wrong.vp"), "!!VP1.0\nMOV o[HPOS], R12;\nEND\n").unwrap();
    fs::write(folder.path("nan.vp"), "!!VP1.0\nRCP o[HPOS], v[OPOS].x;\nEND\n").unwrap();
    let run = |line: &str, status, definition| holds(&folder.0, line, status, definition);
    run("compare a.npy c.npy --json", 0, "vertex-comparison");
    run("compare a.npy b.npy --json", 1, "vertex-comparison");
    run("check mannequin b.npy --animation Flex --time 1 --json", 1, "vertex-comparison");
    run("lint mannequin --json", 1, "lint");
    run("program check bone_offset_4 --json", 0, "program-check");
    run("program check wrong.vp --json", 1, "program-check");
    run("program run bone_offset_4 --json", 0, "program-run");
    let value = run("program trace nan.vp --json", 0, "program-trace");
    assert_eq!(value["lines"][0]["result"][0], "inf", "JSON has no number for it");
    let info = run("info mannequin --json", 0, "info");
    assert_eq!(info["skins"][0]["joints"], 85);
    let skinning = run("skinning mannequin --skinning rigid --normals rotation-only --json", 0, "skinning");
    assert_eq!(skinning[0]["method"], "rigid");
    let faults = run("faults matrix-transposed --json", 0, "faults");
    assert_eq!(faults["lines"].as_array().map(Vec::len), Some(1));
    let diagnosis = "diagnose mannequin --candidate a.npy --animation Flex --time 1 --json";
    assert_eq!(run(diagnosis, 0, "diagnosis")["conclusion"], "nothing-to-explain");
}

#[test]
fn what_has_another_shape_is_found() {
    let schema = serde_json::json!({
        "type": "object", "properties": { "n": { "type": "integer", "minimum": 0 } }, "required": ["n"], "additionalProperties": false
    });
    let check = |value: Value| errors(&schema, &schema, &value, "it");
    assert!(check(serde_json::json!({ "n": 1 })).is_empty());
    for value in [
        serde_json::json!({}),
        serde_json::json!({ "n": -1 }),
        serde_json::json!({ "n": 1, "m": 2 }),
        serde_json::json!([1]),
    ] {
        assert!(!check(value.clone()).is_empty(), "{value}");
    }
}
