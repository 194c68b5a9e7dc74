//! What only S2B has: how compositional a speaker's language is, how disentangled the stimuli are.

use std::path::Path;
use std::sync::Arc;

use heldout_core::{Acquired, Argument, Call, Command, CommandError, Said, Seed, Speaker, Stimuli};
use serde_json::{Value, json};

use crate::config::{GameConfig, Settings};
use crate::game;
use crate::kind::{Looks, Speech, uttered};
use crate::metrics::{Disentanglement, Sampling, disentanglement, language, spoken};
use crate::space::{MAX_DIMS, MAX_MEANINGS, MAX_SAMPLES, MAX_VALUES, Space, SpaceRules, Structure};
use crate::speaker::{SpeakerRule, Tongue};
use crate::split::Halves;

const VALUES: Argument = Argument::option("values", "N,N,N", "Values of each dimension, such as `5,5,3`").or("5,5,5");

/// Points of a batch in which one factor is constant, unless told.
const BATCH: u32 = 64;

pub(crate) static COMMANDS: [Command; 3] = [
    Command {
        path: ["s2b", "language"],
        about: "Measures the language of a rule-based speaker on the whole of a space",
        arguments: &[
            Argument::option("speaker", "NAME", "Which speaker: `posdis`, `bag-of-symbols`, `holistic` or `random`")
                .or("posdis"),
            VALUES.many(),
            Argument::option("vocabulary", "N", "Tokens beside the end of sentence; as many as needed unless told"),
            Argument::option("seed", "SEED", "Fixes the words of a holistic language, and the order of a bag").or("0"),
        ],
        settings: false,
        run: languages,
    },
    Command {
        path: ["s2b", "disentanglement"],
        about: "Measures how disentangled the stimuli are",
        arguments: &[
            VALUES,
            Argument::option("samples", "N", "Looks of each value").or("5"),
            Argument::option(
                "points",
                "N",
                "Estimates on this many points, in batches that hold one factor constant; on every stimulus unless told",
            ),
            Argument::option("batch", "N", "Points of such a batch: 64 unless told"),
            Argument::option("spaces", "N", "Spaces to average over").or("100"),
            Argument::option("seed", "SEED", "Root of every space's seed").or("0"),
        ],
        settings: false,
        run: stimuli,
    },
    Command {
        path: ["s2b", "eoa"],
        about: "Measures how easily a listener that is trained anew acquires a speaker's language (ease of acquisition)",
        arguments: &[
            Argument::option(
                "policy",
                "POLICY",
                "Whose language: `posdis`, `bag-of-symbols`, `holistic`, `random`, or the directory of a trained speaker; \
                 `speaker=` may stand before it",
            )
            .or("posdis"),
            Argument::option("episodes", "N", "Episodes whose language is acquired, of each training seed").or("3"),
            Argument::option("epochs", "N", "How often the listener goes through all that is not held out").or("512"),
            Argument::option("seed", "SEED", "Root of every episode's seed, and of the listener's").or("0"),
        ],
        settings: true,
        run: acquisition,
    },
];

fn speaker(name: &str) -> Result<SpeakerRule, CommandError> {
    let unknown = || format!("`--speaker` is `{name}`, must be one of {}", SpeakerRule::listed());
    Ok(SpeakerRule::named(name).ok_or_else(unknown)?)
}

fn structure(text: &str) -> Result<Structure, CommandError> {
    let values: Result<Vec<u8>, _> = text.split(',').map(|part| part.trim().parse::<u8>()).collect();
    let allowed =
        format!("`--values` is `{text}`, must be 2 to {MAX_DIMS} numbers from 2 to {MAX_VALUES}, such as `5,5,3`");
    let values = values.map_err(|_| allowed.clone())?;
    if !(2..=MAX_DIMS).contains(&values.len()) || !values.iter().all(|&d| (2..=MAX_VALUES as u8).contains(&d)) {
        return Err(allowed.into());
    }
    let meanings: u64 = values.iter().map(|&d| u64::from(d)).product();
    if meanings > u64::from(MAX_MEANINGS) {
        return Err(format!("`--values` is `{text}`: {meanings} meanings, must be at most {MAX_MEANINGS}").into());
    }
    Ok(Structure::new(&values))
}

