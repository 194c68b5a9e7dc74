//! What the engine promises whatever the rules are: episodes, seeds, caps, the three autoreset modes, errors that change
//! nothing, threads that change nothing.

use heldout_core::check::within;
use heldout_core::{
    ActionSpace, AgentSpec, Autoreset, Batch, BatchError, Buffers, ConfigError, Crc, Dtype, Environment, Field,
    FieldMut, FieldRef, Frame, Lack, MAX_AGENTS, Metric, Options, Policy, Reset, Rng, Row, Rows, Scripted, Seed,
    Seeding, Spec, Start, Status, VecEnv, View,
};
use serde::{Deserialize, Serialize};

/// Two agents add to a counter: `left` one number, `right` the product of two. It ends at `goal`.
struct Counter {
    spec: Spec,
    goal: i32,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    goal: i32,
    problems: Option<u32>,
    /// Elements of the field `noise`.
    noises: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { goal: 10, problems: None, noises: 1 }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    count: i32,
    noise: i32,
    problem: i32,
    rng: Rng,
}

impl Environment for Counter {
    type Config = Config;
    type State = State;
    type Action = i32;
    type Variant = ();

    fn new(config: &Config, (): ()) -> Result<Self, ConfigError> {
        if config.goal < 1 {
            return Err(ConfigError::value("goal", config.goal, "at least 1"));
        }
        let field = |name, dtype, n| Field::new(name, dtype, &[n], -1e9, 1e9);
        Ok(Self {
            spec: Spec {
                observation: vec![field("count", Dtype::I32, 2), field("noise", Dtype::F32, config.noises)],
                agents: vec![
                    AgentSpec { name: "left", action: ActionSpace::Discrete(3) },
                    AgentSpec { name: "right", action: ActionSpace::MultiDiscrete(vec![2, 3]) },
                ],
                metrics: vec![Metric::step("count"), Metric::episode("problem")],
                problems: config.problems,
                max_steps: Some(50),
                frame: (4, 4),
                sources: Vec::new(),
            },
            goal: config.goal,
        })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, agent: usize, raw: &[i32]) -> Option<i32> {
        self.spec.agents[agent].action.contains(raw).then(|| raw.iter().product())
    }

    fn encode(&self, agent: usize, action: i32, raw: &mut [i32]) {
        raw[0] = action.min(if agent == 0 { 2 } else { 1 });
        if agent == 1 {
            raw[1] = action;
        }
    }

    fn start(&self, start: Start) -> State {
        let mut rng = start.seed.rng();
        let noise = rng.between(0, 1000);
        State { count: 0, noise, problem: start.problem.map_or(-1, |p| p as i32), rng }
    }

    fn restart(&self, state: &mut State, start: Start) {
        *state = self.start(start);
    }

    fn check(&self, state: &State) -> Result<(), String> {
        // The last step may lead beyond the goal.
        within("count", state.count, 0..=self.goal + 4)
    }

    fn step(&self, state: &mut State, actions: &[i32], rewards: &mut [f32]) -> Status {
        state.count += actions.iter().sum::<i32>();
        state.noise = state.rng.between(0, 1000);
        rewards.copy_from_slice(&[actions[0] as f32, 10.0 * actions[1] as f32]);
        if state.count >= self.goal { Status::Terminated } else { Status::Running }
    }

    fn observe(&self, state: &State, agent: usize, mut row: Row<'_, '_>) {
        row.i32(0).copy_from_slice(&[state.count, agent as i32]);
        row.f32(1)[0] = state.noise as f32;
    }

    fn draw(&self, state: &State, _: usize, frame: Frame<'_>) {
        frame.pixels.fill(state.count as u8);
    }

    fn words(&self, state: &State) -> String {
        format!("{state:?}")
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        values.copy_from_slice(&[state.count as f32, state.problem as f32]);
    }

    fn policies() -> Vec<Scripted<Self>> {
        vec![
            Scripted::for_agent::<One>("one", "Adds one.", 0),
            Scripted::of::<Peek>("peek", "Adds what is in the state."),
            Scripted::of::<Patient>("patient", "Adds one after a while, and counts how often."),
        ]
    }
}

