//! `heldout train`: an agent learns the tasks of a protocol, or one environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use heldout_agents::checkpoint::{FORMAT, RunFile, Shown, Source};
use heldout_agents::nn::{Backend, Device};
use heldout_agents::parts::collect::Problems;
use heldout_agents::parts::inputs::{Inputs, Previous};
use heldout_agents::table::{FREE, Told};
use heldout_agents::train::{self, Budget, Clock, Ended, Selection, StopAt};
use heldout_agents::{AGENTS, Agent, Profile, select, text};
use heldout_core::{Autoreset, Entry, Options, Scope, Seed, Spec};
use heldout_envs::find;
use heldout_eval::Episodes;
use heldout_eval::entrant::Entrant;
use heldout_eval::protocol::{self, Protocol, Task};
use heldout_files::{Hold, HoldError};
use serde_json::{Map, Value, json};

use crate::around::{Around, Errand, Runs};
use crate::settings::Settings;
use crate::trained::Learning;
use crate::{eval, progress};

/// Trains an agent, and evaluates it on the way.
#[derive(clap::Args)]
pub(crate) struct Train {
    /// Which agent; `--list` names them.
    #[arg(required_unless_present = "list")]
    agent: Option<String>,
    /// Trains on the tasks of a protocol that the agent can learn, each under its first condition that is not held out.
    #[arg(long, conflicts_with = "env")]
    protocol: Option<String>,
    /// Trains only on this task of the protocol; again for more.
    #[arg(long = "task", value_name = "TASK", requires = "protocol")]
    tasks: Vec<String>,
    /// Trains on one environment.
    #[arg(long, value_name = "ID")]
    env: Option<String>,
    /// The directory to write to: `seed-S` of each seed in it, below a folder for each task of a protocol.
    #[arg(long, required_unless_present = "list")]
    out: Option<PathBuf>,
    /// How much it is given: what the papers gave it, what one core can, or, for R2D2, what the code gave it that was released with
    /// the S2B paper.
    #[arg(long, value_parser = Profile::ALL.map(Profile::name), default_value = "small")]
    profile: String,
    /// The first training seed; the others follow it.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Training seeds.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Runs that are trained at once, each by a process of its own. `python -m heldout.ray train` spreads them over machines.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    jobs: u64,
    /// Steps to train for, in place of the profile's.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    steps: Option<u64>,
    /// Episodes to train for, in place of steps.
    #[arg(long, conflicts_with = "steps", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    episodes: Option<u64>,
    /// Threads to compute with; the weights do not depend on it.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: Option<u64>,
    /// What computes: the processor, or what the build has beside it.
    #[arg(long, default_value = "flex", value_parser = Device::named)]
    device: Device,
    /// Ends a run once an episode metric of training, averaged over a hundred episodes (`td3-…`: as many as there are mazes), is good
    /// enough: `return>=0.9`.
    #[arg(long, value_name = "METRIC>=X", value_parser = StopAt::parse)]
    stop_at: Option<StopAt>,
    /// Goes on with the runs that are there.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    settings: Settings,
    /// Lists the agents and does nothing else.
    #[arg(long)]
    list: bool,
    /// Prints one JSON value.
    #[arg(long)]
    json: bool,
}

/// A task to train on, with what it is evaluated on meanwhile.
struct Course {
    protocol: String,
    task: String,
    entry: &'static Entry,
    /// The config of training.
    env: Map<String, Value>,
    /// What the task sets, whatever the condition.
    set: Map<String, Value>,
    /// The part of it by which the agent sees and acts.
    view: Map<String, Value>,
    /// Name and config of each condition that can be played while it learns.
    conditions: Vec<(String, Map<String, Value>)>,
    held_out: Vec<String>,
    metric: String,
    told: Told,
    spec: Spec,
}

impl Course {
    /// Whether a metric is told of episodes.
    fn tells(&self, name: &str) -> bool {
        self.spec.metrics.iter().any(|m| m.name == name && m.scope == Scope::Episode)
    }

    /// Which metrics are, in words.
    fn metrics(&self) -> String {
        let of_episodes = self.spec.metrics.iter().filter(|m| m.scope == Scope::Episode);
        let known: Vec<_> = of_episodes.map(|m| format!("`{}`", m.name)).collect();
        format!("metrics of episodes of `{}` are {}", self.entry.id(), known.join(", "))
    }

