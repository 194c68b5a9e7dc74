//! `heldout render`: a picture or a film of what the agent sees and of what a person sees.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::ValueEnum;
use heldout_core::{Autoreset, Buffers, Dtype, Field, Frame, Options, Reset, Seed, Spec, VecEnv};
use heldout_envs::find;
use heldout_eval::Turn;
use heldout_eval::entrant::{Entrant, Place};
use heldout_render::encode::{gif, png};
use heldout_render::{Canvas, Image, Rgb, upscale};

use crate::settings::Settings;
use crate::{files, progress};

/// Space around and between the pictures.
const MARGIN: usize = 6;
/// Height of the line that says whose picture it is.
const TITLE: usize = 14;

/// Bytes of pixels in a film at the most.
const MOST_BYTES: usize = 1 << 30;

/// Makes a picture or a film of an episode.
#[derive(clap::Args)]
pub(crate) struct Render {
    /// Which environment.
    id: String,
    /// Where to: a `.png` picture or a `.gif` film.
    #[arg(long)]
    out: PathBuf,
    /// Which policy plays: the `NAME` of a scripted one or the path of a checkpoint, or `AGENT=…,AGENT=…`.
    #[arg(long, default_value = "oracle")]
    policy: String,
    /// Root of the episode's seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Which problem of a finite set.
    #[arg(long)]
    problem: Option<u32>,
    /// A picture: after how many steps. A film: how many steps at the most.
    #[arg(long)]
    steps: Option<usize>,
    /// Whose side is shown, where there are several agents.
    #[arg(long)]
    agent: Option<String>,
    /// What is shown.
    #[arg(long, value_enum, default_value_t = Show::Both)]
    view: Show,
    /// Enlarges by this factor.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    scale: u8,
    /// Hundredths of a second that a frame of a film stays.
    #[arg(long, default_value_t = 20)]
    delay: u16,
    #[command(flatten)]
    settings: Settings,
}

/// What is shown.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Show {
    /// The picture in the agent's observation.
    Agent,
    /// The picture painted for people.
    Person,
    /// Both, where the observation has a picture.
    Both,
}

impl Render {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        let film = match self.out.extension().and_then(|e| e.to_str()) {
            Some("png") => false,
            Some("gif") => true,
            _ => bail!("`--out {}` must end in `.png` or `.gif`", self.out.display()),
        };
        let entry = find(&self.id)?;
        let options = Options { autoreset: Autoreset::Disabled, ..Options::default() };
        let entrant = Entrant::unchecked(&self.policy, &crate::trained::open)?;
        let place = Place { entry, protocol: "", task: "", set: None, run: 0, seed: self.seed };
        let mut overrides = entrant.view(&place).map_err(anyhow::Error::msg)?;
        overrides.extend(self.settings.overrides()?);
        let (mut env, config) = (entry.make(&overrides, 1, options)?, entry.configure(&overrides)?);
        let agent = self.agent(env.spec())?;
        let mut actor = entrant.sit(&mut *env, &place)?;
        let mut buffers = Buffers::new(env.spec(), 1);
        let reset = Reset { problems: &[self.problem], ..Reset::seed(Seed(self.seed)) };
        env.reset(reset, buffers.output())?;

