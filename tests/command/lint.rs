//! `refrast lint`, and the warnings of the commands that draw.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{self, Command},
    sync::atomic::{AtomicU32, Ordering},
};

use refrast::lint::{Rule, Standing};
use serde_json::{Value, json};

/// A file of its own for each test, removed at the end.
struct Scene(PathBuf);

impl Scene {
    fn new(json: &Value) -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let name = format!("refrast-lint-{}-{}.gltf", process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let scene = Self(std::env::temp_dir().join(name));
        fs::write(&scene.0, json.to_string()).unwrap();
        scene
    }

    /// A command on the file: its status, what it prints, and what it notes.
    fn run(&self, before: &[&str], after: &[&str]) -> (Option<i32>, String, String) {
        let output =
            Command::new(env!("CARGO_BIN_EXE_refrast")).args(before).arg(&self.0).args(after).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A file without vertices, with these nodes.
fn file(nodes: Value) -> Value {
    json!({"asset": {"version": "2.0"}, "nodes": nodes})
}

/// A rotation whose length is 1.005.
fn skewed() -> Value {
    json!([0.0, 0.0, 0.603, 0.804])
}

#[test]
fn exit_codes_tell_nothing_something_and_errors() {
    let scene = Scene::new(&file(json!([{}])));
    let (status, said, notes) = scene.run(&["lint"], &[]);
    assert_eq!((status, notes.as_str()), (Some(0), ""));
    assert!(said.ends_with(": nothing found\n"), "{said}");

    let scene = Scene::new(&file(json!([{"rotation": skewed()}])));
    let (status, said, notes) = scene.run(&["lint"], &[]);
    assert_eq!((status, notes.as_str()), (Some(1), ""), "one answer, and in one place");
    assert!(
        said.contains(": 1 broken rule\n") && said.contains("nodes[0].rotation: has the length 1.005000"),
        "{said}"
    );
    assert_eq!(scene.run(&["lint", "--allow", "rotation-not-unit"], &[]).0, Some(0));

    let (status, said, notes) = Scene::new(&json!({})).run(&["lint"], &[]);
    assert_eq!((status, said.as_str()), (Some(2), ""));
    assert!(notes.starts_with("error: ") && notes.lines().count() == 1, "{notes}");
    let (status, _, notes) = scene.run(&["lint", "--allow", "everything"], &[]);
    assert!(status == Some(2) && notes.contains("rotation-not-unit"), "{notes}");
}

#[test]
fn the_json_has_the_shape_of_the_guide() {
    let scene = Scene::new(&file(json!([{"rotation": skewed()}, {"rotation": skewed()}])));
    let (status, said, notes) = scene.run(&["lint", "--json"], &[]);
    assert_eq!((status, notes.as_str()), (Some(1), ""));
    let json: Value = serde_json::from_str(&said).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&json), ["file", "findings"]);
    let finding = &json["findings"][0];
    assert_eq!(keys(finding), ["about", "places", "remedy", "renderers", "rule", "standing"]);
    assert_eq!((&finding["rule"], &finding["standing"]), (&json!("rotation-not-unit"), &json!("broken")));
    assert_eq!(finding["places"][1]["path"], "nodes[1].rotation");
    assert_eq!(finding["renderers"][0]["renderer"], "refrast");
    // The guide shows the same fields.
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/lint.md")).unwrap();
    let (_, shown) = page.split_once("```json\n").unwrap();
    let shown: Value = serde_json::from_str(shown.split_once("```").unwrap().0).unwrap();
    assert_eq!(keys(&shown), keys(&json));
    assert_eq!(keys(&shown["findings"][0]), keys(finding));
    assert_eq!(keys(&shown["findings"][0]["places"][0]), keys(&finding["places"][0]));
}

#[test]
fn the_guide_has_every_rule_under_its_standing() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/lint.md")).unwrap();
    let (_, page) = page.split_once("## What is looked for").unwrap();
    for (standing, heading) in
        [(Standing::Broken, "**Broken**"), (Standing::Open, "**Open**"), (Standing::Pitfall, "**Pitfalls**")]
    {
        let (_, section) = page.split_once(heading).unwrap();
        let rows =
            section.lines().skip_while(|line| !line.starts_with("| `")).take_while(|line| line.starts_with("| `"));
        let rows: Vec<&str> =
            rows.filter_map(|row| row.strip_prefix("| `")?.split_once('`')).map(|(name, _)| name).collect();
        let rules: Vec<&str> =
            Rule::ALL.into_iter().filter(|rule| rule.standing() == standing).map(Rule::name).collect();
        assert_eq!(rows, rules, "{standing}");
    }
}

#[test]
fn a_scene_that_is_drawn_with_a_warning_is_drawn_as_if_it_were_right() {
    let scene = Scene::new(&file(json!([{"rotation": skewed()}, {"rotation": skewed()}])));
    let (status, said, notes) = scene.run(&["info"], &[]);
    assert_eq!(status, Some(0));
    assert!(said.contains("2 of 2 nodes drawn"), "{said}");
    let path = scene.0.display();
    let expected = format!(
        "warning: {path}: nodes[0].rotation: has the length 1.005000 instead of 1 (1 more like it: refrast lint)\n"
    );
    assert_eq!(notes, expected);
}
