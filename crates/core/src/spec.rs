//! What a caller must know of an environment to allocate memory and build networks: plain data.

use serde::Serialize;

use crate::environment::ConfigError;

/// Most fields an observation may have. Fixed, so that rows split over threads without allocating.
pub const MAX_FIELDS: usize = 16;
/// Most agents an environment may have.
pub const MAX_AGENTS: usize = 4;
/// Most components an agent's action may have.
pub const MAX_ACTION_WIDTH: usize = 16;

/// Element type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// 32-bit float.
    F32,
    /// Byte.
    U8,
    /// 32-bit signed integer.
    I32,
}

impl Dtype {
    /// Bytes of one element.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::F32 | Self::I32 => 4,
        }
    }

    /// The name numpy gives it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "float32",
            Self::U8 => "uint8",
            Self::I32 => "int32",
        }
    }
}

/// One named array of an observation.
///
/// Fields are common to all agents: a row is as large as the largest agent's. An agent whose own shape is smaller
/// finds its values in the leading corner and zeros elsewhere; one that lacks the field finds zeros.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Field {
    /// Key in the Python dict.
    pub name: &'static str,
    /// Element type.
    pub dtype: Dtype,
    /// Shape of one row.
    pub shape: Vec<usize>,
    /// Least value of an element.
    pub low: f32,
    /// Greatest value of an element.
    pub high: f32,
    /// Whether the row is zero-padded UTF-8.
    pub text: bool,
    /// Each agent's own shape, `None` for an agent that lacks the field; empty if all have [`Field::shape`].
    pub agents: Vec<Option<Vec<usize>>>,
    /// For each agent, after how many numbers of a row those begin that say what it may do, where they stand among
    /// others; empty if they do not, as in a field that is a mask.
    pub masks: Vec<usize>,
}

impl Field {
    /// An array that every agent has.
    #[must_use]
    pub fn new(name: &'static str, dtype: Dtype, shape: &[usize], low: f32, high: f32) -> Self {
        Self { name, dtype, shape: shape.to_vec(), low, high, text: false, agents: Vec::new(), masks: Vec::new() }
    }

    /// A picture of `height` x `width` RGB bytes.
    #[must_use]
    pub fn image(name: &'static str, height: usize, width: usize) -> Self {
        Self::new(name, Dtype::U8, &[height, width, 3], 0.0, 255.0)
    }

    /// At most `width` bytes of text.
    #[must_use]
    pub fn text(name: &'static str, width: usize) -> Self {
        Self { text: true, ..Self::new(name, Dtype::U8, &[width], 0.0, 255.0) }
    }

    /// The same field with each agent's own shape.
    #[must_use]
    pub fn for_agents(self, agents: Vec<Option<Vec<usize>>>) -> Self {
        Self { agents, ..self }
    }

    /// The same field with the masks of all agents' actions among its numbers, from these on.
    #[must_use]
    pub fn with_masks(self, masks: Vec<usize>) -> Self {
        Self { masks, ..self }
    }

    /// Elements in one row.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether a row holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The shape `agent` sees, `None` if it lacks the field.
    #[must_use]
    pub fn shape_for(&self, agent: usize) -> Option<&[usize]> {
        match self.agents.get(agent) {
            None => Some(&self.shape),
            Some(own) => own.as_deref(),
        }
    }
}

/// What an agent may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionSpace {
    /// One integer in `0..n`.
    Discrete(u32),
    /// One integer in `0..n` for each `n`.
    MultiDiscrete(Vec<u32>),
}

impl ActionSpace {
    /// Number of choices of each component.
    #[must_use]
    pub fn sizes(&self) -> &[u32] {
        match self {
            Self::Discrete(n) => std::slice::from_ref(n),
            Self::MultiDiscrete(sizes) => sizes,
        }
    }

    /// Integers of one action.
    #[must_use]
    pub fn width(&self) -> usize {
        self.sizes().len()
    }

    /// Whether `raw` is an action of this space.
    #[must_use]
    pub fn contains(&self, raw: &[i32]) -> bool {
        raw.len() == self.width() && raw.iter().zip(self.sizes()).all(|(&a, &n)| u32::try_from(a).is_ok_and(|a| a < n))
    }
}

impl std::fmt::Display for ActionSpace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Discrete(n) => write!(f, "Discrete({n})"),
            Self::MultiDiscrete(sizes) => write!(f, "MultiDiscrete({sizes:?})"),
        }
    }
}

/// One agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgentSpec {
    /// Its name; `agent` where there is only one.
    pub name: &'static str,
    /// What it may do.
    pub action: ActionSpace,
}

/// When a metric says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// At every step: shown in `info`.
    Step,
    /// When the episode has ended.
    Episode,
}

/// A number that the rules report beside the reward.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// When it says something.
    pub scope: Scope,
    /// The metric that weighs it in a mean over episodes: the number of games that a share is of. `None`: all alike.
    pub weight: Option<&'static str>,
    /// Whether it is a share of something, or yes or no: 0 to 1.
    pub share: bool,
}

impl Metric {
    /// A metric of every step.
    #[must_use]
    pub fn step(name: impl Into<String>) -> Self {
        Self { name: name.into(), scope: Scope::Step, weight: None, share: false }
    }

    /// A metric of the ended episode.
    #[must_use]
    pub fn episode(name: impl Into<String>) -> Self {
        Self { name: name.into(), scope: Scope::Episode, weight: None, share: false }
    }

    /// A metric of the ended episode that is a share of something, or yes or no: 0 to 1.
    #[must_use]
    pub fn share(name: impl Into<String>) -> Self {
        Self { share: true, ..Self::episode(name) }
    }