#[derive(Default)]
struct One;

impl Policy<Counter> for One {
    type Memory = u32;

    fn remember(&self, _: &Counter) -> u32 {
        0
    }

    fn act(&self, _: &Counter, view: View<'_, Counter>, turns: &mut u32, _: &mut Rng) -> i32 {
        assert!(view.state.is_none(), "an honest policy is shown the state");
        // The memory is of this episode alone: it counts what the row shows.
        assert_eq!(view.row.i32(0)[0], *turns as i32);
        *turns += 1;
        1
    }
}

#[derive(Default)]
struct Peek;

impl Policy<Counter> for Peek {
    type Memory = ();
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &Counter) {}

    fn act(&self, _: &Counter, view: View<'_, Counter>, (): &mut (), _: &mut Rng) -> i32 {
        i32::from(view.state.expect("a privileged policy sees the state").count > 2)
    }
}

/// Asks before each action whether anybody waits for it.
#[derive(Default)]
struct Patient;

impl Policy<Counter> for Patient {
    type Memory = i32;

    fn remember(&self, _: &Counter) -> i32 {
        0
    }

    fn act(&self, _: &Counter, view: View<'_, Counter>, turns: &mut i32, _: &mut Rng) -> i32 {
        if !(view.stop)() {
            *turns += 1;
        }
        1.min(*turns)
    }
}

fn batch(len: usize, options: Options) -> (Batch<Counter>, Buffers) {
    let batch = Batch::new(&Config::default(), (), len, options).unwrap();
    let buffers = Buffers::with_last(batch.spec(), len);
    (batch, buffers)
}

fn counts(buffers: &Buffers) -> Vec<i32> {
    let FieldRef::I32(values) = buffers.field(0) else { panic!("`count` is of integers") };
    values.chunks(4).map(|pair| pair[0]).collect()
}

fn with(autoreset: Autoreset) -> Options {
    Options { autoreset, ..Options::default() }
}

#[test]
fn next_step_autoreset_ignores_the_action_after_the_end() {
    let (mut env, mut out) = batch(1, Options::default());
    env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
    for _ in 0..2 {
        env.step(&[2, 1, 2], out.output()).unwrap();
        assert_eq!(out.status, [Status::Running]);
    }
    env.step(&[2, 1, 2], out.output()).unwrap();
    assert_eq!((out.status[0], counts(&out)[0]), (Status::Terminated, 12));
    assert_eq!(out.rewards, [2.0, 20.0]);
    // return (mean of the agents), length, each agent's return, then the rules' own.
    assert_eq!(out.metrics, [33.0, 3.0, 6.0, 60.0, 12.0, -1.0]);
    env.step(&[2, 1, 2], out.output()).unwrap();
    assert_eq!((out.status[0], counts(&out)[0]), (Status::Running, 0));
    assert_eq!(out.rewards, [0.0, 0.0]);
    env.step(&[1, 0, 0], out.output()).unwrap();
    assert_eq!(counts(&out)[0], 1);
}

