//! Words of sentences and the numbers that stand for them; or whole sentences, by an encoder that stays as it is.

mod bert;
mod frozen;
mod wordpiece;

use heldout_core::{BatchError, Buffers, Reset, Seed, VecEnv};
use serde::{Deserialize, Serialize};

use crate::parts::inputs::Inputs;

pub use bert::Bert;
pub use frozen::{FILES, Text, cache, checked, frozen};
pub use wordpiece::WordPiece;

/// The words of training, each with a number: 0 is no word, 1 one that training did not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vocabulary {
    words: Vec<String>,
}

/// Words in lower case, split at whatever is neither letter nor digit.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase)
}

impl Vocabulary {
    /// The number of words that training did not have.
    pub const UNKNOWN: u32 = 1;

    /// Takes in the words of a sentence, in the order of first sight.
    pub fn learn(&mut self, text: &str) {
        for word in words(text) {
            if !self.words.contains(&word) {
                self.words.push(word);
            }
        }
    }

    /// The numbers of the words of a sentence.
    pub fn tokens<'a>(&'a self, text: &'a str) -> impl Iterator<Item = u32> + 'a {
        let number = |word: String| self.words.iter().position(|w| *w == word).map_or(Self::UNKNOWN, |i| i as u32 + 2);
        words(text).map(number)
    }

    /// Numbers in use.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len() + 2
    }

    /// Whether training had no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// The words of the problems of a list: `env`, a single copy, is reset to each.
///
/// # Errors
///
/// If the environment refuses.
pub fn of_problems(env: &mut dyn VecEnv, inputs: &Inputs, problems: &[u32]) -> Result<Vocabulary, BatchError> {
    let mut words = Vocabulary::default();
    let mut buffers = Buffers::new(env.spec(), env.len());
    for &problem in problems {
        let reset = Reset { problems: &vec![Some(problem); env.len()], ..Reset::seed(Seed(0)) };
        env.reset(reset, buffers.output())?;
        inputs.texts(&buffers, 1).into_iter().for_each(|text| words.learn(text));
    }
    Ok(words)
}
