//! Delay against requests, drawn.

use super::world::Score;
use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 52.0;

/// A line for each policy, on logarithmic scales.
pub fn draw(lines: &[(&str, &str, Vec<Score>)]) -> String {
    let (requests, delays) = ([4.0, 128.0], [2.0, 256.0]);
    let place = |value: f64, range: [f64; 2]| (value / range[0]).ln() / (range[1] / range[0]).ln();
    let x = |value: f64| LEFT + place(value, requests) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - place(value, delays) * (HEIGHT - TOP - BOTTOM);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"13\" role=\"img\" aria-label=\"Mean delay of posts against requests a page and day\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
    );
    let mut put = |text: String| writeln!(out, "{text}").expect("memory takes every line");
    for tick in [4.0, 8.0, 16.0, 32.0, 64.0, 128.0] {
        let at = x(tick);
        put(format!("<path d=\"M{at:.1} {TOP}V{:.1}\" stroke=\"#ddd\"/>", HEIGHT - BOTTOM));
        put(format!("<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tick}</text>", HEIGHT - BOTTOM + 18.0));
    }
    for tick in [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0] {
        let at = y(tick);
        put(format!("<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"#ddd\"/>", WIDTH - RIGHT));
        put(format!("<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>", LEFT - 8.0, at + 4.0));
    }
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    put(format!(
        "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">requests a page and day</text>",
        HEIGHT - 12.0
    ));
    put(format!(
        "<text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">mean delay, minutes</text>",
        HEIGHT / 2.0
    ));
    for (name, colour, scores) in lines {
        let points: Vec<String> = scores.iter().map(|s| format!("{:.1},{:.1}", x(s.requests), y(s.mean))).collect();
        put(format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        ));
        for s in scores {
            put(format!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>", x(s.requests), y(s.mean)));
        }
        // Names stand above the beginnings of the lines, which lie apart; the lowest one's below.
        let (point, below) = (scores.first(), scores.get(1).filter(|_| *name == "clairvoyant"));
        if let Some(s) = below.or(point) {
            let (right, down, anchor) = if below.is_some() { (-4.0, 18.0, "end") } else { (6.0, -6.0, "start") };
            let (at, down) = (x(s.requests) + right, y(s.mean) + down);
            put(format!(
                "<text x=\"{at:.1}\" y=\"{down:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{name}</text>"
            ));
        }
    }
    out + "</svg>\n"
}