    /// Refuses a selection that cannot be made.
    fn check_selection(&self) -> anyhow::Result<()> {
        let around = &self.told.around;
        if around.selection > 0.0 {
            if self.spec.problems.is_none_or(|n| n < 2) {
                bail!("`selection` is {}, but `{}` has no two problems to divide", around.selection, self.entry.id());
            }
            if !self.tells(&around.selection_metric) {
                bail!("`selection_metric` is `{}`; {}", around.selection_metric, self.metrics());
            }
        }
        Ok(())
    }

    /// The words of the problems that are trained on, `ids` or all; none where there is no text.
    fn words(&self, ids: &[u32]) -> anyhow::Result<Option<text::Vocabulary>> {
        let inputs = Inputs::new(&self.spec, 0, &Previous::default(), &[]).map_err(anyhow::Error::msg)?;
        let Some(n) = self.spec.problems.filter(|_| inputs.has_text() && self.told.text().0 == text::Text::Scratch)
        else {
            return Ok(None);
        };
        let mut env = self.entry.make(&self.env, 1, Options::default())?;
        let all: Vec<u32> = if ids.is_empty() { (0..n).collect() } else { ids.to_vec() };
        Ok(Some(text::of_problems(&mut *env, &inputs, &all)?))
    }
}

impl Train {
    pub(crate) fn execute(&self, around: &Around<'_>) -> anyhow::Result<()> {
        if self.list {
            return self.print_list();
        }
        let name = self.agent.as_deref().context("no agent is named")?;
        let known = || AGENTS.map(|a| format!("`{}`", a.name)).join(", ");
        let agent = Agent::find(name).with_context(|| format!("there is no agent `{name}`; there are {}", known()))?;
        let out = self.out.clone().context("`--out` names no directory")?;
        let courses = self.courses(agent)?;
        let seeds: Vec<u64> = (0..self.seeds)
            .map(|i| self.seed.checked_add(i).context("`--seed` and `--seeds` go beyond 2^64"))
            .collect::<Result<_, _>>()?;
        let stop = eval::stop_flag()?;
        let runs: Vec<(&Course, u64)> = courses.iter().flat_map(|c| seeds.iter().map(move |s| (c, *s))).collect();
        let ended = if let Some(away) = around.runs {
            self.spread_away(&runs, &out, away, stop)?
        } else if self.jobs > 1 && runs.len() > 1 {
            self.spread(&courses, &seeds, &out, stop)?
        } else {
            crate::heap::keep();
            if let Some(threads) = self.threads {
                // The tensor library asks for it when it first computes.
                heldout_agents::nn::set_threads(threads as usize);
            }
            let mut ended = Vec::new();
            for (course, seed) in runs {
                let one = self.train(agent, course, seed, &folder(&out, course, seed), stop)?;
                let stopped = matches!(one, Ended::Stopped(_));
                ended.push((course.task.clone(), seed, one));
                if stopped {
                    break;
                }
            }
            ended
        };
        curves(&out)?;
        self.conclude(agent, &out, &ended)
    }

    /// The file that it names: of a protocol of the user's own.
    pub(crate) fn files(&self) -> Vec<String> {
        self.protocol.iter().filter(|p| !protocol::names().any(|name| name == *p)).cloned().collect()
    }

    fn print_list(&self) -> anyhow::Result<()> {
        if self.json {
            let row = |a: &Agent| json!({"name": a.name, "label": a.label, "summary": a.summary, "fits": a.fit});
            return crate::print_json(&Value::Array(AGENTS.iter().map(row).collect()));
        }
        let width = AGENTS.iter().map(|a| a.name.len()).max().unwrap_or(0);
        let line = |a: &Agent| format!("{:width$}  {} Learns {}.\n", a.name, a.summary, a.fit);
        crate::print(&AGENTS.iter().map(line).collect::<String>())
    }

    fn profile(&self) -> Profile {
        Profile::ALL.into_iter().find(|profile| profile.name() == self.profile).unwrap_or_default()
    }

