//! Where right renderers draw a file differently, and where others go wrong.
//!
//! Why it exists: whoever compares two pictures of one file wants to know beforehand what in it can not be compared, and
//! what is known to break elsewhere. A validator says whether a file keeps the rules; this says what comes of it. The file
//! has been read and checked by the scene room, which hands over what it noticed as remarks; here is added what a
//! [`Scene`] shows, and what each renderer is known to do.

mod finding;
mod lights;
mod motion;
mod renderers;
mod report;
mod rule;
mod skins;
mod surfaces;

#[cfg(test)]
mod testing;

pub use finding::{Finding, Place};
pub use renderers::Behaviour;
pub use report::Lint;
pub use rule::{Rule, Standing};

use finding::Findings;
use refrast_scene::Scene;

/// Everything that is known of a scene.
///
/// ```
/// let scene = refrast_scene::Scene::mannequin()?;
/// let lint = refrast_lint::lint(&scene);
/// assert!(lint.findings.iter().all(|finding| !finding.places.is_empty()));
/// # Ok::<(), refrast_scene::SceneError>(())
/// ```
#[must_use]
pub fn lint(scene: &Scene) -> Lint {
    let mut findings = Findings::default();
    for remark in &scene.source.remarks {
        findings.add(remark.kind.into(), &remark.place, remark.detail.clone());
    }
    skins::look(scene, &mut findings);
    motion::look(scene, &mut findings);
    surfaces::look(scene, &mut findings);
    lights::look(scene, &mut findings);
    Lint { file: scene.source.file.clone(), findings: findings.sorted() }
}
