//! Memories that are more than a state: what they write, find and learn.

use heldout_core::{Rng, Seed};

use super::layers::{differences, given, loss};
use super::near;
use crate::nn::{
    Dcem, DcemSizes, Device, Dnc, DncSizes, Esbn, EsbnSizes, Params, Past, allocation, likeness, shares, tensor, values,
};

/// A memory of four words of three numbers and one head.
fn words() -> DncSizes {
    DncSizes { inputs: 2, controller: &[4], slots: 4, word: 3, heads: 1, out: 5 }
}

/// What rules a row: reads by `mode` (backwards, by likeness, forwards) with a key, and writes a word where there is room, if any.
fn ruled(key: [f32; 3], mode: usize, word: Option<[f32; 3]>) -> Vec<f32> {
    let mut modes = [-20.0; 3];
    modes[mode] = 20.0;
    let open = if word.is_some() { 20.0 } else { -20.0 };
    let parts: [&[f32]; 10] =
        [&key, &[49.0], &[0.0; 3], &[0.0], &[-20.0; 3], &word.unwrap_or_default(), &[-20.0], &[20.0], &[open], &modes];
    parts.concat()
}

#[test]
fn agents_check_27_room_is_where_little_is_used() {
    let device = Device::flex();
    let found = allocation(tensor(vec![0.2, 0.9, 0.1, 0.0, 0.0, 0.5], [2, 3], &device), &device);
    near(&values(found), &[0.08, 0.002, 0.9, 1.0, 0.0, 0.0], 1e-5);
}

#[test]
fn agents_check_27_words_are_found_by_likeness_and_in_the_order_of_writing() {
    let device = Device::flex();
    let mut params = Params::new(Seed(1), &device);
    let dnc = Dnc::new(&mut params, "dnc", words());
    let (slots, numbers) = (4, 12 + 4 + 4 + 4 + 16 + 4 + 3);
    let [a, b, c] = [[1.0, -2.0, 0.5], [0.3, 0.4, -1.0], [-1.0, 1.0, 1.0]];
    let mut memory = tensor(vec![0.0; numbers], [1, numbers], &device);
    let mut found = Vec::new();
    for rule in [
        ruled(a, 1, Some(a)),
        ruled(a, 1, Some(b)),
        ruled(a, 1, Some(c)),
        ruled([0.0; 3], 2, None),
        ruled([0.0; 3], 2, None),
        ruled([0.0; 3], 0, None),
    ] {
        let wide = rule.len();
        memory = dnc.ruled(memory, tensor(rule, [1, wide], &device), &device);
        let all = values(memory.clone());
        found.push(all[numbers - 3..].to_vec());
    }
    // What was written is found; then what was written after it, and after that; then one back.
    for (found, word) in found.iter().zip([a, a, a, b, c, b]) {
        near(found, &word, 1e-3);
    }
    let all = values(memory);
    let links = &all[24..40];
    for (at, link) in links.iter().enumerate() {
        let follows = at / slots == at % slots + 1 && at / slots < 3;
        near(&[*link], &[f32::from(u8::from(follows))], 1e-3);
    }
}

#[test]
fn agents_check_27_an_empty_slot_is_read_too_and_nothing_at_first() {
    let device = Device::flex();
    let constant = |x: f32| tensor(vec![x], [1], &device);
    let rows = tensor(vec![1.0, 0.0, 1.0, 0.0], [1, 2, 2], &device);
    let like = likeness(rows.clone(), rows, &[false, false, true, false], [constant(1.0), constant(0.0)], &device);
    near(&values(like.weights), &[0.0, 0.0, 0.0, 0.268_941_4, 0.731_058_6, 0.0], 1e-5);
    near(&values(like.confidence), &[0.0, 0.668_917_4], 1e-5);
}

#[test]
fn agents_check_27_what_is_more_alike_is_read_more() {
    let device = Device::flex();
    let likes = tensor(vec![0.5, 0.9, 0.7, 0.7, 0.7, 0.7], [1, 6], &device);
    let there = tensor(vec![1.0, 1.0, 0.0, 0.0, 0.0, 0.0], [1, 6], &device);
    near(&values(shares(likes, there)), &[0.166_666_7, 0.833_333_3, 0.0, 0.0, 0.0, 0.0], 1e-5);
}

#[test]
fn rows_read_what_was_written_in_their_episode_alone() {
    // Two copies with one and two slots from before; the second begins an episode at its second row.
    let past = Past::new(&[vec![1.0], vec![2.0, 3.0]], 1);
    let keep = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0];
    let o = true;
    let x = false;
    let first = [[o, x, x, x, x], [o, x, o, x, x], [o, x, o, o, x]];
    let second = [[o, o, x, x, x], [x, x, x, x, x], [x, x, x, o, x]];
    assert_eq!(past.open(&keep, false), [first, second].concat().concat());
    let own = past.open(&keep, true);
    assert!(own[2] && own[8] && own[14] && own[15 + 2] && own[15 + 8] && !own[15 + 7]);
}

