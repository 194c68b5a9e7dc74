//! Playing and writing down.

use heldout_core::Seed;

use super::toys::{Toy, make, sentence};
use crate::parts::collect::{Collector, Playing, Problems, Unroll};
use crate::parts::inputs::{Inputs, Previous};
use crate::text::Vocabulary;

fn collector(toy: Toy, copies: usize, problems: Problems, words: Option<Vocabulary>) -> Collector {
    collecting(toy, copies, problems, words, true)
}

fn collecting(toy: Toy, copies: usize, problems: Problems, words: Option<Vocabulary>, bootstrap: bool) -> Collector {
    let env = make(toy, copies);
    let previous = Previous { action_and_reward: true, reward_scale: 0.5, metrics: Vec::new() };
    let inputs = Inputs::new(env.spec(), 0, &previous, &[]).expect("a toy");
    let playing = Playing { inputs, words, bootstrap_truncated: bootstrap, problems, seed: Seed(3) };
    Collector::new(env, playing).expect("a toy")
}

/// One number of each copy at each row, of copies that all do the same.
fn same<T: Copy + PartialEq + std::fmt::Debug>(all: &[T], copies: usize) -> Vec<T> {
    let rows = all.chunks_exact(copies);
    rows.map(|row| {
        assert!(row.iter().all(|x| *x == row[0]), "{row:?}");
        row[0]
    })
    .collect()
}

fn places<T>(flags: &[T], which: impl Fn(&T) -> bool) -> Vec<usize> {
    (0..flags.len()).filter(|&i| which(&flags[i])).collect()
}

fn act(t: &mut usize) -> impl FnMut(&mut crate::parts::inputs::Rows, &[bool], &mut [i32]) {
    move |_, _, actions| {
        actions.fill((*t % 2) as i32);
        *t += 1;
    }
}

#[test]
fn moving_means_are_over_as_many_episodes_as_there_are_problems() {
    // Six problems of one, two and three steps, each once a pass.
    for (problems, window, mean) in [(Problems::All, 6, 2.0), (Problems::Only(vec![0, 3, 1]), 3, 4.0 / 3.0)] {
        let new = || collector(Toy::Listed, 1, problems.clone(), None);
        let [mut by_problems, mut before] = [new().by_problems(), new()];
        let play = |collector: &mut Collector, episodes: u64| {
            while collector.played().episodes < episodes {
                collector.collect(1, |_, _, actions| actions.fill(0)).expect("plays");
            }
        };
        play(&mut by_problems, window - 1);
        assert_eq!(by_problems.stats.moving("length"), None);
        for pass in 1..4 {
            play(&mut by_problems, pass * window);
            let found = by_problems.stats.moving("length").expect("as many episodes");
            assert!((found - mean).abs() < 1e-6, "{found} is not {mean}");
        }
        // A run that was begun with a hundred goes on with a hundred.
        play(&mut before, 50);
        let mut resumed = new().by_problems();
        resumed.load(before.save().expect("saves")).expect("loads");
        play(&mut resumed, 99);
        assert_eq!(resumed.stats.moving("length"), None);
        play(&mut resumed, 100);
        assert!(resumed.stats.moving("length").is_some());
    }
    let mut endless = collector(Toy::Script, 1, Problems::All, None).by_problems();
    endless.collect(200, act(&mut 0)).expect("plays");
    assert!(endless.played().episodes < 100 && endless.stats.moving("length").is_none());
}

