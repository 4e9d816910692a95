//! [`Screen`]: what lies where in the window.

use egui::Rect;

use refrast_canvas::{Canvas, PicturePlace, PixelRect};

/// How near to the dividing line a drag takes it, in points.
const LINE_REACH: f32 = 8.0;

/// The window's pixels, and the part of it that shows the picture.
pub(super) struct Screen {
    /// Width and height in pixels.
    pub(super) size: [u32; 2],
    /// The part between the panels, in points.
    pub(super) area: Rect,
    /// Where the picture stands in it.
    pub(super) place: PicturePlace,
    /// What was painted last, and which parts of it.
    pub(super) canvas: Canvas,
    pub(super) painted: Vec<PixelRect>,
    /// The picture's area as it was then.
    pub(super) laid_out: PixelRect,
    /// What was painted there of the picture; `None` where it has to be painted anew.
    pub(super) shown: Option<ShownPicture>,
    /// Whether the dividing line is being dragged.
    pub(super) splitting: bool,
}

/// A picture as the stage has made it, pixel for pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShownPicture {
    /// How many pictures the stage had made.
    pub(super) number: u64,
    /// Where it was painted.
    pub(super) area: PixelRect,
}

impl Default for Screen {
    fn default() -> Self {
        let (place, canvas) = (PicturePlace::default(), Canvas::default());
        Self {
            size: [0, 0],
            area: Rect::ZERO,
            place,
            canvas,
            painted: Vec::new(),
            laid_out: PixelRect::default(),
            shown: None,
            splitting: false,
        }
    }
}

impl Screen {
    /// The whole picture in points, also what of it lies outside of the area.
    pub(super) fn picture(&self, scale: f32) -> Rect {
        let PicturePlace { origin: [x, y], size: [width, height], factor, .. } = self.place;
        if self.place == PicturePlace::whole(self.place.area) {
            return self.area;
        }
        let size = egui::vec2(width as f32 * factor, height as f32 * factor);
        Rect::from_min_size(egui::pos2(x, y) / scale, size / scale)
    }

    /// Whether a drag that starts here takes the dividing line, which stands at `split` of the area's width.
    pub(super) fn is_on_line(&self, start: Option<egui::Pos2>, split: f32) -> bool {
        let line = self.area.left() + split * self.area.width();
        start.is_some_and(|start| (start.x - line).abs() < LINE_REACH)
    }

    /// The column of the picture in which the dividing line stands.
    pub(super) fn line(&self, split: f32) -> f32 {
        let split = self.place.area.left as f32 + split * self.place.area.width as f32;
        self.place.in_picture([split, 0.0])[0]
    }
}
