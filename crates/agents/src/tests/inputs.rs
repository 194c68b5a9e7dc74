//! Observations as numbers: where masks are found, how whole numbers enter, what is left out and what is added.

use heldout_core::{ActionSpace, AgentSpec, Buffers, Dtype, Field, FieldRef, Options, Reset, Seed, Spec, VecEnv};
use heldout_envs::find;
use serde_json::{Value, json};

use crate::parts::inputs::{Inputs, Last, Previous, Rows};

const LISTENER: &str = "s2b/listener-v1";
const GAME: &str = "s2b/game-v1";
const HALMA: &str = "halma/symbolic-v1";
const TOWER: &str = "lilgym/tower-scratch-v1";

/// What a learner knows of its past where two copies begin an episode.
fn beginning(spec: &Spec) -> Last {
    Last {
        actions: vec![0; 2 * spec.action_width()],
        rewards: vec![0.0; 2 * spec.agents.len()],
        metrics: vec![0.0; 2 * spec.metrics.len()],
        starts: vec![true; 2],
    }
}

fn plain(spec: &Spec, agent: usize) -> Inputs {
    Inputs::new(spec, agent, &Previous::default(), &[]).unwrap()
}

/// Two copies of an environment in play.
struct Play {
    env: Box<dyn VecEnv>,
    buffers: Buffers,
}

impl Play {
    fn new(id: &str, config: &Value) -> Self {
        let mut env = find(id).unwrap().make(config.as_object().unwrap(), 2, Options::default()).unwrap();
        let mut buffers = Buffers::new(env.spec(), 2);
        env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
        Self { env, buffers }
    }

    fn spec(&self) -> &Spec {
        self.env.spec()
    }

    /// Everybody does what is numbered 0.
    fn step(&mut self) {
        let actions = vec![0; 2 * self.env.spec().action_width()];
        self.env.step(&actions, self.buffers.output()).unwrap();
    }

    fn read(&self, inputs: &Inputs) -> Rows {
        inputs.read(&self.buffers, 2, &beginning(self.spec()), None)
    }

    /// A field of an agent's row as the environment wrote it, with what belongs to a larger agent.
    fn field(&self, name: &str, agent: usize, copy: usize) -> Vec<f32> {
        let index = self.spec().field(name).unwrap();
        let stride = self.spec().observation[index].len();
        let from = (copy * self.spec().agents.len() + agent) * stride;
        match self.buffers.field(index) {
            FieldRef::F32(x) => x[from..][..stride].to_vec(),
            FieldRef::I32(x) => x[from..][..stride].iter().map(|&x| x as f32).collect(),
            FieldRef::U8(x) => x[from..][..stride].iter().map(|&x| f32::from(x)).collect(),
        }
    }

    /// The part of a copy's vector that the field of this name is.
    fn part(&self, inputs: &Inputs, name: &str, copy: usize) -> Vec<f32> {
        let span = inputs.span_of(self.spec(), name).unwrap();
        self.read(inputs).vectors[copy * inputs.width..][..inputs.width][span].to_vec()
    }
}

