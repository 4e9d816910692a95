//! The envelope view: what each pixel of a candidate is, in five colours.
//!
//! Why it exists: how large an error is says little about what went wrong. Where surfaces are missing, where there are too
//! many and where their colour is wrong says nearly all.

use super::difference::{dim, hatch};
use crate::{
    Picture, PictureError, Rectangle,
    envelope::{EnvelopeVerdict, PixelClass},
};
use refrast_threads::each_piece;

/// Red, green and blue of a class; the page's legend has the same. They differ in brightness too.
const fn color(class: PixelClass) -> [u8; 3] {
    match class {
        PixelClass::Right => [46, 139, 87],
        PixelClass::Outside => [235, 50, 50],
        PixelClass::Missing => [70, 130, 255],
        PixelClass::Unexpected => [255, 200, 40],
        PixelClass::Undecided => [200, 110, 235],
    }
}

/// The classes of a verdict in the golden's size: right pixels are the golden in dim green, all others have the colour of
/// their class, and ignored ones are hatched in blue.
///
/// # Errors
/// [`PictureError::Shape`]; none is known.
pub fn class_picture(
    golden: &Picture,
    verdict: &EnvelopeVerdict,
    ignored: &[Rectangle],
) -> Result<Picture, PictureError> {
    let (width, height) = golden.size();
    let samples = golden.samples8();
    let pixels = samples.as_chunks::<4>().0;
    let mut shown = vec![[0; 4]; pixels.len()];
    each_piece(&mut shown, width as usize, |y, shown| {
        let classes = verdict.classes.get(y).and_then(Option::as_deref);
        for (x, (shown, &golden)) in shown.iter_mut().zip(&pixels[y * width as usize..]).enumerate() {
            let class = classes.and_then(|classes| classes.get(x)).copied().unwrap_or_default();
            let [red, green, blue] = match class {
                PixelClass::Right => {
                    let grey = dim(golden);
                    [grey / 2 + 8, grey + 48, grey / 2 + 26]
                }
                wrong => color(wrong),
            };
            *shown = [red, green, blue, u8::MAX];
        }
    });
    let mut bytes = shown.into_flattened();
    hatch(golden, &mut bytes, ignored);
    Picture::from_rgba8(width, height, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_its_colour_and_ignored_pixels_are_hatched() {
        let golden = Picture::from_rgba8(6, 2, vec![255; 48]).unwrap();
        let classes = [PixelClass::ALL.to_vec(), vec![PixelClass::Right]].concat();
        let verdict = EnvelopeVerdict { classes: vec![Some(classes.into()), None], ..EnvelopeVerdict::default() };
        let ignored = [Rectangle { x: 5, y: 0, width: 1, height: 1 }];
        let picture = class_picture(&golden, &verdict, &ignored).unwrap();
        assert_eq!(picture.pixel(0, 0), picture.pixel(0, 1), "right in a row that has others and in one that has none");
        for (x, class) in (0..).zip(PixelClass::ALL).skip(1) {
            let [red, green, blue] = color(class).map(u16::from);
            assert_eq!(picture.pixel(x, 0), Some([red, green, blue, 255]));
        }
        let [red, green, blue, _] = picture.pixel(5, 0).unwrap();
        assert!(blue > green && green > red);
    }
}
