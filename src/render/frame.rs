//! [`Frame`]: a finished picture.

/// A finished picture: the bytes that a backend's 8-bit sRGB target would hold, and the depth behind them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Rows from the top; R G B in sRGB, A linear, a byte each.
    pub rgba: Vec<u8>,
    /// Window depth of each pixel's nearest sample, 0 near to 1 far, rows from the top; 1 where nothing was drawn.
    pub depth: Vec<f32>,
}

impl Frame {
    /// The four bytes of a pixel; column and row from the top left.
    ///
    /// # Panics
    ///
    /// When the pixel lies outside the frame.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        let start = (y as usize * self.width as usize + x as usize) * 4;
        [self.rgba[start], self.rgba[start + 1], self.rgba[start + 2], self.rgba[start + 3]]
    }
}
