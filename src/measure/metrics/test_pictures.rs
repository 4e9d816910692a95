//! Pictures for the tests of the metrics, made from integers so that any language makes the same.
//!
//! The expected numbers in the tests come from other programs that were given these very pictures; the hashes below
//! (Python's xxhash over the pictures that were given to them) prove it.

use crate::Picture;

/// The golden and the candidate of a test.
pub(super) type Pair = (Picture, Picture);

/// Two discs with 16-sample edges over a gradient, shifted by 3/8 of a pixel, and a greener square.
pub(super) fn discs() -> Pair {
    let golden = disc_bytes(0);
    let mut candidate = disc_bytes(3);
    for y in 60..70 {
        for x in 10..20 {
            let green = &mut candidate[(y * 120 + x) * 4 + 1];
            *green = green.saturating_add(20);
        }
    }
    pair(120, 80, golden, candidate)
}

/// The discs with a pattern of alpha, of which the candidate's right half lacks 30.
pub(super) fn translucent() -> Pair {
    let (golden, candidate) = discs();
    let with_alpha = |picture: &Picture, missing: u8| {
        let mut bytes = picture.samples8().into_owned();
        for (index, pixel) in bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let (x, y) = (index % 120, index / 120);
            pixel[3] = 255 - ((x * 3 + y * 2) & 127) as u8 - if x >= 60 { missing } else { 0 };
        }
        bytes
    };
    pair(120, 80, with_alpha(&golden, 0), with_alpha(&candidate, 30))
}

/// Noise over gradients, and the same with every channel off by -3 to 4.
pub(super) fn texture() -> Pair {
    let bytes = |noisy: bool| {
        let mut bytes = Vec::new();
        for y in 0..61_u32 {
            for x in 0..97_u32 {
                let hash = (x.wrapping_mul(73_856_093) ^ y.wrapping_mul(19_349_663)).wrapping_mul(2_654_435_761);
                let color = [(hash >> 24) / 4 + x, x * 2 + ((hash >> 16) & 15), y * 4].map(|value| value as i32);
                let noise = if noisy { ((hash >> 8) & 7) as i32 - 3 } else { 0 };
                bytes.extend(color.map(|value| (value + noise).clamp(0, 255) as u8));
                bytes.push(255);
            }
        }
        bytes
    };
    pair(97, 61, bytes(false), bytes(true))
}

fn pair(width: u32, height: u32, golden: Vec<u8>, candidate: Vec<u8>) -> Pair {
    let picture = |bytes| Picture::from_rgba8(width, height, bytes).unwrap();
    (picture(golden), picture(candidate))
}

fn disc_bytes(shift: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for y in 0..80 {
        for x in 0..120 {
            let mut color = [40 + x, 60 + y, 90];
            for (center_x, center_y, radius, disc) in
                [(360 + shift, 320, 200, [200, 80, 50]), (680, 280 + shift, 144, [70, 160 - y, 220])]
            {
                let inside = |sample: i32| {
                    let right = 8 * x + 2 * (sample % 4) + 1 - center_x;
                    let down = 8 * y + 2 * (sample / 4) + 1 - center_y;
                    right * right + down * down < radius * radius
                };
                let covered = (0..16).filter(|&sample| inside(sample)).count() as i32;
                for (color, disc) in color.iter_mut().zip(disc) {
                    *color = (*color * (16 - covered) + disc * covered + 8) / 16;
                }
            }
            bytes.extend(color.map(|value| value as u8));
            bytes.push(255);
        }
    }
    bytes
}

#[test]
fn the_pictures_are_those_that_the_other_programs_saw() {
    let hashes = |(golden, candidate): Pair| [golden.content_hash(), candidate.content_hash()];
    assert_eq!(hashes(discs()), [0x81cd_ad9e_743d_5b8b, 0x15fc_f3eb_8ab5_db8e]);
    assert_eq!(hashes(texture()), [0xac55_cb3b_dad9_95f1, 0xde5d_a612_bce1_3af0]);
    assert_eq!(hashes(translucent()), [0xe72f_d390_9598_0a0e, 0x8edf_9003_a995_c7c0]);
}
