//! Encoders that stay as they are: their tokens, their vectors, their files, and the networks that take them.

use std::path::{Path, PathBuf};

use heldout_core::{Options, Seed};
use heldout_envs::find;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Map, Value, json};

use super::near;
use crate::nn::Device;
use crate::parts::collect::Problems;
use crate::ppo::{Config, Critic, Kind, Ppo};
use crate::table::{Agent, Profile, Told};
use crate::text::{Bert, FILES, Text, WordPiece, checked, frozen};
use crate::train::Learner;

const PIECES: &str = "[PAD] [UNK] [CLS] [SEP] [MASK] . , ! ' a there is are at least exactly one two block ##s tower \
                      yellow blue black box with base top on of the un ##believ ##able naive left ##most s";

/// Made by `crates/agents/tests/encoder.py`.
const MEANS: [(&str, [f32; 16]); 5] = [
    (
        "There is a yellow block.",
        [
            -0.02663, 1.03578, 0.54085, -1.19793, -0.34436, -0.07678, 1.05333, 0.05441, 0.20520, -0.30392, -0.36996,
            -0.79912, -0.62463, 0.25417, 1.43318, -0.40145,
        ],
    ),
    (
        "there are exactly two towers with a blue base, at least",
        [
            -0.15035, 1.01900, 0.58113, -1.27315, -0.19306, -0.38192, 1.21818, -0.10361, 0.09609, -0.26798, -0.44712,
            -0.46878, -0.43872, -0.01092, 1.53189, -0.46799,
        ],
    ),
    (
        "Naïve, unbelievable! The leftmost box",
        [
            -0.36973, 1.03470, 0.57027, -1.38154, 0.16179, -0.68161, 1.58519, 0.16752, -0.18942, -0.19894, -0.35048,
            -0.64386, -0.24003, -0.06167, 0.95660, -0.25180,
        ],
    ),
    (
        "A tower's  top\tis black",
        [
            0.04114, 0.90534, 0.57027, -1.11401, -0.47141, -0.12207, 1.24571, 0.05014, 0.28868, -0.41908, -0.51075,
            -0.45878, -0.67206, 0.24575, 1.28168, -0.31717,
        ],
    ),
    (
        "zebra",
        [
            -0.43906, 0.98127, 0.88992, -1.69225, -0.18733, -0.29398, 2.12434, -0.18105, -0.18949, -0.44637, -0.33289,
            -0.06665, -0.48761, -0.20306, 1.27718, -0.55506,
        ],
    ),
];

/// Numbers between -1 and 1 that follow from a name alone.
fn numbers(name: &str, count: usize) -> impl Iterator<Item = f32> {
    let seed = name.bytes().fold(2_166_136_261_u32, |seed, byte| (seed ^ u32::from(byte)).wrapping_mul(16_777_619));
    let at = move |i: usize| seed.wrapping_add(2_654_435_761_u32.wrapping_mul(i as u32)) >> 8;
    (0..count).map(move |i| (f64::from(at(i)) / f64::from(1 << 23) - 1.0) as f32)
}

fn sizes() -> Value {
    json!({
        "vocab_size": PIECES.split_whitespace().count(),
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 24,
        "max_position_embeddings": 20,
        "type_vocab_size": 2,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
    })
}

/// Names and shapes of all tensors of an encoder of these sizes.
fn tensors(sizes: &Value) -> Vec<(String, Vec<usize>)> {
    let size = |key: &str| sizes[key].as_u64().unwrap() as usize;
    let (width, wide) = (size("hidden_size"), size("intermediate_size"));
    let mut all = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![size("vocab_size"), width]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![size("max_position_embeddings"), width]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![size("type_vocab_size"), width]),
    ];
    let mut pair = |name: String, weight: Vec<usize>| {
        all.push((format!("{name}.bias"), weight[..1].to_vec()));
        all.push((format!("{name}.weight"), weight));
    };
    pair("embeddings.LayerNorm".to_owned(), vec![width]);
    for layer in 0..size("num_hidden_layers") {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        for part in ["self.query", "self.key", "self.value", "output.dense"] {
            pair(name(&format!("attention.{part}")), vec![width, width]);
        }
        pair(name("attention.output.LayerNorm"), vec![width]);
        pair(name("intermediate.dense"), vec![wide, width]);
        pair(name("output.dense"), vec![width, wide]);
        pair(name("output.LayerNorm"), vec![width]);
    }
    all
}

/// A directory that is gone when the test is over.
struct Folder(PathBuf);

