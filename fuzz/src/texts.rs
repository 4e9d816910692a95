//! Texts that people write and send around: manifests of goldens, camera files.

use std::path::Path;

use refrast_golden::{Manifest, Shard};
use refrast_raster::Convention;
use refrast_render::{Camera, CameraChoice, Rgb, Size};

/// Reads `text` as a manifest of goldens, and every case's words.
///
/// # Panics
///
/// When a rule is broken: that is what the fuzzer looks for.
pub fn check_manifest(text: &str) {
    let path = Path::new("goldens/manifest.toml");
    let manifest = match Manifest::parse(text, path) {
        Ok(manifest) => manifest,
        Err(error) => return assert!(error.to_string().starts_with("goldens/manifest.toml: ")),
    };
    for case in &manifest.cases {
        // No name leads out of the folder.
        let golden = case.golden(Path::new("goldens"));
        assert!(golden.starts_with("goldens") && golden.components().all(|part| part.as_os_str() != ".."));
        let _ = (case.size.parse::<Size>(), case.background.parse::<Rgb>(), case.camera.parse::<CameraChoice>());
        let _ = case.scene.parse::<Shard>();
    }
    // What is written says the same when it is read.
    let written: String = manifest.cases.iter().map(|case| case.to_toml()).collect();
    let again = Manifest::parse(&written, path).unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert_eq!(again.cases.iter().map(|case| case.to_toml()).collect::<String>(), written);
}

/// Reads `text` as a camera file.
///
/// # Panics
///
/// When a rule is broken: that is what the fuzzer looks for.
pub fn check_camera(text: &[u8]) {
    for convention in [Convention::OpenGl, Convention::Vulkan] {
        let camera = match Camera::from_json(text, "camera.json", convention) {
            Ok(camera) => camera,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                continue;
            }
        };
        camera.check().expect("what is read can be drawn with");
        // The same bits come back, and what they make is finite.
        let again = Camera::from_json(camera.to_json().as_bytes(), "camera.json", convention).expect("it was written by us");
        assert_eq!(again.to_json(), camera.to_json());
        assert!(camera.view_projection().is_finite());
    }
}
