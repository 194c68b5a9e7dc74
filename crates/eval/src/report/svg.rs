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

/// From one line of a text to the next.
pub(super) const LEADING: f64 = 14.0;

/// The share from which on white ink reads better than black; about it both have a contrast of 4.5.
const DEEP: f64 = 0.68;

/// The colour of a share: from a pale to a deep blue.
fn shade(share: f64) -> [u8; 3] {
    let mix = |low: f64, high: f64| (low + (high - low) * share.clamp(0.0, 1.0)).round() as u8;
    [mix(237.0, 8.0), mix(242.0, 64.0), mix(247.0, 110.0)]
}

/// Width of a text of the drawings' size, rather too much than too little: fonts differ from reader to reader.
pub(super) fn width(text: &str) -> f64 {
    let letter = |c: char| match c {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | ' ' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '(' | ')' => 5.0,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 11.8,
        'A'..='Z' => 9.2,
        c if c.is_ascii() => 7.7,
        // Other scripts may be as wide as they are high.
        c if c.is_alphabetic() && !('\u{c0}'..'\u{250}').contains(&c) => 12.5,
        _ => 8.5,
    };
    text.chars().map(letter).sum()
}

/// Signs after which a text may be broken.
pub(super) const BREAKS: [char; 7] = [' ', '-', '_', '/', ',', '=', '+'];

/// `text` in lines that are no wider than `room`: broken between words and after signs, within a word if it must be.
pub(super) fn wrapped(text: &str, room: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    let pieces = text.split_inclusive(BREAKS);
    for piece in pieces {
        let now = lines.last_mut().expect("there is a line");
        if width(now.trim_start()) + width(piece.trim_end()) <= room {
            now.push_str(piece);
            continue;
        }
        if !now.is_empty() {
            lines.push(String::new());
        }
        for c in piece.chars() {
            let now = lines.last_mut().expect("there is a line");
            if !now.is_empty() && width(now) + width(c.encode_utf8(&mut [0; 4])) > room && c != ' ' {
                lines.push(c.to_string());
            } else {
                now.push(c);
            }
        }
    }
    lines.iter().map(|line| line.trim().to_owned()).collect()
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

    /// Lines of text below each other, the first at `y`.
    pub(super) fn lines(&mut self, class: &str, anchor: Anchor, (x, y): (f64, f64), lines: &[String]) {
        for (i, line) in lines.iter().enumerate() {
            self.text(class, anchor, (x, y + i as f64 * LEADING), line);
        }
    }

    /// A score of training, a ring, or of what is held out, a full square.
    pub(super) fn score(&mut self, held_out: bool, (x, y): (f64, f64)) {
        let _ = if held_out {
            let (x, y) = (x - 4.0, y - 4.0);
            writeln!(self.body, "<rect class=\"held-out\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"8\" height=\"8\"/>")
        } else {
            writeln!(self.body, "<circle class=\"training\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>")
        };
    }

    pub(super) fn curve(&mut self, index: usize, points: &[(f64, f64)]) {
        let (class, dash) = (series(index), DASHES[index % DASHES.len()]);
        let _ = writeln!(self.body, "<polyline class=\"{class} curve\"{dash} points=\"{}\"/>", listed(points));
    }

    /// A dotted line of the colour of a series.
    pub(super) fn level(&mut self, index: usize, from: (f64, f64), to: (f64, f64)) {
        let class = series(index);
        let points = listed(&[from, to]);
        let _ = writeln!(self.body, "<polyline class=\"{class} level\" stroke-dasharray=\"1 4\" points=\"{points}\"/>");
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
    fn labels_are_broken_where_they_can_be_and_never_cut() {
        assert_eq!(wrapped("a short one", 200.0), ["a short one"]);
        assert_eq!(wrapped("explore-goal-locations", 100.0), ["explore-goal-", "locations"]);
        for (text, room) in
            [("größeres holdout_extrapolate", 60.0), ("Donaudampfschifffahrt", 50.0), ("", 10.0), ("WWW", 1.0)]
        {
            let lines = wrapped(text, room);
            assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""), "every letter is there");
            assert!(lines.iter().all(|line| width(line) <= room || line.chars().count() == 1), "{lines:?}");
        }
    }

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
