//! The other values of each option.

use std::num::NonZeroUsize;

use super::{Change, Question, Setup};
use refrast_draw::SampleCount;
use refrast_golden::Picture;
use refrast_shading::{ShadingMode, ShadowSettings};
use refrast_skinning::{NormalMode, SkinningMethod};
use refrast_stage::{RenderSettings, Rgb};
use refrast_words::Word;

/// Numbers of influences that engines keep.
const INFLUENCES: [usize; 5] = [1, 2, 3, 4, 8];

/// The set-ups that differ from this one by one option, without those of time.
pub(super) fn alternatives(question: &Question<'_>, setup: &Setup) -> Vec<(Change, Setup)> {
    let settings = setup.settings;
    let mut changes = Vec::new();
    let mut add = |option, value: String, settings: RenderSettings| {
        changes.push((Change::option(option, value), Setup { settings, ..*setup }));
    };
    if let Some(background) = background(question.candidate).filter(|color| *color != settings.background) {
        add("--background", Rgb(background).to_string(), RenderSettings { background, ..settings });
    }
    // Before methods: some of those differ from another one by nothing but their normals, and of what is as near the first is told.
    for &normals in NormalMode::WORDS.iter().filter(|word| **word != settings.normals) {
        add("--normals", normals.to_string(), RenderSettings { normals, ..settings });
    }
    for &skinning in SkinningMethod::WORDS.iter().filter(|word| **word != settings.skinning) {
        add("--skinning", skinning.to_string(), RenderSettings { skinning, ..settings });
    }
    for most in INFLUENCES {
        let max_influences = NonZeroUsize::new(most).filter(|most| Some(*most) != settings.max_influences);
        if max_influences.is_some() {
            add("--max-influences", most.to_string(), RenderSettings { max_influences, ..settings });
        }
    }
    for &shading in ShadingMode::WORDS.iter().filter(|word| **word != settings.shading && tells(**word)) {
        add("--shading", shading.to_string(), RenderSettings { shading, ..settings });
    }
    let is_lit = matches!(settings.shading, ShadingMode::Lambert | ShadingMode::Lit);
    if is_lit && settings.ambient != Some(0.0) {
        add("--ambient", "0".to_owned(), RenderSettings { ambient: Some(0.0), ..settings });
    }
    if settings.shadows.are_cast() {
        add("--shadows", "none".to_owned(), RenderSettings { shadows: ShadowSettings::default(), ..settings });
    }
    for &samples in SampleCount::WORDS.iter().filter(|word| **word != settings.samples) {
        add("--samples", samples.to_string(), RenderSettings { samples, ..settings });
    }
    changes
}

/// Whether a picture in this mode tells one scene from another. Many materials have one number of metal and none of light, so
/// that a picture of nothing at all would be right with some of these.
fn tells(shading: ShadingMode) -> bool {
    match shading {
        ShadingMode::Metallic | ShadingMode::Roughness | ShadingMode::Occlusion | ShadingMode::Emissive => false,
        ShadingMode::Tangents | ShadingMode::Bitangents | ShadingMode::Splits => false,
        ShadingMode::Lambert
        | ShadingMode::Lit
        | ShadingMode::Unlit
        | ShadingMode::Normals
        | ShadingMode::ShadingNormals
        | ShadingMode::BaseColor
        | ShadingMode::Uv
        | ShadingMode::Depth
        | ShadingMode::Joints
        | ShadingMode::Wireframe => true,
    }
}

/// The colour of most of a picture's corners, if three of them agree.
fn background(picture: &Picture) -> Option<[u8; 3]> {
    let (width, height) = picture.size();
    let bytes = picture.samples8();
    let pixels = bytes.as_chunks::<4>().0;
    let corner = |x: u32, y: u32| {
        let [red, green, blue, _] = *pixels.get(y as usize * width as usize + x as usize)?;
        Some([red, green, blue])
    };
    let (right, bottom) = (width.checked_sub(1)?, height.checked_sub(1)?);
    let corners = [(0, 0), (right, 0), (0, bottom), (right, bottom)].map(|(x, y)| corner(x, y));
    let [first, second, ..] = corners;
    let agree = |color: &Option<[u8; 3]>| corners.iter().filter(|other| *other == color).count() >= 3;
    [first, second].into_iter().find(agree).flatten()
}

/// The picture with its rows or columns the other way round, and what was done to it.
pub(super) fn turned(picture: &Picture) -> impl Iterator<Item = (&'static str, Picture)> {
    let (width, height) = picture.size();
    let bytes = picture.samples8();
    let pixels = bytes.as_chunks::<4>().0;
    let from = move |place: fn(usize, usize, usize, usize) -> usize| {
        let (columns, rows) = (width as usize, height as usize);
        let places = (0..rows).flat_map(move |y| (0..columns).map(move |x| place(x, y, columns, rows)));
        let bytes: Vec<u8> = places.filter_map(|place| pixels.get(place)).flatten().copied().collect();
        Picture::from_rgba8(width, height, bytes).ok()
    };
    let upside_down = from(|x, y, columns, rows| (rows - 1 - y) * columns + x);
    let mirrored = from(|x, y, columns, _| y * columns + (columns - 1 - x));
    [
        ("the picture turned upside down: its rows run from the bottom, as glReadPixels gives them", upside_down),
        ("the picture mirrored: its columns run from the right", mirrored),
    ]
    .into_iter()
    .filter_map(|(what, picture)| Some((what, picture?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, reds: &[u8]) -> Picture {
        let bytes: Vec<u8> = reds.iter().flat_map(|&red| [red, 0, 0, 255]).collect();
        Picture::from_rgba8(width, height, bytes).expect("the size fits")
    }

    #[test]
    fn a_picture_is_turned_by_rows_and_by_columns() {
        let turned: Vec<Picture> = turned(&picture(2, 3, &[1, 2, 3, 4, 5, 6])).map(|(_, picture)| picture).collect();
        assert_eq!(turned, [picture(2, 3, &[5, 6, 3, 4, 1, 2]), picture(2, 3, &[2, 1, 4, 3, 6, 5])]);
    }

    #[test]
    fn a_background_is_what_three_corners_show() {
        assert_eq!(background(&picture(2, 2, &[7, 7, 7, 1])), Some([7, 0, 0]));
        assert_eq!(background(&picture(2, 2, &[1, 7, 7, 7])), Some([7, 0, 0]));
        assert_eq!(background(&picture(2, 2, &[7, 7, 1, 1])), None);
    }
}