fn languages(call: &mut Call<'_>) -> Result<Said, CommandError> {
    let rule = speaker(call.needed("speaker")?)?;
    let structures = call.all("values").iter().map(|text| structure(text)).collect::<Result<Vec<_>, _>>()?;
    let asked = call.number("vocabulary", 2..=200)?.map(|n| n as u32);
    let seed = call.count("seed", 0..=u64::MAX)?;
    let mut results = Vec::new();
    let mut text = format!("language of the speaker `{}`, every meaning once\n\n", rule.name());
    text += &format!("{:16}  {:>8}  {:>8}  {:>8}\n", "values", "topsim", "posdis", "bosdis");
    for structure in &structures {
        let (dims, most) = (structure.dims(), (0..structure.dims()).map(|i| structure.values(i)).max().unwrap_or(2));
        let needed = rule.vocabulary(most, dims);
        let vocabulary = asked.unwrap_or(needed);
        if vocabulary < needed {
            let least =
                format!("`--vocabulary` is `{vocabulary}`, must be at least {needed} for this speaker and space");
            return Err(least.into());
        }
        let tongue = Tongue { max_values: most, vocabulary, length: dims, message_length: dims };
        let scores = spoken(rule, structure, &tongue, Seed(seed));
        let values: Vec<u8> = (0..dims).map(|i| structure.values(i)).collect();
        let shown = |score: Option<f64>| score.map_or("-".to_owned(), |x| format!("{x:.4}"));
        let (topsim, posdis, bosdis) = (shown(scores.topsim), shown(scores.posdis), shown(scores.bosdis));
        text += &format!("{:16}  {topsim:>8}  {posdis:>8}  {bosdis:>8}\n", format!("{values:?}"));
        results.push(json!({
            "values": values,
            "vocabulary": vocabulary,
            "topsim": scores.topsim,
            "posdis": scores.posdis,
            "bosdis": scores.bosdis,
        }));
    }
    let json = json!({"speaker": rule.name(), "seed": seed, "languages": results});
    Ok(Said { text, json, failed: false })
}

/// What is said of all looks of a space.
type Says = Box<dyn Fn(&Space, &Looks, Seed) -> Result<Vec<u32>, String>>;

/// Who says it: a rule, or each training seed of a checkpoint.
fn sayings(call: &mut Call<'_>, config: &Value, settings: &Settings) -> Result<Vec<Says>, CommandError> {
    let policy = call.needed("policy")?.to_owned();
    let policy = policy.strip_prefix("speaker=").unwrap_or(&policy);
    if policy == "oracle" || SpeakerRule::named(policy).is_some() {
        let speech = Speech::new(policy, config, 1, 0)?;
        let samples = settings.space.samples as usize;
        let says = move |space: &Space, _: &Looks, seed: Seed| {
            let (_, said) = language(speech.rule, space.structure(), &speech.tongue, seed);
            let each = said.chunks_exact(speech.tongue.length);
            Ok(each.flat_map(|message| message.repeat(samples)).collect())
        };
        return Ok(vec![Box::new(says)]);
    }
    let path = Path::new(policy);
    if !path.exists() {
        let known = SpeakerRule::listed();
        return Err(
            format!("`--policy` is `{policy}`, must be one of {known}, or the directory of a trained speaker").into()
        );
    }
    let speakers = call.host.speakers(path, (call.find)(game::ABOUT.id)?, config)?;
    let (width, length) = (settings.space.width(), settings.message_length as usize);
    let vocabulary = settings.vocabulary;
    let of = |speaker: Arc<dyn Speaker>| -> Says {
        let config = config.clone();
        Box::new(move |_, looks, seed| {
            let stimuli = Stimuli { config: &config, seed, numbers: &looks.numbers, width, length, vocabulary };
            uttered(&*speaker, &stimuli)
        })
    };
    Ok(speakers.into_iter().map(of).collect())
}

