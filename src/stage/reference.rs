//! [`Reference`]: a renderer, as whoever bounds its pictures sees it.
//!
//! Why it exists: the sets of acceptable pixels are made from what decided a picture, and from the picture itself. Which kernels drew
//! it they need not know, and so are not compiled again when one of those changes.

use super::{Camera, FrameStage, RenderError};
use refrast_animation::Pose;
use refrast_shading::ShadowMaps;

/// Draws frames, and keeps all that decided the pixels of the last one.
pub trait Reference: Sync {
    /// Draws a frame in place of the last one.
    ///
    /// # Errors
    ///
    /// When the pose belongs to another scene or is not finite, the camera is for another convention or sees nothing, f32
    /// does not hold the vertices, or the settings are out of range.
    fn draw_frame(&mut self, pose: &Pose, camera: &Camera) -> Result<(), RenderError>;

    /// Its draws, and what they were made of.
    fn stage(&self) -> &FrameStage<'_>;

    /// Its shadow maps; `None` where it shows no shadows.
    fn shadow_maps(&self) -> Option<&ShadowMaps>;

    /// What it looks like.
    fn picture(&self) -> DrawnPicture<'_>;

    /// Does work on the threads that frames are drawn by.
    fn on_threads(&self, work: &mut (dyn FnMut() + Send));
}

/// The pixels of a frame.
#[derive(Clone, Copy, Debug)]
pub struct DrawnPicture<'a> {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// R, G, B and A of each pixel, a byte each, row by row from the top.
    pub rgba: &'a [u8],
}
