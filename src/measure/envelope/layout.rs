//! The fixed part of an envelope file, as `FORMAT.md` describes it.
//!
//! Why it exists: reader and writer must agree on every offset, so each is written here once.

/// The first bytes of a file. Like PNG's they are damaged by transfers that change line ends or cut the eighth bit.
pub(super) const SIGNATURE: [u8; 8] = *b"\x89RFE\r\n\x1a\n";
/// The version that is written, and the only one that is read.
pub(super) const VERSION: u32 = 1;
/// Bytes before the shapes.
pub(super) const FIXED_BYTES: usize = 64;
/// Bytes of the profile's name.
pub(super) const PROFILE_BYTES: usize = 16;
/// The most shapes.
pub(super) const MOST_SHAPES: usize = 252;
/// Code of the background's box.
pub(super) const BACKGROUND: u8 = 252;
/// Code of a pixel without a first box.
pub(super) const NONE: u8 = 253;
/// Code of a box that is written out.
pub(super) const ESCAPE: u8 = 255;
/// Deflate's best possible ratio: a match of 258 bytes in 2 bits (RFC 1951).
pub(super) const DEFLATE_LARGEST_RATIO: u64 = 1032;
/// Most bytes that a pixel takes in a band: two, and nine boxes of ten each.
pub(super) const MOST_BYTES_OF_A_PIXEL: u64 = 92;

/// A box relative to the golden's pixel: low ends in the low half, red in the lowest byte.
pub(super) type Shape = u64;

const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// The golden's pixel in both halves.
#[inline(always)]
pub(super) fn twice(golden: [u8; 4]) -> u64 {
    u64::from(u32::from_le_bytes(golden)) * 0x1_0000_0001
}

/// Adds byte by byte, modulo 256.
#[inline(always)]
pub(super) fn add_bytes(one: u64, other: u64) -> u64 {
    ((one & LOW_BITS) + (other & LOW_BITS)) ^ ((one ^ other) & !LOW_BITS)
}

/// Subtracts byte by byte, modulo 256.
#[inline(always)]
pub(super) fn subtract_bytes(one: u64, other: u64) -> u64 {
    ((one | !LOW_BITS) - (other & LOW_BITS)) ^ ((one ^ !other) & !LOW_BITS)
}

/// The ends of a box as one number.
#[inline(always)]
pub(super) fn ends(low: [u8; 4], high: [u8; 4]) -> u64 {
    u64::from(u32::from_le_bytes(low)) | u64::from(u32::from_le_bytes(high)) << 32
}

/// And back.
#[inline(always)]
pub(super) fn low_high(ends: u64) -> ([u8; 4], [u8; 4]) {
    ((ends as u32).to_le_bytes(), ((ends >> 32) as u32).to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_added_and_subtracted_without_carries() {
        let (one, other) = ([0, 255, 128, 127, 1, 200, 3, 255], [0, 1, 128, 1, 255, 100, 4, 255]);
        let expected: [u8; 8] = [0, 0, 0, 128, 0, 44, 7, 254];
        let sum = add_bytes(u64::from_le_bytes(one), u64::from_le_bytes(other));
        assert_eq!(sum.to_le_bytes(), expected);
        assert_eq!(subtract_bytes(sum, u64::from_le_bytes(other)).to_le_bytes(), one);
    }
}
