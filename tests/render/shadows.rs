//! Shadows as they are seen: where they fall by hand, what biases mend, and the same bits whoever draws them.

use std::{num::NonZeroUsize, path::Path};

use glam::{DVec3, Vec3};
use refrast::{
    animation::Pose,
    raster::DepthBias,
    render::{Camera, RenderSettings, Renderer},
    scene::Scene,
    shading::{ColorSpace, SPLIT_COLORS, ShadingMode, ShadowCasting, ShadowFilter, ShadowSettings, SplitScheme},
    simd::SimdLevel,
    verify::showcase::{Showcase, shaded},
};

/// A road with posts to the horizon, a slab above it, and a sun.
struct Road {
    scene: Scene,
    pose: Pose,
    camera: Camera,
    settings: RenderSettings,
}

impl Road {
    fn new(shadows: ShadowSettings) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/posts.gltf");
        let scene = Scene::load(&path).expect("the scene of the goldens");
        let pose = Pose::rest(&scene);
        let settings = RenderSettings { width: 320, height: 180, shadows, ..RenderSettings::default() };
        let placed = scene.find_camera("along the road").expect("the file has it");
        let camera = Camera::from_scene(&scene, &pose, placed, 16.0 / 9.0, settings.convention);
        Self { scene, pose, camera, settings }
    }

    fn pixels(&self) -> Vec<[u8; 4]> {
        let mut renderer = Renderer::new(&self.scene, self.settings).expect("valid settings");
        renderer.render(&self.pose, &self.camera).expect("it can be drawn").rgba().as_chunks().0.to_vec()
    }

    /// The pixel that a point of the world is seen in.
    fn at(&self, pixels: &[[u8; 4]], point: [f64; 3]) -> [u8; 4] {
        let clip = self.camera.view_projection().as_dmat4().project_point3(DVec3::from_array(point));
        let (column, row) = ((0.5 + 0.5 * clip.x) * 320.0, (0.5 - 0.5 * clip.y) * 180.0);
        pixels[row as usize * 320 + column as usize]
    }
}

fn cascades(count: u8) -> ShadowSettings {
    let casting = ShadowCasting { cascades: count, spots: false };
    ShadowSettings { casting, distance: Some(150.0), ..ShadowSettings::default() }
}

/// The sun shines along this, with 3 lux; the ground is level.
const SUN: Vec3 = Vec3::new(-0.55, -0.62, -0.35);
const SUN_COLOR: [f64; 3] = [1.0, 0.96, 0.88];
const GROUND: [f64; 3] = [0.62, 0.63, 0.6];

/// Bytes of level ground of this base colour, with this part of the sun's light, by Lambert's law.
fn level(base: [f64; 3], part: f64) -> [u8; 4] {
    let cosine = f64::from(-SUN.normalize().y);
    let light = SUN_COLOR.map(|channel| 0.05 + part * channel * 3.0 / std::f64::consts::PI * cosine);
    let color = [0, 1, 2].map(|i| (base[i] * light[i]) as f32);
    ColorSpace::Srgb.encode([color[0], color[1], color[2], 1.0])
}

fn near(a: [u8; 4], b: [u8; 4]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 1)
}

/// Where the ground is in the shade of a point above it.
fn below(point: [f64; 3]) -> [f64; 3] {
    let along = point[1] / f64::from(-SUN.y);
    [point[0] + along * f64::from(SUN.x), 0.0, point[2] + along * f64::from(SUN.z)]
}

#[test]
fn a_slab_throws_its_shadow_where_the_sun_throws_it() {
    for count in [1, 2, 4] {
        let road = Road::new(cascades(count));
        let pixels = road.pixels();
        let shade = road.at(&pixels, below([0.0, 0.96, -6.0]));
        assert!(near(shade, level(GROUND, 0.0)), "{count}: {shade:?}");
        let light = road.at(&pixels, [1.0, 0.0, -4.0]);
        assert!(near(light, level(GROUND, 1.0)), "{count}: {light:?}");
    }
}

#[test]
fn there_are_no_shadows_beyond_their_distance() {
    let shade_of_a_post = below([2.2, 0.8, -8.0]);
    for (distance, part) in [(150.0, 0.0), (10.0, 1.0)] {
        let road = Road::new(ShadowSettings { distance: Some(distance), ..cascades(4) });
        let seen = road.at(&road.pixels(), shade_of_a_post);
        assert!(near(seen, level(GROUND, part)), "{distance}: {seen:?}");
    }
}

/// The lower rows of the picture hold nothing but ground in the sun.
#[test]
fn a_bias_cures_the_shade_that_a_surface_throws_on_itself() {
    let dark = |bias| {
        let road = Road::new(ShadowSettings { bias, filter: ShadowFilter::None, ..cascades(2) });
        let pixels = road.pixels();
        pixels[160 * 320..].iter().filter(|pixel| !near(**pixel, level(GROUND, 1.0))).count()
    };
    let unbiased = dark(DepthBias::default());
    assert!(unbiased > 320 * 20 / 10, "{unbiased}");
    assert_eq!(dark(ShadowSettings::default().bias), 0);
}

#[test]
fn splits_are_coloured_by_view_depth() {
    let splits: SplitScheme = "8,20,60".parse().expect("three distances");
    let mut road = Road::new(ShadowSettings { splits, ..cascades(3) });
    road.settings.shading = ShadingMode::Splits;
    let pixels = road.pixels();
    // The camera stands at z = 6.5 and looks down a little; clay lies beyond 60 metres.
    for (z, split) in [(1.0, Some(0)), (-6.0, Some(1)), (-30.0, Some(2)), (-130.0, None)] {
        let base = split.map_or([0.6; 3], |split: usize| SPLIT_COLORS[split].map(f64::from));
        let seen = road.at(&pixels, [1.0, 0.0, z]);
        assert!(near(seen, level(base, 1.0)), "{z}: {seen:?} {:?}", level(base, 1.0));
    }
}

fn drawn(showcase: &Showcase, settings: RenderSettings) -> Vec<u8> {
    let pose = showcase.moment.pose(&showcase.scene).expect("a moment of the scene");
    let mut renderer = Renderer::new(&showcase.scene, settings).expect("valid settings");
    renderer.render(&pose, &showcase.camera).expect("it can be drawn").rgba().to_vec()
}

#[test]
fn every_simd_level_and_thread_count_gives_the_same_shadows() {
    let all = shaded();
    assert!(all.len() >= 5);
    for showcase in &all {
        let scalar = drawn(showcase, RenderSettings { simd: SimdLevel::Scalar, ..showcase.settings });
        for simd in SimdLevel::available() {
            let same = drawn(showcase, RenderSettings { simd, ..showcase.settings }) == scalar;
            assert!(same, "{}: {simd} differs from scalar", showcase.name);
        }
        for threads in [1, 2, 7].map(NonZeroUsize::new) {
            let same = drawn(showcase, RenderSettings { threads, ..showcase.settings }) == scalar;
            assert!(same, "{}: {threads:?} threads", showcase.name);
        }
    }
}

#[test]
fn shadows_only_take_light_away() {
    for showcase in shaded().iter().filter(|showcase| showcase.settings.shading != ShadingMode::Splits) {
        let with = drawn(showcase, showcase.settings);
        let without = drawn(showcase, RenderSettings { shadows: ShadowSettings::default(), ..showcase.settings });
        let darker = with.iter().zip(&without).filter(|(with, without)| with < without).count();
        let brighter = with.iter().zip(&without).filter(|(with, without)| with > without).count();
        assert!(darker > 300 && brighter == 0, "{}: {darker} darker, {brighter} brighter", showcase.name);
    }
}
