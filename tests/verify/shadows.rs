//! Shadows in envelopes: what is not there is refused, and large ground under a small map leaves no doubt. (That right backends lie
//! inside is shown with all other showcases.)

use std::path::Path;

use crate::envelope_faults::cases_of;
use crate::envelope_support::{PROFILES, Shot};
use refrast::{
    animation::Pose,
    golden::envelope::EnvelopeStatistics,
    raster::DepthBias,
    render::{Camera, RenderSettings},
    scene::Scene,
    shading::{ShadowCasting, ShadowFilter, ShadowSettings},
    verify::{Profile, showcase::shaded},
};

/// Shadows that are not there are no choice, nor are some that should not be.
#[test]
fn missing_shadows_fall_outside() {
    for case in cases_of(shaded()).iter().filter(|case| case.name != "cascade-splits") {
        for profile in PROFILES {
            assert!(case.wrong_without_shadows(profile) > 20, "{}, {profile}", case.name);
        }
    }
}

/// A road of 440 m by 120 m in two triangles, under the eye and to the horizon.
fn road(shadows: ShadowSettings, profile: Profile) -> EnvelopeStatistics {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/posts.gltf");
    let scene = Scene::load(&path).expect("the scene of the goldens");
    let pose = Pose::rest(&scene);
    let settings = RenderSettings { width: 320, height: 180, shadows, ..RenderSettings::default() };
    let placed = scene.find_camera("along the road").expect("the file has it");
    let camera = Camera::from_scene(&scene, &pose, placed, 16.0 / 9.0, settings.convention);
    Shot { scene, pose, camera, settings }.envelope(profile).envelope.statistics()
}

fn cascades(count: u8) -> ShadowSettings {
    let casting = ShadowCasting { cascades: count, spots: false };
    ShadowSettings { casting, distance: Some(150.0), ..ShadowSettings::default() }
}

/// What shadows add to the width of the picture lies along their edges, and is little on the whole.
#[test]
fn shadows_on_large_ground_are_known() {
    for profile in PROFILES {
        let without = road(ShadowSettings::default(), profile).mean_width();
        for count in [1, 4] {
            let figures = road(cascades(count), profile);
            let (loose, width) = (100.0 * figures.loose_share(), figures.mean_width());
            assert!(loose < 0.05, "{profile}, {count}: {loose:.2} % loose");
            assert!(width < without + 1.5, "{profile}, {count}: {width:.2} steps wide, {without:.2} without shadows");
        }
    }
}

/// A filter of five lookups needs six slopes of a bias: with fewer a surface may be in its own shade, or not.
#[test]
fn a_bias_that_is_enough_leaves_no_doubt() {
    let [little, enough] = [2.5, 6.0].map(|slope| {
        let bias = DepthBias { slope, ..ShadowSettings::default().bias };
        road(ShadowSettings { filter: ShadowFilter::Five, bias, ..cascades(4) }, Profile::Vulkan14).mean_width()
    });
    assert!(enough < 2.5 && little > 3.0 * enough, "{little:.2} and {enough:.2} steps wide");
}
