//! Nothing → `favicon.ico` and `icon.png`: the sign for a feed, in white on a rounded blue square.
//!
//! Drawn rather than stored, so that it can be read here. The icon is one image of 32 × 32 pixels of 32 bits, as a
//! bitmap without a file header, rows from the bottom up, then the mask that such icons must carry (Windows ICO format).
//! The picture is the same drawing, four times as large (PNG, ISO/IEC 15948).

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::Write;

/// Pixels on a side of the icon; the drawing's unit.
const SIDE: usize = 32;
/// Pixels on a side of the picture: RSS allows 144.
pub(super) const LARGE: usize = 128;
/// Samples across a pixel, to smooth edges.
const FINE: usize = 4;
/// Samples across the drawing's unit.
const GRID: i32 = 16;
/// Blue, green, red: the order of a bitmap.
const BLUE: [i32; 3] = [0xb4, 0x5c, 0x1f];
const WHITE: [i32; 3] = [0xff, 0xff, 0xff];

/// The icon's bytes.
pub(super) fn ico() -> Vec<u8> {
    let mut pixels = Vec::with_capacity(SIDE * SIDE * 4);
    for y in (0..SIDE).rev() {
        for x in 0..SIDE {
            pixels.extend(pixel(x, y, SIDE));
        }
    }
    let mask = [0u8; SIDE * SIDE / 8];
    let size = (BITMAP_HEADER.len() + pixels.len() + mask.len()).to_le_bytes();
    let mut out = vec![0, 0, 1, 0, 1, 0, 32, 32, 0, 0, 1, 0, 32, 0];
    out.extend_from_slice(&size[..4]);
    out.extend_from_slice(&[22, 0, 0, 0]);
    out.extend_from_slice(&BITMAP_HEADER);
    out.extend_from_slice(&pixels);
    out.extend_from_slice(&mask);
    out
}

/// 40 bytes long, 32 wide, 64 high (picture and mask), one plane, 32 bits, not compressed.
const BITMAP_HEADER: [u8; 40] = {
    let mut header = [0; 40];
    (header[0], header[4], header[8], header[12], header[14]) = (40, 32, 64, 1, 32);
    header
};

/// The picture's bytes: eight bits each of red, green, blue and cover a pixel, rows unfiltered.
pub(super) fn png() -> Vec<u8> {
    let mut rows = Vec::with_capacity(LARGE * (LARGE * 4 + 1));
    for y in 0..LARGE {
        rows.push(0);
        for x in 0..LARGE {
            let [blue, green, red, cover] = pixel(x, y, LARGE);
            rows.extend([red, green, blue, cover]);
        }
    }
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&rows).expect("memory takes every byte");
    let side = u32::try_from(LARGE).expect("small").to_be_bytes();
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut out, *b"IHDR", &[&side[..], &side, &[8, 6, 0, 0, 0]].concat());
    chunk(&mut out, *b"IDAT", &packed.finish().expect("memory takes every byte"));
    chunk(&mut out, *b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    let mut sum = Crc::new();
    sum.update(&name);
    sum.update(data);
    out.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend(name);
    out.extend_from_slice(data);
    out.extend(sum.sum().to_be_bytes());
}

/// One pixel of so many on a side: the mean of its samples in blue, green, red, and how much of it is covered.
fn pixel(x: usize, y: usize, side: usize) -> [u8; 4] {
    let mut sum = [0i32; 3];
    let mut covered = 0;
    let place = |pixel: usize, sample: usize| whole(pixel * FINE + sample) * whole(SIDE) * GRID / whole(side * FINE);
    for sample in 0..FINE * FINE {
        if let Some(colour) = colour((place(x, sample % FINE), place(y, sample / FINE))) {
            covered += 1;
            (0..3).for_each(|i| sum[i] += colour[i]);
        }
    }
    let byte = |v: i32| u8::try_from(v).unwrap_or(u8::MAX);
    let [blue, green, red] = sum.map(|v| byte(v / covered.max(1)));
    [blue, green, red, byte(covered * 255 / whole(FINE * FINE))]
}

/// The colour of a sample, in parts of the drawing's unit from the top left; none outside the rounded square.
fn colour((x, y): (i32, i32)) -> Option<[i32; 3]> {
    const CORNER: i32 = 7 * GRID;
    let last = whole(SIDE) * GRID - 1;
    let inset = |v: i32| (CORNER - v).max(CORNER - (last - v)).max(0);
    let (cx, cy) = (inset(x), inset(y));
    if cx * cx + cy * cy > CORNER * CORNER {
        return None;
    }
    // The dot and two quarter circles around it, all centred on its middle.
    let (dx, dy) = (x - 9 * GRID, 23 * GRID - y);
    let far = dx * dx + dy * dy;
    let within = |from: i32, to: i32| far >= (from * GRID).pow(2) && far <= (to * GRID).pow(2);
    let quarter = dx >= -2 * GRID && dy >= -2 * GRID;
    let white = within(0, 3) || quarter && (within(7, 10) || within(14, 17));
    Some(if white { WHITE } else { BLUE })
}

fn whole(n: usize) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_describes_what_follows() {
        let icon = ico();
        let size = u32::from_le_bytes([icon[14], icon[15], icon[16], icon[17]]);
        assert_eq!(icon.len(), 22 + size as usize);
        assert_eq!(size, 40 + 32 * 32 * 4 + 32 * 4, "header, pixels, mask");
    }

    #[test]
    fn corners_are_clear_and_the_dot_is_white() {
        assert_eq!(pixel(0, 0, SIDE)[3], 0);
        assert_eq!(pixel(9, 23, SIDE), [255, 255, 255, 255]);
        assert_eq!(pixel(28, 28, SIDE), [0xb4, 0x5c, 0x1f, 255]);
    }

    #[test]
    fn the_picture_is_as_large_as_it_says() {
        let picture = png();
        assert_eq!(&picture[16..24], [0, 0, 0, 128, 0, 0, 0, 128]);
        assert!(picture.len() < 4_096, "{} bytes", picture.len());
    }
}
