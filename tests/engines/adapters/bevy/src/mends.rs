//! Lines of Bevy's shaders that proofs change.

use bevy::{
    prelude::*,
    render::render_resource::TextureFormat,
    shader::{Shader, Source},
};
use serde_json::Value;

/// By the name that a proof says: what stands in a shader, and what is put in its place.
const MENDS: [(&str, &str, &str); 4] = [
    ("scattering", "Fr *= 1.0 + F0 * (1.0 / (F_ab.x + F_ab.y) - 1.0);", ""),
    (
        "range",
        "getRangeFalloff(distanceSquare, inverseRangeSquared) * 1.0",
        "sqrt(getRangeFalloff(distanceSquare, inverseRangeSquared))",
    ),
    ("radius", "(*light).position_radius.w", "0.0"),
    ("eye", "let NdotV = max(dot(in.N, in.V), 0.0001);", "let NdotV = abs(dot(in.N, in.V));"),
];

/// Whether the picture is kept as light, so that no driver encodes it.
pub fn keeps_light(case: &Value) -> bool {
    case["mend"].as_array().is_some_and(|mends| mends.iter().any(|name| name == "encode"))
}

/// The bytes of sRGB of floats of light.
pub fn encoded(light: &[u8]) -> Vec<u8> {
    let (floats, _) = light.as_chunks::<4>();
    let encode = |(place, bytes): (usize, &[u8; 4])| {
        let value = match f64::from(f32::from_le_bytes(*bytes)).clamp(0.0, 1.0) {
            value if place % 4 == 3 => value,
            value if value <= 0.0031308 => 12.92 * value,
            value => 1.055 * value.powf(1.0 / 2.4) - 0.055,
        };
        (255.0 * value).round() as u8
    };
    floats.iter().enumerate().map(encode).collect()
}

/// Puts lines in place of others in every shader, as the case has it. `decode` makes textures that no driver decodes.
///
/// # Panics
///
/// When no shader has a line that a proof wants to change: it would prove nothing.
pub fn mend(world: &mut World, case: &Value) {
    for name in case["mend"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        match name {
            "decode" => {
                decode(world);
                continue;
            }
            "encode" => continue,
            _ => {}
        }
        let (_, line, other) = MENDS.into_iter().find(|(own, ..)| *own == name).expect("a known mend");
        let mut shaders = world.resource_mut::<Assets<Shader>>();
        let places: Vec<_> =
            shaders.iter().filter(|(_, shader)| shader.source.as_str().contains(line)).map(|(id, _)| id).collect();
        assert!(!places.is_empty(), "no shader has {line}");
        for id in places {
            let mut shader = shaders.get_mut(id).expect("it was there");
            shader.source = Source::Wgsl(shader.source.as_str().replace(line, other).into());
        }
    }
}

/// Texels as floats of light.
fn decode(world: &mut World) {
    for (_, image) in world.resource_mut::<Assets<Image>>().iter_mut() {
        let is_encoded = image.texture_descriptor.format == TextureFormat::Rgba8UnormSrgb;
        let Some(stored) = image.data.as_ref().filter(|_| is_encoded) else { continue };
        let light = stored.iter().enumerate().map(|(place, &byte)| match f64::from(byte) / 255.0 {
            value if place % 4 == 3 => value,
            value if value <= 0.04045 => value / 12.92,
            value => ((value + 0.055) / 1.055).powf(2.4),
        });
        image.data = Some(light.flat_map(|value| (value as f32).to_le_bytes()).collect());
        image.texture_descriptor.format = TextureFormat::Rgba32Float;
    }
    // Materials are bound to the textures that there were.
    let mut materials = world.resource_mut::<Assets<StandardMaterial>>();
    let all: Vec<_> = materials.ids().collect();
    for id in all {
        materials.get_mut(id).expect("it was there").into_inner();
    }
}