#[test]
fn agents_check_30_every_array_is_as_written_down_by_hand() {
    let mut collector = collector(Toy::Script, 3, Problems::All, None);
    let unroll = collector.collect(10, act(&mut 0)).expect("plays");
    assert_eq!(unroll.steps(), 10);
    assert_eq!(places(&same(&unroll.start, 3), |x| *x), [0, 2, 5]);
    assert_eq!(places(&same(&unroll.dead, 3), |x| *x), [1, 4, 10]);
    assert_eq!(places(&same(&unroll.valid, 3), |x| !*x), [1, 4]);
    assert_eq!(same(&unroll.reward, 3), [1.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    // Episode 0 terminates, episode 1 is cut and goes on in what it is worth, episode 2 terminates.
    assert_eq!(same(&unroll.cont, 3), [0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
    assert_eq!(same(&unroll.action, 3), [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    // Episode, step; the last action, of two; half the last reward.
    let rows: Vec<&[f32]> = unroll.rows.vectors.chunks_exact(5).step_by(3).collect();
    assert_eq!(rows[0], [0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(rows[1], [0.0, 1.0, 1.0, 0.0, 0.5]);
    assert_eq!(rows[2], [1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(rows[4], [1.0, 2.0, 0.0, 1.0, 1.0]);
    assert_eq!(rows[10], [2.0, 5.0, 0.0, 1.0, 2.5]);
    let played = collector.played();
    assert_eq!((played.env_steps, played.episodes), (3 * 8, 3 * 3));
}

#[test]
fn agents_check_13_where_cuts_are_no_time_limits_nothing_follows_them() {
    let unroll = collecting(Toy::Script, 3, Problems::All, None, false).collect(10, act(&mut 0)).expect("plays");
    assert_eq!(same(&unroll.cont, 3), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
}

/// What must stand in the arrays of ten steps of a copy.
struct Table {
    start: &'static [usize],
    dead: &'static [usize],
    reward: [f32; 10],
    cont: [f32; 10],
    /// By what the rules tell of every step, where they do.
    told: [f32; 10],
}

/// Of copies that begin with an episode of 1, of 2 and of 5 steps; every other episode is cut.
const TABLES: [Table; 3] = [
    Table {
        start: &[0, 2, 5],
        dead: &[1, 4, 10],
        reward: [1.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
        cont: [0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0],
        told: [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0],
    },
    Table {
        start: &[0, 3, 9],
        dead: &[2, 8, 10],
        reward: [1.0, 2.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 1.0],
        cont: [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0],
        told: [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    },
    Table {
        start: &[0, 6, 8],
        dead: &[5, 7, 10],
        reward: [1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 1.0, 0.0, 1.0, 2.0],
        cont: [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0],
        told: [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    },
];

/// Which of them each copy is by the seed that collectors have here.
const COPIES: [usize; 6] = [0, 0, 1, 0, 1, 2];

/// Ten steps of copies that are not in step, each of which does what no neighbour does.
fn uneven(toy: Toy) -> (Collector, Unroll) {
    let mut collector = collector(toy, COPIES.len(), Problems::All, None);
    let mut t = 0;
    let unroll = collector.collect(10, |_, _, actions| {
        actions.iter_mut().enumerate().for_each(|(copy, action)| *action = ((t + copy) % 2) as i32);
        t += 1;
    });
    (collector, unroll.expect("plays"))
}

/// The numbers of one copy.
fn column<T: Copy>(all: &[T], copy: usize) -> Vec<T> {
    all.iter().copied().skip(copy).step_by(COPIES.len()).collect()
}

#[test]
fn agents_check_30_copies_that_are_not_in_step_do_not_mix() {
    let (collector, unroll) = uneven(Toy::Uneven);
    let rows: Vec<&[f32]> = unroll.rows.vectors.chunks_exact(5).collect();
    for (copy, &first) in COPIES.iter().enumerate() {
        let table = &TABLES[first];
        let (start, dead) = (column(&unroll.start, copy), column(&unroll.dead, copy));
        assert_eq!(places(&start, |x| *x), table.start, "copy {copy}");
        assert_eq!(places(&dead, |x| *x), table.dead, "copy {copy}");
        assert_eq!(column(&unroll.reward, copy), table.reward, "copy {copy}");
        assert_eq!(column(&unroll.cont, copy), table.cont, "copy {copy}");
        let valid = column(&unroll.valid, copy);
        assert!((0..10).all(|t| valid[t] != dead[t]), "copy {copy}: {valid:?}");
        let action = column(&unroll.action, copy);
        assert!((0..10).all(|t| action[t] == ((t + copy) % 2) as i32), "copy {copy}: {action:?}");
        let mut turn = first as f32 - 1.0;
        for (t, row) in column(&rows, copy).into_iter().enumerate() {
            if start[t] {
                turn += 1.0;
                assert_eq!(row, [turn, 0.0, 0.0, 0.0, 0.0], "copy {copy}, row {t}");
                continue;
            }
            // What the row before did and was paid, which is the number of its step; never of another episode.
            let (done, paid) = (action[t - 1], table.reward[t - 1]);
            let did = [0, 1].map(|a| f32::from(u8::from(a == done)));
            assert_eq!(row, [turn, paid, did[0], did[1], 0.5 * paid], "copy {copy}, row {t}");
        }
    }
    let played = collector.played();
    assert_eq!((played.env_steps, played.episodes), (6 * 8, 6 * 3));
}

#[test]
fn agents_check_30_where_the_rules_tell_what_goes_on_their_word_counts() {
    let (_, unroll) = uneven(Toy::Told);
    for (copy, &first) in COPIES.iter().enumerate() {
        assert_eq!(column(&unroll.reward, copy), TABLES[first].reward, "copy {copy}");
        // At any end of an episode too, and never at a row that is no step, though the rules speak there.
        assert_eq!(column(&unroll.cont, copy), TABLES[first].told, "copy {copy}");
    }
}

#[test]
fn agents_check_30_the_same_arrays_however_they_are_cut() {
    [Toy::Script, Toy::Uneven, Toy::Told].into_iter().for_each(the_same_however_cut);
}

fn the_same_however_cut(toy: Toy) {
    let mut t = 0;
    let whole = collector(toy, 3, Problems::All, None).collect(12, act(&mut t)).expect("plays");
    for first in 1..12 {
        let mut t = 0;
        let mut collector = collector(toy, 3, Problems::All, None);
        let parts = [first, 12 - first].map(|steps| collector.collect(steps, act(&mut t)).expect("plays"));
        let joined = |of: fn(&Unroll) -> Vec<f32>| [of(&parts[0]), of(&parts[1])].concat();
        assert_eq!(joined(|u| u.reward.clone()), whole.reward);
        assert_eq!(joined(|u| u.cont.clone()), whole.cont);
        let [a, b] = &parts;
        assert_eq!([&a.start[..3 * first], &b.start].concat(), whole.start);
        assert_eq!([&a.dead[..3 * first], &b.dead].concat(), whole.dead);
        assert_eq!([&a.rows.vectors[..15 * first], &b.rows.vectors].concat(), whole.rows.vectors);
    }
}

#[test]
fn a_collector_goes_on_where_it_was_saved() {
    let mut t = 0;
    let mut one = collector(Toy::Recall, 4, Problems::All, None);
    one.collect(7, act(&mut t)).expect("plays");
    let place = one.save().expect("saves");
    let mut other = collector(Toy::Recall, 4, Problems::All, None);
    other.load(place).expect("loads");
    let mut s = t;
    assert_eq!(one.collect(9, act(&mut t)).expect("plays"), other.collect(9, act(&mut s)).expect("plays"));
    assert_eq!(one.played(), other.played());
    let place = one.save().expect("saves");
    let mut fewer = collector(Toy::Recall, 3, Problems::All, None);
    assert!(fewer.load(place).is_err(), "another number of copies");
}

#[test]
fn agents_check_31_only_listed_problems_are_played_each_once_a_pass_and_rewards_survive() {
    let copies = 4;
    let ids = vec![0, 2, 5];
    let mut collector = collector(Toy::Listed, copies, Problems::Only(ids.clone()), None);
    let unroll = collector.collect(60, act(&mut 0)).expect("plays");
    let width = unroll.rows.vectors.len() / unroll.rows.count;
    for copy in 0..copies {
        let starts = (0..60).filter(|t| unroll.start[t * copies + copy]);
        let played: Vec<u32> = starts.map(|t| unroll.rows.vectors[(t * copies + copy) * width] as u32).collect();
        assert!(played.len() > 9);
        for pass in played.chunks_exact(3) {
            let mut pass = pass.to_vec();
            pass.sort_unstable();
            assert_eq!(pass, ids, "copy {copy}");
        }
        // Each step pays its number, whichever other copies are restarted beside it.
        let mut number = 0.0;
        for t in 0..60 {
            let at = t * copies + copy;
            number = if unroll.start[at] { 1.0 } else { number + 1.0 };
            assert_eq!(unroll.reward[at], if unroll.valid[at] { number } else { 0.0 }, "copy {copy}, step {t}");
            // And the next row is told of it.
            if !unroll.start[at + copies] {
                assert_eq!(unroll.rows.vectors[(at + copies + 1) * width - 1], 0.5 * unroll.reward[at]);
            }
        }
    }
}

#[test]
fn agents_check_34_words_are_those_of_training_in_the_order_of_first_sight() {
    let mut words = Vocabulary::default();
    words.learn(&sentence(0));
    words.learn("Go left, NOW");
    assert_eq!(words.len(), 2 + 3);
    assert_eq!(words.tokens("now Left go sideways").collect::<Vec<_>>(), [4, 3, 2, 1]);
    let collector = collector(Toy::Text, 2, Problems::Only(vec![0, 1]), Some(words.clone()));
    let mut collector = collector;
    let unroll = collector.collect(3, act(&mut 0)).expect("plays");
    let expected: Vec<Vec<u32>> = (0..2).map(|p| words.tokens(&sentence(p)).collect()).collect();
    for row in unroll.rows.tokens.chunks_exact(crate::parts::inputs::WORDS) {
        let told: Vec<u32> = row.iter().copied().take_while(|&t| t > 0).collect();
        assert!(expected.contains(&told), "{told:?}");
    }
}
