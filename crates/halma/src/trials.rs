//! The task, apart from how it is seen: trials, episodes, rewards, metrics and experience.

use heldout_core::check::{all_within, below, count, that, within};
use heldout_core::{ConfigError, ExperienceError, Metric, Seed, Source, Start, Status};
use serde::{Deserialize, Serialize};

use crate::config::Settings;
use crate::experience::{Experience, counters, note};
use crate::generate::{Split, maze_set};
use crate::maze::{CELLS, Cell, Maze};
use crate::observation::Entries;
use crate::option::{Move, OptionSpace};
use crate::oracle::Lengths;
use crate::problems::{MOST_TARGETS, Problem, Target, TestSet};

/// How a trial stands after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Trial {
    #[default]
    Running,
    Accomplished,
    Failed,
}

/// What the last step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Outcome {
    invalid: bool,
    end: Trial,
    /// Number of the trial that the step belonged to.
    trial: u32,
    /// Its steps so far.
    length: u32,
    /// Whether a learner bootstraps from what the step led to.
    bootstrap: bool,
    /// The cell that the step led to.
    cell: Cell,
}

/// A relation that a maze asks for, as its grasp is measured.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// Where the relation is seen.
    stop: Cell,
    /// Where one who has grasped it goes: the crossing.
    to: Cell,
    /// Options that this takes.
    options: u32,
}

/// What has become of the relations that a maze asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Grasp {
    /// The step of trial 0 after which one must stand at the crossing of each; 0 before the first stop where it is
    /// seen.
    due: [u32; MOST_TARGETS],
    /// How many were grasped.
    grasped: u32,
}

impl Grasp {
    /// The agent stands at `cell` after `steps` steps of trial 0.
    #[inline]
    fn stand(&mut self, asked: &[Asked], cell: Cell, steps: u32) {
        for (asked, due) in asked.iter().zip(&mut self.due) {
            if *due == 0 {
                if cell == asked.stop {
                    *due = steps + asked.options;
                }
            } else if *due == steps && cell == asked.to {
                self.grasped += 1;
            }
        }
    }
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) maze: u32,
    pub(crate) at: Cell,
    pub(crate) steps: u32,
    invalid: u32,
    /// Number of the running trial.
    pub(crate) trial: u32,
    pub(crate) trial_steps: u32,
    pub(crate) goals: u32,
    /// Sum over accomplished trials of the oracle's length over theirs.
    ratios: f64,
    grasp: Grasp,
    last: Outcome,
    /// Where panels come from that are sampled anew.
    pub(crate) panels: Seed,
    /// Counters of [`Experience`]; empty unless it is kept.
    experience: Vec<u32>,
}

impl State {
    /// The cell that the last step led to, if its trial ended there.
    pub(crate) fn trial_final(&self) -> Option<Cell> {
        (self.last.end != Trial::Running).then_some(self.last.cell)
    }
}

/// The rules that both ids share.
#[derive(Debug)]
pub(crate) struct Trials {
    pub(crate) settings: Settings,
    pub(crate) options: OptionSpace,
    /// In the order of their problem numbers.
    pub(crate) mazes: Vec<Maze>,
    /// What is seen from every cell of every maze, a hundred to a maze.
    pub(crate) entries: Vec<Entries>,
    lengths: Vec<Lengths>,
    /// What each maze asks for.
    asked: Vec<Vec<Asked>>,
    /// The file that the mazes were read from.
    pub(crate) source: Option<Source>,
    /// Whose handwriting panels are in.
    pub(crate) hand: Split,
}

impl Trials {
    /// Generates or reads the mazes and looks at every cell.
    pub(crate) fn new(settings: Settings) -> Result<Self, ConfigError> {
        settings.check()?;
        let problem = |maze| Problem { maze, targets: Vec::new(), foreign: 0 };
        let (problems, source, hand) = match &settings.problems {
            None => {
                let mazes = maze_set(&settings.law(), settings.split, settings.mazes, Seed(settings.maze_seed));
                (mazes.into_iter().map(problem).collect(), None, settings.split)
            }
            Some(path) => {
                let (set, content) = read_problems(path)?;
                // Problems in files are tests: they are seen in the test hand.
                (set.problems, Some(Source { name: "problems", content }), Split::Test)
            }
        };
        let options = settings.options();
        let asked = |target: &Target| {
            let lo = target.relation.lo.into();
            let to = target.cell.moved(target.relation.direction, lo)?;
            Some(Asked { stop: target.cell, to, options: (lo as u32).div_ceil(options.reach()) })
        };
        let asked = problems.iter().map(|p| p.targets.iter().filter_map(asked).collect()).collect();
        let mazes: Vec<Maze> = problems.into_iter().map(|p| p.maze).collect();
        let entries = mazes.iter().flat_map(entries_of).collect();
        let lengths = mazes.iter().map(|m| Lengths::of(m, options.reach())).collect();
        Ok(Self { settings, options, mazes, entries, lengths, asked, source, hand })
    }

