//! The pixels of the window: everything that goes over each of them, or over each triangle, edge and vertex of a frame.
//!
//! Why a room of its own: a window is mostly panels, which are laid out once a picture and need no optimisation. What is here is
//! done for millions of pixels sixty times a second, and is compiled so.
//!
//! ```text
//! a frame's triangles ─► Surface, hits ─► numbers in colours, lines (Pen), a second picture (beside) ─┐
//!                                                                                                    ├─► Canvas ─► Patches ─► the window
//! egui's triangles ───────────────────────────────────────────────────────────► InterfacePainter ────┘
//! ```

pub mod beside;
mod canvas;
mod cells;
mod colors;
mod interface;
mod magnify;
mod patch;
mod pen;
mod pick;
mod surface;

pub use canvas::{Canvas, PixelRect, Shown};
pub use cells::{Cells, Row};
pub use colors::{ColorBar, Spread, color_at, largest};
pub use interface::InterfacePainter;
pub use magnify::{Magnified, PicturePlace};
pub use patch::{Patch, Patches};
pub use pen::{Ink, Pen};
pub use pick::{Corners, Hit, hits, place_of};
pub use surface::Surface;
