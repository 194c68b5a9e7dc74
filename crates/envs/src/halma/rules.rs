//! The task, apart from how it is seen: trials, episodes, rewards, metrics and experience.

use heldout_core::{ConfigError, ExperienceError, Metric, Seed, Source, Start, Status};
use serde::{Deserialize, Serialize};

use super::config::Task;
use super::experience::{Experience, counters, note};
use super::generate::{Split, maze_set};
use super::maze::{CELLS, Cell, Maze};
use super::observation::View;
use super::option::{Move, OptionSpace};
use super::oracle::Lengths;
use super::problems::ProblemSet;

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

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub(super) maze: u32,
    pub(super) at: Cell,
    pub(super) steps: u32,
    invalid: u32,
    /// Number of the running trial.
    pub(super) trial: u32,
    pub(super) trial_steps: u32,
    pub(super) goals: u32,
    /// Sum over accomplished trials of the oracle's length over theirs.
    ratios: f64,
    last: Outcome,
    /// Where panels come from that are sampled anew.
    pub(super) panels: Seed,
    /// Counters of [`Experience`]; empty unless it is kept.
    experience: Vec<u32>,
}

impl State {
    /// The cell that the last step led to, if its trial ended there.
    #[must_use]
    pub fn trial_final(&self) -> Option<Cell> {
        (self.last.end != Trial::Running).then_some(self.last.cell)
    }

    /// Number of the maze.
    #[must_use]
    pub fn maze(&self) -> u32 {
        self.maze
    }

    /// Where the agent is.
    #[must_use]
    pub fn cell(&self) -> Cell {
        self.at
    }
}

/// The rules that both ids share.
#[derive(Debug)]
pub struct Rules {
    task: Task,
    options: OptionSpace,
    mazes: Vec<Maze>,
    /// What every cell of every maze looks like, a hundred to a maze.
    views: Vec<View>,
    lengths: Vec<Lengths>,
    source: Option<Source>,
    hand: Split,
}

impl Rules {
    /// Generates or reads the mazes and looks at every cell.
    ///
    /// # Errors
    ///
    /// If the task cannot be played.
    pub fn new(task: &Task) -> Result<Self, ConfigError> {
        task.check()?;
        let (mazes, source, hand) = match &task.problems {
            None => (maze_set(&task.law(), task.split, task.mazes, Seed(task.maze_seed)), None, task.split),
            Some(path) => {
                let (set, content) = read_problems(path)?;
                let mazes = set.problems.into_iter().map(|p| p.maze).collect();
                // Problems in files are tests: they are seen in the test hand.
                (mazes, Some(Source { name: "problems", content }), Split::Test)
            }
        };
        let options = task.options();
        let views = mazes.iter().flat_map(views_of).collect();
        let lengths = mazes.iter().map(|m| Lengths::of(m, options.reach())).collect();
        Ok(Self { task: task.clone(), options, mazes, views, lengths, source, hand })
    }

    /// The task.
    #[must_use]
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// The actions.
    #[must_use]
    pub fn options(&self) -> &OptionSpace {
        &self.options
    }

    /// The mazes, in the order of their problem numbers.
    #[must_use]
    pub fn mazes(&self) -> &[Maze] {
        &self.mazes
    }

    /// The oracle's lengths in maze number `maze`.
    #[must_use]
    pub fn lengths(&self, maze: u32) -> Lengths {
        self.lengths[maze as usize]
    }

    /// What every cell of every maze looks like, a hundred to a maze.
    #[must_use]
    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// Whose handwriting panels are in.
    #[must_use]
    pub fn hand(&self) -> Split {
        self.hand
    }

    /// The files that the mazes were read from.
    #[must_use]
    pub fn source(&self) -> Option<&Source> {
        self.source.as_ref()
    }

    /// What is seen from a cell of a maze.
    #[inline]
    #[must_use]
    pub fn view(&self, maze: u32, cell: Cell) -> &View {
        &self.views[maze as usize * CELLS + cell.index()]
    }

    /// What is seen now.
    #[inline]
    #[must_use]
    pub fn seen(&self, state: &State) -> &View {
        self.view(state.maze, state.at)
    }

    pub(super) fn start(&self, start: Start) -> State {
        let experience = if self.task.experience { vec![0; counters(self.mazes.len())] } else { Vec::new() };
        let mut state = State {
            maze: 0,
            at: Cell::default(),
            steps: 0,
            invalid: 0,
            trial: 0,
            trial_steps: 0,
            goals: 0,
            ratios: 0.0,
            last: Outcome::default(),
            panels: start.seed,
            experience,
        };
        self.restart(&mut state, start);
        state
    }