#[test]
fn agents_check_09_the_mask_is_the_field_that_is_as_long_as_the_choices() {
    let scatter = "lilgym/scatter-scratch-v1";
    // Id, config and agent; the field of its mask, the choices of each integer, and the numbers of its vector.
    let table = [
        (LISTENER, json!({}), 0, Some("action_mask"), vec![3], 38),
        (LISTENER, json!({"actions": "combined"}), 0, Some("action_mask"), vec![519], 35 + 519),
        // Three observations at once have the mask of the last. Among the numbers of one vector it is ignored.
        (LISTENER, json!({"skip_idle": true}), 0, Some("action_mask"), vec![3], 3 * 38),
        (LISTENER, json!({"flat": true}), 0, None, vec![3], 38 + 3),
        (GAME, json!({}), 0, Some("legal_actions"), vec![7; 3], 35 + 21),
        (GAME, json!({}), 1, Some("action_mask"), vec![3], 38),
        // The speaker's is the shorter of two in one field, then the longer.
        (GAME, json!({"listener_query": true}), 0, Some("legal_actions"), vec![7; 3], 35 + 21),
        (GAME, json!({"listener_query": true}), 1, Some("legal_actions"), vec![3, 7, 7, 7], 35 + 24),
        (GAME, json!({"actions": "sentences"}), 0, Some("action_mask"), vec![260], 35 + 260),
        (GAME, json!({"actions": "sentences"}), 1, Some("action_mask"), vec![3], 38),
        (HALMA, json!({"mazes": 2}), 0, None, vec![4; 6], 11 * 19),
        (TOWER, json!({}), 0, None, vec![13], 2),
        (TOWER, json!({"mask": true}), 0, Some("action_mask"), vec![13], 2),
        (TOWER, json!({"mask": true, "actions": "factored"}), 0, Some("legal_actions"), vec![3; 3], 2),
        (scatter, json!({"mask": true}), 0, Some("action_mask"), vec![2_661], 2),
        (scatter, json!({"mask": true, "actions": "factored"}), 0, Some("legal_actions"), vec![3, 19, 5, 3, 3, 3], 2),
    ];
    for (id, config, agent, mask, sizes, width) in table {
        let told = format!("{id} {config}, agent {agent}");
        let mut play = Play::new(id, &config);
        let inputs = plain(play.spec(), agent);
        assert_eq!((&inputs.sizes, inputs.width), (&sizes, width), "{told}");
        assert_eq!(inputs.has_mask(), mask.is_some(), "{told}");
        let mut seen = Vec::new();
        for _ in 0..3 {
            let rows = play.read(&inputs);
            for copy in 0..2 {
                let field = mask.map(|name| play.field(name, agent, copy));
                let own = field.map(|all| all[..inputs.choices()].iter().map(|&x| x != 0.0).collect::<Vec<_>>());
                assert_eq!(rows.legal_of(copy), own.as_deref(), "{told}");
                seen.extend(own.unwrap_or_default());
            }
            play.step();
        }
        assert!(mask.is_none() || (seen.contains(&true) && seen.contains(&false)), "{told}: {seen:?}");
        // Who has no use for it, as lilGym's own network, is shown none, and its vector is the same.
        let without = ["action_mask", "legal_actions"];
        let without = Inputs::new(play.spec(), agent, &Previous::default(), &without).unwrap();
        assert!(!without.has_mask() && without.width == width, "{told}");
    }
}

