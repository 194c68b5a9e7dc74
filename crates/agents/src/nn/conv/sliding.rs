//! Kernels that slide over pictures, by the processor's vectors.
//!
//! With the channels last, a line of what a kernel looks at is one piece of the picture. So a tile of places and outputs is
//! summed in registers right from the picture, without laying out what every place sees; both gradients are summed likewise.

#![allow(
    clippy::inline_always,
    reason = "the processor's vectors are used only in what is part of the dispatched function"
)]

use pulp::{Arch, Simd, WithSimd};

/// The sizes of pictures, with their margins if they have any, and of kernels over them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slide {
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) channels: usize,
    pub(super) to: usize,
    pub(super) kernel: usize,
    pub(super) stride: usize,
}

/// Rows of a tile: with two vectors each they fill the registers.
const ROWS: usize = 6;

impl Slide {
    /// Places along a picture's height and width.
    pub(super) fn places(&self) -> [usize; 2] {
        [self.height, self.width].map(|side| (side - self.kernel) / self.stride + 1)
    }

    /// Places of a picture.
    pub(super) fn area(&self) -> usize {
        self.places().iter().product()
    }

    /// Numbers of a picture.
    pub(super) fn picture(&self) -> usize {
        self.height * self.line()
    }

    /// Numbers that a kernel looks at.
    pub(super) fn seen(&self) -> usize {
        self.kernel * self.run()
    }

    /// Numbers of a line of a picture.
    fn line(&self) -> usize {
        self.width * self.channels
    }

    /// Numbers of a line of what a kernel looks at.
    fn run(&self) -> usize {
        self.kernel * self.channels
    }

    /// Where what a kernel looks at begins, for each place.
    fn corners(&self) -> Vec<usize> {
        let [h, w] = self.places();
        (0..h).flat_map(|y| (0..w).map(move |x| (y * self.line() + x * self.channels) * self.stride)).collect()
    }
}

/// Columns of a matrix `[rows, columns]` in panels of `width`, each row after row, the last filled up with zeros.
fn panels(matrix: &[f32], columns: usize, width: usize) -> Vec<f32> {
    let rows = matrix.len() / columns;
    let mut out = vec![0.0; columns.div_ceil(width) * rows * width];
    for (k, panel) in out.chunks_exact_mut(rows * width).enumerate() {
        let (begin, end) = (k * width, columns.min((k + 1) * width));
        for (to, from) in panel.chunks_exact_mut(width).zip(matrix.chunks_exact(columns)) {
            to[..end - begin].copy_from_slice(&from[begin..end]);
        }
    }
    out
}

/// What comes out of `pictures`: at each place the sum of what the kernel looks at there, times its weights.
pub(super) fn forward(sizes: Slide, pictures: &[f32], weight: &[f32], out: &mut [f32]) {
    Arch::new().dispatch(Forward { sizes, pictures, weight, out });
}

/// Adds to `own` how a loss changes with the weights, from how it changes with what came out (`above`).
pub(super) fn to_weight(sizes: Slide, pictures: &[f32], above: &[f32], own: &mut [f32]) {
    Arch::new().dispatch(ToWeight { sizes, pictures, above, own });
}

/// Adds to `back` how a loss changes with the pictures, from how it changes with what came out (`above`); the weights are
/// [`turned`].
pub(super) fn to_pictures(sizes: Slide, above: &[f32], turned: &[f32], back: &mut [f32]) {
    Arch::new().dispatch(ToPictures { sizes, above, turned, back });
}

/// The weights with outputs for rows, each line of the kernel by itself.
pub(super) fn turned(sizes: Slide, weight: &[f32]) -> Vec<f32> {
    weight.chunks_exact(sizes.run() * sizes.to).flat_map(|line| transposed(line, sizes.to)).collect()
}

