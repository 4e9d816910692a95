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

use refrast_canvas::{Patch, Patches, PixelRect};

/// Bytes of a request beside the pixels that it carries.
const OVERHEAD: usize = 64;

/// Shows patches in a window.
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

    /// Shows what is waiting, all of it at once; and what was shown before, where the window has `lost` it.
    ///
    /// # Errors
    ///
    /// Where the server or the window is gone.
    pub(super) fn show(&mut self, patches: &Patches, lost: bool) -> Result<(), Box<dyn Error>> {
        let [width, height] = patches.size();
        let size = [u16::try_from(width)?, u16::try_from(height)?];
        if size.contains(&0) {
            return Ok(());
        }
        let pixmap = self.pixmap(size)?;
        let most = self.connection.maximum_request_bytes().saturating_sub(OVERHEAD);
        for Patch { area, pixels } in patches.waiting() {
            let rows = (most / (4 * area.width)).max(1);
            let (left, own_width) = (i16::try_from(area.left)?, u16::try_from(area.width)?);
            let mut top = area.top;
            for part in pixels.chunks(rows * area.width) {
                let own = part.len() / area.width;
                let (at, own_height) = (i16::try_from(top)?, u16::try_from(own)?);
                let (kind, data) = (ImageFormat::Z_PIXMAP, bytemuck::cast_slice(part));
                let (context, depth) = (self.context, self.depth);
                self.connection.put_image(kind, pixmap, context, own_width, own_height, left, at, 0, depth, data)?;
                top += own;
            }
        }
        let whole = PixelRect { left: 0, top: 0, width, height };
        let areas = lost.then_some(whole).into_iter().chain(patches.waiting().iter().map(|patch| patch.area));
        let all = areas.reduce(|all, area| all.with(&area));
        let Some(PixelRect { left, top, width, height }) = all else { return Ok(()) };
        let (x, y) = (i16::try_from(left)?, i16::try_from(top)?);
        let (width, height) = (u16::try_from(width)?, u16::try_from(height)?);
        self.connection.copy_area(pixmap, self.window, self.context, x, y, x, y, width, height)?.check()?;
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
