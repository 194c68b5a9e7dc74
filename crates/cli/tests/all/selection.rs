//! Training problems that are kept aside to select by.

use std::path::{Path, PathBuf};

use heldout_agents::parts::collect::Place;
use heldout_agents::parts::inputs::{Inputs, Previous};
use heldout_agents::text::{Vocabulary, of_problems};
use heldout_agents::{Checkpoint, select};
use heldout_core::{Autoreset, Buffers, Options, Reset, Seed, VecEnv};
use heldout_envs::find;
use serde_json::{Map, Value};

use crate::common::{Folder, set, state, stdout};

const ID: &str = "lilgym/tower-scratch-v1";
const COPIES: usize = 64;

fn make(config: &Map<String, Value>, copies: usize, autoreset: Autoreset) -> Box<dyn VecEnv> {
    find(ID).unwrap().make(config, copies, Options { autoreset, ..Options::default() }).unwrap()
}

/// A training of one block with a look at what was kept aside.
struct Trained {
    out: String,
    dir: PathBuf,
    /// The environment's config in training.
    config: Map<String, Value>,
    ids: Vec<u32>,
    aside: Vec<u32>,
}

impl Trained {
    fn new(folder: &Folder) -> Self {
        let out = folder.path("out");
        // Nine problems in ten are kept aside: that all copies play one of the others is no accident. A policy that
        // leaves much to chance comes to where a forced stop would help it.
        let keys = ["copies=64", "rows=4", "minibatches=1", "epochs=1", "selection=0.9", "selection_every=1"];
        let more = ["selection_metric=return", "play=sample", "evaluate_every=1", "evaluate_episodes=400"];
        let words = ["train", "ppo-sf", "--env", ID, "--out", &out, "--steps", "100"];
        stdout(&[&words[..], &set(&keys), &set(&more)].concat());
        let dir = Path::new(&out).join("seed-0");
        let run: Value = serde_json::from_slice(&std::fs::read(dir.join("run.json")).unwrap()).unwrap();
        let config = run["env"].as_object().unwrap().clone();
        assert_eq!(config["stop_forcing"], true);
        let problems = make(&config, 1, Autoreset::NextStep).spec().problems.unwrap();
        let (ids, aside) = select::divide(problems, 0.9, Seed(0).stream("train"));
        Self { out, dir, config, ids, aside }
    }

    /// What the run ended with.
    fn done(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.dir.join("done.json")).unwrap()).unwrap()
    }

    /// Every copy was left at a problem that is trained on.
    fn plays_its_own_problems(&self) {
        let (place, _): (Place, Vec<f32>) = state(&self.out).0.play().unwrap();
        assert_eq!(place.copies.len(), COPIES);
        let mut env = make(&self.config, COPIES, Autoreset::NextStep);
        for (copy, bytes) in place.copies.iter().enumerate() {
            env.restore(copy, bytes).unwrap();
            let problem = env.problem(copy).unwrap().unwrap();
            assert!(self.ids.contains(&problem), "copy {copy} trains on problem {problem}, which was kept aside");
        }
    }

    /// The words are those of the problems that are trained on, in their order.
    fn knows_their_words_alone(&self) {
        let words: Vocabulary =
            serde_json::from_slice(&std::fs::read(self.dir.join("vocabulary.json")).unwrap()).unwrap();
        let mut env = make(&self.config, 1, Autoreset::NextStep);
        let inputs = Inputs::new(env.spec(), 0, &Previous::default(), &[]).unwrap();
        assert_eq!(words, of_problems(&mut *env, &inputs, &self.ids).unwrap());
        let mut buffers = Buffers::new(env.spec(), 1);
        let mut strange = |problem: &u32| {
            let reset = Reset { problems: &[Some(*problem)], ..Reset::seed(Seed(0)) };
            env.reset(reset, buffers.output()).unwrap();
            inputs.texts(&buffers, 1).into_iter().any(|text| words.tokens(text).any(|t| t == Vocabulary::UNKNOWN))
        };
        assert!(!self.ids.iter().any(&mut strange), "a word of training is unknown");
        assert!(self.aside.iter().any(&mut strange), "a word that was kept aside is known");
    }

    /// Selection found what the policy scores where nobody stops in its place.
    fn is_not_helped_in_selection(&self) {
        let policy = Checkpoint::open(&self.dir).unwrap();
        let score = |config: &Map<String, Value>| {
            let mut env = make(config, COPIES, Autoreset::Disabled);
            let mut player = policy.player(env.spec()).unwrap();
            select::score(&mut *env, &mut *player, &self.aside, "return", Seed(0).stream("train")).unwrap()
        };
        let mut plain = self.config.clone();
        plain.remove("stop_forcing");
        let best = self.done()["best"].as_f64().unwrap();
        assert_eq!(score(&plain), best);
        assert!(score(&self.config) != best, "a forced stop helps");
    }

    /// Nor does anybody in the evaluation on the way, which is what `heldout run` says of the last policy.
    fn is_not_helped_in_evaluation(&self) {
        std::fs::remove_file(self.dir.join("best.safetensors")).unwrap();
        let seed = Seed(0).stream("evaluation").0.to_string();
        let score = |more: &[&str]| {
            let words = ["run", ID, "--policy", &self.out, "--episodes", "400", "--seed", &seed, "--json"];
            let told: Value = serde_json::from_str(&stdout(&[&words[..], more].concat())).unwrap();
            told["metrics"]["return"]["mean"].as_f64().unwrap()
        };
        let last = self.done()["scores"]["train"].as_f64().unwrap();
        assert_eq!(score(&[]), last);
        assert!(score(&["--set", "stop_forcing=true"]) != last, "a forced stop helps");
    }
}

#[test]
fn agents_check_22_34_51_what_is_kept_aside_is_not_trained_on_nor_read_and_nobody_stops_in_the_agents_place_there() {
    let folder = Folder::new();
    let trained = Trained::new(&folder);
    trained.plays_its_own_problems();
    trained.knows_their_words_alone();
    trained.is_not_helped_in_selection();
    trained.is_not_helped_in_evaluation();
}