    /// What is seen from a cell of a maze.
    #[inline]
    pub(crate) fn entries_at(&self, maze: u32, cell: Cell) -> &Entries {
        &self.entries[maze as usize * CELLS + cell.index()]
    }

    /// What is seen now.
    #[inline]
    pub(crate) fn seen(&self, state: &State) -> &Entries {
        self.entries_at(state.maze, state.at)
    }

    pub(crate) fn start(&self, start: Start) -> State {
        let experience = if self.settings.experience { vec![0; counters(self.mazes.len())] } else { Vec::new() };
        let mut state = State {
            maze: 0,
            at: Cell::default(),
            steps: 0,
            invalid: 0,
            trial: 0,
            trial_steps: 0,
            goals: 0,
            ratios: 0.0,
            grasp: Grasp::default(),
            last: Outcome::default(),
            panels: start.seed,
            experience,
        };
        self.restart(&mut state, start);
        state
    }

    pub(crate) fn restart(&self, state: &mut State, start: Start) {
        state.maze = start.problem.expect("the set of mazes is finite");
        state.at = self.mazes[state.maze as usize].start();
        (state.steps, state.invalid, state.trial, state.trial_steps, state.goals) = (0, 0, 0, 0, 0);
        state.ratios = 0.0;
        state.grasp = Grasp::default();
        state.grasp.stand(&self.asked[state.maze as usize], state.at, 0);
        state.last = Outcome { bootstrap: true, cell: state.at, ..Outcome::default() };
        state.panels = start.seed.stream("panels");
    }

    /// Checks that a state could have come about in one of the mazes, within the limits of trials and episodes.
    pub(crate) fn check(&self, state: &State) -> Result<(), String> {
        let settings = &self.settings;
        below("maze", state.maze, self.mazes.len())?;
        let maze = &self.mazes[state.maze as usize];
        for (what, cell) in [("at", state.at), ("cell", state.last.cell)] {
            below(what, cell.index() as u64, CELLS)?;
            that(what, cell.index(), maze.is_open(cell), "an open cell of the maze")?;
        }
        within("steps", state.steps, 0..=settings.max_steps)?;
        within("invalid", state.invalid, 0..=state.steps)?;
        within("trial", state.trial, 0..=state.steps)?;
        within("trial_steps", state.trial_steps, 0..=state.steps.min(settings.max_trial_steps))?;
        within("goals", state.goals, 0..=state.trial)?;
        let Lengths { explore, plan } = self.lengths[state.maze as usize];
        let most = if settings.clip_ratio { 1 } else { explore.max(plan).max(1) };
        within("ratios", state.ratios, 0.0..=f64::from(most) * f64::from(state.goals))?;
        let asked = &self.asked[state.maze as usize];
        let longest = asked.iter().map(|a| a.options).max().unwrap_or(0);
        all_within("due", state.grasp.due, &(0..=settings.max_trial_steps + longest))?;
        within("grasped", state.grasp.grasped, 0..=asked.len() as u32)?;
        within("last.trial", state.last.trial, 0..=state.trial)?;
        within("last.length", state.last.length, 0..=settings.max_trial_steps)?;
        let kept = if settings.experience { counters(self.mazes.len()) } else { 0 };
        count("experience", state.experience.len(), kept)
    }

    /// The cell that a move from `at` ends in; `None` if a wall is in the way.
    fn destination(&self, maze: u32, at: Cell, action: Move) -> Option<Cell> {
        let entries = self.entries_at(maze, at);
        let length = i32::from(action.length);
        if length > entries.wall(action.direction) {
            return None;
        }
        let ahead = entries.toward(action.direction);
        let passes = self.settings.goal_on_pass && ahead > 0 && ahead == entries.distance() && ahead < length;
        at.moved(action.direction, if passes { ahead } else { length })
    }

    #[inline]
    pub(crate) fn step(&self, state: &mut State, action: Move) -> (f32, Status) {
        let settings = &self.settings;
        let to = self.destination(state.maze, state.at, action);
        let before = self.seen(state);
        let cell = to.unwrap_or(state.at);
        let after = self.entries_at(state.maze, cell);
        if settings.experience && to.is_some() {
            let moved = Move { length: state.at.distance(cell) as u8, ..action };
            note(&mut state.experience, (state.maze, state.at), (before, moved, after), settings.count_rules());
        }
        let (invalid, success) = (to.is_none(), after.distance() == 0);
        let mut reward = settings.reward_progress * (before.distance() - after.distance()) as f32;
        if invalid {
            reward += settings.reward_invalid;
        }
        if success {
            reward += settings.reward_goal;
        }
        state.steps += 1;
        state.trial_steps += 1;
        state.invalid += u32::from(invalid);
        state.at = cell;
        if state.trial == 0 {
            state.grasp.stand(&self.asked[state.maze as usize], cell, state.trial_steps);
        }
        let end = match (success, state.trial_steps >= settings.max_trial_steps) {
            (true, _) => Trial::Accomplished,
            (false, true) => Trial::Failed,
            (false, false) => Trial::Running,
        };
        let mut last = Outcome { invalid, end, trial: state.trial, length: state.trial_steps, bootstrap: true, cell };
        if success {
            state.goals += 1;
            state.ratios += self.ratio(state);
        }
        let mut status = Status::Running;
        if end != Trial::Running {
            state.trial += 1;
            let counted = if settings.count_failed_trials { state.trial } else { state.goals };
            if counted >= settings.max_trials {
                status = Status::Terminated;
            }
            last.bootstrap = settings.bootstrap_across_trials && status == Status::Running;
        }
        if status == Status::Running && state.steps >= settings.max_steps {
            status = Status::Truncated;
        }
        if end != Trial::Running && status == Status::Running {
            state.trial_steps = 0;
            state.at = self.mazes[state.maze as usize].start();
        }
        state.last = last;
        (reward, status)
    }

