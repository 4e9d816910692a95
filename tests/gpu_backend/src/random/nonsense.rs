//! Pictures that nobody meant.

use std::error::Error;

use refrast::{
    render::{CameraSettings, RenderSettings},
    verify::simulator::{Moment, Shot, Simulator, Variation},
};

use super::{SIZE, case::Named, chance::Chance};

/// Something that nobody meant.
pub(crate) fn nonsense(
    chance: &mut Chance,
    scenes: &[Named],
    place: usize,
    right: &[u8],
) -> Result<(String, Vec<u8>), Box<dyn Error>> {
    let pixels = right.len() / 4;
    Ok(match chance.below(5) {
        0 => {
            let noise = (0..pixels).flat_map(|_| {
                let bits = chance.next();
                [bits as u8, (bits >> 8) as u8, (bits >> 16) as u8, 255]
            });
            ("noise".to_owned(), noise.collect())
        }
        1 => ("black".to_owned(), [0, 0, 0, 255].repeat(pixels)),
        2 => {
            let most = 4.0 + chance.below(30) as f32;
            let noisy = right.iter().enumerate().map(|(index, byte)| match index % 4 {
                3 => *byte,
                _ => (f32::from(*byte) + chance.between(-most, most)).clamp(0.0, 255.0) as u8,
            });
            ("a noisy picture".to_owned(), noisy.collect())
        }
        3 => {
            let (length, height) = (f64::from(chance.between(8.0, 60.0)), f64::from(chance.between(10.0, 60.0)));
            let waved = right.iter().enumerate().map(|(index, byte)| match index % 4 {
                3 => *byte,
                _ => {
                    let x = (index / 4 % SIZE[0] as usize) as f64;
                    (f64::from(*byte) + height * libm::sin(x / length)).clamp(0.0, 255.0) as u8
                }
            });
            ("a wave over the picture".to_owned(), waved.collect())
        }
        _ => {
            let other = (place + 1 + chance.below(scenes.len() as u64 - 1) as usize) % scenes.len();
            let scene = &scenes[other].scene;
            let settings = RenderSettings { width: SIZE[0], height: SIZE[1], ..RenderSettings::default() };
            let pose = Moment::Rest.pose(scene)?;
            let camera = CameraSettings::default().camera(scene, None, &pose, &settings)?;
            let shot = Shot { moment: Moment::Rest, camera: &camera, settings: &settings };
            let frame = Simulator::new(scene)?.draw(&shot, &Variation::default(), &[])?;
            (format!("the model {}", scenes[other].name), frame.rgba)
        }
    })
}
