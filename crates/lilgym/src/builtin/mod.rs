//! The built-in corpus: English statements with their programs, made by a grammar, so that every task runs without a
//! download.
//!
//! A statement is a *frame* ("There are exactly two ..., ") filled with a *filler* ("black blocks at the top"). The
//! compositional split holds out pairs of frame and filler whose parts both occur in training; the random split holds out
//! statements. Nothing here is taken from the public data.

mod frames;
mod phrases;
mod scenes;

use std::sync::{Arc, OnceLock};

use heldout_core::{Seed, Source};

use crate::config::{Appearance, Begin, Config, Holdout, Split, Task};
use crate::corpus::{Corpus, Problem, Statement};
use crate::language::Program;
use crate::scene::Scene;

/// Version of the corpus: part of what a saved state belongs to.
const VERSION: &str = "built-in corpus 1";
/// Scenes that the starts of one split are chosen from.
const POOL: usize = 256;
/// Scenes that are looked at for the starts of one statement.
const TRIES: usize = 48;
/// Starts of a statement for each target.
const STARTS: usize = 2;

/// A statement before its program is parsed.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) sentence: String,
    program: String,
    categories: u16,
    pub(crate) frame: u16,
    pub(crate) filler: u16,
}

impl Draft {
    /// Which split it belongs to.
    pub(crate) fn split(&self, holdout: Holdout) -> Split {
        let tenth = match holdout {
            // Along a diagonal, so that every frame and every filler that is held out somewhere is trained elsewhere.
            Holdout::Compositional => (u32::from(self.frame) * 3 + u32::from(self.filler)) % 10,
            Holdout::Random => (Seed(0).stream("holdout").stream(&self.sentence).0 % 10) as u32,
        };
        match tenth {
            8 => Split::Dev,
            9 => Split::Test,
            _ => Split::Train,
        }
    }
}

/// All statements of one appearance, in order.
pub(crate) fn drafts(appearance: Appearance) -> &'static [Draft] {
    static ALL: [OnceLock<Vec<Draft>>; 2] = [const { OnceLock::new() }; 2];
    ALL[appearance as usize].get_or_init(|| frames::drafts(appearance))
}

/// The problems that `config` names.
pub(crate) fn corpus(config: &Config, task: Task) -> Arc<Corpus> {
    static ALL: [OnceLock<Arc<Corpus>>; 24] = [const { OnceLock::new() }; 24];
    let at = (task.number() * 2 + config.holdout as usize) * 3 + config.split as usize;
    let make = || Arc::new(make(task, config.holdout, config.split));
    ALL[at].get_or_init(make).clone()
}

fn make(Task { appearance, begin }: Task, holdout: Holdout, split: Split) -> Corpus {
    let mut corpus = Corpus {
        sources: vec![Source { name: "statements", content: VERSION.to_owned() }],
        categorised: true,
        ..Corpus::default()
    };
    let seed = Seed(0).stream("lilgym").derive(appearance as u64).derive(split as u64);
    let pool: Vec<Scene> = match begin {
        Begin::Scratch => Vec::new(),
        Begin::Flipit => (0..POOL).map(|i| scenes::scene(appearance, seed.derive(i as u64))).collect(),
    };
    let letter = if appearance == Appearance::Tower { 't' } else { 's' };
    for (number, draft) in drafts(appearance).iter().enumerate() {
        if draft.split(holdout) != split {
            continue;
        }
        let program = Program::parse(&draft.program).expect("the grammar makes programs, which a test shows");
        let key = format!("{letter}{number}");
        let statement = corpus.statements.len() as u32;
        match begin {
            Begin::Scratch => {
                corpus.problems.push(Problem { key: key.clone(), statement, scene: Scene::default(), target: true });
            }
            Begin::Flipit => {
                let mut found = [0; 2];
                for i in 0..TRIES {
                    // A stride that is prime to the size of the pool, from a place of the statement's own.
                    let scene = &pool[(number * 31 + i * 7) % POOL];
                    let Ok(truth) = program.truth(scene) else { continue };
                    if found[usize::from(truth)] < STARTS {
                        found[usize::from(truth)] += 1;
                        let key = format!("{key}-{i}");
                        corpus.problems.push(Problem { key, statement, scene: *scene, target: !truth });
                    }
                }
            }
        }
        corpus.statements.push(Statement {
            key,
            sentence: draft.sentence.clone(),
            program,
            categories: draft.categories,
        });
    }
    corpus.with_room_for_plans()
}
