//! Frames as one file that plays: animated PNG, and GIF.

use std::borrow::Cow;

use refrast_golden::Picture;

/// An animated PNG that repeats for ever; programs that know none show its first frame.
pub(super) fn apng(frames: &[Picture], rate: f32) -> Result<Vec<u8>, String> {
    let first = frames.first().ok_or("there is no frame")?;
    let encode = || -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, first.width(), first.height());
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_animated(frames.len() as u32, 0)?;
        let (numerator, denominator) = delay(rate);
        encoder.set_frame_delay(numerator, denominator)?;
        let mut writer = encoder.write_header()?;
        for frame in frames {
            writer.write_image_data(&frame.samples8())?;
        }
        writer.finish()?;
        Ok(bytes)
    };
    encode().map_err(|error| error.to_string())
}

/// The time of a frame as a fraction of a second.
fn delay(rate: f32) -> (u16, u16) {
    let whole = rate.round();
    if (rate - whole).abs() < f32::EPSILON && (1.0..=f32::from(u16::MAX)).contains(&rate) {
        (1, whole as u16)
    } else {
        ((1_000.0 / rate).round().clamp(1.0, f32::from(u16::MAX)) as u16, 1_000)
    }
}

/// A GIF that repeats for ever. Each frame has a palette of its own.
pub(super) fn gif(frames: &[Picture], rate: f32) -> Result<Vec<u8>, String> {
    let first = frames.first().ok_or("there is no frame")?;
    let side = |side: u32| u16::try_from(side).map_err(|_| format!("a GIF has at most {} pixels a side", u16::MAX));
    let (width, height) = (side(first.width())?, side(first.height())?);
    let encode = || -> Result<Vec<u8>, gif::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = gif::Encoder::new(&mut bytes, width, height, &[])?;
        encoder.set_repeat(gif::Repeat::Infinite)?;
        for (index, frame) in frames.iter().enumerate() {
            let mut pixels = Cow::into_owned(frame.samples8());
            let mut frame = gif::Frame::from_rgba_speed(width, height, &mut pixels, QUANTIZER_SPEED);
            frame.delay = hundredths(index + 1, rate) - hundredths(index, rate);
            encoder.write_frame(&frame)?;
        }
        drop(encoder);
        Ok(bytes)
    };
    encode().map_err(|error| error.to_string())
}

/// 1 looks at every pixel, 30 at every thirtieth.
const QUANTIZER_SPEED: i32 = 10;

/// The time of a frame, rounded from the beginning so that no error adds up.
fn hundredths(index: usize, rate: f32) -> u16 {
    (index as f64 * 100.0 / f64::from(rate)).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames() -> Vec<Picture> {
        let one = |value: u8| Picture::from_rgba8(2, 2, [value, 0, 0, 255].repeat(4)).expect("four pixels");
        vec![one(0), one(200), one(100)]
    }

    #[test]
    fn an_animated_png_is_read_back_frame_by_frame() {
        let bytes = apng(&frames(), 25.0).expect("it can be encoded");
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a header");
        let control = reader.info().animation_control().copied().expect("an animation");
        assert_eq!((control.num_frames, control.num_plays), (3, 0));
        for red in [0, 200, 100] {
            let mut pixels = vec![0; reader.output_buffer_size().expect("a small frame")];
            reader.next_frame(&mut pixels).expect("a frame");
            assert_eq!(pixels[..4], [red, 0, 0, 255]);
            let frame = reader.info().frame_control().expect("a frame of an animation");
            assert_eq!((frame.delay_num, frame.delay_den), (1, 25));
        }
    }

    #[test]
    fn a_gif_is_read_back_frame_by_frame() {
        let bytes = gif(&frames(), 30.0).expect("it can be encoded");
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes.as_slice()).expect("a header");
        let mut read = Vec::new();
        while let Some(frame) = decoder.read_next_frame().expect("a frame") {
            read.push((frame.delay, frame.buffer[0]));
        }
        // A thirtieth of a second is 3.33 hundredths.
        assert_eq!(read, [(3, 0), (4, 200), (3, 100)]);
    }

    #[test]
    fn delays_are_fractions() {
        assert_eq!((delay(30.0), delay(23.976), delay(0.5)), ((1, 30), (42, 1_000), (2_000, 1_000)));
    }
}
