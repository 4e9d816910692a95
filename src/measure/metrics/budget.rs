//! [`check_memory`]: what comparing two files takes, before it takes it.
//!
//! Why it exists: a few kilobytes of PNG hold a gigabyte of pixels. Metrics of channels look at a strip at a time, whatever the
//! size; metrics of neighbourhoods hold both pictures and what they make of them. Those are counted, and refused above what is
//! allowed.

use super::{super::png::PictureHeader, MeasureError, MeasureOptions, Metric, strips::are_enough};

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
pub fn check_memory(
    metric: Metric,
    golden: PictureHeader,
    candidate: PictureHeader,
    options: &MeasureOptions,
) -> Result<(), MeasureError> {
    if are_enough(metric, (golden.bits, candidate.bits), options) {
        return Ok(());
    }
    let needed = golden.pixels().max(candidate.pixels()).saturating_mul(bytes_per_pixel(metric));
    let allowed = options.memory;
    if needed <= allowed { Ok(()) } else { Err(MeasureError::Memory { metric, needed, allowed }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_of_neighbourhoods_are_counted() {
        let file = |bits| PictureHeader { size: (1000, 1000), bits };
        let check = |metric, memory| {
            let options = MeasureOptions { memory, ..MeasureOptions::new(metric) };
            check_memory(metric, file(16), file(8), &options).map_err(|error| error.to_string())
        };
        assert_eq!(check(Metric::Exact, 0), Ok(()), "a few rows at a time");
        assert_eq!(check(Metric::Flip, 50_000_000), Ok(()));
        let expected = "comparing by flip takes some 48 MiB, and 47 are allowed: allow more with --memory, or cut the pictures; \
                        exact, threshold and psnr look at a few rows at a time";
        assert_eq!(check(Metric::Flip, 49_999_999), Err(expected.to_owned()));
    }

    #[test]
    fn headers_are_read_without_the_rest() {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x05\0\0\x01\0\x10".to_vec();
        let header = PictureHeader { size: (5, 256), bits: 16 };
        assert_eq!(PictureHeader::of(&bytes), Some(header));
        assert_eq!((header.pixels(), header.bytes()), (1280, 10_240));
        bytes[24] = 4;
        assert_eq!(PictureHeader::of(&bytes).map(|header| header.bits), Some(8));
        assert_eq!(PictureHeader::of(&bytes[..24]), None);
        bytes[1] = b'J';
        assert_eq!(PictureHeader::of(&bytes), None);
    }
}
