//! Choices that gradients pass through, by Gumbel's noise.

use heldout_core::Rng;

use super::{Device, Tensor, softmax, tensor, values};

/// Gumbel's noise for so many logits.
#[must_use]
pub fn noise(count: usize, rng: &mut Rng) -> Vec<f32> {
    let one = |u: f64| -libm::log(-libm::log(u.clamp(1e-10, 1.0 - 1e-7))) as f32;
    (0..count).map(|_| one(rng.unit())).collect()
}

/// A choice of each row of `logits` with `noise`: exactly one-hot, with the gradient of the shares; and which it is.
#[must_use]
pub fn straight_through(logits: Tensor<2>, noise: Vec<f32>, device: &Device) -> (Tensor<2>, Vec<usize>) {
    let [rows, width] = logits.dims();
    let shares = softmax(logits + tensor(noise, [rows, width], device));
    let chosen: Vec<usize> = values(shares.clone()).chunks_exact(width).map(first_greatest).collect();
    let choice = one_hot(&chosen, width, device);
    // What is added is zero to the last bit.
    (choice + (shares.clone() - shares.detach()), chosen)
}

/// The place of the first of the greatest numbers.
#[must_use]
pub fn first_greatest(row: &[f32]) -> usize {
    (1..row.len()).fold(0, |best, i| if row[i] > row[best] { i } else { best })
}

/// Rows with a 1 at these places.
#[must_use]
pub fn one_hot(places: &[usize], width: usize, device: &Device) -> Tensor<2> {
    let mut numbers = vec![0.0; places.len() * width];
    places.iter().enumerate().for_each(|(row, place)| numbers[row * width + place] = 1.0);
    tensor(numbers, [places.len(), width], device)
}

/// The choices of one place of a sequence where the sequence still goes on, and the choice 0, which no gradient changes, where
/// it has ended.
#[must_use]
pub fn while_alive(choice: Tensor<2>, alive: &[bool], device: &Device) -> Tensor<2> {
    let [rows, width] = choice.dims();
    let goes_on: Vec<f32> = alive.iter().map(|&a| f32::from(u8::from(a))).collect();
    let ended: Vec<f32> =
        alive.iter().flat_map(|&a| (0..width).map(move |c| f32::from(u8::from(!a && c == 0)))).collect();
    choice * tensor(goes_on, [rows, 1], device) + tensor(ended, [rows, width], device)
}
