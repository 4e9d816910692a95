//! [`PicturePlace`]: where the pixels of the picture stand in the window, and how a person moves them.
//!
//! Why it exists: a picture that the window asks for is as large as its area. A candidate is as large as its file, and
//! no camera may be moved to see it better: another camera would be another picture. So it is magnified like a
//! photograph, in whole window pixels where it is made larger.

use super::canvas::PixelRect;

/// The part of a candidate's picture that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Magnified {
    /// Window pixels a pixel of the picture.
    pub factor: f32,
    /// The place of the picture that is in the middle of its area, in pixels from its upper left corner.
    pub middle: [f32; 2],
}

impl Magnified {
    /// The least and the most window pixels that a pixel may have.
    pub const RANGE: [f32; 2] = [1.0 / 16.0, 64.0];
}

/// A step of the wheel.
const STEP: f32 = 1.25;
/// How far a wrong pixel is magnified at least when it is gone to.
const NEAR: f32 = 8.0;

/// Where the pixels of the picture stand in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PicturePlace {
    /// The part of the window that it may use.
    pub area: PixelRect,
    /// Columns and rows of the picture.
    pub size: [u32; 2],
    /// Where its upper left corner is, in window pixels; it may lie outside of the area.
    pub origin: [f32; 2],
    /// Window pixels a pixel of the picture.
    pub factor: f32,
}

impl PicturePlace {
    /// A picture that fills its area, pixel for pixel.
    #[must_use]
    pub fn whole(area: PixelRect) -> Self {
        let size = [area.width as u32, area.height as u32];
        Self { area, size, origin: [area.left as f32, area.top as f32], factor: 1.0 }
    }

    /// A picture of any size: all of it, as large as it goes, unless a part is asked for.
    #[must_use]
    pub fn of(area: PixelRect, size: [u32; 2], part: Option<Magnified>) -> Self {
        let [width, height] = size.map(|side| side.max(1) as f32);
        let fitting = (area.width as f32 / width).min(area.height as f32 / height);
        let whole = Magnified {
            // Pixels are all alike when each has a whole number of the window's.
            factor: if fitting >= 1.0 { fitting.floor() } else { fitting },
            middle: [0.5 * width, 0.5 * height],
        };
        let Magnified { factor, middle } = part.unwrap_or(whole);
        let origin =
            |start: usize, length: usize, middle: f32| (start as f32 + 0.5 * length as f32 - middle * factor).round();
        let origin = [origin(area.left, area.width, middle[0]), origin(area.top, area.height, middle[1])];
        Self { area, size, origin, factor }
    }

    /// The place in the picture, in its pixels, of a place in the window.
    #[must_use]
    pub fn in_picture(&self, at: [f32; 2]) -> [f32; 2] {
        [0, 1].map(|axis| (at[axis] - self.origin[axis]) / self.factor)
    }

    /// The pixel of the picture at a place in the window.
    #[must_use]
    pub fn pixel(&self, at: [f32; 2]) -> Option<[u32; 2]> {
        let [x, y] = self.in_picture(at);
        let inside = x >= 0.0 && y >= 0.0 && x < self.size[0] as f32 && y < self.size[1] as f32;
        inside.then_some([x as u32, y as u32])
    }

    /// The part that is shown.
    fn part(&self) -> Magnified {
        let middle = |start: usize, length: usize| start as f32 + 0.5 * length as f32;
        let PixelRect { left, top, width, height } = self.area;
        Magnified { factor: self.factor, middle: self.in_picture([middle(left, width), middle(top, height)]) }
    }

    /// What is shown after a drag by so many window pixels.
    #[must_use]
    pub fn dragged(&self, [x, y]: [f32; 2]) -> Magnified {
        let Magnified { factor, middle } = self.part();
        Magnified { factor, middle: [middle[0] - x / factor, middle[1] - y / factor] }
    }

    /// What is shown after steps of the wheel over a place in the window, which keeps what it shows.
    #[must_use]
    pub fn zoomed(&self, steps: f32, at: [f32; 2]) -> Magnified {
        let Magnified { factor, middle } = self.part();
        let [least, most] = Magnified::RANGE;
        let mut new = (factor * libm::powf(STEP, steps)).clamp(least, most);
        if new > 2.0 {
            new = if steps > 0.0 { new.ceil() } else { new.floor() };
        }
        let fixed = self.in_picture(at);
        let middle = [0, 1].map(|axis| fixed[axis] + (middle[axis] - fixed[axis]) * factor / new);
        Magnified { factor: new, middle }
    }

    /// What is shown when a pixel is gone to.
    #[must_use]
    pub fn at_pixel(&self, [x, y]: [u32; 2]) -> Magnified {
        Magnified { factor: self.factor.max(NEAR).round(), middle: [x as f32 + 0.5, y as f32 + 0.5] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: PixelRect = PixelRect { left: 250, top: 0, width: 400, height: 300 };

    #[test]
    fn a_picture_fits_and_enlarges_by_whole_numbers() {
        let small = PicturePlace::of(AREA, [160, 120], None);
        // 2.5 would fit.
        assert_eq!((small.factor, small.origin), (2.0, [290.0, 30.0]));
        assert_eq!(small.pixel([291.0, 33.0]), Some([0, 1]));
        assert_eq!((small.pixel([289.0, 33.0]), small.pixel([610.0, 33.0])), (None, None));
        let large = PicturePlace::of(AREA, [1600, 600], None);
        assert_eq!((large.factor, large.origin), (0.25, [250.0, 75.0]));
    }

    #[test]
    fn the_wheel_keeps_what_is_under_the_pointer_and_a_drag_moves_it() {
        let place = PicturePlace::of(AREA, [160, 120], None);
        let at = [330.0, 70.0];
        let near = PicturePlace::of(AREA, [160, 120], Some(place.zoomed(3.0, at)));
        assert_eq!(near.factor, 4.0);
        assert_eq!((place.pixel(at), near.pixel(at)), (Some([20, 20]), Some([20, 20])));
        let moved = PicturePlace::of(AREA, [160, 120], Some(near.dragged([40.0, -8.0])));
        assert_eq!(moved.pixel([370.0, 62.0]), Some([20, 20]));
        let gone = PicturePlace::of(AREA, [160, 120], Some(place.at_pixel([3, 119])));
        assert_eq!((gone.factor, gone.pixel([450.0, 150.0])), (8.0, Some([3, 119])));
    }
}
