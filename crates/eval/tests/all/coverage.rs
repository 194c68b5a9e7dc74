//! Whether 95 % intervals hold the truth as often as they say: simulated agents whose truth is known.

use heldout_core::{Rng, Seed};
use heldout_eval::aggregate::iqm;
use heldout_eval::bootstrap::scaled;
use heldout_eval::stratum::{Run, Scored, Stratum, contrast, mean};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Where the scores of a simulated agent come from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Normal,
    Bernoulli(f64),
    StudentT,
    Lognormal,
    Constant,
}

impl Source {
    fn truth(self) -> f64 {
        match self {
            Self::Normal | Self::StudentT => 0.0,
            Self::Bernoulli(p) => p,
            Self::Lognormal => 0.5_f64.exp(),
            Self::Constant => 0.7,
        }
    }

    /// The standard deviation of one draw.
    fn deviation(self) -> f64 {
        match self {
            Self::Normal => 1.0,
            Self::Bernoulli(p) => (p * (1.0 - p)).sqrt(),
            Self::StudentT => 3.0_f64.sqrt(),
            Self::Lognormal => ((1.0_f64.exp() - 1.0) * 1.0_f64.exp()).sqrt(),
            Self::Constant => 0.0,
        }
    }

    fn draw(self, rng: &mut Rng) -> f64 {
        let place = (f64::from(rng.below(u32::MAX)) + 0.5) / f64::from(u32::MAX);
        match self {
            Self::Normal => Normal::standard().inverse_cdf(place),
            Self::Bernoulli(p) => f64::from(u8::from(place < p)),
            Self::StudentT => {
                let z = Normal::standard();
                let squares: f64 = (0..3).map(|_| Self::Normal.draw(rng).powi(2)).sum();
                z.inverse_cdf(place) / (squares / 3.0).sqrt()
            }
            Self::Lognormal => Normal::standard().inverse_cdf(place).exp(),
            Self::Constant => 0.7,
        }
    }

    fn bounds(self) -> Option<[f64; 2]> {
        matches!(self, Self::Bernoulli(_)).then_some([0.0, 1.0])
    }

    /// A stratum of so many runs: of 50 episodes where episodes matter, else of one that is the run's score.
    fn stratum(self, runs: usize, rng: &mut Rng) -> Stratum {
        let episodes = if runs == 1 || matches!(self, Self::Bernoulli(_)) { 50 } else { 1 };
        let mut run = || Run { policy: None, episodes: (0..episodes).map(|_| Scored::plain(self.draw(rng))).collect() };
        Stratum::new((0..runs).map(|_| run()).collect(), self.bounds())
    }

    /// The standard error and the degrees of freedom of a stratum's mean that a wiser one would know.
    fn ideal(self, runs: usize) -> (f64, f64) {
        let episodes = if runs == 1 || matches!(self, Self::Bernoulli(_)) { 50 } else { 1 };
        let units = if runs == 1 { episodes } else { runs };
        (self.deviation() / ((runs * episodes) as f64).sqrt(), units as f64 - 1.0)
    }
}

/// How often the interval of the mean over `tasks` held the truth, and its mean width against the ideal one: Student's, of
/// the true standard error.
fn study(source: Source, runs: usize, tasks: usize, trials: u64) -> (f64, f64) {
    let (mut held, mut width) = (0, 0.0);
    for trial in 0..trials {
        let mut rng = Seed(7).stream(&format!("{source:?} {runs} {tasks}")).derive(trial).rng();
        let strata: Vec<Stratum> = (0..tasks).map(|_| source.stratum(runs, &mut rng)).collect();
        let found = mean(&strata).expect("there are runs").measured();
        let interval = found.interval.expect("there are several units");
        assert!(interval.contains(found.value));
        held += u64::from(interval.low <= source.truth() + 1e-12 && interval.high >= source.truth() - 1e-12);
        width += interval.high - interval.low;
    }
    let (error, df) = source.ideal(runs);
    let df = df * tasks as f64;
    let quantile = StudentsT::new(0.0, 1.0, df).expect("degrees of freedom").inverse_cdf(0.975);
    let ideal = 2.0 * quantile * error / (tasks as f64).sqrt();
    let ratio = if ideal > 0.0 { width / trials as f64 / ideal } else { width };
    (held as f64 / trials as f64, ratio)
}

const SOURCES: [Source; 6] = [
    Source::Normal,
    Source::Bernoulli(0.05),
    Source::Bernoulli(0.5),
    Source::Bernoulli(0.95),
    Source::StudentT,
    Source::Lognormal,
];

fn all(trials: u64) {
    let mut missed = Vec::new();
    for source in SOURCES {
        for runs in [1, 3, 5, 10] {
            for tasks in [1, 13] {
                let (coverage, width) = study(source, runs, tasks, trials);
                println!("{source:?}, {runs} runs, {tasks} tasks: coverage {coverage:.3}, width {width:.2} of ideal");
                let least = if runs == 3 { 0.90 } else { 0.93 };
                // What is skewed is reported, not promised.
                if !matches!(source, Source::Lognormal) && (coverage < least || width > 1.5) {
                    missed.push(format!("{source:?} {runs} {tasks}: {coverage:.3}, {width:.2}"));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    all(6_000);
}

/// The same with many more trials: by hand.
#[test]
#[ignore = "takes minutes; `cargo test -p heldout-eval --test all -- --ignored --nocapture many_trials`"]
fn intervals_hold_the_truth_in_many_trials() {
    all(100_000);
}

#[test]
fn constants_have_no_width() {
    for runs in [1, 3, 10] {
        for tasks in [1, 13] {
            assert_eq!(study(Source::Constant, runs, tasks, 5), (1.0, 0.0));
        }
    }
}

/// A gap of one checkpoint's training and held-out scores, and one of two independent shares.
#[test]
fn gaps_hold_the_truth_too() {
    let trials = 600;
    for (p, q) in [(0.9, 0.6), (0.95, 0.95), (0.5, 0.05)] {
        let mut held = 0;
        for trial in 0..trials {
            let mut rng = Seed(8).stream(&format!("{p} {q}")).derive(trial).rng();
            let (train, after) = (Source::Bernoulli(p).stratum(1, &mut rng), Source::Bernoulli(q).stratum(1, &mut rng));
            let gap = contrast(&[(1.0, &train), (-1.0, &after)]).expect("both").measured();
            held += u64::from(gap.interval.expect("many episodes").contains(p - q));
        }
        assert!(held as f64 >= 0.93 * trials as f64, "{p} {q}: {held} of {trials}");
    }
}

/// The interquartile mean's, from runs drawn and scaled.
#[test]
fn interquartile_means_hold_the_truth_too() {
    let trials = 400;
    for (source, runs, least) in [(Source::Normal, 3, 0.90), (Source::Normal, 5, 0.93), (Source::StudentT, 5, 0.93)] {
        let mut held = 0;
        for trial in 0..trials {
            let seed = Seed(9).stream(&format!("{source:?} {runs}")).derive(trial);
            let mut rng = seed.rng();
            let strata: Vec<Stratum> = (0..13).map(|_| source.stratum(runs, &mut rng)).collect();
            let sum = mean(&strata).expect("there are runs");
            let found = scaled(&[&strata], sum, seed, 200, |drawn| Some(vec![iqm(&drawn[0])?]));
            held += u64::from(found.expect("there are runs")[0].contains(0.0));
        }
        assert!(held as f64 >= least * trials as f64, "{source:?} {runs}: {held} of {trials}");
    }
}