/// Three rows of two copies, of which one begins an episode at its second.
const KEEP: [f32; 6] = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0];

#[test]
fn agents_check_29_gradients_of_the_differentiable_computer() {
    let mut params = Params::new(Seed(3), &Device::flex());
    let dnc = Dnc::new(&mut params, "dnc", DncSizes { heads: 2, controller: &[4, 3], ..words() });
    let x = given(&mut params, "x", &[3 * 2, 2]);
    let state = vec![0.0; 2 * dnc.state()];
    differences(&params, |params| {
        let state = tensor(state.clone(), [2, dnc.state()], params.device());
        let out = dnc.forward(params, params.get(x), state, &KEEP);
        let words = loss(out.words.reshape([3, 2, 12]), &mut Rng::new(Seed(2)));
        loss(out.out.reshape([3, 2, 5]), &mut Rng::new(Seed(1))) + words
    });
}

#[test]
fn agents_check_29_gradients_of_the_binding_network() {
    let mut params = Params::new(Seed(4), &Device::flex());
    let esbn = Esbn::new(&mut params, "esbn", EsbnSizes { inputs: 3, controller: 4, core: 5, out: 2 });
    let x = given(&mut params, "x", &[3 * 2, 3]);
    let state = given(&mut params, "state", &[2, esbn.state()]);
    let past = Past::new(&[vec![0.3; 7], vec![0.2; 14]], 7);
    differences(&params, |params| {
        let out = esbn.forward(params, params.get(x), params.get(state), &past, &KEEP);
        let beside = loss(out.beside.reshape([3, 2, esbn.beside()]), &mut Rng::new(Seed(2)));
        loss(out.out.reshape([3, 2, 2]), &mut Rng::new(Seed(1))) + beside
    });
}

#[test]
fn agents_check_29_gradients_of_the_dual_memory() {
    let mut params = Params::new(Seed(5), &Device::flex());
    let sizes = DcemSizes { codes: [4, 3], rest: 2, query: 6, core: 5, out: 3 };
    let dcem = Dcem::new(&mut params, "dcem", sizes);
    let seen = given(&mut params, "seen", &[3 * 2, 4]);
    let heard = given(&mut params, "heard", &[3 * 2, 3]);
    let rest = given(&mut params, "rest", &[3 * 2, 2]);
    let state = given(&mut params, "state", &[2, dcem.state()]);
    let past = Past::new(&[vec![0.3, -0.2, 0.1, 0.5, -0.4, 0.2, 0.1], vec![]], 7);
    differences(&params, |params| {
        let codes = [params.get(seen), params.get(heard)];
        let out = dcem.forward(params, codes, params.get(rest), params.get(state), &past, &KEEP);
        loss(out.out.reshape([3, 2, 3]), &mut Rng::new(Seed(1)))
    });
}

#[test]
fn memories_forget_where_an_episode_begins() {
    // What was before a row that begins an episode changes nothing from there on.
    let device = Device::flex();
    let mut params = Params::new(Seed(6), &device);
    let dnc = Dnc::new(&mut params, "dnc", words());
    let esbn = Esbn::new(&mut params, "esbn", EsbnSizes { inputs: 2, controller: 4, core: 5, out: 5 });
    let dcem = Dcem::new(&mut params, "dcem", DcemSizes { codes: [2, 2], rest: 2, query: 6, core: 5, out: 5 });
    let params = params.frozen();
    let run = |before: f32, keep: f32| -> Vec<Vec<f32>> {
        let x = || tensor(vec![before, 1.0, 0.4, -0.3, 0.2, 0.7], [3, 2], &device);
        let keep = [0.0, keep, 1.0];
        let state = |n: usize| tensor(vec![before; n], [1, n], &device);
        let past = |n: usize| Past::new(&[vec![before; n]], n);
        let outs = [
            dnc.forward(&params, x(), state(dnc.state()), &keep).out,
            esbn.forward(&params, x(), state(esbn.state()), &past(esbn.slot()), &keep).out,
            dcem.forward(&params, [x(), x()], x(), state(dcem.state()), &past(dcem.slot()), &keep).out,
        ];
        outs.into_iter().map(|out| values(out)[5..].to_vec()).collect()
    };
    for ((one, other), kept) in run(0.3, 0.0).iter().zip(run(-0.8, 0.0)).zip(run(-0.8, 1.0)) {
        assert_eq!(*one, other);
        assert!(kept.iter().zip(&other).any(|(a, b)| (a - b).abs() > 1e-3), "{kept:?}");
    }
}
