//! [`Images`]: what the images of a scene were made into, for several renderers of it.
//!
//! Why it exists: mip chains in linear light take longer than a small picture does. Who draws a scene in fifty ways, as the
//! search for another set-up does, makes them once.

use std::sync::Arc;

use refrast_scene::Scene;
use refrast_shading::{ShadingMode, TextureSet};

use crate::{RenderError, RenderSettings};

/// The textures of a scene, prepared for a shading mode. A clone is the same.
#[derive(Clone)]
pub struct Images<'scene> {
    scene: &'scene Scene,
    shading: ShadingMode,
    textures: Arc<TextureSet>,
}

impl<'scene> Images<'scene> {
    /// Prepares the images that the mode reads.
    ///
    /// # Errors
    ///
    /// When the scene contradicts itself, or an image can not be used.
    pub fn new(scene: &'scene Scene, shading: ShadingMode) -> Result<Self, RenderError> {
        scene.validate()?;
        let textures = Arc::new(TextureSet::new(scene, shading)?);
        Ok(Self { scene, shading, textures })
    }

    /// The textures for what these settings show, of which those that are known are not made again; none of another scene.
    pub(super) fn textures_for(
        &self,
        scene: &Scene,
        settings: &RenderSettings,
    ) -> Result<Option<Arc<TextureSet>>, RenderError> {
        if !std::ptr::eq(self.scene, scene) {
            return Ok(None);
        }
        Ok(Some(match self.shading == settings.shading {
            true => Arc::clone(&self.textures),
            false => Arc::new(self.textures.of_mode(scene, settings.shading)?),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_shared_only_where_they_are_the_same() {
        let scenes = [(); 2].map(|()| Scene::mannequin().unwrap());
        let images = Images::new(&scenes[0], ShadingMode::Unlit).unwrap();
        let settings = |shading| RenderSettings { width: 48, height: 64, shading, ..RenderSettings::default() };
        let color = |textures: &TextureSet| textures.color(0).map(std::ptr::from_ref);
        assert!(color(&images.textures).is_some());
        for (scene, shading, is_shared) in [
            (&scenes[0], ShadingMode::Unlit, true),
            (&scenes[0], ShadingMode::Lit, true),
            (&scenes[1], ShadingMode::Unlit, false),
        ] {
            let settings = settings(shading);
            let textures = images.textures_for(scene, &settings).unwrap();
            assert_eq!(textures.is_some_and(|own| color(&own) == color(&images.textures)), is_shared, "{shading}");
        }
    }
}
