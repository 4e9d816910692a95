//! [`Presenter`]: whole frames, under X.
//!
//! Why it exists: Xlib sends a picture in pieces of a quarter of a megabyte, and the server shows each as it comes: a window of usual
//! size is seen half in one frame and half in the next. Here the pieces go to a pixmap, and the window gets all of it at once.

use std::error::Error;

use minifb::{HasWindowHandle, Window};
use raw_window_handle::RawWindowHandle;
use x11rb::{
    connection::{Connection, RequestConnection},
    protocol::xproto::{ConnectionExt as _, CreateGCAux, Gcontext, ImageFormat, ImageOrder, Pixmap},
    rust_connection::RustConnection,
};

use super::canvas::Canvas;

/// Bytes of a request beside the pixels that it carries.
const OVERHEAD: usize = 64;

/// Shows canvases in a window.
pub(super) struct Presenter {
    connection: RustConnection,
    window: u32,
    depth: u8,
    context: Gcontext,
    /// Where frames are put together, and how large it is.
    pixmap: Option<(Pixmap, [u16; 2])>,
}

impl Presenter {
    /// A presenter for a window whose pixels are as a canvas has them: 32 bits, blue first; `None` where they are not.
    pub(super) fn new(window: &Window) -> Option<Self> {
        let RawWindowHandle::Xlib(handle) = window.window_handle().ok()?.as_raw() else { return None };
        Self::connect(u32::try_from(handle.window).ok()?).ok().flatten()
    }

    fn connect(window: u32) -> Result<Option<Self>, Box<dyn Error>> {
        let (connection, _) = RustConnection::connect(None)?;
        let depth = connection.get_geometry(window)?.reply()?.depth;
        let formats = &connection.setup().pixmap_formats;
        let wide = formats.iter().any(|format| format.depth == depth && format.bits_per_pixel == 32);
        if !wide || connection.setup().image_byte_order != ImageOrder::LSB_FIRST || cfg!(target_endian = "big") {
            return Ok(None);
        }
        let context = connection.generate_id()?;
        // Nothing hides a pixmap, so that nobody has to be told of exposed parts.
        let own = CreateGCAux::new().graphics_exposures(0);
        connection.create_gc(context, window, &own)?.check()?;
        Ok(Some(Self { connection, window, depth, context, pixmap: None }))
    }

    /// Shows a canvas.
    ///
    /// # Errors
    ///
    /// Where the server or the window is gone.
    pub(super) fn show(&mut self, canvas: &Canvas) -> Result<(), Box<dyn Error>> {
        let size = [u16::try_from(canvas.width())?, u16::try_from(canvas.height())?];
        let [width, height] = size;
        if size.contains(&0) {
            return Ok(());
        }
        let pixmap = self.pixmap(size)?;
        let bytes_a_row = 4 * canvas.width();
        let most = self.connection.maximum_request_bytes().saturating_sub(OVERHEAD);
        let rows = (most / bytes_a_row).max(1);
        let mut top = 0u16;
        for part in canvas.pixels().chunks(rows * canvas.width()) {
            let own = u16::try_from(part.len() / canvas.width())?;
            let at = i16::try_from(top)?;
            let (kind, data) = (ImageFormat::Z_PIXMAP, bytemuck::cast_slice(part));
            self.connection.put_image(kind, pixmap, self.context, width, own, 0, at, 0, self.depth, data)?;
            top += own;
        }
        self.connection.copy_area(pixmap, self.window, self.context, 0, 0, 0, 0, width, height)?.check()?;
        Ok(())
    }

    /// A pixmap of a size.
    fn pixmap(&mut self, size: [u16; 2]) -> Result<Pixmap, Box<dyn Error>> {
        if let Some((pixmap, own)) = self.pixmap {
            if own == size {
                return Ok(pixmap);
            }
            self.connection.free_pixmap(pixmap)?;
        }
        let pixmap = self.connection.generate_id()?;
        self.connection.create_pixmap(self.depth, pixmap, self.window, size[0], size[1])?.check()?;
        self.pixmap = Some((pixmap, size));
        Ok(pixmap)
    }
}
