//! The episode as a picture: a row a game, an axis a dimension, messages as coloured tokens.

use heldout_render::{Canvas, Rgb, text_width};

use crate::codec::{EOS, Role};
use crate::config::Settings;
use crate::episode::{Episode, Game, HISTORY, Rulebook, Turn};
use crate::space::{Space, SpaceRules, section};

const MARGIN: i32 = 10;
/// Width of an axis from -1 to 1.
const AXIS: i32 = 150;
/// Height of the kernels above it.
const KERNELS: i32 = 36;
const TITLE: i32 = 50;
const ROW: i32 = 30;
const TOKEN: i32 = 15;
const NUMBER: i32 = 34;
const RESULT: i32 = 108;
const LEGEND: i32 = 20;

/// Tokens of a game that are shown.
fn tokens(settings: &Settings) -> i32 {
    (settings.rounds * settings.message_length).min(crate::episode::REMEMBERED as u32) as i32
}

fn words(settings: &Settings) -> i32 {
    (tokens(settings) * TOKEN).max(56) + MARGIN
}

/// Width and height of the picture.
pub(crate) fn size(settings: &Settings) -> (usize, usize) {
    let axes = settings.space.dims as i32 * (AXIS + MARGIN);
    let width = MARGIN + NUMBER + 2 * words(settings) + axes + RESULT;
    let height = TITLE + KERNELS + HISTORY as i32 * ROW + LEGEND + MARGIN;
    (width as usize, height as usize)
}

/// The hue of value or token number `index`.
fn hue(index: u8) -> Rgb {
    Rgb::HUES[usize::from(index) % Rgb::HUES.len()]
}

/// Where `x` lies on an axis that begins at `left`.
fn on_axis(left: i32, x: f64) -> i32 {
    left + libm::round((x.clamp(-1.05, 1.05) + 1.0) * f64::from(AXIS / 2)) as i32
}

/// Paints the kernels of dimension `dim` above an axis whose left end is `(left, base)`.
pub(crate) fn kernels(canvas: &mut Canvas<'_>, rules: &SpaceRules, space: &Space, dim: usize, left: i32, base: i32) {
    let values = space.structure().values(dim);
    for value in 0..values {
        let kernel = space.kernel(rules, dim, value);
        let (low, high) = section(value, values);
        for px in on_axis(left, low)..on_axis(left, high) {
            let x = f64::from(px - left) / f64::from(AXIS) * 2.0 - 1.0;
            let z = (x - kernel.mean) / kernel.deviation;
            let height = libm::round(f64::from(KERNELS - 6) * libm::exp(-0.5 * z * z)) as i32;
            canvas.vline(px, base - height, height, hue(value));
        }
    }
    canvas.hline(left, base, AXIS + 1, Rgb::GREY);
}

/// Paints the borders of the sections of dimension `dim` from `top` downwards.
pub(crate) fn sections(canvas: &mut Canvas<'_>, space: &Space, dim: usize, left: i32, top: i32, height: i32) {
    let values = space.structure().values(dim);
    for border in 0..=values {
        let (x, _) = section(border, values);
        canvas.vline(on_axis(left, x), top, height, Rgb::SILVER);
    }
}

/// Paints `token` as a square with its number.
fn token(canvas: &mut Canvas<'_>, x: i32, y: i32, token: u8) {
    if token == EOS {
        canvas.outline_rect(x, y, TOKEN - 2, TOKEN - 2, 1, Rgb::SILVER);
        return;
    }
    canvas.fill_rect(x, y, TOKEN - 2, TOKEN - 2, hue(token - 1));
    let digits = token.to_string();
    canvas.text(x + (TOKEN - 2 - text_width(&digits, 1)) / 2, y + 3, 1, Rgb::WHITE, &digits);
}

/// Paints the episode from `role`'s side.
pub(crate) fn draw(rulebook: &Rulebook, ep: &Episode, role: Role, canvas: &mut Canvas<'_>) {
    canvas.clear(Rgb::PAPER);
    let settings = &rulebook.settings;
    title(canvas, rulebook, ep, role);
    let top = TITLE + KERNELS;
    let words = words(settings);
    let first_axis = MARGIN + NUMBER + 2 * words;
    canvas.text(MARGIN, top - 12, 1, Rgb::SLATE, "game");
    canvas.text(MARGIN + NUMBER, top - 12, 1, Rgb::SLATE, "said");
    canvas.text(MARGIN + NUMBER + words, top - 12, 1, Rgb::SLATE, "heard");
    for dim in 0..settings.space.dims {
        let left = first_axis + dim as i32 * (AXIS + MARGIN);
        canvas.text(left, TITLE - 10, 1, Rgb::SLATE, &format!("dimension {}", dim + 1));
        kernels(canvas, &settings.space, &ep.space, dim, left, top - 2);
        sections(canvas, &ep.space, dim, left, top, HISTORY as i32 * ROW);
    }
    let first = (ep.game + 1).saturating_sub(HISTORY as u32);
    let mut before = None;
    for (i, game) in (first..=ep.game).enumerate() {
        let y = top + i as i32 * ROW;
        let now = game == ep.game;
        let prepared = if now { ep.now } else { rulebook.prepare(ep, game) };
        if now {
            canvas.outline_rect(MARGIN / 2, y, canvas.width() as i32 - MARGIN, ROW, 1, Rgb::INK);
        }
        row(canvas, rulebook, ep, game, &prepared, y);
        if before == Some(false) && prepared.query {
            boundary(canvas, y);
        }
        before = Some(prepared.query);
    }
    legend(canvas, top + HISTORY as i32 * ROW + 8);
}

