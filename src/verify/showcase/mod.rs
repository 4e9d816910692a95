//! Small scenes in which every known mistake shows.
//!
//! Why it exists: a fault that changes no pixel of any scene can not be caught by any check. Characters from real files
//! have few of the things that backends get wrong (two skins on one mesh, odd mip levels, spot lights, triangles through
//! the near plane), so each of them is here, in a scene of a few hundred vertices.

mod build;
mod limb;
mod shadows;
mod shapes;
mod surfaces;
mod view;

use refrast_scene::Scene;
use refrast_stage::{Camera, RenderSettings};

use refrast_simulator::Moment;

/// A scene, and how it is looked at.
#[derive(Clone, Debug)]
pub struct Showcase {
    /// The name in reports.
    pub name: &'static str,
    /// What is drawn.
    pub scene: Scene,
    /// When.
    pub moment: Moment,
    /// Where from.
    pub camera: Camera,
    /// How.
    pub settings: RenderSettings,
}

/// Those with shadows.
#[must_use]
pub fn shaded() -> Vec<Showcase> {
    shadows::showcases()
}

/// All of them.
#[must_use]
pub fn showcases() -> Vec<Showcase> {
    let mut all = limb::showcases();
    all.extend(surfaces::showcases());
    all.extend(view::showcases());
    all.extend(shaded());
    all
}
