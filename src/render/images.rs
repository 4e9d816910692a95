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

    /// The textures, where they are this scene's and made for what these settings show.
    pub(super) fn textures_for(&self, scene: &Scene, settings: &RenderSettings) -> Option<Arc<TextureSet>> {
        let is_same = std::ptr::eq(self.scene, scene) && self.shading == settings.shading;
        is_same.then(|| Arc::clone(&self.textures))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Camera, Orbit, Renderer};
    use refrast_animation::Pose;

    #[test]
    fn images_are_shared_only_where_they_are_the_same() {
        let scenes = [(); 2].map(|()| Scene::mannequin().unwrap());
        let images = Images::new(&scenes[0], ShadingMode::Unlit).unwrap();
        let settings = |shading| RenderSettings { width: 48, height: 64, shading, ..RenderSettings::default() };
        for (scene, shading, is_shared) in [
            (&scenes[0], ShadingMode::Unlit, true),
            (&scenes[0], ShadingMode::Lit, false),
            (&scenes[1], ShadingMode::Unlit, false),
        ] {
            let settings = settings(shading);
            assert_eq!(images.textures_for(scene, &settings).is_some(), is_shared, "{shading}");
            let pose = Pose::rest(scene);
            let camera = Camera::orbit(&Bounds::of(scene, None).unwrap(), Orbit::default(), 0.75, settings.convention);
            let [own, shared] = [Renderer::new(scene, settings), Renderer::with_images(scene, settings, &images)]
                .map(|renderer| renderer.unwrap().render(&pose, &camera).unwrap().rgba().to_vec());
            assert!(own == shared, "{shading}");
        }
    }
}
