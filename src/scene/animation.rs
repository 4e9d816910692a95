//! Reads animations.
//!
//! Why it exists: whoever samples a channel may rely on strictly increasing times, on the right number of values for
//! the interpolation, and on targets that exist (glTF 2.0 specification, section 3.11 and appendix C). Channels without
//! a target node are left out, as the specification asks.

use gltf::{
    json,
    json::{
        accessor::Type,
        animation::{Interpolation as JsonInterpolation, Property},
    },
};

use super::{
    accessor::{FLOAT, SNORM8, SNORM16, UNORM8, UNORM16},
    document::Document,
    error::{Problem, Result},
    model::{Animation, Channel, ChannelTarget, Interpolation, Mesh, Node, Transform},
    rotation,
};

/// Reads all animations.
pub(super) fn read(document: &Document, nodes: &[Node], meshes: &[Mesh]) -> Result<Vec<Animation>> {
    let read = |(index, animation): (usize, &json::Animation)| {
        let place = format!("animations[{index}]");
        let mut channels: Vec<Channel> = Vec::with_capacity(animation.channels.len());
        let mut seen = std::collections::HashSet::new();
        for (number, json) in animation.channels.iter().enumerate() {
            let channel_place = format!("{place}.channels[{number}]");
            let samplers = animation.samplers.len();
            let sampler =
                document.check_index("sampler", json.sampler.value(), samplers, &format!("{channel_place}.sampler"))?;
            let target = read_target(document, &json.target, nodes, meshes, &channel_place)?;
            if !seen.insert((target.node, target.property as u8)) {
                let reason = format!("animates the same property of node {} as another channel", target.node);
                return Err(document.error(channel_place, Problem::Value(reason)));
            }
            let sampler_place = format!("{place}.samplers[{sampler}]");
            channels.push(read_channel(document, &animation.samplers[sampler], target, &sampler_place)?);
        }
        let last_times = channels.iter().filter_map(|channel| channel.times.last().copied());
        let duration = last_times.fold(0.0, f32::max);
        Ok(Animation { name: animation.name.clone(), channels, duration })
    };
    document.root.animations.iter().enumerate().map(read).collect()
}

/// What a channel animates.
struct Target {
    node: usize,
    property: ChannelTarget,
    components: usize,
}

fn read_target(
    document: &Document,
    json: &json::animation::Target,
    nodes: &[Node],
    meshes: &[Mesh],
    channel_place: &str,
) -> Result<Target> {
    let place = format!("{channel_place}.target.node");
    let node = document.check_index("node", json.node.value(), nodes.len(), &place)?;
    let (property, components) = match document.valid(&json.path, &format!("{channel_place}.target.path"))? {
        Property::Translation => (ChannelTarget::Translation, 3),
        Property::Rotation => (ChannelTarget::Rotation, 4),
        Property::Scale => (ChannelTarget::Scale, 3),
        Property::MorphTargetWeights => {
            let targets = nodes[node].mesh.map_or(0, |mesh| meshes[mesh].weights.len());
            if targets == 0 {
                let reason = format!("animates morph weights, but node {node} has no morph targets");
                return Err(document.error(place, Problem::Value(reason)));
            }
            (ChannelTarget::Weights, targets)
        }
    };
    if property != ChannelTarget::Weights && matches!(nodes[node].transform, Transform::Matrix(_)) {
        let reason = format!("node {node} has a matrix; only translation, rotation and scale can be animated");
        return Err(document.error(place, Problem::Value(reason)));
    }
    Ok(Target { node, property, components })
}

fn read_channel(
    document: &Document,
    sampler: &json::animation::Sampler,
    target: Target,
    place: &str,
) -> Result<Channel> {
    let interpolation = match document.valid(&sampler.interpolation, &format!("{place}.interpolation"))? {
        JsonInterpolation::Linear => Interpolation::Linear,
        JsonInterpolation::Step => Interpolation::Step,
        JsonInterpolation::CubicSpline => Interpolation::CubicSpline,
    };

    let input = document.accessor(sampler.input.value(), &format!("{place}.input"))?;
    input.require(&[Type::Scalar], &[FLOAT])?;
    let times = input.floats()?;
    if times[0] < 0.0 {
        return Err(input.error(Problem::Value(format!("the first key is at {} s, before 0", times[0]))));
    }
    if let Some(key) = times.windows(2).position(|pair| pair[0] >= pair[1]) {
        let reason = format!("key {} at {} s does not follow key {key} at {} s", key + 1, times[key + 1], times[key]);
        return Err(input.error(Problem::Value(reason)));
    }

    let output = document.accessor(sampler.output.value(), &format!("{place}.output"))?;
    let fractions = [FLOAT, SNORM8, UNORM8, SNORM16, UNORM16];
    match target.property {
        ChannelTarget::Translation | ChannelTarget::Scale => output.require(&[Type::Vec3], &[FLOAT])?,
        ChannelTarget::Rotation => output.require(&[Type::Vec4], &fractions)?,
        ChannelTarget::Weights => output.require(&[Type::Scalar], &fractions)?,
    }
    let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    // Weights are scalars, one element a target; the others are one vector.
    let elements = if target.property == ChannelTarget::Weights { target.components } else { 1 };
    output.require_count("output values", times.len().saturating_mul(per_key).saturating_mul(elements))?;
    let values = output.floats()?;
    if target.property == ChannelTarget::Rotation {
        rotation::check_keys(document, &values, per_key, &format!("{place}.output"));
    }
    Ok(Channel {
        node: target.node,
        target: target.property,
        interpolation,
        times,
        values,
        components: target.components,
    })
}