struct Forward<'a> {
    sizes: Slide,
    pictures: &'a [f32],
    weight: &'a [f32],
    out: &'a mut [f32],
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { sizes, pictures, weight, out } = self;
        let wide = 2 * S::F32_LANES;
        let weight = panels(weight, sizes.to, wide);
        let (run, line) = (sizes.run(), sizes.line());
        let depth = sizes.kernel * run;
        let corners = sizes.corners();
        let each = pictures.chunks_exact(sizes.height * line).zip(out.chunks_exact_mut(corners.len() * sizes.to));
        for (picture, out) in each {
            for (panel, weight) in weight.chunks_exact(depth * wide).enumerate() {
                let first = panel * wide;
                let valid = wide.min(sizes.to - first);
                for block in (0..corners.len()).step_by(ROWS) {
                    let corner = |p: usize| corners[(block + p).min(corners.len() - 1)];
                    let mut sums = [[simd.splat_f32s(0.0); 2]; ROWS];
                    for (row, weight) in weight.chunks_exact(run * wide).enumerate() {
                        let seen: [&[f32]; ROWS] = std::array::from_fn(|p| {
                            let begin = corner(p) + row * line;
                            &picture[begin..begin + run]
                        });
                        sums = tile(simd, sums, seen, S::as_simd_f32s(weight).0);
                    }
                    for (p, sums) in sums.into_iter().enumerate().take(corners.len() - block) {
                        let begin = (block + p) * sizes.to + first;
                        store(simd, &mut out[begin..begin + valid], sums);
                    }
                }
            }
        }
    }
}

/// `matrix`, of so many columns, with rows for columns.
fn transposed(matrix: &[f32], columns: usize) -> Vec<f32> {
    (0..columns).flat_map(|column| matrix.iter().skip(column).step_by(columns)).copied().collect()
}

/// Adds `seen[p][j] weight[j]` over all `j` to each row `p`.
#[inline(always)]
fn tile<S: Simd, const R: usize>(
    simd: S,
    mut sums: [[S::f32s; 2]; R],
    seen: [&[f32]; R],
    weight: &[S::f32s],
) -> [[S::f32s; 2]; R] {
    let n = weight.len() / 2;
    for part in seen {
        assert_eq!(part.len(), n);
    }
    for j in 0..n {
        let (a, b) = (weight[2 * j], weight[2 * j + 1]);
        for (sums, seen) in sums.iter_mut().zip(seen) {
            let x = simd.splat_f32s(seen[j]);
            sums[0] = simd.mul_add_e_f32s(x, a, sums[0]);
            sums[1] = simd.mul_add_e_f32s(x, b, sums[1]);
        }
    }
    sums
}

#[inline(always)]
fn store<S: Simd>(simd: S, out: &mut [f32], sums: [S::f32s; 2]) {
    if let ([a, b], []) = S::as_mut_simd_f32s(out) {
        (*a, *b) = (sums[0], sums[1]);
        return;
    }
    let (a, b) = out.split_at_mut(S::F32_LANES.min(out.len()));
    simd.partial_store_f32s(a, sums[0]);
    simd.partial_store_f32s(b, sums[1]);
}

/// Adds `sums` to what is there.
#[inline(always)]
fn add<S: Simd>(simd: S, out: &mut [f32], sums: [S::f32s; 2]) {
    if let ([a, b], []) = S::as_mut_simd_f32s(out) {
        (*a, *b) = (simd.add_f32s(*a, sums[0]), simd.add_f32s(*b, sums[1]));
        return;
    }
    let (a, b) = out.split_at_mut(S::F32_LANES.min(out.len()));
    let old = [simd.partial_load_f32s(a), simd.partial_load_f32s(b)];
    simd.partial_store_f32s(a, simd.add_f32s(old[0], sums[0]));
    simd.partial_store_f32s(b, simd.add_f32s(old[1], sums[1]));
}

struct ToWeight<'a> {
    sizes: Slide,
    pictures: &'a [f32],
    above: &'a [f32],
    own: &'a mut [f32],
}