    /// The same, weighed by the metric called `name` in a mean over episodes.
    #[must_use]
    pub fn weighed_by(self, name: &'static str) -> Self {
        Self { weight: Some(name), ..self }
    }
}

/// A file that the rules were built from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// What it is to the rules: `digits`, `statements`.
    pub name: &'static str,
    /// SHA-256 of its bytes, in hexadecimal; or the name and version of a built-in source.
    pub content: String,
}

/// Sizes, bounds and names of one environment under one config.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spec {
    /// Fields of one agent's observation, at most [`MAX_FIELDS`].
    pub observation: Vec<Field>,
    /// The agents that act at every step, at most [`MAX_AGENTS`].
    pub agents: Vec<AgentSpec>,
    /// What the rules report beside rewards. A batch's own spec begins with the engine's `return` and `length`.
    pub metrics: Vec<Metric>,
    /// Size of a finite problem set.
    pub problems: Option<u32>,
    /// Steps after which the engine truncates an episode.
    pub max_steps: Option<u32>,
    /// Width and height of the picture that [`crate::Environment::draw`] paints for people.
    pub frame: (usize, usize),
    /// Data that the rules were built from.
    pub sources: Vec<Source>,
}

impl Spec {
    /// The spec of a single agent called `agent`, with nothing optional.
    #[must_use]
    pub fn single(observation: Vec<Field>, action: ActionSpace, frame: (usize, usize)) -> Self {
        Self {
            observation,
            agents: vec![AgentSpec { name: "agent", action }],
            metrics: Vec::new(),
            problems: None,
            max_steps: None,
            frame,
            sources: Vec::new(),
        }
    }

    /// Integers that all agents of one copy act with.
    #[must_use]
    pub fn action_width(&self) -> usize {
        self.agents.iter().map(|a| a.action.width()).sum()
    }

    /// Where `agent`'s integers lie among those of one copy.
    #[must_use]
    pub fn action_span(&self, agent: usize) -> std::ops::Range<usize> {
        let begin = self.agents[..agent].iter().map(|a| a.action.width()).sum();
        begin..begin + self.agents[agent].action.width()
    }

    /// Bytes of one observation row.
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        self.observation.iter().map(|f| f.len() * f.dtype.size()).sum()
    }

    /// Index of the field called `name`.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<usize> {
        self.observation.iter().position(|f| f.name == name)
    }

    /// Index of the metric called `name`.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<usize> {
        self.metrics.iter().position(|m| m.name == name)
    }

    /// Index of the agent called `name`.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<usize> {
        self.agents.iter().position(|a| a.name == name)
    }

    /// Whether any metric speaks at every step.
    #[must_use]
    pub fn has_step_metrics(&self) -> bool {
        self.metrics.iter().any(|m| m.scope == Scope::Step)
    }

    /// Checks that the engine can carry this spec.
    ///
    /// # Errors
    ///
    /// If a size is zero or beyond the engine's limits.
    pub fn check(&self) -> Result<(), ConfigError> {
        let within = |field, n: usize, most| {
            if (1..=most).contains(&n) {
                Ok(())
            } else {
                Err(ConfigError::new(field, format!("would number {n}, must be 1 to {most}")))
            }
        };
        within("frame width", self.frame.0, 1 << 14)?;
        within("frame height", self.frame.1, 1 << 14)?;
        let names = |what, names: Vec<&str>| {
            let twice = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name));
            twice.map_or(Ok(()), |(_, name)| Err(ConfigError::new(what, format!("would name `{name}` twice"))))
        };
        names("observation fields", self.observation.iter().map(|f| f.name).collect())?;
        names("agents", self.agents.iter().map(|a| a.name).collect())?;
        names("metrics", self.metrics.iter().map(|m| m.name.as_str()).collect())?;
        if let Some(weight) = self.metrics.iter().filter_map(|m| m.weight).find(|w| self.metric(w).is_none()) {
            return Err(ConfigError::new("metrics", format!("would be weighed by `{weight}`, which is none of them")));
        }
        within("observation fields", self.observation.len(), MAX_FIELDS)?;
        within("agents", self.agents.len(), MAX_AGENTS)?;
        for field in &self.observation {
            let elements = field.shape.iter().try_fold(1_usize, |n, &m| n.checked_mul(m)).unwrap_or(usize::MAX);
            within("elements of an observation field", elements, 1 << 28)?;
            // Written so that a bound that is not a number is refused too.
            let ordered = field.low <= field.high;
            if !ordered || (field.text && field.dtype != Dtype::U8) {
                return Err(ConfigError::new(field.name, "has bounds or a type that nothing fits"));
            }
            let fits = |own: &Vec<usize>| {
                own.len() == field.shape.len() && own.iter().zip(&field.shape).all(|(own, all)| own <= all)
            };
            let count = field.agents.is_empty() || field.agents.len() == self.agents.len();
            if !count || !field.agents.iter().flatten().all(fits) {
                return Err(ConfigError::new(field.name, "has agents' shapes that do not fit into its own"));
            }
        }
        for agent in &self.agents {
            within("components of an action", agent.action.width(), MAX_ACTION_WIDTH)?;
            for &n in agent.action.sizes() {
                within("choices of an action component", n as usize, i32::MAX as usize)?;
            }
        }
        if let Some(n) = self.problems {
            within("problems", n as usize, u32::MAX as usize)?;
        }
        if let Some(n) = self.max_steps {
            within("steps of an episode", n as usize, u32::MAX as usize)?;
        }
        Ok(())
    }
}