    /// What is to be trained on.
    fn courses(&self, agent: &'static Agent) -> anyhow::Result<Vec<Course>> {
        let mut set = self.settings.overrides()?;
        let own = match set.remove("env") {
            None => Map::new(),
            Some(Value::Object(own)) => own,
            Some(other) => bail!("`--set env={other}` must be `--set env.KEY=VALUE`"),
        };
        for (key, given) in [("steps", self.steps), ("episodes", self.episodes)] {
            if let Some(number) = given {
                set.insert(key.to_owned(), number.into());
            }
        }
        if self.steps.is_some() {
            // What an agent counts by itself may be episodes.
            set.insert("episodes".to_owned(), 0.into());
        }
        match (&self.protocol, &self.env) {
            (Some(protocol), _) => {
                let protocol = Protocol::find(protocol)?;
                if let Some(name) = self.tasks.iter().find(|t| protocol.tasks.iter().all(|task| task.name != **t)) {
                    let known: Vec<_> = protocol.tasks.iter().map(|t| format!("`{}`", t.name)).collect();
                    bail!("protocol `{}` has no task `{name}`; it has {}", protocol.name, known.join(", "));
                }
                let chosen = protocol.tasks.iter().filter(|t| self.tasks.is_empty() || self.tasks.contains(&t.name));
                let mut courses = Vec::new();
                let mut refused = Vec::new();
                for task in chosen {
                    match self.course(agent, &protocol.name, Some(task), find(&task.id)?, &own, &set)? {
                        Ok(course) => courses.push(course),
                        Err(why) => refused.push(format!("{}: {why}", task.name)),
                    }
                }
                // A task that is asked for by name must be learnt.
                if courses.is_empty() || (!self.tasks.is_empty() && !refused.is_empty()) {
                    bail!("`{}` cannot learn {}", agent.name, refused.join("; "));
                }
                Ok(courses)
            }
            (None, Some(id)) => match self.course(agent, "", None, find(id)?, &own, &set)? {
                Ok(course) => Ok(vec![course]),
                Err(why) => bail!(why),
            },
            (None, None) => bail!("neither `--protocol` nor `--env` says what to train on"),
        }
    }

    /// One task, or why the agent cannot learn it.
    fn course(
        &self,
        agent: &'static Agent,
        protocol: &str,
        task: Option<&Task>,
        entry: &'static Entry,
        own: &Map<String, Value>,
        set: &Map<String, Value>,
    ) -> anyhow::Result<Result<Course, String>> {
        let preset = agent.preset(self.profile(), entry.id()).env;
        let shown = task.and_then(|t| t.conditions.iter().find(|c| !c.held_out));
        let mut env = match (task, shown) {
            (Some(task), Some(condition)) => task.overrides(condition),
            (Some(task), None) => task.set.clone(),
            (None, _) => Map::new(),
        };
        let key = entry.about.split_key;
        if task.is_none() {
            env.insert(key.to_owned(), entry.about.splits[0].into());
        }
        if let Some(value) = own.get(key)
            && !set.get("allow_held_out").is_some_and(|v| v == true)
        {
            let trained = env.get(key).cloned().unwrap_or_else(|| entry.about.splits[0].into());
            if *value != trained {
                bail!(
                    "`env.{key}` = `{value}` is not what training has (`{trained}`); `--set allow_held_out=true` trains on it \
                     none the less, and every record says so"
                );
            }
        }
        env.extend(preset.clone());
        env.extend(own.clone());
        if let Some((key, value)) = preset.iter().find(|(key, _)| *key == "experience" && env[*key] != true) {
            bail!("`env.{key}` is {}, must be {value}: tests are made from what is experienced in training", env[key]);
        }
        let probe = match entry.make(&env, 1, Options::default()) {
            Ok(probe) => probe,
            // A family's key that this environment has not: the agent was made for another.
            Err(error) if agent.fits(entry.id(), &dummy()).is_err() => {
                return Ok(Err(agent.fits(entry.id(), &dummy()).err().unwrap_or_else(|| error.to_string())));
            }
            Err(error) => return Err(error.into()),
        };
        let spec = probe.spec().clone();
        if let Err(why) = agent.fits(entry.id(), &spec) {
            return Ok(Err(why));
        }
        let told = agent.told(self.profile(), entry.id(), &spec, set)?;
        let views = entry.about.views;
        let seen = preset.iter().chain(own).filter(|(key, _)| views.contains(&key.as_str()));
        let view: Map<String, Value> = seen.map(|(key, value)| (key.clone(), value.clone())).collect();
        // Problems that are made for who plays them are made once training is over.
        let now = task.iter().flat_map(|task| task.conditions.iter().map(move |c| (task, c)));
        let now = now.filter(|(task, condition)| task.stands(condition));
        let mut conditions: Vec<_> = now.map(|(task, c)| (c.name.clone(), task.overrides(c))).collect();
        if conditions.is_empty() {
            conditions.push(("train".to_owned(), untrained(&env)));
        }
        Ok(Ok(Course {
            protocol: protocol.to_owned(),
            task: task.map(|t| t.name.clone()).unwrap_or_default(),
            entry,
            conditions,
            held_out: task
                .into_iter()
                .flat_map(|t| t.conditions.iter().filter(|c| c.held_out).map(|c| c.name.clone()))
                .collect(),
            metric: task.map_or_else(|| "return".to_owned(), |t| t.metric.clone()),
            env,
            set: task.map(|t| t.set.clone()).unwrap_or_default(),
            view,
            told,
            spec,
        }))
    }

