//! Nothing → `favicon.ico`: the sign for a feed, in white on a rounded blue square.
//!
//! Drawn rather than stored, so that it can be read here. One image of 32 × 32 pixels of 32 bits, as a bitmap without
//! a file header, rows from the bottom up, then the mask that such icons must carry (Windows ICO format).

/// Pixels on a side.
const SIDE: usize = 32;
/// Samples across a pixel, to smooth edges.
const FINE: i32 = 4;
/// Blue, green, red: the order of a bitmap.
const BLUE: [i32; 3] = [0xb4, 0x5c, 0x1f];
const WHITE: [i32; 3] = [0xff, 0xff, 0xff];

/// The icon's bytes.
pub(super) fn draw() -> Vec<u8> {
    let mut pixels = Vec::with_capacity(SIDE * SIDE * 4);
    for y in (0..SIDE).rev() {
        for x in 0..SIDE {
            pixels.extend(pixel(x, y));
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

/// One pixel: the mean of its samples in blue, green, red, and how much of it is covered.
fn pixel(x: usize, y: usize) -> [u8; 4] {
    let mut sum = [0i32; 3];
    let mut covered = 0;
    for sample in 0..FINE * FINE {
        let at = (whole(x) * FINE + sample % FINE, whole(y) * FINE + sample / FINE);
        if let Some(colour) = colour(at) {
            covered += 1;
            (0..3).for_each(|i| sum[i] += colour[i]);
        }
    }
    let byte = |v: i32| u8::try_from(v).unwrap_or(u8::MAX);
    let [blue, green, red] = sum.map(|v| byte(v / covered.max(1)));
    [blue, green, red, byte(covered * 255 / (FINE * FINE))]
}

/// The colour of a sample, in quarters of a pixel from the top left; none outside the rounded square.
fn colour((x, y): (i32, i32)) -> Option<[i32; 3]> {
    const CORNER: i32 = 7 * FINE;
    let last = whole(SIDE) * FINE - 1;
    let inset = |v: i32| (CORNER - v).max(CORNER - (last - v)).max(0);
    let (cx, cy) = (inset(x), inset(y));
    if cx * cx + cy * cy > CORNER * CORNER {
        return None;
    }
    // The dot and two quarter circles around it, all centred on its middle.
    let (dx, dy) = (x - 9 * FINE, 23 * FINE - y);
    let far = dx * dx + dy * dy;
    let within = |from: i32, to: i32| far >= (from * FINE).pow(2) && far <= (to * FINE).pow(2);
    let quarter = dx >= -2 * FINE && dy >= -2 * FINE;
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
        let icon = draw();
        let size = u32::from_le_bytes([icon[14], icon[15], icon[16], icon[17]]);
        assert_eq!(icon.len(), 22 + size as usize);
        assert_eq!(size, 40 + 32 * 32 * 4 + 32 * 4, "header, pixels, mask");
    }

    #[test]
    fn corners_are_clear_and_the_dot_is_white() {
        assert_eq!(pixel(0, 0)[3], 0);
        assert_eq!(pixel(9, 23), [255, 255, 255, 255]);
        assert_eq!(pixel(28, 28), [0xb4, 0x5c, 0x1f, 255]);
    }
}