fn title(canvas: &mut Canvas<'_>, rulebook: &Rulebook, ep: &Episode, role: Role) {
    let rounds = rulebook.settings.rounds;
    let moment = match ep.round() {
        _ if ep.over => "the end".to_owned(),
        r if r < rounds => format!("round {} of {rounds}: the speaker speaks", r + 1),
        r if r == rounds => "the listener decides".to_owned(),
        _ => "feedback: the listener is shown the target".to_owned(),
    };
    let phase = if ep.now.query { "query" } else { "support" };
    let heading = format!("{phase} phase, game {} of {}: {moment}", ep.game + 1, rulebook.games(ep));
    canvas.text(MARGIN, 8, 1, Rgb::INK, &heading);
    let part = |t: crate::episode::Tally| format!("{} of {} right", t.right, t.games);
    let who = if role == Role::Speaker { "speaker" } else { "listener" };
    let score = format!("support {}   query {}   ({who}'s side)", part(ep.support), part(ep.query));
    canvas.text(MARGIN, 20, 1, Rgb::SLATE, &score);
}

/// Paints one game: what was said and heard, every stimulus on every axis, what was decided.
fn row(canvas: &mut Canvas<'_>, rulebook: &Rulebook, ep: &Episode, game: u32, prepared: &Game, y: i32) {
    let settings = &rulebook.settings;
    let turn: &Turn = ep.turn(game);
    let colour = if prepared.query { Rgb::VIOLET } else { Rgb::TEAL };
    canvas.fill_rect(MARGIN, y + 5, 3, ROW - 10, colour);
    canvas.text(MARGIN + 8, y + 11, 1, Rgb::INK, &(game + 1).to_string());
    let words = words(settings);
    let said = &turn.said[..tokens(settings) as usize];
    for (i, (&said, heard)) in said.iter().zip(rulebook.heard(ep, game, prepared.query, said)).enumerate() {
        let x = MARGIN + NUMBER + i as i32 * TOKEN;
        token(canvas, x, y + 8, said);
        token(canvas, x + words, y + 8, heard);
    }
    let first_axis = MARGIN + NUMBER + 2 * words;
    for dim in 0..settings.space.dims {
        let left = first_axis + dim as i32 * (AXIS + MARGIN);
        canvas.hline(left, y + ROW / 2, AXIS + 1, Rgb::SILVER);
        let place = |s: crate::episode::Stimulus| {
            let value = s.meaning.value(dim);
            (on_axis(left, f64::from(ep.space.samples(&settings.space, dim, value)[usize::from(s.sample)])), hue(value))
        };
        let (x, shade) = place(prepared.target);
        canvas.fill_circle(x, y + 8, 5, shade);
        for position in 0..settings.slots() {
            let (x, shade) = place(prepared.stimulus(position));
            let right = usize::from(prepared.answer) == position;
            canvas.fill_diamond(x, y + 22, if right { 6 } else { 4 }, shade);
            if settings.slots() > 1 {
                canvas.text(x + 6, y + 20, 1, Rgb::SLATE, &(position + 1).to_string());
            }
        }
    }
    result(canvas, settings, turn, first_axis + settings.space.dims as i32 * (AXIS + MARGIN), y);
}

fn result(canvas: &mut Canvas<'_>, settings: &Settings, turn: &Turn, x: i32, y: i32) {
    if !turn.decided {
        return;
    }
    let words = match turn.decision {
        None => "nothing".to_owned(),
        Some(d) if usize::from(d) == settings.slots() => "absent".to_owned(),
        Some(_) if settings.slots() == 1 => "present".to_owned(),
        Some(d) => format!("number {}", d + 1),
    };
    let colour = if turn.right { Rgb::LEAF } else { Rgb::BRICK };
    canvas.fill_rect(x, y + 7, RESULT - MARGIN, 16, colour);
    let verdict = format!("{words}: {}", if turn.right { "right" } else { "wrong" });
    canvas.text(x + 4, y + 11, 1, Rgb::WHITE, &verdict);
}

/// Paints where the support phase ends.
fn boundary(canvas: &mut Canvas<'_>, y: i32) {
    canvas.fill_rect(0, y - 1, canvas.width() as i32, 3, Rgb::VIOLET);
    let x = canvas.width() as i32 - RESULT;
    canvas.fill_rect(x, y - 6, RESULT - MARGIN, 12, Rgb::VIOLET);
    canvas.text(x + 4, y - 3, 1, Rgb::WHITE, "query phase");
}

fn legend(canvas: &mut Canvas<'_>, y: i32) {
    canvas.fill_circle(MARGIN + 5, y + 3, 5, Rgb::GREY);
    canvas.text(MARGIN + 16, y, 1, Rgb::SLATE, "what the speaker sees");
    canvas.fill_diamond(MARGIN + 165, y + 3, 6, Rgb::GREY);
    canvas.text(MARGIN + 176, y, 1, Rgb::SLATE, "what the listener sees (large: the target)");
    canvas.text(MARGIN + 440, y, 1, Rgb::SLATE, "a colour is a value, a square a token");
}