    /// Trains one seed in this process.
    fn train(
        &self,
        agent: &'static Agent,
        course: &Course,
        seed: u64,
        dir: &Path,
        stop: &AtomicBool,
    ) -> anyhow::Result<Ended> {
        course.check_selection()?;
        let (told, entry) = (&course.told, course.entry);
        let root = Seed(seed).stream("train");
        let (ids, aside) = match course.spec.problems.filter(|_| told.around.selection > 0.0) {
            Some(n) => select::divide(n, told.around.selection, root),
            None => (Vec::new(), Vec::new()),
        };
        let words = course.words(&ids)?;
        let vocabulary = words.as_ref().map(serde_json::to_value).transpose()?;
        let env =
            entry.make(&course.env, told.copies(), Options { autoreset: Autoreset::NextStep, ..Options::default() })?;
        let problems = if ids.is_empty() { Problems::All } else { Problems::Only(ids) };
        let mut learner = agent.learner(told, env, problems, words, root, &self.device)?;

        let about = self.about(agent, course, seed, learner.player().told())?;
        let label = about.label.clone();
        let Value::Object(about) = serde_json::to_value(about)? else { bail!("a run is a table") };
        let mut line = Map::new();
        line.insert("agent".to_owned(), label.into());
        line.insert("protocol".to_owned(), course.protocol.clone().into());
        line.insert("task".to_owned(), course.task.clone().into());
        line.insert("seed".to_owned(), seed.into());
        line.insert("episodes".to_owned(), told.around.evaluate_episodes.into());
        let run = train::Run {
            dir,
            agent: agent.name,
            about,
            free: &FREE,
            line,
            vocabulary,
            budget: Budget {
                steps: told.steps(),
                episodes: told.episodes(),
                save_every: told.around.save_every,
                evaluate_every: told.around.evaluate_every,
                looks: told.looks(),
                stop_at: self.stop_at.clone(),
            },
            resume: self.resume,
        };
        if let Some(stop_at) = &self.stop_at
            && !course.tells(&stop_at.metric)
        {
            bail!("`--stop-at` names `{}`; {}", stop_at.metric, course.metrics());
        }
        let episodes = told.around.evaluate_episodes as usize;
        let mut evaluate = |players: train::Players<'_>| -> Result<Vec<(String, f64)>, String> {
            let mut scores = Vec::new();
            for (name, config) in &course.conditions {
                // How it sees is laid over the protocol's config, as in an evaluation.
                let mut config = config.clone();
                config.extend(course.view.clone());
                let playing = Arc::new(Learning::new(agent.name, course.view.clone(), players()));
                let entrant = Entrant::agent(agent.label, playing).map_err(|e| e.to_string())?;
                let run = heldout_eval::Run {
                    entry,
                    overrides: &config,
                    entrant: &entrant,
                    episodes: Episodes::Count(episodes),
                    seed: Seed(seed).stream("evaluation").0,
                    threads: 1,
                };
                let played = run.play(|_, _| ()).map_err(|e| format!("{name}: {e}"))?;
                let found = played.estimates().into_iter().find(|(metric, _)| *metric == course.metric);
                scores.extend(found.map(|(_, estimate)| (name.clone(), estimate.value)));
            }
            Ok(scores)
        };
        let plain = untrained(&course.env);
        let copies = aside.len().clamp(1, 64);
        let disabled = Options { autoreset: Autoreset::Disabled, ..Options::default() };
        let mut kept_aside = if aside.is_empty() { None } else { Some(entry.make(&plain, copies, disabled)?) };
        let mut score = |mut player: Box<dyn heldout_agents::player::Player>| match &mut kept_aside {
            Some(env) => select::score(&mut **env, &mut *player, &aside, &told.around.selection_metric, root),
            None => Err("no problems were kept aside".to_owned()),
        };
        let selection = (!aside.is_empty()).then_some(Selection {
            every: told.around.selection_every,
            patience: told.around.patience,
            score: &mut score,
        });
        elsewhere(&run)?;
        let bar = match told.episodes() {
            Some(episodes) => progress::training(episodes, "episodes"),
            None => progress::training(told.steps(), "steps"),
        };
        let clock = Clock { wall: &wall, cpu: &cpu };
        let ended =
            run.train(&mut *learner, &mut evaluate, selection, clock, &|| stop.load(Ordering::Relaxed), &mut |p| {
                bar.set_position(p.done);
                let returned = p.last_return.map(|r| format!(", return {r:.3}")).unwrap_or_default();
                let beside = match told.episodes() {
                    None => format!("{} episodes", p.counters.episodes),
                    Some(_) => format!("{} steps", p.counters.env_steps),
                };
                bar.set_message(format!("{beside}, {} updates{returned}", p.counters.updates));
            });
        bar.finish_and_clear();
        Ok(ended?)
    }

    /// What fixes a run.
    fn about(&self, agent: &Agent, course: &Course, seed: u64, step_metrics: Vec<String>) -> anyhow::Result<RunFile> {
        let sources = course.spec.sources.iter();
        let sources = sources.map(|s| Source { name: s.name.to_owned(), content: s.content.clone() });
        Ok(RunFile {
            format: FORMAT.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            agent: agent.name.to_owned(),
            label: agent.label_of(&course.told, &course.spec, &course.protocol),
            profile: self.profile(),
            protocol: course.protocol.clone(),
            task: course.task.clone(),
            id: course.entry.id().to_owned(),
            env: course.env.clone(),
            set: course.set.clone(),
            view: course.view.clone(),
            step_metrics,
            shown: Shown::of(&course.spec),
            seed,
            config: course.told.table(),
            held_out: course.held_out.clone(),
            sources: sources.chain(agent.sources(&course.told)?).collect(),
            backend: Backend::of(&self.device),
            also_computed_by: Vec::new(),
        })
    }

    /// Trains each run in a process of its own, `jobs` at once.
    fn spread(
        &self,
        courses: &[Course],
        seeds: &[u64],
        out: &Path,
        stop: &AtomicBool,
    ) -> anyhow::Result<Vec<(String, u64, Ended)>> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.map_or((cores / self.jobs as usize).max(1), |t| t as usize);
        let mut waiting: Vec<(&Course, u64)> =
            courses.iter().flat_map(|c| seeds.iter().map(move |s| (c, *s))).rev().collect();
        let mut running: Vec<(Child, &Course, u64)> = Vec::new();
        let mut ended = Vec::new();
        let mut failed = Vec::new();
        let mut told = false;
        while !(waiting.is_empty() && running.is_empty()) {
            while running.len() < self.jobs as usize
                && !stop.load(Ordering::Relaxed)
                && let Some((course, seed)) = waiting.pop()
            {
                running.push((child(course, seed, out, threads)?, course, seed));
            }
            if stop.load(Ordering::Relaxed) {
                waiting.clear();
                if !std::mem::replace(&mut told, true) {
                    for (child, _, _) in &running {
                        let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
                    }
                }
            }
            let mut still = Vec::new();
            for (mut child, course, seed) in running {
                match child.try_wait()? {
                    None => still.push((child, course, seed)),
                    Some(status) if status.success() => {
                        let end = if stop.load(Ordering::Relaxed) {
                            Ended::Stopped(train::Counters::default())
                        } else {
                            Ended::Before
                        };
                        ended.push((course.task.clone(), seed, end));
                    }
                    Some(_) => failed.push(folder(out, course, seed)),
                }
            }
            running = still;
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        if let Some(dir) = failed.first() {
            bail!("{} failed, the first of them `{}`", crate::count(failed.len() as u64, "run"), dir.display());
        }
        ended.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        Ok(ended)
    }

    /// Has each run trained elsewhere; whatever comes back of it is put where it would have been trained here.
    fn spread_away(
        &self,
        runs: &[(&Course, u64)],
        out: &Path,
        away: &dyn Runs,
        stop: &AtomicBool,
    ) -> anyhow::Result<Vec<(String, u64, Ended)>> {
        let dirs: Vec<PathBuf> = runs.iter().map(|(course, seed)| folder(out, course, *seed)).collect();
        let take = |dir: &PathBuf| match Hold::take(dir) {
            Ok(hold) if self.resume || !dir.join(train::RUN).exists() => Ok(hold),
            Ok(_) => bail!("`{}` holds a run: give `--resume` to go on with it, or another `--out`", dir.display()),
            Err(HoldError::Held(who)) => bail!("`{}` is being trained in by {who}", dir.display()),
            Err(HoldError::Write(error)) => Err(error).with_context(|| format!("cannot write to `{}`", dir.display())),
        };
        let _holds: Vec<Hold> = dirs.iter().map(take).collect::<Result<_, _>>()?;
        let episodes: Option<u64> = runs.iter().map(|(course, _)| course.told.episodes()).sum();
        let bar = match episodes {
            Some(episodes) => progress::bar(episodes, "episodes of all runs"),
            None => progress::bar(runs.iter().map(|(course, _)| course.told.steps()).sum(), "steps of all runs"),
        };
        let mut waiting = runs.iter().zip(&dirs).enumerate();
        let mut ended: Vec<(usize, Ended)> = Vec::new();
        let mut failed: Vec<(usize, String)> = Vec::new();
        let (mut under_way, mut all_begun, mut told) = (0, false, false);
        while !(all_begun && under_way == 0) {
            if stop.load(Ordering::Relaxed) {
                all_begun = true;
                if !std::mem::replace(&mut told, true) {
                    away.stop().map_err(anyhow::Error::msg)?;
                }
            }
            while !all_begun && under_way < away.room().map_err(anyhow::Error::msg)?.max(1) {
                let Some((number, ((course, seed), dir))) = waiting.next() else {
                    all_begun = true;
                    break;
                };
                let below = dir.strip_prefix(out).unwrap_or(dir);
                let errand = Errand { number, words: words_of(course, *seed), dir, below };
                away.begin(&errand).map_err(anyhow::Error::msg)?;
                under_way += 1;
            }
            if under_way > 0 {
                let now = away.ended().map_err(anyhow::Error::msg)?;
                bar.set_position(if episodes.is_some() { now.episodes } else { now.steps });
                under_way -= now.runs.len();
                for (number, end) in now.runs {
                    match end {
                        Ok(()) if told => ended.push((number, Ended::Stopped(train::Counters::default()))),
                        Ok(()) => ended.push((number, Ended::Before)),
                        Err(problem) => failed.push((number, problem)),
                    }
                }
            }
        }
        bar.finish_and_clear();
        ended.sort_by_key(|(number, _)| *number);
        failed.sort();
        for (number, problem) in &failed {
            crate::note(&format!("heldout: `{}`: {problem}", dirs[*number].display()));
        }
        if !failed.is_empty() {
            let all = crate::count(failed.len() as u64, "run");
            let rest = if told { "the rest is stopped" } else { "the rest is trained" };
            crate::note(&format!("heldout: {all} failed; {rest}"));
            curves(out)?;
            return Err(crate::Failed.into());
        }
        let row = |(number, end): (usize, Ended)| (runs[number].0.task.clone(), runs[number].1, end);
        Ok(ended.into_iter().map(row).collect())
    }

    fn conclude(&self, agent: &Agent, out: &Path, ended: &[(String, u64, Ended)]) -> anyhow::Result<()> {
        let stopped = ended.iter().any(|(_, _, e)| matches!(e, Ended::Stopped(_)));
        if self.json {
            let row = |(task, seed, end): &(String, u64, Ended)| {
                let (state, counters) = match end {
                    Ended::Done(end, counters) => (json!(end), json!(counters)),
                    Ended::Before => (json!("done"), Value::Null),
                    Ended::Stopped(counters) => (json!("stopped"), json!(counters)),
                };
                json!({"task": task, "seed": seed, "end": state, "counters": counters})
            };
            crate::print_json(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "agent": agent.name,
                "out": out.to_string_lossy(),
                "runs": ended.iter().map(row).collect::<Vec<_>>(),
            }))?;
        } else {
            for (task, seed, end) in ended {
                let place = if task.is_empty() { format!("seed {seed}") } else { format!("{task}, seed {seed}") };
                let text = match end {
                    Ended::Done(_, c) => {
                        format!("{place}: {} steps, {} episodes, {} updates\n", c.env_steps, c.episodes, c.updates)
                    }
                    Ended::Before => format!("{place}: done\n"),
                    Ended::Stopped(_) => format!("{place}: stopped\n"),
                };
                crate::print(&text)?;
            }
        }
        if stopped {
            crate::note(&format!("heldout: stopped; to go on: {}", eval::resuming()));
        }
        Ok(())
    }
}