fn acquisition(call: &mut Call<'_>) -> Result<Said, CommandError> {
    let entry = (call.find)(game::ABOUT.id)?;
    let config = entry.configure(&call.overrides)?;
    let game: GameConfig = serde_json::from_value(config.clone())?;
    let settings = game.check()?;
    let episodes = call.count("episodes", 1..=10_000)?;
    let epochs = call.count("epochs", 1..=1_000_000)? as u32;
    let root = Seed(call.count("seed", 0..=u64::MAX)?);
    let policy = call.needed("policy")?.to_owned();
    let sayings = sayings(call, &config, &settings)?;
    call.host.begin(sayings.len() as u64 * episodes, "languages");
    let mut space = Space::reserve(&settings.space);
    let mut halves = Halves::default();
    let mut results: Vec<Vec<f64>> = Vec::new();
    for says in &sayings {
        let mut own = Vec::new();
        for number in 0..episodes {
            // As an episode with this seed has it.
            let seed = root.derive(number);
            space.redraw(&settings.space, seed);
            let structure = space.structure();
            halves.grow(structure.meanings());
            halves.redraw(settings.split, structure, seed);
            let looks = Looks::of(&space, &settings.space);
            let messages = says(&space, &looks, seed)?;
            let held_out: Vec<bool> = structure.all().map(|meaning| halves.held_out(meaning)).collect();
            own.push(call.host.acquire(&Acquired {
                stimuli: &looks.numbers,
                width: settings.space.width(),
                messages: &messages,
                length: settings.message_length as usize,
                vocabulary: settings.vocabulary,
                meanings: &looks.meanings,
                held_out: &held_out,
                epochs,
                seed,
            })?);
            call.host.tick();
        }
        results.push(own);
    }
    call.host.end();
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let means: Vec<f64> = results.iter().map(|own| mean(own)).collect();
    let mut text =
        format!("ease of acquisition of the language of `{policy}`, {episodes} episodes, {epochs} epochs\n\n");
    for (number, (own, mean)) in results.iter().zip(&means).enumerate() {
        let each: Vec<String> = own.iter().map(|x| format!("{x:.3}")).collect();
        text += &format!("speaker {number}  {mean:.3}  ({})\n", each.join(", "));
    }
    let json = json!({"policy": policy, "epochs": epochs, "accuracy": mean(&means), "speakers": results});
    Ok(Said { text, json, failed: false })
}

fn stimuli(call: &mut Call<'_>) -> Result<Said, CommandError> {
    let text = call.needed("values")?;
    let values_of = structure(text)?;
    let samples = call.count("samples", 1..=u64::from(MAX_SAMPLES))? as u32;
    let points = call.number("points", 2..=1_000_000)?.map(|n| n as u32);
    let batch = call.number("batch", 2..=1_000_000)?;
    if let (None, Some(batch)) = (points, batch) {
        return Err(format!("`--batch` is `{batch}`, must not be given without `--points`").into());
    }
    let batch = batch.map_or(BATCH, |n| n as u32);
    let spaces = call.count("spaces", 1..=100_000)?;
    let seed = call.count("seed", 0..=u64::MAX)?;
    let dims = values_of.dims();
    let values: Vec<u8> = (0..dims).map(|i| values_of.values(i)).collect();
    let most = values.iter().copied().max().unwrap_or(2);
    if values.iter().any(|&d| d != most) {
        return Err(format!("`--values` is `{text}`, must be the same for every dimension here").into());
    }
    let rules = SpaceRules::new(dims as u32, most.into(), most.into(), samples)?;
    let sampling = match points {
        Some(points) => Sampling::FixedFactorBatches { points, batch },
        None => Sampling::FullFactorial,
    };
    let mut space = Space::reserve(&rules);
    let scores: Vec<Disentanglement> = (0..spaces)
        .map(|i| {
            let seed = Seed(seed).derive(i);
            space.redraw(&rules, seed);
            disentanglement(&space, &rules, sampling, seed)
        })
        .collect();
    let estimate = |score: fn(&Disentanglement) -> f64| {
        let values: Vec<f64> = scores.iter().map(score).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        (mean, variance.sqrt())
    };
    let rows = [
        ("factor_vae", estimate(|s| s.factor_vae)),
        ("mig", estimate(|s| s.mig)),
        ("modularity", estimate(|s| s.modularity)),
    ];
    let mut json = json!({
        "values": values,
        "samples": samples,
        "points": points,
        "batch": points.map(|_| batch),
        "spaces": spaces,
        "seed": seed,
    });
    for (name, (mean, deviation)) in rows {
        json[name] = json!({"mean": mean, "deviation": deviation});
    }
    let on = match points {
        Some(points) => format!("{points} points in batches of {batch} with one factor constant"),
        None => "every stimulus once".to_owned(),
    };
    let mut text = format!("stimuli of {values:?}, {samples} looks per value, {spaces} spaces, {on}\n\n");
    text += &format!("{:12}  {:>8}  deviation\n", "score", "mean");
    for (name, (mean, deviation)) in rows {
        text += &format!("{name:12}  {mean:>8.4}  {deviation:.4}\n");
    }
    Ok(Said { text, json, failed: false })
}
