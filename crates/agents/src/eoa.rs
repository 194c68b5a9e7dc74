//! How easily a language is acquired (ease of acquisition): a new listener, which plays no games within games, learns what words
//! of some meanings say, and is asked about meanings whose parts it has only seen apart.

use heldout_core::{Rng, Seed};

use crate::nn::{
    Adam, Device, Embedding, Gru, Init, Linear, Mlp, Optimiser, Params, Tensor, ints, log_softmax, pick, tensor, values,
};

/// A language: what is said of each look of each meaning.
#[derive(Clone, Copy, Debug)]
pub struct Language<'a> {
    /// The looks, `width` numbers each, one after another.
    pub stimuli: &'a [f32],
    /// Numbers of a look.
    pub width: usize,
    /// What is said of each, `length` tokens each.
    pub messages: &'a [u32],
    /// Tokens of a message.
    pub length: usize,
    /// The tokens are `1..=vocabulary`, and 0 the end of a sentence.
    pub vocabulary: u32,
    /// The number of the meaning that each is a look of.
    pub meanings: &'a [u32],
    /// Whether each meaning is held out, by its number.
    pub held_out: &'a [bool],
}

/// How a listener learns it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lesson {
    /// How often it goes through all looks of what is not held out.
    pub epochs: u32,
    /// Looks of an update.
    pub batch: usize,
    /// The learning rate.
    pub lr: f64,
}

impl Default for Lesson {
    fn default() -> Self {
        Self { epochs: 512, batch: 32, lr: 3e-4 }
    }
}

/// Numbers of a token and of what is understood.
const TOKEN: usize = 64;
const UNDERSTOOD: usize = 128;

/// The listener: what is heard and what is seen as vectors whose product says how well they fit, against one that stands for
/// "it is not there".
struct Listener {
    tokens: Embedding,
    heard: Gru,
    seen: Mlp,
    seen_last: Linear,
    absent: crate::nn::Id,
}

/// Games of one candidate each: which look is spoken of, which is shown.
struct Games {
    spoken: Vec<usize>,
    shown: Vec<usize>,
}

impl Listener {
    fn new(params: &mut Params, language: &Language<'_>) -> Self {
        Self {
            tokens: Embedding::new(params, "tokens", language.vocabulary as usize + 1, TOKEN),
            heard: Gru::new(params, "heard", TOKEN, UNDERSTOOD),
            seen: Mlp::torch(params, "seen", language.width, &[512, 256]),
            seen_last: Linear::torch(params, "seen.last", 256, UNDERSTOOD),
            absent: params.add("absent", &[1, UNDERSTOOD], Init::Uniform(1.0 / (UNDERSTOOD as f64).sqrt())),
        }
    }

    /// How well "it is there" and "it is not" fit each game, `[games, 2]`.
    fn forward(&self, params: &Params, language: &Language<'_>, games: &Games) -> Tensor<2> {
        let device = params.device();
        let (n, length) = (games.spoken.len(), language.length);
        // Token after token of all games.
        let said: Vec<i64> = (0..length)
            .flat_map(|t| games.spoken.iter().map(move |&look| i64::from(language.messages[look * length + t])))
            .collect();
        let said = self.tokens.forward(params, ints(said, [length * n], device));
        let nothing = tensor(vec![0.0; n * UNDERSTOOD], [n, UNDERSTOOD], device);
        let heard = self.heard.forward(params, said, nothing, &vec![1.0; length * n]);
        let heard = heard.slice([length - 1..length, 0..n, 0..UNDERSTOOD]).reshape([n, UNDERSTOOD]);
        let width = language.width;
        let shown = games.shown.iter().flat_map(|&look| language.stimuli[look * width..][..width].iter().copied());
        let seen = self.seen.forward(params, tensor(shown.collect(), [n, width], device));
        let seen = self.seen_last.forward(params, seen);
        let there = (heard.clone() * seen).sum_dim(1);
        let absent = (heard * params.get::<2>(self.absent)).sum_dim(1);
        Tensor::cat(vec![there, absent], 1)
    }
}

impl Language<'_> {
    /// Looks of meanings that are held out, or of those that are not.
    fn looks(&self, held_out: bool) -> Vec<usize> {
        let is = |look: &usize| self.held_out[self.meanings[*look] as usize] == held_out;
        (0..self.meanings.len()).filter(is).collect()
    }

    /// A look of the same meaning, or of another one, among `looks`.
    fn candidate(&self, look: usize, same: bool, looks: &[usize], rng: &mut Rng) -> Option<usize> {
        let open: Vec<usize> =
            looks.iter().copied().filter(|&l| (self.meanings[l] == self.meanings[look]) == same).collect();
        (!open.is_empty()).then(|| *rng.pick(&open))
    }

    /// The share of games about held-out meanings that a new listener gets right after the lesson: every look once with a look of
    /// its meaning and once with one of another held-out meaning.
    ///
    /// # Errors
    ///
    /// If sizes do not fit, or there are fewer than two meanings of either kind.
    ///
    /// # Panics
    ///
    /// Never: there are several meanings of each kind.
    pub fn ease_of_acquisition(&self, lesson: &Lesson, seed: Seed) -> Result<f64, String> {
        let count = self.meanings.len();
        if self.stimuli.len() != count * self.width || self.messages.len() != count * self.length {
            let (stimuli, messages) = (self.stimuli.len(), self.messages.len());
            return Err(format!("there are {count} meanings, {stimuli} numbers of looks and {messages} tokens"));
        }
        let (taught, asked) = (self.looks(false), self.looks(true));
        let several = |looks: &[usize]| looks.iter().any(|&l| self.meanings[l] != self.meanings[looks[0]]);
        if !several(&taught) || !several(&asked) {
            return Err("there must be two meanings that are held out, and two that are not".to_owned());
        }
        let mut params = Params::new(seed, &Device::flex());
        let listener = Listener::new(&mut params, self);
        let mut adam = Adam::new(&params, 1e-8);
        for epoch in 0..lesson.epochs {
            let mut rng = seed.stream("lesson").derive(u64::from(epoch)).rng();
            let mut order = taught.clone();
            rng.shuffle(&mut order);
            for spoken in order.chunks(lesson.batch) {
                let there: Vec<bool> = spoken.iter().map(|_| rng.chance(0.5)).collect();
                let shown = spoken.iter().zip(&there).map(|(&look, &same)| {
                    self.candidate(look, same, &taught, &mut rng).expect("there are several meanings")
                });
                let games = Games { shown: shown.collect(), spoken: spoken.to_vec() };
                let fits = log_softmax(listener.forward(&params, self, &games));
                let right = there.iter().map(|&there| i64::from(!there)).collect();
                let loss = -pick(fits, right, params.device()).mean();
                let gradients = params.gradients(&loss);
                adam.step(&mut params, &gradients, lesson.lr);
            }
        }
        let mut rng = seed.stream("exam").rng();
        let mut games = Games { spoken: Vec::new(), shown: Vec::new() };
        for same in [true, false] {
            for &look in &asked {
                games.spoken.push(look);
                games.shown.push(self.candidate(look, same, &asked, &mut rng).expect("there are several meanings"));
            }
        }
        let fits = values(listener.forward(&params.frozen(), self, &games));
        let right = fits.chunks_exact(2).enumerate().filter(|(i, fit)| (fit[0] > fit[1]) == (*i < asked.len()));
        Ok(right.count() as f64 / games.spoken.len() as f64)
    }
}
