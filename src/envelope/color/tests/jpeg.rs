//! What another program makes of a JPEG lies between the bounds, and the bounds are not idle.

use std::path::Path;

use refrast_range::{Freedoms, Jpeg, Mips, Profile};
use refrast_scene::{Filter, Image, Sampler, Scene};
use refrast_shading::{ColorSpace, PreparedTexture};
use zune_jpeg::{JpegDecoder, zune_core::bytestream::ZCursor};

use super::super::{jpeg::bounds, mips};

/// The pictures, and their texels by djpeg: `jpeg/README.md` has the commands.
const QUARTER: [(&str, &[u8]); 4] = [
    ("int", include_bytes!("jpeg/quarter-int.ppm")),
    ("float", include_bytes!("jpeg/quarter-float.ppm")),
    ("int-nosmooth", include_bytes!("jpeg/quarter-int-nosmooth.ppm")),
    ("fast", include_bytes!("jpeg/quarter-fast.ppm")),
];
const FULL: [(&str, &[u8]); 3] = [
    ("int", include_bytes!("jpeg/full-int.ppm")),
    ("float", include_bytes!("jpeg/full-float.ppm")),
    ("fast", include_bytes!("jpeg/full-fast.ppm")),
];

fn images() -> [Image; 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("color/tests/jpeg");
    let scene = Scene::load(folder.join("textures.gltf")).expect("the pictures can be read");
    scene.images.try_into().expect("two pictures")
}

fn texture(image: &Image, sampler: Sampler) -> PreparedTexture {
    PreparedTexture::new(image, sampler, ColorSpace::Srgb).expect("a complete picture")
}

/// The texels of a picture in binary PPM.
fn texels(ppm: &[u8]) -> Vec<[u8; 3]> {
    let header = b"P6\n29 21\n255\n";
    assert!(ppm.starts_with(header), "29 x 21 texels of eight bits");
    ppm[header.len()..].as_chunks::<3>().0.to_vec()
}

/// How many texels of another decoder lie outside.
fn outside(image: &Image, jpeg: Jpeg, ppm: &[u8]) -> usize {
    let [least, greatest] = bounds(&texture(image, Sampler::default()), jpeg).expect("it is a JPEG");
    let is_outside = |place: &usize| {
        let own = texels(ppm)[*place];
        (0..3).any(|channel| !(least[*place][channel]..=greatest[*place][channel]).contains(&own[channel]))
    };
    (0..least.len()).filter(is_outside).count()
}

/// How many texels of another decoder are not the reference's.
fn different(image: &Image, ppm: &[u8]) -> usize {
    let own = image.rgba.as_chunks::<4>().0;
    own.iter().zip(texels(ppm)).filter(|(own, other)| own[..3] != *other).count()
}

/// The mean over texels and colours of the greatest less the least.
fn mean_width(image: &Image, jpeg: Jpeg) -> f64 {
    let [least, greatest] = bounds(&texture(image, Sampler::default()), jpeg).expect("it is a JPEG");
    let widths = least.iter().zip(&greatest).flat_map(|(low, high)| (0..3).map(|own| f64::from(high[own] - low[own])));
    widths.sum::<f64>() / (3 * least.len()) as f64
}

#[test]
fn libjpegs_texels_lie_between_the_bounds() {
    let [quarter, full] = images();
    let all = QUARTER.map(|own| (&quarter, own)).into_iter().chain(FULL.map(|own| (&full, own)));
    let mut other = 0;
    for (image, (how, ppm)) in all {
        let found = [Jpeg::Rounded, Jpeg::Any].map(|jpeg| outside(image, jpeg, ppm));
        other += different(image, ppm);
        match how {
            "int" | "float" => assert_eq!(found, [0, 0], "{how}"),
            // Colour differences that are not weighed are another choice, of which `rounded` knows nothing.
            "int-nosmooth" => assert!(found[0] > 300 && found[1] == 0, "{how}: {found:?}"),
            // Eight bits are not as precise as is asked of a transform: the guide says so.
            _ => assert!(found[0] > 0, "{how}: {found:?}"),
        }
    }
    assert!(other > 0, "the decoders are one");
}

