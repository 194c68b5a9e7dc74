//! Sentences of words that are learnt with the rest.

use super::{Embedding, Gru, Ints, Params, Tensor, ints, tensor};

/// Groups of about equal lengths that the sentences of some rows are read in.
const GROUPS: usize = 6;

/// Words to a vector: the last state of a recurrent layer.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    words: Embedding,
    core: Gru,
    /// Words of a row.
    long: usize,
}

impl Reader {
    /// Of so many words, of which a row has at most `long`.
    pub fn new(params: &mut Params, name: &str, words: usize, long: usize) -> Self {
        let words = Embedding::new(params, &format!("{name}.words"), words, 64);
        let core = Gru::new(params, &format!("{name}.gru"), 64, 128);
        Self { words, core, long }
    }

    /// Numbers of the vector.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.core.hidden
    }

    /// Of each row of words; 0: no word.
    #[must_use]
    pub fn forward(&self, params: &Params, tokens: &[u32]) -> Tensor<2> {
        let device = params.device();
        // Rows of one episode have one sentence, and many episodes the same: each is read once, the shortest first.
        let sentence = |row: usize| {
            let row = &tokens[row * self.long..][..self.long];
            &row[..row.iter().position(|&t| t == 0).unwrap_or(self.long).max(1)]
        };
        let rows = tokens.len() / self.long;
        let mut order: Vec<usize> = (0..rows).collect();
        order.sort_by_key(|&row| (sentence(row).len(), sentence(row), row));
        let mut which = vec![0; rows];
        let mut sentences: Vec<&[u32]> = Vec::new();
        for row in order {
            if sentences.last() != Some(&sentence(row)) {
                sentences.push(sentence(row));
            }
            which[row] = sentences.len() - 1;
        }
        // Together with others that are about as long, so that few steps read nothing.
        let states: Vec<Tensor<2>> =
            sentences.chunks(sentences.len().div_ceil(GROUPS)).map(|some| self.read(params, some)).collect();
        Tensor::cat(states, 0).select(0, ints(which.iter().map(|&s| s as i64).collect(), [rows], device))
    }

    /// The state after each of these sentences.
    fn read(&self, params: &Params, sentences: &[&[u32]]) -> Tensor<2> {
        let device = params.device();
        let (count, longest) = (sentences.len(), sentences.iter().map(|s| s.len()).max().unwrap_or(1));
        let at = |step: usize| sentences.iter().map(move |s| i64::from(s.get(step).copied().unwrap_or(0)));
        let symbols: Ints<1> = ints((0..longest).flat_map(at).collect(), [longest * count], device);
        let state = tensor(vec![0.0; count * self.core.hidden], [count, self.core.hidden], device);
        let read = self.core.forward(params, self.words.forward(params, symbols), state, &vec![1.0; longest * count]);
        let ends = sentences.iter().enumerate().map(|(i, s)| ((s.len() - 1) * count + i) as i64).collect();
        read.reshape([longest * count, self.core.hidden]).select(0, ints(ends, [count], device))
    }
}
