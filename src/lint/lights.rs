//! Lights, where renderers are known to part: intensities, a range, the edge of a cone, and colours.
//!
//! Why it exists: KHR_lights_punctual has a unit or recommends a formula for each, and eight engines that were held against refrast have
//! nearly as many ways between them.

use super::{finding::Findings, rule::Rule};
use refrast_scene::{LightKind, Scene};

pub(super) fn look(scene: &Scene, findings: &mut Findings) {
    for (number, light) in scene.lights.iter().enumerate() {
        let path = format!("extensions.KHR_lights_punctual.lights[{number}]");
        // Of no light there is no part.
        if light.intensity != 0.0 {
            let unit = if light.kind == LightKind::Directional { "lx" } else { "cd" };
            findings.add(Rule::LightIntensity, &format!("{path}.intensity"), format!("{} {unit}", light.intensity));
        }
        if let Some(range) = light.range.filter(|_| light.kind != LightKind::Directional) {
            findings.add(Rule::LightRange, &format!("{path}.range"), format!("{range} m"));
        }
        if let LightKind::Spot { inner_cone_angle, outer_cone_angle } = light.kind {
            let [inner, outer] = [inner_cone_angle, outer_cone_angle].map(f32::to_degrees);
            findings.add(Rule::LightCone, &format!("{path}.spot"), format!("{inner:.1}° to {outer:.1}°"));
        }
        // 0 and 1 are the same by every curve.
        if light.color.iter().any(|channel| ![0.0, 1.0].contains(channel)) {
            let [red, green, blue] = light.color;
            findings.add(Rule::LightColored, &format!("{path}.color"), format!("{red} {green} {blue}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use refrast_scene::Light;

    use super::{
        super::testing::{rules, skinned},
        *,
    };

    fn light(kind: LightKind) -> Light {
        Light { name: None, color: [1.0, 0.0, 1.0], intensity: 3.0, range: Some(12.0), kind }
    }

    #[test]
    fn what_renderers_part_at_is_told_of_each_light_that_has_it() {
        let mut scene = skinned();
        // The range of parallel rays means nothing.
        scene.lights = vec![light(LightKind::Directional), light(LightKind::Point)];
        let lights = "extensions.KHR_lights_punctual.lights";
        assert_eq!(
            rules(&scene, look),
            [
                (Rule::LightRange, format!("{lights}[1].range"), "12 m".into()),
                (Rule::LightIntensity, format!("{lights}[0].intensity"), "3 lx".into()),
                (Rule::LightIntensity, format!("{lights}[1].intensity"), "3 cd".into()),
            ]
        );
        // What is dark is as dark by every unit.
        let kind = LightKind::Spot { inner_cone_angle: 0.25, outer_cone_angle: 0.5 };
        scene.lights = vec![Light { color: [1.0, 0.5, 0.25], range: None, intensity: 0.0, ..light(kind) }];
        assert_eq!(
            rules(&scene, look),
            [
                (Rule::LightCone, format!("{lights}[0].spot"), "14.3° to 28.6°".into()),
                (Rule::LightColored, format!("{lights}[0].color"), "1 0.5 0.25".into()),
            ]
        );
    }
}
