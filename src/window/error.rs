//! Why the window can not be shown.

use refrast_animation::PoseError;
use refrast_draw::RasterError;
use refrast_measure::PictureError;
use refrast_stage::RenderError;

/// The window can not be shown, or no longer.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// The picture can not be made.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The panels can not be painted.
    #[error(transparent)]
    Raster(#[from] RasterError),
    /// The vertex program can not be read or assembled, or can not draw the scene.
    #[error("{0}")]
    Program(String),
    /// There is no such pose.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// A backend's vertices or picture can not be used.
    #[error("{0}")]
    Candidate(String),
    /// There is no display to open a window on.
    #[error(
        "can not open a window: {0}; a display is needed (is DISPLAY set?). `--screenshot FILE` needs none, and \
         neither does `refrast render`"
    )]
    NoDisplay(String),
    /// The display went away.
    #[error("the display was lost: {0}; start again when there is one")]
    Lost(String),
    /// The thread that draws has panicked: a defect of this program.
    #[error(
        "the drawing ended by a defect of refrast: {0}; please report it with the command line and what \
         was done last"
    )]
    Defect(String),
    /// The process that has the window was ended by something else.
    #[error("the window was ended from outside: {0}")]
    Killed(String),
    /// A picture can not be written.
    #[error(transparent)]
    Screenshot(#[from] PictureError),
}