/// Fields of one row an agent, of one copy.
fn row(spec: &Spec, write: impl FnOnce(&mut heldout_core::Rows<'_>)) -> Buffers {
    let mut buffers = Buffers::new(spec, 1);
    write(&mut buffers.output().rows);
    buffers
}

#[test]
fn agents_check_09_a_choice_of_which_nothing_is_legal_is_free() {
    let spec = |length: usize| {
        let mask = Field::new("legal_actions", Dtype::U8, &[length], 0.0, 1.0);
        Spec::single(vec![mask], ActionSpace::MultiDiscrete(vec![2, 3]), (1, 1))
    };
    let five = spec(5);
    let table = [
        ([1, 0, 0, 1, 1], [true, false, false, true, true]),
        ([0, 0, 0, 1, 0], [true, true, false, true, false]),
        ([0, 1, 0, 0, 0], [false, true, true, true, true]),
        ([0; 5], [true; 5]),
    ];
    for (mask, legal) in table {
        let buffers = row(&five, |rows| rows.row(0).u8(0).copy_from_slice(&mask));
        assert_eq!(plain(&five, 0).read(&buffers, 1, &beginning(&five), None).legal, legal, "{mask:?}");
    }
    // One of another length is of something else, and no input either.
    for length in [2, 4, 6] {
        let other = plain(&spec(length), 0);
        assert!(!other.has_mask() && other.width == 0, "{length}");
    }
}

#[test]
fn agents_check_09_whole_numbers_are_told_one_by_one_and_where_they_are_many_as_a_share() {
    // From -9 to 9: what the environment's own one-hot rows say.
    let [compact, one_hot] =
        ["compact", "one_hot"].map(|form| Play::new(HALMA, &json!({"mazes": 2, "observation": form})));
    let [told, expected] = [&compact, &one_hot].map(|play| play.read(&plain(play.spec(), 0)).vectors);
    assert_eq!(told, expected);
    assert_eq!(told.iter().sum::<f32>(), 2.0 * 11.0);

    // From 0 to 127, beside a picture.
    let visual = Play::new("halma/visual-v1", &json!({"mazes": 2, "boxes": true}));
    let inputs = plain(visual.spec(), 0);
    let rows = visual.read(&inputs);
    assert_eq!((inputs.width, inputs.pictures.len()), (66, 1));
    let shares: Vec<f32> = (0..2).flat_map(|copy| visual.field("boxes", 0, copy)).map(|x| x / 127.0).collect();
    assert!(shares.iter().any(|x| *x > 0.0));
    assert_eq!(rows.vectors, shares);
    let FieldRef::U8(panels) = visual.buffers.field(0) else { panic!("panels are of bytes") };
    assert_eq!(rows.pictures, [panels]);

    // From -32 to 132, and yes or no.
    let scenes = Play::new("lilgym/tower-flipit-v1", &json!({"observation": "objects"}));
    let inputs = plain(scenes.spec(), 0);
    assert_eq!(inputs.width, 40 * 6 + 2);
    for copy in 0..2 {
        let share = |x: f32| (x + 32.0) / 164.0;
        let shares: Vec<f32> = scenes.field("objects", 0, copy).into_iter().map(share).collect();
        assert_eq!(scenes.part(&inputs, "objects", copy), shares);
        let target = scenes.field("target", 0, copy)[0];
        assert_eq!(scenes.part(&inputs, "target", copy), [1.0 - target, target]);
    }
    // As they are told, where a network reads them itself.
    let inputs = inputs.with_objects(scenes.spec());
    assert!(inputs.has_objects() && inputs.width == 2 && inputs.span_of(scenes.spec(), "objects").is_none());
    let FieldRef::I32(objects) = scenes.buffers.field(0) else { panic!("objects are whole numbers") };
    assert_eq!(scenes.read(&inputs).objects, objects);
}

#[test]
fn agents_check_09_sixty_five_values_are_the_most_that_are_told_one_by_one() {
    let fields = vec![
        Field::new("few", Dtype::I32, &[1], -2.0, 62.0),
        Field::new("many", Dtype::I32, &[1], -2.0, 63.0),
        Field::new("bytes", Dtype::U8, &[2], 0.0, 255.0),
        Field::new("plain", Dtype::F32, &[1], 0.0, 9.0),
    ];
    let spec = Spec::single(fields, ActionSpace::Discrete(2), (1, 1));
    let buffers = row(&spec, |rows| {
        let mut own = rows.row(0);
        (own.i32(0)[0], own.i32(1)[0], own.f32(3)[0]) = (62, 50, 7.0);
        own.u8(2).copy_from_slice(&[51, 255]);
    });
    let inputs = plain(&spec, 0);
    assert_eq!(inputs.width, 65 + 1 + 2 + 1);
    let mut expected = vec![0.0; 64];
    expected.extend([1.0, 52.0 / 65.0, 51.0 / 255.0, 1.0, 7.0]);
    assert_eq!(inputs.read(&buffers, 1, &beginning(&spec), None).vectors, expected);
}

#[test]
fn agents_check_09_tokens_are_left_out_where_the_message_is_told() {
    for (id, agent) in [(LISTENER, 0), (GAME, 0), (GAME, 1)] {
        let play = Play::new(id, &json!({}));
        let inputs = plain(play.spec(), agent);
        assert_eq!(inputs.span_of(play.spec(), "message"), Some(3..24), "{id}");
        assert!(play.spec().field("message_tokens").is_some(), "{id}");
        assert_eq!(inputs.span_of(play.spec(), "message_tokens"), None, "{id}");
    }
    let tokens = vec![Field::new("message_tokens", Dtype::I32, &[3], 0.0, 6.0)];
    assert_eq!(plain(&Spec::single(tokens, ActionSpace::Discrete(2), (1, 1)), 0).width, 3 * 7, "alone they are told");
}

#[test]
fn agents_check_09_an_agent_is_shown_its_own_corner_of_a_larger_row() {
    // Who speaks has three integers, who hears four.
    let mut play = Play::new(GAME, &json!({"listener_query": true}));
    let both = [0, 1].map(|agent| plain(play.spec(), agent));
    let mut done = 0.0;
    for _ in 0..3 {
        play.step();
        for (agent, (inputs, own)) in both.iter().zip([21, 24]).enumerate() {
            for copy in 0..2 {
                let before = play.field("previous_action", agent, copy);
                assert_eq!(before.len(), 24);
                assert_eq!(play.part(inputs, "previous_action", copy), before[..own], "agent {agent}, copy {copy}");
                done += before[..own].iter().sum::<f32>();
            }
        }
    }
    assert!(done > 0.0, "something was done before");

    // Who guides sees one sign, who walks all of them; each lacks what only the other has.
    let play = Play::new("example/signal-v1", &json!({"doors": 3}));
    let [guide, walker] = [0, 1].map(|agent| plain(play.spec(), agent));
    assert_eq!((guide.width, guide.has_text(), walker.width, walker.has_text()), (8 + 2, true, 24 + 10 + 2, false));
    assert_eq!(guide.span_of(play.spec(), "message"), None);
    for copy in 0..2 {
        assert_eq!(play.part(&guide, "signs", copy), play.field("signs", 0, copy)[..8]);
        assert_eq!(play.part(&walker, "signs", copy), play.field("signs", 1, copy));
    }

    // Both sides of a table may be shorter.
    let table = Field::new("table", Dtype::F32, &[3, 4], 0.0, 12.0).for_agents(vec![Some(vec![2, 3]), None]);
    let agents = ["one", "other"].map(|name| AgentSpec { name, action: ActionSpace::Discrete(2) }).to_vec();
    let spec = Spec { agents, ..Spec::single(vec![table], ActionSpace::Discrete(2), (1, 1)) };
    let buffers = row(&spec, |rows| {
        rows.row(0).f32(0).iter_mut().enumerate().for_each(|(i, x)| *x = i as f32);
    });
    let own = plain(&spec, 0).read(&buffers, 1, &beginning(&spec), None);
    assert_eq!(own.vectors, [0.0, 1.0, 2.0, 4.0, 5.0, 6.0]);
    assert_eq!(plain(&spec, 1).width, 0);
}

#[test]
fn agents_check_32_what_was_done_and_paid_is_added_once_and_is_nothing_where_an_episode_begins() {
    let mapping = "memory/arbitrary-visuomotor-mapping-mini-v1";
    let signal = "example/signal-v1";
    // Id, config and agent; the metrics asked for, what all agents of a copy did, and which numbers are one then.
    let table = [
        // These tell it themselves.
        (LISTENER, json!({}), 0, vec!["game"], vec![2], vec![]),
        (mapping, json!({"previous": true}), 0, vec![], vec![3], vec![]),
        (mapping, json!({}), 0, vec![], vec![3], vec![3]),
        (
            HALMA,
            json!({"mazes": 2}),
            0,
            vec!["invalid", "trial_end"],
            vec![1, 2, 0, 3, 0, 1],
            vec![1, 6, 8, 15, 16, 21],
        ),
        (TOWER, json!({"actions": "factored"}), 0, vec!["force_stop"], vec![1, 2, 0], vec![1, 5, 6]),
        (signal, json!({"doors": 3}), 0, vec![], vec![3, 1, 2], vec![3, 5]),
        (signal, json!({"doors": 3}), 1, vec!["round"], vec![3, 1, 2], vec![2]),
    ];
    for (id, config, agent, metrics, actions, ones) in table {
        let told = format!("{id} {config}, agent {agent}");
        let play = Play::new(id, &config);
        let (spec, agents) = (play.spec(), play.spec().agents.len());
        let names = metrics.iter().map(|&name| name.to_owned()).collect();
        let previous = Previous { action_and_reward: true, reward_scale: 0.5, metrics: names };
        let inputs = Inputs::new(spec, agent, &previous, &[]).unwrap();
        let own = if spec.field("previous_action").is_some() { 0 } else { inputs.choices() };
        assert_eq!(inputs.width, plain(spec, agent).width + own + 1 + metrics.len(), "{told}");
        // No two agents and no two metrics are told the same number.
        let last = Last {
            actions: actions.repeat(2),
            rewards: (1..=2 * agents).map(|i| i as f32).collect(),
            metrics: (0..2 * spec.metrics.len()).map(|i| i as f32).collect(),
            starts: vec![true, false],
        };
        let rows = inputs.read(&play.buffers, 2, &last, None);
        let [first, second] = [0, 1].map(|copy| &rows.vectors[copy * inputs.width..][..inputs.width]);
        assert!(first[inputs.own_past()].iter().all(|x| *x == 0.0), "{told}: {first:?}");
        let mut expected = vec![0.0; own];
        for one in ones {
            expected[one] = 1.0;
        }
        expected.push(0.5 * (agents + agent + 1) as f32);
        expected.extend(metrics.iter().map(|name| (spec.metrics.len() + spec.metric(name).unwrap()) as f32));
        assert_eq!(second[inputs.own_past()], expected, "{told}");
    }
    // What is told of whole episodes is known too late.
    let spec = Play::new(HALMA, &json!({"mazes": 2})).spec().clone();
    for name in ["rho_g", "rho"] {
        let previous = Previous { metrics: vec![name.to_owned()], ..Previous::default() };
        let refused = Inputs::new(&spec, 0, &previous, &[]).unwrap_err();
        assert!(refused.contains(&format!("no step metric `{name}`")), "{refused}");
    }
}
