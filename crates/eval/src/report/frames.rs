//! One picture of each task and condition: how episode 0 begins.

use heldout_core::{Buffers, Frame, Options, Reset, Seed};
use heldout_envs::find;
use heldout_render::encode::png;
use heldout_render::{Image, upscale};

use super::document::{Picture, plain};
use crate::records::{Record, Recorded};
use crate::results::Suite;

/// Pictures narrower than this are enlarged.
const NARROW: usize = 160;

/// The pictures of a suite. A condition whose environment cannot be made now, for want of its data, has none.
pub(super) fn pictures(suite: &Suite) -> Vec<Picture> {
    let mut pictures = Vec::new();
    let mut last = None;
    for (&(task, condition, _), cell) in &suite.cells {
        let of = &suite.protocol.tasks[task];
        if last == Some((task, condition)) {
            continue;
        }
        let Some(image) = cell.recorded.records.first().and_then(|record| picture(&cell.recorded, record)) else {
            continue;
        };
        let factor = (NARROW / image.width().max(1)).max(1);
        let image = if factor > 1 { upscale(image.view(), factor) } else { image };
        let Ok(bytes) = png(image.view()) else { continue };
        last = Some((task, condition));
        let name = &of.conditions[condition];
        let half = if name.held_out { "held out" } else { "training" };
        let caption = format!("{}, {} ({half})", plain(&of.name), plain(&name.name));
        pictures.push(Picture { caption, width: image.width(), height: image.height(), png: bytes });
    }
    pictures
}

/// How an episode begins, as people see it.
fn picture(recorded: &Recorded, record: &Record) -> Option<Image> {
    let entry = find(&recorded.header.id).ok()?;
    let config = recorded.header.config.as_object()?;
    let mut env = entry.make(config, 1, Options::default()).ok()?;
    // Problems that were made for these records alone are not what the config says: they cannot be shown.
    let seed = format!(" of seed {}", record.seed);
    let theirs = recorded.header.sources.iter().filter(|s| s.name.ends_with(&seed) || !s.name.contains(" of seed "));
    let theirs = theirs.map(|s| (s.name.trim_end_matches(&seed), s.content.as_str()));
    if !theirs.eq(env.spec().sources.iter().map(|s| (s.name, s.content.as_str()))) {
        return None;
    }
    let mut buffers = Buffers::new(env.spec(), 1);
    let seed = Seed(record.seed).derive(record.episode);
    env.reset(Reset { problems: &[record.problem], ..Reset::seed(seed) }, buffers.output()).ok()?;
    let (width, height) = env.spec().frame;
    let mut pixels = vec![0; width * height * 3];
    env.draw(0, 0, Frame { width, height, pixels: &mut pixels }).ok()?;
    Some(Image::from_pixels(width, height, pixels))
}
