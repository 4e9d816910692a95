//! Reads cameras and lights.
//!
//! Why it exists: a projection divides by its parameters, so what would make it divide by zero or turn inside out is
//! refused here (glTF 2.0 specification, section 3.10; KHR_lights_punctual).

use gltf::{
    json,
    json::{
        camera::Type,
        extensions::scene::khr_lights_punctual::{Light as JsonLight, Type as LightType},
    },
};

use super::{
    document::Document,
    error::{Problem, Result},
    model::{Camera, Light, LightKind, Projection},
    remark::RemarkKind,
};

/// Reads all cameras.
pub(super) fn read_cameras(document: &Document) -> Result<Vec<Camera>> {
    let read = |(index, camera): (usize, &json::Camera)| {
        let place = format!("cameras[{index}]");
        let missing = |what: &str| document.error(&place, Problem::Missing(format!("the object '{what}'")));
        let projection = match document.valid(&camera.type_, &format!("{place}.type"))? {
            Type::Perspective => {
                let json = camera.perspective.as_ref().ok_or_else(|| missing("perspective"))?;
                read_perspective(document, json, &format!("{place}.perspective"))?
            }
            Type::Orthographic => {
                let json = camera.orthographic.as_ref().ok_or_else(|| missing("orthographic"))?;
                read_orthographic(document, json, &format!("{place}.orthographic"))?
            }
        };
        Ok(Camera { name: camera.name.clone(), projection })
    };
    document.root.cameras.iter().enumerate().map(read).collect()
}

/// Checks that a number is finite and fulfils the specification's condition.
fn check(document: &Document, value: f32, holds: bool, condition: &str, place: &str) -> Result<f32> {
    let [value] = document.finite([value], place)?;
    if holds {
        Ok(value)
    } else {
        Err(document.error(place, Problem::Value(format!("is {value}, but must be {condition}"))))
    }
}

fn read_perspective(document: &Document, json: &json::camera::Perspective, place: &str) -> Result<Projection> {
    let positive = |value: f32, property: &str| {
        check(document, value, value > 0.0, "greater than 0", &format!("{place}.{property}"))
    };
    let znear = positive(json.znear, "znear")?;
    let far = |zfar: f32| check(document, zfar, zfar > znear, "greater than znear", &format!("{place}.zfar"));
    // Half a turn would make the picture infinitely large.
    let yfov = check(
        document,
        json.yfov,
        json.yfov > 0.0 && json.yfov < std::f32::consts::PI,
        "between 0 and π",
        &format!("{place}.yfov"),
    )?;
    Ok(Projection::Perspective {
        yfov,
        aspect_ratio: json.aspect_ratio.map(|ratio| positive(ratio, "aspectRatio")).transpose()?,
        znear,
        zfar: json.zfar.map(far).transpose()?,
    })
}

fn read_orthographic(document: &Document, json: &json::camera::Orthographic, place: &str) -> Result<Projection> {
    let check = |value: f32, holds, condition: &str, property: &str| {
        check(document, value, holds, condition, &format!("{place}.{property}"))
    };
    Ok(Projection::Orthographic {
        xmag: check(json.xmag, json.xmag != 0.0, "other than 0", "xmag")?,
        ymag: check(json.ymag, json.ymag != 0.0, "other than 0", "ymag")?,
        znear: check(json.znear, json.znear >= 0.0, "at least 0", "znear")?,
        zfar: check(json.zfar, json.zfar > json.znear, "greater than znear", "zfar")?,
    })
}

/// Reads the lights of KHR_lights_punctual. Those of a type that it does not have are left out, with a remark; the second
/// list says for each light of the file which one it is of the first.
pub(super) fn read_lights(document: &Document) -> Result<(Vec<Light>, Vec<Option<usize>>)> {
    let extensions = document.root.extensions.as_ref();
    let json = extensions.and_then(|extensions| extensions.khr_lights_punctual.as_ref());
    let (mut lights, mut places) = (Vec::new(), Vec::new());
    for (index, light) in json.map_or(&[][..], |json| &json.lights).iter().enumerate() {
        if matches!(light.type_, json::validation::Checked::Invalid) {
            let place = format!("extensions.KHR_lights_punctual.lights[{index}].type");
            let found = &document.raw["extensions"]["KHR_lights_punctual"]["lights"][index]["type"];
            let detail = format!("is {found}, which is none of directional, point and spot; the light is left out");
            document.warn(RemarkKind::LightTypeUnknown, place, detail);
            places.push(None);
        } else {
            places.push(Some(lights.len()));
            lights.push(read_light(document, index, light)?);
        }
    }
    Ok((lights, places))
}

fn read_light(document: &Document, index: usize, json: &JsonLight) -> Result<Light> {
    let place = format!("extensions.KHR_lights_punctual.lights[{index}]");
    let check = |value: f32, holds, condition: &str, property: &str| {
        check(document, value, holds, condition, &format!("{place}.{property}"))
    };
    for component in json.color {
        check(component, component >= 0.0, "at least 0", "color")?;
    }
    let kind = match document.valid(&json.type_, &format!("{place}.type"))? {
        LightType::Directional => LightKind::Directional,
        LightType::Point => LightKind::Point,
        LightType::Spot => {
            let spot = json
                .spot
                .clone()
                .ok_or_else(|| document.error(&place, Problem::Missing("the object 'spot'".to_owned())))?;
            let (inner, outer) = (spot.inner_cone_angle, spot.outer_cone_angle);
            let quarter_turn = std::f32::consts::FRAC_PI_2;
            LightKind::Spot {
                inner_cone_angle: check(
                    inner,
                    inner >= 0.0 && inner < outer,
                    "at least 0 and less than outerConeAngle",
                    "spot.innerConeAngle",
                )?,
                outer_cone_angle: check(outer, outer <= quarter_turn, "at most π/2", "spot.outerConeAngle")?,
            }
        }
    };
    Ok(Light {
        name: json.name.clone(),
        color: json.color,
        intensity: check(json.intensity, json.intensity >= 0.0, "at least 0", "intensity")?,
        range: json.range.map(|range| check(range, range > 0.0, "greater than 0", "range")).transpose()?,
        kind,
    })
}