/// Says so where a run that is gone on with was begun by another version or processor.
fn elsewhere(run: &train::Run<'_>) -> anyhow::Result<()> {
    if run.resume
        && run.dir.join(train::RUN).exists()
        && let Some((begun, now)) = run.other()?
    {
        crate::note(&format!(
            "heldout: `{}` was begun by {begun} and goes on with {now}: its numbers may differ from those of one go, and its \
             run.json says so",
            run.dir.display()
        ));
    }
    Ok(())
}

/// A config of training without what only training has: nobody stops in the agent's place in play, nor in selection.
fn untrained(env: &Map<String, Value>) -> Map<String, Value> {
    let keys = env.iter().filter(|(key, _)| *key != "stop_forcing");
    keys.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// The directory of a run.
fn folder(out: &Path, course: &Course, seed: u64) -> PathBuf {
    let task = if course.task.is_empty() { out.to_owned() } else { out.join(&course.task) };
    task.join(format!("seed-{seed}"))
}

/// A spec of one agent that does nothing, to ask whether an id fits at all.
fn dummy() -> Spec {
    Spec::single(Vec::new(), heldout_core::ActionSpace::Discrete(1), (1, 1))
}

/// The words of this command for one run, without the program, `--out` and `--threads`.
fn words_of(course: &Course, seed: u64) -> Vec<OsString> {
    let words = crate::WORDS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut rest = words.into_iter().skip(1);
    let mut own: Vec<OsString> = Vec::new();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        let (name, joined) = text.split_once('=').map_or((text.as_ref(), false), |(name, _)| (name, true));
        if ["--seed", "--seeds", "--jobs", "--task", "--threads", "--out"].contains(&name) {
            if !joined {
                rest.next();
            }
        } else if name != "--json" {
            own.push(word);
        }
    }
    if !course.task.is_empty() {
        own.extend(["--task".into(), course.task.clone().into()]);
    }
    own.extend(["--seed".into(), seed.to_string().into()]);
    own
}