#[test]
fn bounds_are_as_wide_as_is_derived_and_not_more() {
    let [quarter, full] = images();
    let widths = [(&full, Jpeg::Rounded), (&full, Jpeg::Any), (&quarter, Jpeg::Rounded), (&quarter, Jpeg::Any)];
    let [full, full_any, quarter, quarter_any] = widths.map(|(image, jpeg)| mean_width(image, jpeg));
    // 3, 3 and 3 steps either way; 6, 5 and 7; 4, 4 and 5: less where black or white ends them.
    assert!(full <= 7.0 && full_any <= 13.0 && quarter <= 10.0, "{full} {full_any} {quarter}");
    assert!(full > 4.0 && full_any > full && quarter > full, "{full} {full_any} {quarter}");
    // Anything between four samples of waves that are ten texels long, and not everything.
    assert!(quarter_any > quarter && quarter_any < 160.0, "{quarter_any}");
}

/// The texture of a shared model as another decoder has it: the one of Bevy.
#[test]
fn another_decoders_texels_of_a_model_lie_between_the_bounds() {
    let Some(folder) = std::env::var_os("REFRAST_MODELS") else {
        return eprintln!("skipped: REFRAST_MODELS names no folder with models");
    };
    let scene = Scene::load(Path::new(&folder).join("CesiumMan/CesiumMan.glb")).expect("the model is there");
    let image = &scene.images[0];
    let file = image.jpeg.as_deref().expect("it is a JPEG");
    let other = JpegDecoder::new(ZCursor::new(file)).decode().expect("it can be decoded");
    let own = image.rgba.as_chunks::<4>().0.iter().zip(other.as_chunks::<3>().0);
    let farthest =
        own.clone().flat_map(|(own, other)| (0..3).map(|channel| own[channel].abs_diff(other[channel]))).max();
    let differ = own.clone().filter(|(own, other)| own[..3] != other[..]).count();
    let [least, greatest] = bounds(&texture(image, Sampler::default()), Jpeg::Rounded).expect("it is a JPEG");
    let inside = least.iter().zip(&greatest).zip(other.as_chunks::<3>().0);
    let is_inside = |((low, high), own): ((&[u8; 4], &[u8; 4]), &[u8; 3])| {
        (0..3).all(|channel| (low[channel]..=high[channel]).contains(&own[channel]))
    };
    assert_eq!(inside.filter(|own| !is_inside(*own)).count(), 0);
    let width = mean_width(image, Jpeg::Rounded);
    eprintln!("{differ} of {} texels differ, by {farthest:?} at most; the bounds are {width:.2} wide", least.len());
    assert!(differ > 100 && farthest >= Some(1), "the decoders are one");
    // 3 steps either way, and less where black or white ends them.
    assert!((3.0..=6.0).contains(&width), "{width}");
}

/// Every level of a chain by each of the ways to make one, from texels of another decoder.
#[test]
fn levels_of_another_decoders_texels_lie_between_those_of_the_bounds() {
    let sampler = Sampler { minification: Filter::Linear, mip: Some(Filter::Linear), ..Sampler::default() };
    let [quarter, _] = images();
    let own = texture(&quarter, sampler);
    for (_, ppm) in &QUARTER[..3] {
        let rgba: Vec<u8> = texels(ppm).iter().flat_map(|&[red, green, blue]| [red, green, blue, 255]).collect();
        let other = texture(&Image { rgba, jpeg: None, ..quarter.clone() }, sampler);
        for mips in [Mips::Linear, Mips::Stored, Mips::Given] {
            let plain = Profile::D3d11.freedoms().expect("it grants some");
            let granted = mips::levels(&own, &Freedoms { jpeg: Jpeg::Any, mips, ..plain });
            let levels = mips::levels(&other, &Freedoms { mips, ..plain });
            assert_eq!((granted.len(), levels.len()), (5, 5), "29 x 21, 14 x 10, 7 x 5, 3 x 2, 1 x 1");
            for (number, (granted, level)) in granted.iter().zip(&levels).enumerate() {
                assert!(granted.holds(level), "level {number}, {mips}");
            }
        }
    }
    // Nothing is granted of what is no JPEG, and nothing where nobody asks.
    assert_eq!(bounds(&texture(&Image { jpeg: None, ..quarter.clone() }, sampler), Jpeg::Any), None);
    assert_eq!(bounds(&own, Jpeg::Reference), None);
}