        let most = self.steps.unwrap_or(if film { 1000 } else { 0 });
        let mut frames = Vec::new();
        let bar = progress::bar(most as u64, "steps at the most");
        let mut actions = vec![0; env.spec().action_width()];
        let none = vec![0.0; buffers.metrics.len()];
        for step in 0..=most {
            if film || step == most {
                frames.push(self.frame(&*env, &buffers, agent)?);
                let bytes: usize = frames.iter().map(|f| f.pixels().len()).sum();
                if bytes > MOST_BYTES {
                    bail!(
                        "the film passes {MOST_BYTES} bytes at step {step}: use fewer `--steps` or a smaller `--scale`"
                    );
                }
            }
            if buffers.status[0].ended() || step == most {
                break;
            }
            let done = actions.clone();
            env.act(&buffers.rows(), &mut actions)?;
            if let Some(actor) = &mut actor {
                let turn = Turn {
                    spec: env.spec(),
                    config: &config,
                    observation: &buffers,
                    rewards: &buffers.rewards,
                    metrics: if step == 0 { &none } else { &buffers.metrics },
                    starts: &[step == 0],
                    playing: &[true],
                    seeds: &[Seed(self.seed).derive(0)],
                    done: &done,
                    agents: &vec![true; env.spec().agents.len()],
                    actions: &mut actions,
                };
                actor.act(turn).map_err(anyhow::Error::msg)?;
            }
            env.step(&actions, buffers.output())?;
            bar.inc(1);
            if buffers.status[0].ended() && !film {
                frames.push(self.frame(&*env, &buffers, agent)?);
                break;
            }
        }
        bar.finish_and_clear();
        let last = frames.last().context("there is no frame")?;
        let bytes = if film {
            gif(&frames.iter().map(Image::view).collect::<Vec<_>>(), self.delay)?
        } else {
            png(last.view())?
        };
        files::write(&self.out, &bytes)?;
        let plural = if frames.len() == 1 { "" } else { "s" };
        let (path, width, height) = (self.out.display(), last.width(), last.height());
        crate::note(&format!("wrote {path} ({width} x {height}, {} frame{plural})", frames.len()));
        Ok(())
    }

    fn agent(&self, spec: &Spec) -> anyhow::Result<usize> {
        let Some(name) = &self.agent else { return Ok(0) };
        let known: Vec<_> = spec.agents.iter().map(|a| a.name).collect();
        spec.agent(name).with_context(|| format!("there is no agent `{name}`; agents are {known:?}"))
    }

    fn frame(&self, env: &dyn VecEnv, buffers: &Buffers, agent: usize) -> anyhow::Result<Image> {
        let seen = seen(env.spec(), buffers, agent);
        let painted = || painted(env, agent);
        let frame = match (self.view, seen) {
            (Show::Agent, None) => bail!("`{}` has no picture in its observation: use `--view person`", self.id),
            (Show::Agent, Some(seen)) => seen,
            (Show::Person, _) | (Show::Both, None) => painted()?,
            (Show::Both, Some(seen)) => side_by_side(seen, &painted()?),
        };
        Ok(if self.scale > 1 { upscale(frame.view(), self.scale.into()) } else { frame })
    }
}

/// The first picture that `agent` has in its observation, in its own size.
fn seen(spec: &Spec, buffers: &Buffers, agent: usize) -> Option<Image> {
    let picture = |f: &Field| f.dtype == Dtype::U8 && f.shape.len() == 3 && f.shape[2] == 3;
    let index = spec.observation.iter().position(|f| picture(f) && f.shape_for(agent).is_some())?;
    let field = &spec.observation[index];
    let (own, whole) = (field.shape_for(agent)?, field.shape[1]);
    let rows = buffers.rows();
    let bytes = rows.row(agent).u8(index);
    let lines = bytes.chunks_exact(whole * 3).take(own[0]);
    let pixels = lines.flat_map(|line| &line[..own[1] * 3]).copied().collect();
    Some(Image::from_pixels(own[1], own[0], pixels))
}

/// The picture for people.
fn painted(env: &dyn VecEnv, agent: usize) -> anyhow::Result<Image> {
    let (width, height) = env.spec().frame;
    let mut pixels = vec![0; width * height * 3];
    env.draw(0, agent, Frame { width, height, pixels: &mut pixels })?;
    Ok(Image::from_pixels(width, height, pixels))
}

/// Both pictures under their titles; the agent's is enlarged to about the other's height.
fn side_by_side(seen: Image, painted: &Image) -> Image {
    let factor = (painted.height() / seen.height()).max(1);
    let seen = if factor > 1 { upscale(seen.view(), factor) } else { seen };
    let width = seen.width() + painted.width() + 3 * MARGIN;
    let height = seen.height().max(painted.height()) + TITLE + 2 * MARGIN;
    let mut image = Image::filled(width, height, Rgb::INK);
    let mut canvas: Canvas<'_> = image.canvas();
    let (left, right, top) = (MARGIN as i32, (seen.width() + 2 * MARGIN) as i32, (MARGIN + TITLE) as i32);
    canvas.text(left, MARGIN as i32, 1, Rgb::SILVER, "the agent sees");
    canvas.text(right, MARGIN as i32, 1, Rgb::SILVER, "for people");
    canvas.blit(left, top, seen.view());
    canvas.blit(right, top, painted.view());
    image
}
