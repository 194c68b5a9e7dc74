//! A small writer of SVG: drawings that follow the page's colours and say in words what they show.

use std::fmt::Write as _;

use super::html::escaped;

/// Kinds of lines: colour is never the only cue.
const DASHES: [&str; 4] =
    ["", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 3\"", " stroke-dasharray=\"8 3 2 3\""];
/// Colours of the style sheet.
const COLOURS: usize = 8;
/// Kinds of markers.
const MARKERS: usize = 4;

/// The share from which on white ink reads better than black; about it both have a contrast of 4.5.
const DEEP: f64 = 0.68;

/// The colour of a share: from a pale to a deep blue.
fn shade(share: f64) -> [u8; 3] {
    let mix = |low: f64, high: f64| (low + (high - low) * share.clamp(0.0, 1.0)).round() as u8;
    [mix(237.0, 8.0), mix(242.0, 64.0), mix(247.0, 110.0)]
}

/// The class of the `index`th series.
fn series(index: usize) -> String {
    format!("s{}", index % COLOURS)
}

/// A drawing.
pub(super) struct Svg {
    width: f64,
    height: f64,
    body: String,
}

/// Where a text is fixed.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    pub(super) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let _ = writeln!(
            self.body,
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    }

    pub(super) fn bar(&mut self, index: usize, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let class = series(index);
        let _ = writeln!(
            self.body,
            "<rect class=\"{class} bar\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        );
    }

    /// A square whose shade is `share` of the way from pale to deep; says whether dark ink reads better on it.
    pub(super) fn shade(&mut self, share: f64, (x, y): (f64, f64), (width, height): (f64, f64)) -> bool {
        let [red, green, blue] = shade(share);
        let _ = writeln!(
            self.body,
            "<rect fill=\"rgb({red},{green},{blue})\" stroke=\"none\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"/>"
        );
        share < DEEP
    }

    pub(super) fn text(&mut self, class: &str, anchor: Anchor, (x, y): (f64, f64), text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let _ = writeln!(
            self.body,
            "<text{class} x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escaped(text)
        );
    }

    pub(super) fn curve(&mut self, index: usize, points: &[(f64, f64)]) {
        let (class, dash) = (series(index), DASHES[index % DASHES.len()]);
        let _ = writeln!(self.body, "<polyline class=\"{class} curve\"{dash} points=\"{}\"/>", listed(points));
    }

    pub(super) fn band(&mut self, index: usize, points: &[(f64, f64)]) {
        let _ = writeln!(self.body, "<polygon class=\"{} band\" points=\"{}\"/>", series(index), listed(points));
    }

    /// A marker: disc, square, triangle or cross by the number of the series.
    pub(super) fn marker(&mut self, index: usize, (x, y): (f64, f64)) {
        let class = series(index);
        let _ = match index % MARKERS {
            0 => writeln!(self.body, "<circle class=\"{class} open\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"),
            1 => {
                let (x, y) = (x - 3.5, y - 3.5);
                writeln!(self.body, "<rect class=\"{class} open\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"7\" height=\"7\"/>")
            }
            2 => {
                let points = listed(&[(x, y - 5.0), (x - 4.5, y + 3.5), (x + 4.5, y + 3.5)]);
                writeln!(self.body, "<polygon class=\"{class} open\" points=\"{points}\"/>")
            }
            _ => writeln!(
                self.body,
                "<path class=\"{class} open\" d=\"M{:.1} {:.1}L{:.1} {:.1}M{:.1} {:.1}L{:.1} {:.1}\"/>",
                x - 4.0,
                y - 4.0,
                x + 4.0,
                y + 4.0,
                x - 4.0,
                y + 4.0,
                x + 4.0,
                y - 4.0
            ),
        };
    }

    /// Makes room down to `height`.
    pub(super) fn grow(&mut self, height: f64) {
        self.height = self.height.max(height);
    }

    /// The whole drawing.
    pub(super) fn finish(self, title: &str, description: &str) -> String {
        let Self { width, height, body } = self;
        // Named by attributes, since ids would have to differ from drawing to drawing.
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             aria-label=\"{}\">\n<title>{}</title>\n<desc>{}</desc>\n{body}</svg>",
            escaped(&format!("{title}. {description}")),
            escaped(title),
            escaped(description)
        )
    }
}

fn listed(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_on_every_shade_have_the_contrast_that_guidelines_ask_for() {
        // WCAG 2.1: relative luminance, and at least 4.5 for text.
        let part = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        for share in (0..=1000).map(|n| f64::from(n) / 1000.0) {
            let [red, green, blue] = shade(share).map(part);
            let luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
            let contrast = if share < DEEP { (luminance + 0.05) / 0.05 } else { 1.05 / (luminance + 0.05) };
            assert!(contrast >= 4.5, "share {share}: {contrast}");
        }
    }
}
