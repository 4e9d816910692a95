//! Textures on the device: the levels that the reference's page asks for, or levels with a mistake in them.

use refrast::{
    shading::{ColorSpace, PreparedTexture},
    verify::Fault,
};

use crate::{Faults, material::TextureKind};

/// A mip level: rows from the top.
pub(crate) struct Level {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) texels: Vec<[u8; 4]>,
}

/// A texture of a material.
pub(crate) fn texture(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    prepared: &PreparedTexture,
    kind: TextureKind,
    faults: &Faults,
) -> wgpu::TextureView {
    let mut levels: Vec<Level> = (0..prepared.level_count())
        .filter_map(|level| {
            let ([width, height], bytes) = (prepared.level_size(level)?, prepared.level_bytes(level)?);
            Some(Level { width, height, texels: bytes.as_chunks().0.to_vec() })
        })
        .collect();
    if faults.has_any(&[Fault::MipChainInSrgb, Fault::MipChainDecimated, Fault::MipChainOddDropped]) {
        for level in 1..levels.len() {
            levels[level] = levels[level - 1].halved(kind, faults);
        }
    }
    for level in &mut levels {
        level.spoil(kind, faults);
    }
    // Shaders that decode by themselves are given the bytes as they are.
    let linear = [Fault::BaseColorLinear, Fault::TextureGamma22, Fault::FilterBeforeDecode];
    let decodes = match kind {
        TextureKind::Color => !faults.has_any(&linear),
        TextureKind::Normals => faults.has(Fault::NormalMapSrgb),
        TextureKind::Numbers => false,
    };
    let format = if decodes { wgpu::TextureFormat::Rgba8UnormSrgb } else { wgpu::TextureFormat::Rgba8Unorm };
    upload(device, queue, &levels, format)
}

/// What is bound where a material has no texture: the shader does not look at it.
pub(crate) fn blank(device: &wgpu::Device, queue: &wgpu::Queue) -> wgpu::TextureView {
    let level = Level { width: 1, height: 1, texels: vec![[u8::MAX; 4]] };
    upload(device, queue, &[level], wgpu::TextureFormat::Rgba8Unorm)
}

impl Level {
    /// Mistakes in single texels and in their order.
    fn spoil(&mut self, kind: TextureKind, faults: &Faults) {
        if faults.has(Fault::TextureFlipped) {
            self.texels = self.texels.chunks(self.width as usize).rev().flatten().copied().collect();
        }
        if faults.has(Fault::TextureChannelsSwapped) {
            self.texels.iter_mut().for_each(|texel| texel.swap(0, 2));
        }
        if faults.has(Fault::TextureAlphaSrgb) && kind == TextureKind::Color {
            for [.., alpha] in &mut self.texels {
                let [decoded, ..] = ColorSpace::Srgb.decode([*alpha, 0, 0, 0]);
                *alpha = (255.0 * decoded).round_ties_even() as u8;
            }
        }
    }

    /// The next level with a mistake in its averages.
    fn halved(&self, kind: TextureKind, faults: &Faults) -> Self {
        let half = |side: u32| (side / 2).max(1);
        let (width, height) = (half(self.width), half(self.height));
        let as_stored = kind != TextureKind::Color || faults.has(Fault::MipChainInSrgb);
        let space = if as_stored { ColorSpace::Linear } else { ColorSpace::Srgb };
        let odd_dropped = faults.has(Fault::MipChainOddDropped);
        let texel = |x: u32, y: u32| {
            if faults.has(Fault::MipChainDecimated) {
                return self.at((2 * x).min(self.width - 1), (2 * y).min(self.height - 1));
            }
            let mut sum = [0.0; 4];
            for (row, down) in taps(self.height, y, odd_dropped) {
                for (column, across) in taps(self.width, x, odd_dropped) {
                    let decoded = space.decode(self.at(column, row));
                    sum.iter_mut().zip(decoded).for_each(|(sum, channel)| *sum += down * across * channel);
                }
            }
            space.encode(sum)
        };
        let texels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| texel(x, y)).collect();
        Self { width, height, texels }
    }

    fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.texels[y as usize * self.width as usize + x as usize]
    }
}

/// The texels along an axis that a texel of the next level covers, and their shares.
fn taps(size: u32, index: u32, odd_dropped: bool) -> Vec<(u32, f32)> {
    if size == 1 {
        return vec![(0, 1.0)];
    }
    if size.is_multiple_of(2) || odd_dropped {
        return vec![(2 * index, 0.5), (2 * index + 1, 0.5)];
    }
    let half = size / 2;
    [half - index, half, index + 1].into_iter().zip(2 * index..).map(|(n, at)| (at, n as f32 / size as f32)).collect()
}

/// Levels as they are.
pub(crate) fn upload(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    levels: &[Level],
    format: wgpu::TextureFormat,
) -> wgpu::TextureView {
    let extent = |level: &Level| wgpu::Extent3d { width: level.width, height: level.height, depth_or_array_layers: 1 };
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: levels.first().map_or(wgpu::Extent3d::default(), extent),
        mip_level_count: levels.len() as u32,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (mip_level, level) in (0..).zip(levels) {
        queue.write_texture(
            wgpu::TexelCopyTextureInfo { mip_level, ..texture.as_image_copy() },
            level.texels.as_flattened(),
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * level.width), rows_per_image: None },
            extent(level),
        );
    }
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}
