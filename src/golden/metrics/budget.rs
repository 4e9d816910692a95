//! [`check_memory`]: what comparing two files takes, before it takes it.
//!
//! Why it exists: a few kilobytes of PNG hold a gigabyte of pixels. Metrics of channels look at a strip at a time, whatever the
//! size; metrics of neighbourhoods hold both pictures and what they make of them, and interlaced files must be unpacked as a
//! whole, because their first row is complete with the last byte. Those are counted, and refused above what is allowed.

use super::{super::png::PictureHeader, MeasureError, MeasureOptions, Metric, strips::are_enough};

/// What holds for strips of all sizes: 4 MiB of each picture, and what a decoder keeps.
const STRIPS: u64 = 32 << 20;

/// Bytes a pixel of two whole pictures and of all that a metric makes of them. Measured on 4000 x 4000 pixels of 8 and of 16
/// bits: the most memory of the process by the number of pixels, rounded up.
fn bytes_per_pixel(metric: Metric) -> u64 {
    match metric {
        Metric::Flip => 50,
        Metric::Ssim | Metric::Fuzzy => 42,
        Metric::Yiq => 30,
        // Where strips are not enough: pictures of 8 and of 16 bits, and both in 16.
        Metric::Exact | Metric::Threshold | Metric::Psnr | Metric::Envelope => 24,
    }
}

/// Whether comparing two files stays within [`MeasureOptions::memory`].
///
/// # Errors
/// [`MeasureError::Memory`].
pub(in super::super) fn check_memory(
    metric: Metric,
    golden: PictureHeader,
    candidate: PictureHeader,
    options: &MeasureOptions,
) -> Result<(), MeasureError> {
    let interlaced =
        [golden, candidate].iter().filter(|header| header.interlaced).map(PictureHeader::bytes).sum::<u64>();
    let (needed, reason, remedy) = if !are_enough(metric, (golden.bits, candidate.bits), options) {
        let pixels = golden.pixels().max(candidate.pixels());
        let needed = pixels.saturating_mul(bytes_per_pixel(metric)).saturating_add(interlaced);
        (needed, "", "or cut the pictures; exact, threshold and psnr look at a few rows at a time")
    } else if interlaced > 0 {
        (
            STRIPS.saturating_add(interlaced),
            ", as interlaced files are unpacked as a whole",
            "or save them without interlacing",
        )
    } else {
        return Ok(());
    };
    let allowed = options.memory;
    if needed <= allowed { Ok(()) } else { Err(MeasureError::Memory { metric, needed, allowed, reason, remedy }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interlaced_files_count_as_a_whole() {
        let file = |bits, interlaced| PictureHeader { size: (1000, 1000), bits, interlaced };
        let mut options = MeasureOptions { memory: 36 << 20, ..MeasureOptions::new(Metric::Exact) };
        let check = |golden, candidate, options: &MeasureOptions| {
            check_memory(Metric::Exact, golden, candidate, options).map_err(|error| error.to_string())
        };
        // 4 and 8 million bytes, and what strips take.
        assert_eq!(check(file(16, false), file(8, false), &options), Ok(()));
        assert_eq!(check(file(8, true), file(8, false), &options), Ok(()));
        let message = check(file(16, false), file(16, true), &options).unwrap_err();
        let expected = "comparing by exact takes some 40 MiB, as interlaced files are unpacked as a whole, and 36 are allowed: \
                        allow more with --memory, or save them without interlacing";
        assert_eq!(message, expected);
        options.memory = 40 << 20;
        assert_eq!(check(file(16, false), file(16, true), &options), Ok(()));
    }

    #[test]
    fn headers_are_read_without_the_rest() {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x05\0\0\x01\0\x10\x06\0\0\x01".to_vec();
        let header = PictureHeader { size: (5, 256), bits: 16, interlaced: true };
        assert_eq!(PictureHeader::of(&bytes), Some(header));
        assert_eq!((header.pixels(), header.bytes()), (1280, 10_240));
        bytes[24] = 4;
        assert_eq!(PictureHeader::of(&bytes).map(|header| header.bits), Some(8));
        assert_eq!(PictureHeader::of(&bytes[..28]), None);
        bytes[1] = b'J';
        assert_eq!(PictureHeader::of(&bytes), None);
    }
}
