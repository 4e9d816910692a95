//! Channels and their samplers.

use serde_json::{Value, json};

use super::file_builder::FileBuilder;
use refrast_scene::{ChannelTarget, Interpolation};

/// Two key times and a channel that moves `path` of node 0 with the given output accessor.
fn animated(path: &str, interpolation: Value, output: impl Fn(&mut FileBuilder) -> usize) -> FileBuilder {
    let mut file = FileBuilder::triangle();
    let input = file.floats("SCALAR", &[0.5, 2.0]);
    let output = output(&mut file);
    let mut sampler = json!({"input": input, "output": output});
    if !interpolation.is_null() {
        sampler["interpolation"] = interpolation;
    }
    let channel = json!({"sampler": 0, "target": {"node": 0, "path": path}});
    file.json["animations"] = json!([{"name": "walk", "samplers": [sampler], "channels": [channel]}]);
    file
}

#[test]
fn a_channel_is_read() {
    let file = animated("translation", Value::Null, |file| file.floats("VEC3", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let scene = file.load().unwrap();
    let animation = &scene.animations[0];
    assert_eq!((animation.name.as_deref(), animation.duration), (Some("walk"), 2.0));
    let channel = &animation.channels[0];
    assert_eq!((channel.node, channel.target, channel.components), (0, ChannelTarget::Translation, 3));
    assert_eq!((channel.interpolation, channel.times.as_slice()), (Interpolation::Linear, &[0.5, 2.0][..]));
    assert_eq!(channel.values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn rotations_may_be_normalised_integers() {
    let mut file =
        animated("rotation", json!("STEP"), |file| file.accessor(5120, "VEC4", 2, &[0, 0, 0, 127, 0x80, 0, 0, 0]));
    assert!(file.error().contains("must be VEC4 of FLOAT, BYTE normalized"), "{}", file.error());
    let output = file.json["animations"][0]["samplers"][0]["output"].as_u64().unwrap() as usize;
    file.json["accessors"][output]["normalized"] = json!(true);
    let scene = file.load().unwrap();
    let channel = &scene.animations[0].channels[0];
    assert_eq!(channel.interpolation, Interpolation::Step);
    assert_eq!(channel.values, [0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_cubic_spline_has_three_values_a_key() {
    let values = |count: usize| move |file: &mut FileBuilder| file.floats("VEC3", &vec![1.0; 3 * count]);
    assert_eq!(
        animated("scale", json!("CUBICSPLINE"), values(6)).load().unwrap().animations[0].channels[0].values,
        [1.0; 18]
    );
    let message = animated("scale", json!("CUBICSPLINE"), values(2)).error();
    assert!(message.contains("animations[0].samplers[0].output"), "{message}");
    assert!(message.contains("has 2 output values, but must have 6"), "{message}");
}

#[test]
fn weights_have_one_value_a_target() {
    let mut file = animated("weights", Value::Null, |file| file.floats("SCALAR", &[0.0, 0.1, 0.2, 1.0, 1.1, 1.2]));
    let message = file.error();
    assert!(message.contains("channels[0].target.node: animates morph weights, but node 0 has no"), "{message}");
    file.primitive()["targets"] = json!([{"POSITION": 0}, {"POSITION": 0}, {"POSITION": 0}]);
    let scene = file.load().unwrap();
    assert_eq!(scene.animations[0].channels[0].components, 3);
    file.primitive()["targets"] = json!([{"POSITION": 0}, {"POSITION": 0}]);
    assert!(file.error().contains("has 6 output values, but must have 4"), "{}", file.error());
}

#[test]
fn times_must_increase_from_zero_or_later() {
    for (times, expected) in [
        ([1.0, 1.0], "key 1 at 1 s does not follow key 0 at 1 s"),
        ([2.0, 1.0], "key 1 at 1 s does not follow key 0 at 2 s"),
        ([-1.0, 1.0], "the first key is at -1 s"),
        ([0.0, f32::INFINITY], "element 1 is not finite"),
    ] {
        let mut file = animated("scale", Value::Null, |file| file.floats("VEC3", &[1.0; 6]));
        let input = file.floats("SCALAR", &times);
        file.json["animations"][0]["samplers"][0]["input"] = json!(input);
        let message = file.error();
        assert!(message.contains("animations[0].samplers[0].input") && message.contains(expected), "{message}");
    }
}

#[test]
fn a_property_is_animated_once_and_never_a_matrix() {
    let mut file = animated("scale", Value::Null, |file| file.floats("VEC3", &[1.0; 6]));
    let channel = file.json["animations"][0]["channels"][0].clone();
    file.json["animations"][0]["channels"] = json!([channel, channel]);
    assert!(file.error().contains("animations[0].channels[1]: animates the same property"), "{}", file.error());
    file.json["animations"][0]["channels"] = json!([channel]);
    let identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    file.json["nodes"][0]["matrix"] = json!(identity);
    assert!(file.error().contains("node 0 has a matrix"), "{}", file.error());
}
