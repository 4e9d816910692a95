//! Milliseconds a frame, everything included but the PNG: pose, skinning, rasterisation, shading, encoding.

use std::{hint::black_box, num::NonZeroUsize, time::Duration};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use refrast::{
    animation::Pose,
    raster::SampleCount,
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::{ChannelTarget, Influences, Scene},
    shading::{Development, ShadingMode, ShadowCasting, ShadowSettings, ToneMapping},
    skinning::SkinningMethod,
};

/// The mannequin, `bodies` times side by side in one mesh: five are 217,000 triangles.
///
/// The morph targets and the occlusion are left out, which these frames do not read. Bodies beside the middle one hang on the same joints at some distance, which is
/// the same work.
fn crowd(bodies: usize) -> Scene {
    let mut scene = Scene::mannequin().expect("the built-in character loads");
    let mesh = scene.meshes[0].clone();
    let mut wide = mesh.clone();
    for primitive in &mut wide.primitives {
        let (positions, base) = (primitive.positions.clone(), primitive.positions.len() as u32);
        let (normals, texcoords) = (primitive.normals.clone(), primitive.texcoords.clone());
        let (tangents, indices) = (primitive.tangents.clone(), primitive.indices.clone());
        let Influences { joints, weights, .. } = primitive.influences.clone().expect("the mannequin is skinned");
        primitive.targets.clear();
        primitive.occlusion = None;
        primitive.source_vertex_count = base as usize * bodies;
        primitive.source_vertices = (0..base * bodies as u32).collect();
        for body in 1..bodies {
            let shift = (body as f32 - (bodies / 2) as f32) * 0.45;
            primitive.positions.extend(positions.iter().map(|&[x, y, z]| [x + shift, y, z]));
            primitive.indices.extend(indices.iter().map(|index| index + base * body as u32));
            let (all, more) = (&mut primitive.normals, &normals);
            all.as_mut().zip(more.as_ref()).into_iter().for_each(|(all, more)| all.extend(more));
            let (all, more) = (&mut primitive.tangents, &tangents);
            all.as_mut().zip(more.as_ref()).into_iter().for_each(|(all, more)| all.extend(more));
            primitive.texcoords.iter_mut().zip(&texcoords).for_each(|(all, more)| all.extend(more));
            if let Some(influences) = &mut primitive.influences {
                influences.joints.extend(&joints);
                influences.weights.extend(&weights);
            }
        }
    }
    wide.weights.clear();
    scene.meshes[0] = wide;
    for node in &mut scene.nodes {
        node.weights = None;
    }
    for animation in &mut scene.animations {
        animation.channels.retain(|channel| channel.target != ChannelTarget::Weights);
    }
    scene
}

fn frames(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("frame");
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    let scenes = [("mannequin", crowd(1)), ("200k-triangles", crowd(5))];
    for (name, scene) in &scenes {
        let walk = scene.find_animation("Walk").expect("the built-in character walks");
        for (size, width, height) in [("720p", 1280, 720), ("1080p", 1920, 1080)] {
            for samples in [SampleCount::One, SampleCount::Four] {
                for threads in [1, 2] {
                    let threads = NonZeroUsize::new(threads);
                    let settings = RenderSettings { width, height, samples, threads, ..RenderSettings::default() };
                    let mut renderer = Renderer::new(scene, settings).expect("valid settings");
                    let mut pose = Pose::sample(scene, walk, 0.0).expect("a number");
                    let bounds = renderer.bounds(&pose).expect("the pose fits the scene");
                    let aspect_ratio = f64::from(width) / f64::from(height);
                    let camera = Camera::orbit(&bounds, Orbit::default(), aspect_ratio, settings.convention);
                    let label = format!("{size}/{}x/{} threads", samples.count(), threads.map_or(0, NonZeroUsize::get));
                    let mut time = 0.0;
                    group.bench_function(BenchmarkId::new(*name, label), |bencher| {
                        bencher.iter(|| {
                            time = if time > 1.0 { 0.0 } else { time + 1.0 / 60.0 };
                            pose.sample_into(scene, walk, time).expect("a number");
                            black_box(renderer.render(&pose, &camera).expect("the pose fits the scene").rgba().len())
                        });
                    });
                }
            }
        }
    }
    group.finish();
}

/// What a frame of the character takes besides: the material of glTF, tone mapping, shadows, other skinning.
fn looks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("look");
    group.sample_size(20).measurement_time(Duration::from_secs(3));
    let scene = Scene::mannequin().expect("the built-in character loads");
    let walk = scene.find_animation("Walk").expect("the built-in character walks");
    let plain = RenderSettings { threads: NonZeroUsize::new(1), ..RenderSettings::default() };
    let lit = RenderSettings { shading: ShadingMode::Lit, ..plain };
    let neutral = Development { tone: ToneMapping::Neutral, ..Development::default() };
    let cascades = ShadowSettings { casting: ShadowCasting { cascades: 4, spots: false }, ..ShadowSettings::default() };
    for (name, settings) in [
        ("lambert", RenderSettings { shading: ShadingMode::Lambert, ..plain }),
        ("dual quaternions", RenderSettings { skinning: SkinningMethod::DualQuaternion, ..plain }),
        ("lit", lit),
        ("neutral", RenderSettings { development: neutral, ..lit }),
        ("cascades", RenderSettings { shadows: cascades, ..lit }),
    ] {
        let mut renderer = Renderer::new(&scene, settings).expect("valid settings");
        let mut pose = Pose::sample(&scene, walk, 0.0).expect("a number");
        let bounds = renderer.bounds(&pose).expect("the pose fits the scene");
        let aspect_ratio = f64::from(settings.width) / f64::from(settings.height);
        let camera = Camera::orbit(&bounds, Orbit::default(), aspect_ratio, settings.convention);
        let mut time = 0.0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                time = if time > 1.0 { 0.0 } else { time + 1.0 / 60.0 };
                pose.sample_into(&scene, walk, time).expect("a number");
                black_box(renderer.render(&pose, &camera).expect("the pose fits the scene").rgba().len())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, frames, looks);
criterion_main!(benches);
