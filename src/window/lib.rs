//! `refrast view`: a window in which skinning numerics can be seen.
//!
//! Why it exists: a report says that a vertex is wrong; a person has to find out why. Here the character is on one side
//! and every number that made a vertex on the other: its joints, weights and matrices, what f32 made of them, what exact
//! arithmetic does, and how far apart a correct backend may be.
//!
//! ```text
//! events ──► Viewer::update ──► State ──► Stage (our renderer: the picture) ──┐
//!                │                                                            ├─► Viewer::draw ──► pixels
//!                └────────────► egui (panels, overlays: triangles) ─ painter ─┘
//! ```
//!
//! Everything left of the pixels works without a display, and tests drive it so. [`run`] puts it into a window and is
//! thin. The panels are egui's, their triangles painted by our own rasteriser (`interface`): there is no GPU and no
//! other GUI backend.

mod advice;
mod area;
mod blend;
mod candidate;
#[cfg(all(unix, not(target_os = "macos")))]
mod clipboard;
mod clock;
mod command_line;
mod compose;
mod deform;
mod desktop;
mod devices;
mod diagnosis;
mod display;
#[cfg(all(unix, not(target_os = "macos")))]
mod dropped;
mod error;
mod findings;
mod heat;
mod inspection;
mod judging;
mod keys;
mod legend;
mod lines;
mod navigation;
mod notice;
mod opened;
mod overlays;
mod panels;
mod playback;
#[cfg(all(unix, not(target_os = "macos")))]
mod present;
mod projection;
mod recent;
mod registers;
mod saving;
mod screen;
mod sections;
mod stage;
mod state;
mod subject;
mod supervisor;
mod table;
mod tabulated;
mod through;
mod viewer;
mod waker;
#[cfg(not(all(unix, not(target_os = "macos"))))]
mod without_x;
#[cfg(all(unix, not(target_os = "macos")))]
mod x11;

pub use command_line::command_line;
pub use desktop::desktop_scale;
pub use diagnosis::{Diagnostician, Effect, Hypothesis, PictureAnswer, PictureQuestion, Told};
pub use display::run;
pub use error::WindowError;
pub use refrast_canvas::{Canvas, Magnified};
pub use registers::{Break, Breaks, ParseBreakError, ProgramView};
pub use state::{Comparison, Heat, HeatRange, Overlay, Overlays, Panel, State, ViewCamera};
pub use subject::VertexChoice;
pub use supervisor::{end_with_supervisor, is_supervised, supervise};
pub use table::{TableColumns, TableView};
pub use through::{LightMap, light_maps};
pub use viewer::{Input, Viewer};