/// This command for one run, as another process.
fn child(course: &Course, seed: u64, out: &Path, threads: usize) -> anyhow::Result<Child> {
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    let mut command = Command::new(&program);
    let stem = program.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    if stem.starts_with("python") {
        command.args(["-m", "heldout"]);
    }
    command.args(words_of(course, seed)).arg("--out").arg(out).args(["--threads", &threads.to_string()]);
    command.env("RAYON_NUM_THREADS", threads.to_string()).stdout(std::process::Stdio::null());
    // Ctrl-C reaches all processes of a group: each run is told to stop once, by this one, and saves.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().with_context(|| format!("cannot start `{}`", program.display()))
}

/// Puts the curves of all runs below a directory together, where reports look for them.
fn curves(out: &Path) -> anyhow::Result<()> {
    let seeds = |folder: &Path| -> Vec<(u64, PathBuf)> {
        let number = |path: &PathBuf| path.file_name()?.to_str()?.strip_prefix("seed-")?.parse().ok();
        let mut all: Vec<_> = folders(folder).into_iter().filter_map(|path| Some((number(&path)?, path))).collect();
        all.sort();
        all
    };
    let mut text = String::new();
    for folder in std::iter::once(out.to_owned()).chain(folders(out)) {
        for (_, seed) in seeds(&folder) {
            let path = seed.join(train::CURVES);
            if path.is_file() {
                text += &heldout_files::text(&path, heldout_files::DATA)
                    .with_context(|| format!("cannot read `{}`", path.display()))?;
            }
        }
    }
    let path = out.join(train::CURVES);
    heldout_files::write(&path, text.as_bytes()).with_context(|| format!("cannot write `{}`", path.display()))
}

/// The folders in a folder, in order.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut all: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).filter(|path| path.is_dir()).collect();
    all.sort();
    all
}

fn wall() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

/// Seconds that this process has computed.
#[cfg(unix)]
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(not(unix))]
fn cpu() -> f64 {
    wall()
}