    /// The running trial's share of `rho_p`, now that it is accomplished.
    fn ratio(&self, state: &State) -> f64 {
        let Lengths { explore, plan } = self.lengths[state.maze as usize];
        let best = if state.trial == 0 { explore } else { plan };
        let ratio = f64::from(best) / f64::from(state.trial_steps);
        if self.settings.clip_ratio { ratio.min(1.0) } else { ratio }
    }

    /// The metrics of both ids, in the order of [`Trials::metrics`].
    pub(crate) fn metric_names() -> Vec<Metric> {
        let step = ["invalid", "trial_end", "trial_success", "trial_index", "trial_len", "bootstrap"];
        let shares = ["rho_a", "rho_g"].map(Metric::share);
        let episode = ["rho_p", "trials", "explore_len", "plan_len"].map(Metric::episode);
        // A maze that asks for nothing counts for nothing in a mean of grasps.
        let grasp = [Metric::share("grasp").weighed_by("targets"), Metric::episode("targets")];
        step.map(Metric::step).into_iter().chain(shares).chain(episode).chain(grasp).collect()
    }

    pub(crate) fn metrics(&self, state: &State, values: &mut [f32]) {
        let last = &state.last;
        let trials = f64::from(self.settings.max_trials);
        let asked = self.asked[state.maze as usize].len();
        let Lengths { explore, plan } = self.lengths[state.maze as usize];
        values.copy_from_slice(&[
            f32::from(last.invalid),
            f32::from(last.end != Trial::Running),
            f32::from(last.end == Trial::Accomplished),
            last.trial as f32,
            last.length as f32,
            f32::from(last.bootstrap),
            (f64::from(state.invalid) / f64::from(state.steps.max(1))) as f32,
            (f64::from(state.goals) / trials) as f32,
            (state.ratios / trials) as f32,
            state.trial as f32,
            explore as f32,
            plan as f32,
            state.grasp.grasped as f32 / asked.max(1) as f32,
            asked as f32,
        ]);
    }

    /// What has been experienced, if it is kept.
    pub(crate) fn experience(&self, state: &State) -> Option<Experience> {
        self.settings
            .experience
            .then(|| Experience::of(&self.mazes, &self.entries, self.settings.count_rules(), &state.experience))
    }

    pub(crate) fn set_experience(&self, state: &mut State, bytes: &[u8]) -> Result<(), ExperienceError> {
        if !self.settings.experience {
            return Err(ExperienceError::None);
        }
        Experience::from_bytes(bytes)?.write(&self.mazes, self.settings.count_rules(), &mut state.experience)
    }

    pub(crate) fn merge_experience(&self, state: &mut State, bytes: &[u8]) -> Result<(), ExperienceError> {
        let mut sum = self.experience(state).ok_or(ExperienceError::None)?;
        sum.merge(&Experience::from_bytes(bytes)?)?;
        sum.write(&self.mazes, self.settings.count_rules(), &mut state.experience)
    }

    pub(crate) fn clear_experience(&self, state: &mut State) -> Result<(), ExperienceError> {
        if !self.settings.experience {
            return Err(ExperienceError::None);
        }
        state.experience.fill(0);
        Ok(())
    }
}

/// What each of the hundred cells of a maze looks like; nothing is seen from a cell outside it.
pub(crate) fn entries_of(maze: &Maze) -> impl Iterator<Item = Entries> {
    let ways = maze.ways();
    Cell::all().map(move |c| if maze.is_open(c) { Entries::of(maze, &ways, c) } else { Entries::default() })
}

#[cfg(feature = "files")]
fn read_problems(path: &str) -> Result<(TestSet, String), ConfigError> {
    TestSet::read(path).map_err(|e| ConfigError::new("problems", e.to_string()))
}

#[cfg(not(feature = "files"))]
fn read_problems(path: &str) -> Result<(TestSet, String), ConfigError> {
    Err(ConfigError::new("problems", format!("is `{path}`, but this build reads no files")))
}
