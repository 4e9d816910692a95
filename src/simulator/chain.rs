//! [`Chains`]: the mip levels that a backend uploads, right or wrong.

use std::borrow::Cow;

use super::{
    faults::Faults,
    transfer::{Curve, Transfer},
    variation::OutputRounding,
};
use crate::Fault;
use refrast_scene::Scene;
use refrast_shading::{PreparedTexture, ShadingMode, TextureError, TextureSet};

/// R G B A bytes of a mip level, rows from the top.
#[derive(Clone)]
pub(super) struct Level {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) texels: Vec<[u8; 4]>,
}

/// The levels of each of the scene's textures that a material samples: as colours, and as plain numbers.
pub(super) struct Chains([Vec<Option<Vec<Level>>>; 2]);

const AVERAGING: [Fault; 3] = [Fault::MipChainInSrgb, Fault::MipChainDecimated, Fault::MipChainOddDropped];

impl Chains {
    /// The bytes that the reference's textures have.
    pub(super) fn new(scene: &Scene) -> Result<Self, TextureError> {
        // Which reads all maps of materials that are lit; of unlit ones, views show maps that no light falls on.
        let unlit = scene.materials.iter().any(|material| material.unlit);
        let views = [ShadingMode::Emissive, ShadingMode::ShadingNormals, ShadingMode::Occlusion];
        let modes = std::iter::once(ShadingMode::Lit).chain(views.into_iter().filter(|_| unlit));
        let sets = modes.map(|mode| TextureSet::new(scene, mode)).collect::<Result<Vec<_>, _>>()?;
        let levels = |texture: &PreparedTexture| -> Vec<Level> {
            let levels = (0..texture.level_count()).filter_map(|level| {
                let ([width, height], bytes) = (texture.level_size(level)?, texture.level_bytes(level)?);
                let (width, height) = (width as usize, height as usize);
                Some(Level { width, height, texels: bytes.as_chunks().0.to_vec() })
            });
            levels.collect()
        };
        let all = 0..scene.textures.len();
        let colors = all.clone().map(|index| sets.iter().find_map(|set| set.color(index)).map(levels)).collect();
        Ok(Self([colors, all.map(|index| sets.iter().find_map(|set| set.data(index)).map(levels)).collect()]))
    }

    /// The levels that a backend with these faults uploads of a texture of colours, or of plain numbers.
    pub(super) fn uploaded(&self, texture: usize, is_color: bool, faults: Faults) -> Option<Cow<'_, [Level]>> {
        let [colors, data] = &self.0;
        if !is_color {
            return data.get(texture)?.as_deref().map(Cow::Borrowed);
        }
        let levels = colors.get(texture)?.as_ref()?;
        let averaging = AVERAGING.into_iter().any(|fault| faults.has(fault));
        if !(averaging || faults.has(Fault::TextureFlipped) || faults.has(Fault::TextureChannelsSwapped)) {
            return Some(Cow::Borrowed(levels));
        }
        let mut levels = levels.clone();
        if averaging {
            for level in 1..levels.len() {
                levels[level] = levels[level - 1].halved(faults);
            }
        }
        for level in &mut levels {
            if faults.has(Fault::TextureFlipped) {
                level.texels = level.texels.chunks(level.width).rev().flatten().copied().collect();
            }
            if faults.has(Fault::TextureChannelsSwapped) {
                level.texels.iter_mut().for_each(|texel| texel.swap(0, 2));
            }
        }
        Some(Cow::Owned(levels))
    }
}

/// The texels of the larger level that one of the smaller level covers, with their shares.
fn taps(size: usize, index: usize, odd_dropped: bool) -> Vec<(usize, f32)> {
    let half = size / 2;
    match size {
        1 => vec![(0, 1.0)],
        _ if size.is_multiple_of(2) || odd_dropped => vec![(2 * index, 0.5), (2 * index + 1, 0.5)],
        _ => {
            let share = |part: usize| part as f32 / size as f32;
            vec![(2 * index, share(half - index)), (2 * index + 1, share(half)), (2 * index + 2, share(index + 1))]
        }
    }
}

impl Level {
    /// The next level with a mistake in it.
    fn halved(&self, faults: Faults) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        if faults.has(Fault::MipChainDecimated) {
            let row = |y: usize| (0..width).map(move |x| self.texels[2 * y * self.width + 2 * x]);
            return Self { width, height, texels: (0..height).flat_map(row).collect() };
        }
        let odd_dropped = faults.has(Fault::MipChainOddDropped);
        let curve = if faults.has(Fault::MipChainInSrgb) { Curve::Linear } else { Curve::Srgb };
        let color = Transfer::new(curve, OutputRounding::Nearest);
        let alpha = Transfer::new(Curve::Linear, OutputRounding::Nearest);
        let columns: Vec<_> = (0..width).map(|x| taps(self.width, x, odd_dropped)).collect();
        let mut texels = Vec::with_capacity(width * height);
        for y in 0..height {
            let rows = taps(self.height, y, odd_dropped);
            for columns in &columns {
                let mut sum = [0.0; 4];
                for (y, down) in &rows {
                    for (x, across) in columns {
                        let [red, green, blue, opacity] = self.texels[y * self.width + x].map(usize::from);
                        let texel = [color.decode[red], color.decode[green], color.decode[blue], alpha.decode[opacity]];
                        sum.iter_mut().zip(texel).for_each(|(sum, channel)| *sum += across * down * channel);
                    }
                }
                let [red, green, blue, opacity] = sum;
                texels.push([color.encode(red), color.encode(green), color.encode(blue), alpha.encode(opacity)]);
            }
        }
        Self { width, height, texels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_without_the_mistake_is_nearly_the_references() {
        // From bytes instead of unrounded levels: at most a step away.
        let scene = Scene::mannequin().expect("the built-in character loads");
        let chains = Chains::new(&scene).expect("its textures are complete");
        let levels = chains.0[0].iter().flatten().next().expect("it has a texture");
        let again = levels[0].halved(Faults::default());
        assert_eq!((again.width, again.height), (levels[1].width, levels[1].height));
        for (a, b) in again.texels.as_flattened().iter().zip(levels[1].texels.as_flattened()) {
            assert!(a.abs_diff(*b) <= 1);
        }
    }
}