    pub(super) fn restart(&self, state: &mut State, start: Start) {
        state.maze = start.problem.expect("the set of mazes is finite");
        state.at = self.mazes[state.maze as usize].start();
        (state.steps, state.invalid, state.trial, state.trial_steps, state.goals) = (0, 0, 0, 0, 0);
        state.ratios = 0.0;
        state.last = Outcome { bootstrap: true, cell: state.at, ..Outcome::default() };
        state.panels = start.seed.stream("panels");
    }

    /// The cell that a move from `at` ends in; `None` if a wall is in the way.
    fn destination(&self, maze: u32, at: Cell, action: Move) -> Option<Cell> {
        let view = self.view(maze, at);
        let length = i32::from(action.length);
        if length > view.wall(action.direction) {
            return None;
        }
        let ahead = view.toward(action.direction);
        let passes = self.task.goal_on_pass && ahead > 0 && ahead == view.distance() && ahead < length;
        at.moved(action.direction, if passes { ahead } else { length })
    }

    #[inline]
    pub(super) fn step(&self, state: &mut State, action: Move) -> (f32, Status) {
        let task = &self.task;
        let to = self.destination(state.maze, state.at, action);
        let before = self.seen(state);
        let cell = to.unwrap_or(state.at);
        let after = self.view(state.maze, cell);
        if task.experience && to.is_some() {
            let moved = Move { length: state.at.distance(cell) as u8, ..action };
            note(&mut state.experience, (state.maze, state.at), (before, moved, after), task.kb_c_rule);
        }
        let (invalid, success) = (to.is_none(), after.distance() == 0);
        let mut reward = task.reward_progress * (before.distance() - after.distance()) as f32;
        if invalid {
            reward += task.reward_invalid;
        }
        if success {
            reward += task.reward_goal;
        }
        state.steps += 1;
        state.trial_steps += 1;
        state.invalid += u32::from(invalid);
        state.at = cell;
        let end = match (success, state.trial_steps >= task.max_trial_steps) {
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
            let counted = if task.count_failed_trials { state.trial } else { state.goals };
            if counted >= task.max_trials {
                status = Status::Terminated;
            }
            last.bootstrap = task.bootstrap_across_trials && status == Status::Running;
        }
        if status == Status::Running && state.steps >= task.max_steps {
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
        if self.task.clip_ratio { ratio.min(1.0) } else { ratio }
    }

    /// The metrics of both ids, in the order of [`Rules::metrics`].
    pub(super) fn metric_names() -> Vec<Metric> {
        let step = ["invalid", "trial_end", "trial_success", "trial_index", "trial_len", "bootstrap"];
        let episode = ["rho_a", "rho_g", "rho_p", "trials", "explore_len", "plan_len"];
        step.map(Metric::step).into_iter().chain(episode.map(Metric::episode)).collect()
    }

    pub(super) fn metrics(&self, state: &State, values: &mut [f32]) {
        let last = &state.last;
        let trials = f64::from(self.task.max_trials);
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
        ]);
    }

    /// What has been experienced, if it is kept.
    #[must_use]
    pub fn experience(&self, state: &State) -> Option<Experience> {
        self.task.experience.then(|| Experience::of(&self.mazes, &self.views, self.task.kb_c_rule, &state.experience))
    }

    pub(super) fn set_experience(&self, state: &mut State, bytes: &[u8]) -> Result<(), ExperienceError> {
        if !self.task.experience {
            return Err(ExperienceError::None);
        }
        Experience::from_bytes(bytes)?.write(&self.mazes, self.task.kb_c_rule, &mut state.experience)
    }

    pub(super) fn merge_experience(&self, state: &mut State, bytes: &[u8]) -> Result<(), ExperienceError> {
        let mut sum = self.experience(state).ok_or(ExperienceError::None)?;
        sum.merge(&Experience::from_bytes(bytes)?)?;
        sum.write(&self.mazes, self.task.kb_c_rule, &mut state.experience)
    }

    pub(super) fn clear_experience(&self, state: &mut State) -> Result<(), ExperienceError> {
        if !self.task.experience {
            return Err(ExperienceError::None);
        }
        state.experience.fill(0);
        Ok(())
    }
}

/// What each of the hundred cells of a maze looks like; nothing is seen from a cell outside it.
pub fn views_of(maze: &Maze) -> impl Iterator<Item = View> {
    let ways = maze.ways();
    Cell::all().map(move |c| if maze.is_open(c) { View::of(maze, &ways, c) } else { View::default() })
}

#[cfg(feature = "files")]
fn read_problems(path: &str) -> Result<(ProblemSet, String), ConfigError> {
    ProblemSet::read(path).map_err(|e| ConfigError::new("problems", e.to_string()))
}

#[cfg(not(feature = "files"))]
fn read_problems(path: &str) -> Result<(ProblemSet, String), ConfigError> {
    Err(ConfigError::new("problems", format!("is `{path}`, but this build reads no files")))
}
