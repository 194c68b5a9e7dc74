//! Agents that read by an encoder: what they leave behind, and what playing them needs.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::common::{Folder, fails, stdout, tree};

/// An encoder of no layers: words and places are all it knows.
fn encoder(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let pieces =
        "[UNK] [CLS] [SEP] a there is tower block black blue yellow one two with at least exactly the . base top";
    let pieces: Vec<&str> = pieces.split(' ').collect();
    std::fs::write(folder.join("vocab.txt"), pieces.join("\n")).unwrap();
    let sizes = json!({
        "vocab_size": pieces.len(), "hidden_size": 8, "num_hidden_layers": 0, "num_attention_heads": 1,
        "intermediate_size": 1, "max_position_embeddings": 32, "type_vocab_size": 1, "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
    });
    std::fs::write(folder.join("config.json"), sizes.to_string()).unwrap();
    let (mut header, mut numbers) = (serde_json::Map::new(), Vec::new());
    let shapes = [
        ("word_embeddings.weight", vec![pieces.len(), 8]),
        ("position_embeddings.weight", vec![32, 8]),
        ("token_type_embeddings.weight", vec![1, 8]),
        ("LayerNorm.weight", vec![8]),
        ("LayerNorm.bias", vec![8]),
    ];
    for (name, shape) in shapes {
        let begin = numbers.len();
        let count: usize = shape.iter().product();
        numbers.extend((0..count).flat_map(|i| ((i * 37 % 19) as f32 / 19.0).to_le_bytes()));
        let told = json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, numbers.len()]});
        header.insert(format!("embeddings.{name}"), told);
    }
    let header = Value::Object(header).to_string().into_bytes();
    let file = [&(header.len() as u64).to_le_bytes()[..], &header, &numbers].concat();
    std::fs::write(folder.join("model.safetensors"), file).unwrap();
}

/// With a cache that is empty, and with `HELDOUT_BERT` if it is given.
fn run(folder: &Folder, bert: Option<&Path>, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heldout"));
    command.args(arguments).env("XDG_CACHE_HOME", folder.path("cache")).env("PATH", "");
    command.env_remove("HELDOUT_MINILM").env_remove("HELDOUT_BERT");
    command.envs(bert.map(|path| ("HELDOUT_BERT", path))).output().unwrap()
}

#[test]
fn who_learnt_with_an_encoder_plays_with_the_same_one_alone() {
    let folder = Folder::new();
    let (out, place) = (folder.path("out"), folder.0.join("bert"));
    encoder(&place);
    let path = format!("text_path={}", place.display());
    let small = ["--steps", "64", "--set", "copies=4", "--set", "rows=8", "--set", "minibatches=2"];
    let few = ["--set", "evaluate_episodes=2", "--set", "selection_every=1", "--set", "epochs=1"];
    let id = "lilgym/tower-scratch-v1";
    let train = |text: &str, more: &[&str]| {
        let begin = ["train", "ppo-sf", "--env", id, "--out", &out, "--set", text];
        run(&folder, None, &[&begin[..], &small, &few, more].concat())
    };
    fails(&train("text=minilm", &[]), 2, &["config.json", "`heldout data minilm`"]);
    fails(&train("text=bert", &[]), 2, &["`text_path`", "`HELDOUT_BERT`"]);
    fails(&train("text=bert", &["--set", "text_path=/nowhere"]), 2, &["/nowhere/config.json"]);
    assert!(!Path::new(&out).exists(), "nothing was begun");
    let done = train("text=bert", &["--set", &path]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let files = tree(&out);
    let about: Value = serde_json::from_slice(&files[Path::new("seed-0/run.json")]).unwrap();
    assert_eq!(about["label"], "PPO+SF bert", "the paper's has eyes");
    let sources: Vec<&Value> = about["sources"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    for file in ["text/config.json", "text/vocab.txt", "text/model.safetensors"] {
        assert!(sources.contains(&&file.into()), "{sources:?}");
    }
    assert!(!files.contains_key(Path::new("seed-0/vocabulary.json")), "no words were learnt");

    let play = |bert: Option<&Path>| run(&folder, bert, &["run", id, "--policy", &out, "--episodes", "4", "--json"]);
    let expected = play(None);
    assert!(expected.status.success(), "{}", String::from_utf8_lossy(&expected.stderr));
    // Elsewhere, where the encoder is somewhere else.
    let moved = folder.0.join("moved");
    std::fs::rename(&place, &moved).unwrap();
    fails(&play(None), 2, &["is no directory any more", "`HELDOUT_BERT`"]);
    let found = play(Some(&moved));
    assert_eq!(found.stdout, expected.stdout, "{}", String::from_utf8_lossy(&found.stderr));
    let words = std::fs::read_to_string(moved.join("vocab.txt")).unwrap();
    std::fs::write(moved.join("vocab.txt"), words.replace("black\nblue", "blue\nblack")).unwrap();
    fails(&play(Some(&moved)), 2, &["`text/vocab.txt` has SHA-256", "in training it had"]);
    // Nor is it gone on with another.
    let more = train("text=bert", &["--set", &format!("text_path={}", moved.display()), "--resume"]);
    fails(&more, 2, &["sources"]);
}

#[test]
fn what_only_some_agents_have_is_refused_to_others_and_an_encoder_that_cannot_be_had_is_explained() {
    let folder = Folder::new();
    let out = folder.path("out");
    let grid = ["train", "ppo", "--env", "example/grid-v1", "--out", &out, "--set"];
    for (set, part) in [("text=minilm", "`text` is `minilm`"), ("critic=separate", "`critic` is `separate`")] {
        fails(&run(&folder, None, &[&grid[..], &[set]].concat()), 2, &[part, "network"]);
    }
    fails(&run(&folder, None, &["data", "minilm"]), 2, &["python", "--minilm DIR"]);
    let nowhere = folder.path("nowhere");
    fails(&run(&folder, None, &["data", "minilm", "--minilm", &nowhere]), 2, &["nowhere", "config.json"]);
    let other = folder.0.join("other");
    encoder(&other);
    let other = other.display().to_string();
    fails(&run(&folder, None, &["data", "minilm", "--minilm", &other]), 2, &["config.json", "has SHA-256"]);
    assert_eq!(std::fs::read_dir(folder.0.join("cache/heldout")).unwrap().count(), 0, "nothing is left behind");
    assert!(stdout(&["data", "--help"]).contains("minilm"));
}