impl Folder {
    /// With the files of an encoder, its tensors called by `rename`.
    fn new(name: &str, sizes: &Value, rename: impl Fn(&str) -> String) -> Self {
        let path = std::env::temp_dir().join(format!("heldout-encoder-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        let folder = Self(path);
        folder.put("config.json", sizes.to_string().as_bytes());
        let lines: Vec<&str> = PIECES.split_whitespace().collect();
        folder.put("vocab.txt", (lines.join("\n") + "\n").as_bytes());
        let bytes: Vec<(String, Vec<usize>, Vec<u8>)> = tensors(sizes)
            .into_iter()
            .map(|(name, shape)| {
                let shift = if name.ends_with("LayerNorm.weight") { 1.0 } else { 0.0 };
                let all = numbers(&name, shape.iter().product()).map(|x| shift + x / 2.0);
                (rename(&name), shape, all.flat_map(f32::to_le_bytes).collect())
            })
            .collect();
        let views = bytes
            .iter()
            .map(|(name, shape, bytes)| (name.clone(), TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap()));
        folder.put("model.safetensors", &safetensors::serialize(views, None).unwrap());
        folder
    }

    fn plain(name: &str) -> Self {
        Self::new(name, &sizes(), str::to_owned)
    }

    fn put(&self, file: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(file), bytes).unwrap();
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn vector(encoder: &Bert, text: &str) -> Vec<f32> {
    let mut out = Vec::new();
    encoder.read(text, &mut out);
    out
}

#[test]
fn agents_check_39_an_encoder_means_what_python_says() {
    let gone = |name: &str| format!("bert.{}", name.replace("LayerNorm.weight", "LayerNorm.gamma"));
    let folders = [Folder::plain("plain"), Folder::new("prefix", &sizes(), |n| gone(n).replace("m.bias", "m.beta"))];
    for folder in &folders {
        let encoder = Bert::open(&folder.0).unwrap();
        assert_eq!(encoder.width(), 16);
        for (sentence, expected) in &MEANS {
            near(&vector(&encoder, sentence), expected, 1e-4);
            // Again, from memory.
            near(&vector(&encoder, sentence), expected, 1e-4);
        }
        assert_eq!(vector(&encoder, "  "), [0.0; 16], "nothing was said");
        // What is longer than the encoder has places is cut.
        let long = "yellow ".repeat(50);
        assert_eq!(vector(&encoder, &long), vector(&encoder, &"yellow ".repeat(18)));
        assert_ne!(vector(&encoder, &long), vector(&encoder, &"yellow ".repeat(17)));
    }
    // The vocabulary of the other file in which it is published.
    let folder = &folders[0];
    let pieces: Map<String, Value> =
        PIECES.split_whitespace().enumerate().map(|(i, p)| (p.to_owned(), i.into())).collect();
    folder.put("tokenizer.json", json!({"model": {"type": "WordPiece", "vocab": pieces}}).to_string().as_bytes());
    std::fs::remove_file(folder.0.join("vocab.txt")).unwrap();
    near(&vector(&Bert::open(&folder.0).unwrap(), MEANS[1].0), &MEANS[1].1, 1e-4);
}

#[test]
fn agents_check_39_words_are_taken_apart_as_bert_does() {
    let lines: Vec<&str> = PIECES.split_whitespace().collect();
    let pieces = WordPiece::of_lines(&lines.join("\n")).unwrap();
    let told = |text: &str| {
        let tokens = pieces.tokens(text, 64);
        let named: Vec<&str> = tokens.iter().map(|&t| lines[t as usize]).collect();
        let [first, named @ .., last] = named.as_slice() else { panic!("{named:?}") };
        assert_eq!((*first, *last), ("[CLS]", "[SEP]"));
        named.join(" ")
    };
    for (text, expected) in [
        ("There is a TOWER.", "there is a tower ."),
        ("towers,towers!", "tower ##s , tower ##s !"),
        ("unbelievable unbelieving", "un ##believ ##able [UNK]"),
        ("naïve NAI\u{308}VE nai\u{308}ve", "naive naive naive"),
        ("tower's", "tower ' s"),
        ("«box» — the\u{2019}top", "[UNK] box [UNK] [UNK] the [UNK] top"),
        ("bl\u{200b}ock a\u{0}t\tone\u{a0}two", "block at one two"),
        ("", ""),
    ] {
        assert_eq!(told(text), expected, "{text:?}");
    }
    assert_eq!(told(&"a".repeat(101)), "[UNK]");
    assert_eq!(pieces.tokens("a a a a", 4).len(), 4, "with what frames it");
    for (lines, part) in [("[UNK]\n[CLS]", "`[SEP]`"), ("[UNK]\n[CLS]\n[SEP]\na\na", "line 5: the piece `a`")] {
        assert!(WordPiece::of_lines(lines).unwrap_err().contains(part));
    }
}

#[test]
fn agents_check_39_an_encoder_that_is_none_is_refused_by_file_and_field() {
    let folder = Folder::plain("refused");
    let refused = |file: &str, parts: &[&str]| {
        let error = Bert::open(&folder.0).unwrap_err().to_string();
        for part in [file].iter().chain(parts) {
            assert!(error.contains(part), "{error} does not tell {part}");
        }
    };
    let with = |key: &str, value: Value| {
        let mut sizes = sizes();
        sizes[key] = value;
        folder.put("config.json", sizes.to_string().as_bytes());
    };
    for (key, value, part) in [
        ("hidden_act", json!("gelu_new"), "`hidden_act` is `gelu_new`, must be `gelu`"),
        ("model_type", json!("roberta"), "`model_type` is `roberta`"),
        ("position_embedding_type", json!("relative_key"), "`position_embedding_type`"),
        ("num_attention_heads", json!(3), "must divide `hidden_size`, 16"),
        ("num_attention_heads", json!(0), "`num_attention_heads` is 0"),
        ("layer_norm_eps", json!(0), "`layer_norm_eps`"),
        ("hidden_size", json!("wide"), "invalid type"),
        ("vocab_size", json!(9), "`vocab_size` is 9"),
    ] {
        with(key, value);
        refused("config.json", &[part]);
    }
    with("num_hidden_layers", json!(3));
    refused("model.safetensors", &["has no tensor `encoder.layer.2.attention.self.query.weight`"]);
    with("intermediate_size", json!(25));
    let shapes = "`encoder.layer.0.intermediate.dense.weight` is [24, 16] of F32, must be [25, 16] of F32";
    refused("model.safetensors", &[shapes]);
    with("hidden_act", json!("gelu"));
    folder.put("tokenizer_config.json", br#"{"do_lower_case": false}"#);
    refused("tokenizer_config.json", &["uncased"]);
    std::fs::remove_file(folder.0.join("tokenizer_config.json")).unwrap();
    let whole = std::fs::read(folder.0.join("model.safetensors")).unwrap();
    for cut in [0, 7, 100, whole.len() - 1] {
        folder.put("model.safetensors", &whole[..cut]);
        refused("model.safetensors", &["cut short"]);
    }
    let mut broken = whole;
    broken.splice(whole_end(&broken).., f32::NAN.to_le_bytes());
    folder.put("model.safetensors", &broken);
    refused("model.safetensors", &["holds NaN"]);
    std::fs::remove_file(folder.0.join("vocab.txt")).unwrap();
    refused("vocab.txt", &["cannot be read"]);
}

/// Where the last number of a file of weights begins.
fn whole_end(bytes: &[u8]) -> usize {
    bytes.len() - 4
}

#[test]
fn minilm_is_the_one_that_a_command_obtains() {
    let folder = Folder::plain("minilm");
    let error = frozen(Text::Minilm, folder.path()).unwrap_err().to_string();
    assert!(error.contains("config.json") && error.contains(FILES[0].1), "{error}");
    let error = frozen(Text::Minilm, "/nowhere").unwrap_err().to_string();
    assert!(error.contains("/nowhere/config.json") && error.contains("`heldout data minilm`"), "{error}");
    assert!(checked(&folder.0, 0).unwrap_err().to_string().contains("has SHA-256"));
    assert!(frozen(Text::Scratch, "").unwrap().is_none());
}

/// As `crates/agents/tests/encoder.py` says of it.
#[test]
#[ignore = "needs the encoder, which `heldout data minilm` obtains"]
fn minilm_means_what_python_says() {
    let encoder = frozen(Text::Minilm, "").unwrap().expect("it is no encoder that is learnt");
    let found = vector(&encoder, "There is a yellow block as the base of a tower.");
    near(&found[..6], &[0.09203, 0.27382, -0.21047, 0.13077, -0.06461, 0.16757], 1e-4);
}

fn spec_of(observation: &str) -> heldout_core::Spec {
    env(observation, 1).spec().clone()
}

fn env(observation: &str, copies: usize) -> Box<dyn heldout_core::VecEnv> {
    let Value::Object(overrides) = json!({"observation": observation}) else { panic!("a table") };
    find("lilgym/tower-scratch-v1").unwrap().make(&overrides, copies, Options::default()).unwrap()
}

fn config(folder: Option<&Folder>, critic: Critic) -> Config {
    Config {
        network: Kind::Lilgym,
        text: if folder.is_some() { Text::Bert } else { Text::Scratch },
        text_path: folder.map(|f| f.path().to_owned()).unwrap_or_default(),
        critic,
        copies: 2,
        rows: 4,
        minibatches: 1,
        ..Config::default()
    }
}

fn learner(observation: &str, config: &Config) -> Ppo {
    let env = env(observation, 2);
    Ppo::new(config, env, Problems::All, None, Seed(1), &Device::flex()).unwrap()
}

#[test]
fn agents_check_02_the_networks_that_take_an_encoder_have_as_many_numbers_as_the_papers() {
    let folder = Folder::plain("count");
    let learner = learner("image", &config(Some(&folder), Critic::Shared));
    // Each number of a sentence meets the 512 of both joins: drawing 768 of them takes long, and shows no more.
    let without = learner.weights().count() - 16 * 2 * 512;
    assert_eq!([768, 384, 128].map(|width| without + width * 2 * 512), [2_588_362, 2_195_146, 1_933_002]);
    assert!(learner.weights().entries().iter().all(|p| !p.name.starts_with("text.")), "nothing of it is learnt");
}

#[test]
fn an_encoder_is_learnt_with_and_the_value_may_have_senses_of_its_own() {
    let folder = Folder::plain("critic");
    for folder in [None, Some(&folder)] {
        let [mut shared, mut separate] =
            [Critic::Shared, Critic::Separate].map(|critic| learner("objects", &config(folder, critic)));
        let part = |name: &str| ["objects.", "text.", "target."].iter().any(|part| name.starts_with(part));
        let own = shared.weights().entries().iter().filter(|p| part(&p.name));
        let own: usize = own.map(crate::nn::Param::len).sum();
        assert_eq!(separate.weights().count(), shared.weights().count() + own);
        for (learner, separate) in [(&mut shared, false), (&mut separate, true)] {
            let block = learner.play().unwrap();
            let gradients = learner.value_gradients(&block);
            for (param, gradient) in learner.weights().entries().iter().zip(&gradients.0) {
                let moved = gradient.iter().any(|x| *x != 0.0);
                let senses = part(&param.name);
                let value = param.name.starts_with("critic.") || param.name.starts_with("value.");
                assert_eq!(moved, value || senses && !separate, "{} of {}", param.name, separate);
            }
            let step = learner.advance().unwrap();
            assert!(step.scalars.iter().all(|(_, x)| x.is_finite()), "{step:?}");
        }
    }
}

#[test]
fn a_label_says_which_encoder_and_files_are_told() {
    let agent = Agent::find("ppo-sf").unwrap();
    let folder = Folder::plain("label");
    let told =
        |set: Value| agent.told(Profile::Paper, "lilgym/tower-scratch-v1", &spec_of("image"), set.as_object().unwrap());
    let label =
        |set: Value, observation: &str| agent.label_of(&told(set).unwrap(), &spec_of(observation), "lilgym-table2");
    assert_eq!(label(json!({}), "image"), "PPO+SF scratch");
    assert_eq!(label(json!({"text": "minilm"}), "image"), "PPO+SF minilm");
    assert_eq!(label(json!({"text": "bert"}), "image"), "PPO+SF C+BERT");
    // The paper's has eyes.
    assert_eq!(label(json!({"text": "bert"}), "objects"), "PPO+SF bert");
    let sources = |told: &Told| agent.sources(told).map(|all| all.into_iter().map(|s| s.name).collect::<Vec<_>>());
    let bert = told(json!({"text": "bert", "text_path": folder.path()})).unwrap();
    assert_eq!(sources(&bert).unwrap(), ["text/config.json", "text/vocab.txt", "text/model.safetensors"]);
    assert!(sources(&told(json!({})).unwrap()).unwrap().is_empty());
    for (set, part) in [
        (json!({"text": "elmo"}), "`text` is `\"elmo\"`"),
        (json!({"text_path": "/x"}), "`text` is `scratch`"),
        (json!({"network": "general", "text": "minilm"}), "`text` is `minilm`: only agents with the network `lilgym`"),
        (json!({"network": "general", "critic": "separate"}), "`critic` is `separate`: only agents"),
    ] {
        let error = told(set).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    assert!(Path::new(folder.path()).is_dir());
}