impl WithSimd for ToWeight<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { sizes, pictures, above, own } = self;
        let wide = 2 * S::F32_LANES;
        let (run, line) = (sizes.run(), sizes.line());
        let corners = sizes.corners();
        let each = pictures.chunks_exact(sizes.height * line).zip(above.chunks_exact(corners.len() * sizes.to));
        for (picture, above) in each {
            let above = panels(above, sizes.to, wide);
            for (panel, above) in above.chunks_exact(corners.len() * wide).enumerate() {
                let above = S::as_simd_f32s(above).0;
                let first = panel * wide;
                let valid = wide.min(sizes.to - first);
                for row in 0..sizes.kernel {
                    let mut at = 0;
                    while at < run {
                        let rows = ROWS.min(run - at);
                        let own = &mut own[(row * run + at) * sizes.to + first..];
                        let seen = &picture[row * line + at..];
                        let out = (own, sizes.to, valid);
                        match rows {
                            6 => outer::<S, 6>(simd, seen, &corners, above, out),
                            5 => outer::<S, 5>(simd, seen, &corners, above, out),
                            4 => outer::<S, 4>(simd, seen, &corners, above, out),
                            3 => outer::<S, 3>(simd, seen, &corners, above, out),
                            2 => outer::<S, 2>(simd, seen, &corners, above, out),
                            _ => outer::<S, 1>(simd, seen, &corners, above, out),
                        }
                        at += rows;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn outer<S: Simd, const R: usize>(
    simd: S,
    seen: &[f32],
    corners: &[usize],
    above: &[S::f32s],
    (own, step, valid): (&mut [f32], usize, usize),
) {
    let mut sums = [[simd.splat_f32s(0.0); 2]; R];
    assert_eq!(above.len(), 2 * corners.len());
    for (place, corner) in corners.iter().enumerate() {
        let (a, b) = (above[2 * place], above[2 * place + 1]);
        let seen = &seen[*corner..*corner + R];
        for (sums, seen) in sums.iter_mut().zip(seen) {
            let x = simd.splat_f32s(*seen);
            sums[0] = simd.mul_add_e_f32s(x, a, sums[0]);
            sums[1] = simd.mul_add_e_f32s(x, b, sums[1]);
        }
    }
    for (i, sums) in sums.into_iter().enumerate() {
        add(simd, &mut own[i * step..i * step + valid], sums);
    }
}

struct ToPictures<'a> {
    sizes: Slide,
    above: &'a [f32],
    turned: &'a [f32],
    back: &'a mut [f32],
}

impl WithSimd for ToPictures<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { sizes, above, turned, back } = self;
        let wide = 2 * S::F32_LANES;
        let (run, line) = (sizes.run(), sizes.line());
        let corners = sizes.corners();
        // Each line of the kernel by itself, as a panel must not reach over its end.
        let lines: Vec<Vec<f32>> = turned.chunks_exact(run * sizes.to).map(|line| panels(line, run, wide)).collect();
        let each = back.chunks_exact_mut(sizes.height * line).zip(above.chunks_exact(corners.len() * sizes.to));
        for (back, above) in each {
            for (row, line_of_weights) in lines.iter().enumerate() {
                for (panel, weight) in line_of_weights.chunks_exact(sizes.to * wide).enumerate() {
                    let weight = S::as_simd_f32s(weight).0;
                    let first = panel * wide;
                    let valid = wide.min(run - first);
                    for block in (0..corners.len()).step_by(ROWS) {
                        let seen: [&[f32]; ROWS] = std::array::from_fn(|p| {
                            let place = (block + p).min(corners.len() - 1);
                            &above[place * sizes.to..(place + 1) * sizes.to]
                        });
                        let sums = tile(simd, [[simd.splat_f32s(0.0); 2]; ROWS], seen, weight);
                        for (corner, sums) in corners[block..].iter().zip(sums) {
                            let begin = corner + row * line + first;
                            add(simd, &mut back[begin..begin + valid], sums);
                        }
                    }
                }
            }
        }
    }
}
