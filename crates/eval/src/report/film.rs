//! Moments of an episode that differ, as pictures and in words, from playing it again.

use heldout_core::{Autoreset, Buffers, Frame, Options, Reset, Seed, Seeding, VecEnv};
use heldout_envs::find;
use heldout_render::encode::png;
use heldout_render::{Image, resize, upscale};

use super::document::Picture;
use crate::play::Seats;
use crate::records::{Header, Record};
use crate::results::{ORACLE, RANDOM, scripted};

/// Pictures of an episode at the most.
pub(super) const MOMENTS: usize = 4;
/// Moments among which they are chosen.
const LOOKED_AT: u64 = 48;
/// Pictures narrower than this are enlarged.
const NARROW: usize = 160;
/// Pictures wider than this are made smaller.
const WIDE: usize = 320;
/// The width of pictures that are large as files, and from how many bytes on they are.
const SMALL: (usize, usize) = (200, 10_000);

/// Who is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Player {
    /// The agent itself: what was recorded came out again.
    Itself,
    /// Another policy in the same episode, since the records do not say what the agent did.
    Other(&'static str),
    /// Another policy, since what was recorded of a scripted one does not come out again.
    Instead(&'static str),
}

/// An episode that was played again.
#[derive(Clone, Debug)]
pub(super) struct Film {
    pub(super) player: Player,
    pub(super) pictures: Vec<Picture>,
    /// Every step in words, where that is asked for.
    pub(super) told: Vec<String>,
}

/// A moment of an episode.
struct Moment {
    step: u64,
    words: String,
    image: Image,
}

/// What choosing the actions follows.
enum Choice<'a> {
    Actions(&'a [i32]),
    Policies(&'a str),
}

/// The film of a record; `None` if its environment cannot be made now, or its problems were made for it alone.
pub(super) fn film(header: &Header, record: &Record) -> Option<Film> {
    if let Some(trace) = &record.trace
        && let Some(film) = played(header, record, &Choice::Actions(&trace.actions), Player::Itself)
    {
        return Some(film);
    }
    let known = scripted(header);
    if known && let Some(film) = played(header, record, &Choice::Policies(&header.policy), Player::Itself) {
        return Some(film);
    }
    let player = |name| if known { Player::Instead(name) } else { Player::Other(name) };
    [ORACLE, RANDOM].into_iter().find_map(|name| played(header, record, &Choice::Policies(name), player(name)))
}

/// The environment of a record at the beginning of its episode.
fn begun(header: &Header, record: &Record) -> Option<(Box<dyn VecEnv>, Buffers)> {
    let options = Options { autoreset: Autoreset::Disabled, ..Options::default() };
    let env = find(&header.id).ok()?.make(header.config.as_object()?, 1, options).ok()?;
    // Problems that were made for these records alone are not what the config says: they cannot be shown.
    let seed = format!(" of seed {}", record.seed);
    let theirs = header.sources.iter().filter(|s| s.name.ends_with(&seed) || !s.name.contains(" of seed "));
    let theirs = theirs.map(|s| (s.name.trim_end_matches(&seed), s.content.as_str()));
    let same = theirs.eq(env.spec().sources.iter().map(|s| (s.name, s.content.as_str())));
    let buffers = Buffers::new(env.spec(), 1);
    same.then_some((env, buffers))
}

fn played(header: &Header, record: &Record, choice: &Choice<'_>, player: Player) -> Option<Film> {
    let (mut env, mut buffers) = begun(header, record)?;
    let spec = env.spec().clone();
    if let Choice::Policies(text) = choice {
        Seats::fitting(text, &spec, &find(&header.id).ok()?.policies()).ok()?.seat(&mut *env, Seed(0)).ok()?;
    }
    let seeds = [Some(Seed(record.seed).derive(record.episode))];
    let reset = Reset { seeds: Seeding::Copies(&seeds), problems: &[record.problem], mask: None };
    env.reset(reset, buffers.output()).ok()?;
    let mut actions = vec![0; spec.action_width()];
    let tells = record.trace.is_some() && player == Player::Itself;
    let mut moments = vec![moment(&*env, 0, "")?];
    let first = env.words(0).ok()?;
    let (mut before, mut told) = (first.clone(), vec![format!("   0 {}", news(&first, ""))]);
    for step in 1..=record.length {
        match choice {
            Choice::Policies(_) => env.act(&buffers.rows(), &mut actions).ok()?,
            Choice::Actions(all) => {
                let width = actions.len();
                actions.copy_from_slice(all.chunks_exact(width).nth(step as usize - 1)?);
            }
        }
        env.step(&actions, buffers.output()).ok()?;
        let ended = buffers.status[0].ended();
        let looked = |step: u64| step * LOOKED_AT.min(record.length) / record.length;
        if ended || looked(step) != looked(step - 1) {
            moments.push(moment(&*env, step, &first)?);
        }
        if tells {
            let words = env.words(0).ok()?;
            told.push(format!("{step:>4} {actions:?} {}", news(&words, &before)));
            before = words;
        }
        if ended {
            break;
        }
    }
    let value = |name: &str| spec.metric(name).map(|at| f64::from(buffers.metrics[at]));
    let same = buffers.status[0] == record.status
        && value("return") == Some(record.r#return)
        && value("length") == Some(record.length as f64);
    if player == Player::Itself && !same {
        return None;
    }
    let pictures = differing(&moments).into_iter().filter_map(|i| picture(&moments[i])).collect();
    Some(Film { player, pictures, told })
}

/// What the words of a state say that others did not; of a map, its first line alone.
fn news(words: &str, before: &str) -> String {
    const MAP: usize = 4;
    let lines: Vec<&str> = words.lines().map(str::trim).collect();
    if lines.len() >= MAP {
        return lines[0].to_owned();
    }
    let new: Vec<&str> =
        lines.iter().copied().filter(|line| !before.lines().any(|known| known.trim() == *line)).collect();
    if new.is_empty() { "as before".to_owned() } else { new.join("; ") }
}

fn moment(env: &dyn VecEnv, step: u64, before: &str) -> Option<Moment> {
    let (width, height) = env.spec().frame;
    let mut pixels = vec![0; width * height * 3];
    env.draw(0, 0, Frame { width, height, pixels: &mut pixels }).ok()?;
    let words = news(&env.words(0).ok()?, before);
    Some(Moment { step, words, image: Image::from_pixels(width, height, pixels) })
}

/// The moments that differ most from each other, in the order of time: the first, and then always the one that is
/// farthest from all that are chosen. What looks like another is left out.
fn differing(moments: &[Moment]) -> Vec<usize> {
    let apart = |a: &Moment, b: &Moment| -> u64 {
        let pairs = a.image.pixels().iter().zip(b.image.pixels());
        pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum()
    };
    let mut chosen = vec![0];
    let mut nearest = vec![u64::MAX; moments.len()];
    while chosen.len() < MOMENTS {
        let last = &moments[chosen[chosen.len() - 1]];
        nearest.iter_mut().zip(moments).for_each(|(near, moment)| *near = (*near).min(apart(moment, last)));
        // Of several as far, the latest: ends tell more than beginnings.
        let Some((farthest, &distance)) = nearest.iter().enumerate().max_by_key(|(_, distance)| **distance) else {
            break;
        };
        if distance == 0 {
            break;
        }
        chosen.push(farthest);
    }
    chosen.sort_unstable();
    chosen
}

fn picture(moment: &Moment) -> Option<Picture> {
    let image = &moment.image;
    let (width, height) = (image.width().max(1), image.height().max(1));
    let sized = match width {
        w if w > WIDE => Some(resize(image.view(), WIDE, (height * WIDE / width).max(1))),
        w if NARROW / w > 1 => Some(upscale(image.view(), NARROW / w)),
        _ => None,
    };
    let image = sized.as_ref().unwrap_or(image);
    let (mut size, mut bytes) = ((image.width(), image.height()), png(image.view()).ok()?);
    if bytes.len() > SMALL.1 && image.width() > SMALL.0 {
        size = (SMALL.0, (image.height() * SMALL.0 / image.width()).max(1));
        bytes = png(resize(image.view(), size.0, size.1).view()).ok()?;
    }
    let words = super::document::plain(&moment.words);
    let caption =
        if moment.step == 0 { format!("at the start: {words}") } else { format!("step {}: {words}", moment.step) };
    Some(Picture { caption, width: size.0, height: size.1, png: bytes })
}