#[test]
fn same_step_autoreset_leaves_the_last_observation() {
    let (mut env, mut out) = batch(2, with(Autoreset::SameStep));
    env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
    for _ in 0..3 {
        env.step(&[2, 1, 2, 1, 0, 0], out.output()).unwrap();
    }
    assert_eq!(out.status, [Status::Terminated, Status::Running]);
    assert_eq!(counts(&out), [0, 3]);
    assert_eq!(out.rewards, [2.0, 20.0, 1.0, 0.0]);
    assert_eq!(out.last_rows().row(0).i32(0), [12, 0]);
    assert_eq!(out.last_metrics[..6], [33.0, 3.0, 6.0, 60.0, 12.0, -1.0]);
    // The current rows are of the new episode.
    assert_eq!(out.metrics[..6], [0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
    let (mut next, mut other) = batch(2, Options::default());
    next.reset(Reset::seed(Seed(1)), other.output()).unwrap();
    for _ in 0..4 {
        next.step(&[2, 1, 2, 1, 0, 0], other.output()).unwrap();
    }
    assert_eq!(out.rows().row(0).f32(1), other.rows().row(0).f32(1), "both modes begin the same second episode");
    let mut small = Buffers::new(env.spec(), 2);
    assert_eq!(env.step(&[0; 6], small.output()), Err(BatchError::NoLast));
}

#[test]
fn disabled_autoreset_waits_for_a_masked_reset() {
    let (mut env, mut out) = batch(2, with(Autoreset::Disabled));
    env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
    for _ in 0..3 {
        env.step(&[2, 1, 2, 1, 0, 0], out.output()).unwrap();
    }
    let saved = env.save(1).unwrap();
    assert_eq!(env.step(&[0; 6], out.output()), Err(BatchError::Ended { env: 0 }));
    assert_eq!(env.save(1).unwrap(), saved);
    let reset = |mask| Reset { mask: Some(mask), ..Reset::default() };
    assert_eq!(env.reset(reset(&[false, false]), out.output()), Err(BatchError::EmptyMask));
    assert!(matches!(env.reset(reset(&[true]), out.output()), Err(BatchError::Size { what: "reset mask", .. })));
    env.reset(reset(&[true, false]), out.output()).unwrap();
    assert_eq!(counts(&out), [0, 3]);
    assert_eq!(out.status, [Status::Running; 2]);
    assert_eq!(env.save(1).unwrap(), saved, "a copy outside the mask is untouched");
    env.step(&[1, 0, 0, 1, 0, 0], out.output()).unwrap();
    assert_eq!(counts(&out), [1, 4]);
}

#[test]
fn the_tighter_cap_truncates() {
    for (cap, expected) in [(None, 50), (Some(7), 7), (Some(99), 50)] {
        let (mut env, mut out) = batch(1, Options { max_steps: cap, ..Options::default() });
        assert_eq!(env.spec().max_steps, Some(expected));
        env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
        for step in 1..=expected {
            env.step(&[0, 0, 0], out.output()).unwrap();
            assert_eq!(out.status[0], if step < expected { Status::Running } else { Status::Truncated });
        }
    }
    // An end by the rules on the last allowed step is an end by the rules.
    let (mut env, mut out) = batch(1, Options { max_steps: Some(3), ..Options::default() });
    env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
    for _ in 0..3 {
        env.step(&[2, 1, 2], out.output()).unwrap();
    }
    assert_eq!(out.status[0], Status::Terminated);
}

#[test]
fn errors_name_the_value_and_change_nothing() {
    let (mut env, mut out) = batch(2, Options::default());
    env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
    out.poison(7);
    let (before, memory) = ([env.save(0).unwrap(), env.save(1).unwrap()], out.clone());
    let mut message = |actions: &[i32]| env.step(actions, out.output()).unwrap_err().to_string();
    assert_eq!(message(&[1, 1, 1, 3, 0, 0]), "copy 1, agent `left`: `[3]` is not an action of Discrete(3)");
    assert_eq!(
        message(&[1, 1, 1, 0, 0, -1]),
        "copy 1, agent `right`: `[0, -1]` is not an action of MultiDiscrete([2, 3])"
    );
    assert_eq!(message(&[1, 1, 1]), "`actions` has 3 elements, must have 6");
    assert_eq!([env.save(0).unwrap(), env.save(1).unwrap()], before);
    assert_eq!(out.rewards.iter().map(|r| r.to_bits()).collect::<Vec<_>>(), vec![f32::NAN.to_bits(); 4]);
    assert_eq!(out.status, memory.status);
    assert_eq!(counts(&out), counts(&memory), "the observations are as they were");
    let wrong = [FieldMut::F32(&mut [0.0; 8]), FieldMut::F32(&mut [0.0; 4])];
    let mut small = Buffers::new(env.spec(), 2);
    let mut view = small.output();
    view.rows = Rows::new(&env.spec().observation.clone(), wrong);
    assert_eq!(
        env.step(&[0; 6], view).unwrap_err().to_string(),
        "observation field `count` is of int32, the memory given is not"
    );
    let mut small = Buffers::new(env.spec(), 1);
    assert_eq!(
        env.step(&[0; 6], small.output()).unwrap_err().to_string(),
        "`an observation field` has 4 elements, must have 8"
    );
    let problem = Reset { problems: &[None, Some(3)], ..Reset::default() };
    assert_eq!(
        env.reset(problem, out.output()).unwrap_err().to_string(),
        "copy 1: there is no problem 3; this environment has no numbered problems"
    );
    assert_eq!(env.save(5).unwrap_err().to_string(), "there is no copy 5; the batch has 2");
    let mut pixels = [0; 48];
    let mut draw = |agent| env.draw(0, agent, Frame { width: 4, height: 4, pixels: &mut pixels });
    assert_eq!(draw(2).unwrap_err().to_string(), "there is no agent 2; the environment has 2");
    draw(1).unwrap();
    for (len, options, expected) in [
        (0, Options::default(), "`envs` is `0`, must be 1 to 1048576"),
        (1, Options { threads: 0, ..Options::default() }, "`threads` is `0`, must be 1 to 1024"),
        (1, Options { max_steps: Some(0), ..Options::default() }, "`max_steps` is `0`, must be at least 1"),
    ] {
        let error = Batch::<Counter>::new(&Config::default(), (), len, options).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let error = Batch::<Counter>::new(&Config { goal: 0, ..Config::default() }, (), 1, Options::default());
    assert_eq!(error.map(|_| ()).unwrap_err().to_string(), "`goal` is `0`, must be at least 1");
}

#[test]
fn damaged_and_foreign_states_are_refused() {
    let (mut env, mut out) = batch(1, Options::default());
    env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
    let good = env.save(0).unwrap();
    env.step(&[1, 0, 0], out.output()).unwrap();
    let now = env.save(0).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x41;
        assert!(env.restore(0, &bad).is_err(), "byte {at} changed unnoticed");
        assert!(env.restore(0, &good[..at]).is_err(), "cut at {at} unnoticed");
    }
    let mut other =
        Batch::<Counter>::new(&Config { goal: 11, ..Config::default() }, (), 1, Options::default()).unwrap();
    assert_eq!(
        other.restore(0, &good).unwrap_err().to_string(),
        "not a saved state of this environment: it was saved under another config"
    );
    let (mut renamed, _) = batch(1, Options { id: "other/name-v1", ..Options::default() });
    assert_eq!(
        renamed.restore(0, &good).unwrap_err().to_string(),
        "not a saved state of this environment: it is of ``, this is `other/name-v1`"
    );
    assert_eq!(env.save(0).unwrap(), now, "a refused restore changes nothing");
    env.restore(0, &good).unwrap();
    assert_eq!(env.save(0).unwrap(), good);
}

#[test]
fn copies_walk_permutations_of_a_finite_set() {
    let config = Config { goal: 1, problems: Some(5), ..Config::default() };
    let mut env = Batch::<Counter>::new(&config, (), 3, with(Autoreset::SameStep)).unwrap();
    let mut out = Buffers::with_last(env.spec(), 3);
    env.reset(Reset::seed(Seed(4)), out.output()).unwrap();
    let mut played = vec![Vec::new(); 3];
    for _ in 0..15 {
        for (copy, played) in played.iter_mut().enumerate() {
            played.push(env.problem(copy).unwrap().unwrap());
        }
        env.step(&[1, 0, 0, 1, 0, 0, 1, 0, 0], out.output()).unwrap();
    }
    for walk in &played {
        for pass in walk.chunks(5) {
            let mut sorted = pass.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
        assert_ne!(walk[..5], walk[5..10], "each pass has an order of its own");
    }
    assert_ne!(played[0], played[1]);
    // The order is the copy's own: alone it is the same.
    let mut alone = Batch::<Counter>::new(&config, (), 1, with(Autoreset::SameStep)).unwrap();
    let mut small = Buffers::with_last(alone.spec(), 1);
    let seeds = [Some(Seed(4).derive(1))];
    alone.reset(Reset { seeds: Seeding::Copies(&seeds), ..Reset::default() }, small.output()).unwrap();
    for &expected in &played[1] {
        assert_eq!(alone.problem(0).unwrap(), Some(expected));
        alone.step(&[1, 0, 0], small.output()).unwrap();
    }
    // A problem may be asked for, for one episode.
    let ask = Reset { problems: &[Some(2), None, Some(4)], ..Reset::seed(Seed(4)) };
    env.reset(ask, out.output()).unwrap();
    assert_eq!([0, 1, 2].map(|i| env.problem(i).unwrap().unwrap()), [2, played[1][0], 4]);
    assert!(matches!(
        env.reset(Reset { problems: &[Some(5), None, None], ..Reset::default() }, out.output()),
        Err(BatchError::Problem { env: 0, problem: 5, problems: Some(5) })
    ));
}

#[test]
fn reset_without_a_seed_goes_on() {
    let noise = |out: &Buffers| out.rows().row(0).f32(1)[0];
    let (mut env, mut out) = batch(1, Options::default());
    env.reset(Reset::seed(Seed(8)), out.output()).unwrap();
    let first = noise(&out);
    env.reset(Reset::default(), out.output()).unwrap();
    let second = noise(&out);
    env.reset(Reset::seed(Seed(8)), out.output()).unwrap();
    assert_eq!(noise(&out), first);
    env.reset(Reset::default(), out.output()).unwrap();
    assert_eq!(noise(&out), second);
    assert_ne!(first, second);
}

#[test]
fn policies_are_seated_by_name_and_agent() {
    let (mut env, mut out) = batch(3, Options::default());
    env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
    assert_eq!(
        env.seat(1, "one", Seed(0)).unwrap_err().to_string(),
        "agent `right` has no policy `one`; it has `peek`, `patient`, `random`"
    );
    env.seat(0, "one", Seed(0)).unwrap();
    let mut actions = vec![0; 9];
    for _ in 0..12 {
        // The right agent has no seat: what the caller put there stays.
        env.act(&out.rows(), &mut actions).unwrap();
        env.step(&actions, out.output()).unwrap();
    }
    assert_eq!(counts(&out), [1; 3], "ten steps to the end, a restart, one more");
    env.seat(1, "peek", Seed(0)).unwrap();
    env.act(&out.rows(), &mut actions).unwrap();
    assert_eq!(actions, [1, 0, 0, 1, 0, 0, 1, 0, 0]);
    let short = env.act(&out.rows(), &mut actions[..3]);
    assert!(matches!(short, Err(BatchError::Size { what: "actions", .. })));
}

/// A restored copy meets a policy without memory of the future it came from, and the same chance events.
#[test]
fn policies_resume_with_the_state() {
    let (mut env, mut out) = batch(1, Options::default());
    env.seat(0, "random", Seed(5)).unwrap();
    env.seat(1, "random", Seed(5)).unwrap();
    env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
    let mut actions = vec![0; 3];
    env.act(&out.rows(), &mut actions).unwrap();
    env.step(&actions, out.output()).unwrap();
    let saved = env.save(0).unwrap();
    let mut future = || {
        env.restore(0, &saved).unwrap();
        env.observe(out.output()).unwrap();
        let mut taken = Vec::new();
        for _ in 0..20 {
            env.act(&out.rows(), &mut actions).unwrap();
            taken.extend_from_slice(&actions);
            env.act(&out.rows(), &mut actions).unwrap();
            assert!(taken.ends_with(&actions), "asking twice gives the same answer");
            env.step(&actions, out.output()).unwrap();
        }
        taken
    };
    let first = future();
    assert_eq!(future(), first);
    assert!(first.chunks(3).any(|a| a != &first[..3]), "the policy is random");
}

/// Something done to a spec, and what is said of it then.
type Break = (fn(&mut Spec), &'static str);

#[test]
fn specs_that_cannot_be_carried_are_refused() {
    let good = Counter::new(&Config::default(), ()).unwrap().spec;
    assert_eq!(good.check(), Ok(()));
    let broken: [Break; 8] = [
        (|s| s.metrics.push(Metric::episode("x").weighed_by("y")), "would be weighed by `y`, which is none of them"),
        (|s| s.observation.clear(), "would number 0, must be 1 to 16"),
        (|s| s.observation[1].name = "count", "would name `count` twice"),
        (|s| s.agents[1].name = "left", "would name `left` twice"),
        (|s| s.metrics.push(Metric::step("count")), "would name `count` twice"),
        (|s| s.observation[0].low = 2e9, "has bounds or a type that nothing fits"),
        (|s| s.observation[0].shape = vec![usize::MAX, 2], "must be 1 to 268435456"),
        (|s| s.frame = (0, 4), "would number 0"),
    ];
    for (break_it, message) in broken {
        let mut spec = good.clone();
        break_it(&mut spec);
        let error = spec.check().unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn threads_change_nothing() {
    let run = |threads| {
        let (mut env, mut out) = batch(1000, Options { threads, ..Options::default() });
        env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
        env.seat(0, "random", Seed(5)).unwrap();
        env.seat(1, "random", Seed(5)).unwrap();
        let mut actions = vec![0; 3000];
        let mut crc = Crc::new();
        for _ in 0..60 {
            env.act(&out.rows(), &mut actions).unwrap();
            env.step(&actions, out.output()).unwrap();
            crc.i32s(&actions);
            out.digest(&mut crc);
        }
        crc.value()
    };
    let serial = run(1);
    assert_eq!(run(2), serial);
    assert_eq!(run(7), serial);
}

#[test]
fn experience_is_refused_where_there_is_none() {
    let (mut env, _) = batch(1, Options::default());
    assert_eq!(env.experience(0), Ok(None));
    let expected = "this environment keeps no experience under this config";
    assert_eq!(env.set_experience(0, &[]).unwrap_err().to_string(), expected);
    assert_eq!(env.clear_experience(0).unwrap_err().to_string(), expected);
}

/// What a copy of the counter is saved as.
#[derive(Clone, Serialize, Deserialize)]
struct Saved {
    state: State,
    copy: Seed,
    episode: u64,
    problem: Option<u32>,
    steps: u32,
    status: Status,
    begun: bool,
    fresh: bool,
    returns: [f64; MAX_AGENTS],
}

/// What the counter is saved under: its id, its sources, and checksums of config and spec.
type Origin = (String, Vec<(String, String)>, u32, u32);

/// A change of what is saved.
type Forgery = fn(&mut Saved);

/// `bytes` with what they say changed, and a checksum of what they say then.
fn forged(bytes: &[u8], change: impl FnOnce(&mut Saved)) -> Vec<u8> {
    let (origin, body) = postcard::take_from_bytes::<Origin>(&bytes[8..]).unwrap();
    let mut saved: Saved = postcard::from_bytes(body).unwrap();
    change(&mut saved);
    let body = [postcard::to_stdvec(&origin).unwrap(), postcard::to_stdvec(&saved).unwrap()].concat();
    [&bytes[..4], &Crc::of(&body).to_le_bytes(), &body].concat()
}

/// Counters at their ends overflowed, problems that are none were looked up, and what is no number was summed up.
#[test]
fn regression_forged_counters_were_believed() {
    let config = Config { problems: Some(7), ..Config::default() };
    let mut env = Batch::<Counter>::new(&config, (), 1, Options::default()).unwrap();
    let mut out = Buffers::new(env.spec(), 1);
    env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
    env.step(&[1, 1, 1], out.output()).unwrap();
    let before = env.save(0).unwrap();
    assert_eq!(forged(&before, |_| {}), before);
    let changes: [(Forgery, &str); 9] = [
        (|s| s.episode = u64::MAX, "`episode` is `18446744073709551615`"),
        (|s| s.steps = u32::MAX, "`steps` is `4294967295`, must be 0 to 49"),
        (|s| s.steps = 50, "`steps` is `50`, must be 0 to 49"),
        (|s| s.problem = Some(7), "`problem` is `7`, must be below 7"),
        (|s| s.problem = None, "`problem` is `none`, must be below 7"),
        (|s| s.begun = false, "`begun` is `false`"),
        (|s| s.fresh = true, "`fresh` is `true`"),
        (|s| s.returns[1] = f64::NAN, "`returns` is `NaN`, must be finite"),
        (|s| s.state.count = i32::MAX, "`count` is `2147483647`, must be 0 to 14"),
    ];
    for (change, problem) in changes {
        let told = env.restore(0, &forged(&before, change)).unwrap_err().to_string();
        assert!(told.contains("the rules could not have made it") && told.contains(problem), "{told}");
        assert!(env.save(0).unwrap() == before, "{problem}: something changed");
    }
    env.restore(0, &forged(&before, |s| (s.steps, s.status) = (50, Status::Truncated))).unwrap();
}

/// The bytes of a longer state were taken for those of a shorter one.
#[test]
fn regression_bytes_behind_a_saved_state_were_ignored() {
    let (mut env, _) = batch(1, Options::default());
    let mut bytes = env.save(0).unwrap();
    bytes.extend([1, 2, 3]);
    let checksum = Crc::of(&bytes[8..]).to_le_bytes();
    bytes[4..8].copy_from_slice(&checksum);
    let told = env.restore(0, &bytes).unwrap_err().to_string();
    assert!(told.ends_with("it has 3 bytes too many"), "{told}");
}

/// A generator that stands at zero gives nothing but zeros: a draw without bias waited for another number for ever.
#[test]
fn regression_a_generator_at_zero_hung() {
    let rng = Rng::new(Seed(4));
    let bytes = postcard::to_stdvec(&rng).unwrap();
    assert_eq!(postcard::from_bytes::<Rng>(&bytes), Ok(rng));
    assert!(postcard::from_bytes::<Rng>(&[0; 4]).is_err());
    assert!(postcard::from_bytes::<Rng>(&[0, 0, 0, 1]).is_ok());
}

/// What was chosen after somebody said stop is no choice; who does not ask is not stopped.
#[test]
fn policies_that_are_told_to_stop_say_so_and_forget() {
    for threads in [1, 3] {
        let (mut env, mut out) = batch(200, Options { threads, ..Options::default() });
        env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
        let mut actions = vec![0; 600];
        env.seat(0, "one", Seed(0)).unwrap();
        env.seat(1, "peek", Seed(0)).unwrap();
        env.act_until(&out.rows(), &mut actions, &|| true).unwrap();
        for agent in 0..2 {
            env.seat(agent, "patient", Seed(0)).unwrap();
        }
        let before: Vec<_> = (0..200).map(|copy| env.save(copy).unwrap()).collect();
        let stopped = env.act_until(&out.rows(), &mut actions, &|| true);
        assert_eq!(stopped, Err(BatchError::Stopped));
        assert!((0..200).all(|copy| env.save(copy).unwrap() == before[copy]));
        env.act(&out.rows(), &mut actions).unwrap();
        assert!(actions.iter().all(|&action| action == 1), "a memory of the broken-off call is left");
    }
}

/// It was an abort, of the whole process.
#[test]
fn regression_more_copies_than_memory_are_refused_by_number_and_bytes() {
    // More than there are addresses.
    let wide = Config { noises: 1 << 28, ..Config::default() };
    let error = Batch::<Counter>::new(&wide, (), 1 << 20, Options::default()).err().unwrap();
    assert_eq!((error.lack, error.field.as_str()), (Some(Lack::Memory), "envs"));
    let message = error.to_string();
    assert!(message.starts_with("`envs` is `1048576`, which takes about 2251"), "{message}");
    assert!(message.ends_with(" bytes, more than the system gives"), "{message}");
}
