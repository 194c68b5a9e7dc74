//! Parameters as an ordered list.

use burn::tensor::TensorData;
use heldout_core::{Rng, Seed, hexadecimal};
use sha2::{Digest, Sha256};

use super::{Device, Tensor, values};

/// The place of a parameter in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(usize);

impl Id {
    /// The place of the parameter of this name.
    #[cfg(test)]
    pub(crate) fn of(params: &Params, name: &str) -> Self {
        Self(params.entries.iter().position(|p| p.name == name).expect("a name of the list"))
    }

    /// As a number.
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

/// What a parameter is before anything was learnt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init {
    /// The same number everywhere.
    Constant(f32),
    /// Uniform between minus and plus this.
    Uniform(f64),
    /// Gaussian of this standard deviation.
    Normal(f64),
    /// Rows, or columns if they are fewer, at right angles and of this length; the first dimension against the others.
    Orthogonal(f64),
}

/// One parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its path: `actor.encoder.0.weight`.
    pub name: String,
    /// The shape in which it is used.
    pub shape: Vec<usize>,
    value: Tensor<1>,
}

impl Param {
    /// How many numbers it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its numbers.
    #[must_use]
    pub fn values(&self) -> Vec<f32> {
        values(self.value.clone())
    }
}

/// The parameters of a network, in the order in which they were added.
#[derive(Clone, Debug)]
pub struct Params {
    entries: Vec<Param>,
    seed: Seed,
    device: Device,
    learning: bool,
    drawn: bool,
}

/// How a loss changes with each parameter, in the order of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradients(pub Vec<Vec<f32>>);

impl Params {
    /// An empty list whose parameters gradients will follow, drawn below `seed`.
    #[must_use]
    pub fn new(seed: Seed, device: &Device) -> Self {
        Self { entries: Vec::new(), seed: seed.stream("init"), device: device.clone(), learning: true, drawn: true }
    }

    /// An empty list whose parameters are all zero: for layers that are given their numbers, or play by those of another list.
    #[must_use]
    pub fn blank(device: &Device) -> Self {
        Self { drawn: false, ..Self::new(Seed(0), device) }
    }

    /// Adds a parameter. Each is drawn from a stream of its own, so that one more changes no other.
    pub fn add(&mut self, name: impl Into<String>, shape: &[usize], init: Init) -> Id {
        let mut rng = self.seed.derive(self.entries.len() as u64).rng();
        let drawn = if self.drawn { draw(shape, init, &mut rng) } else { vec![0.0; shape.iter().product()] };
        let value = self.leaf(drawn);
        self.entries.push(Param { name: name.into(), shape: shape.to_vec(), value });
        Id(self.entries.len() - 1)
    }

    fn leaf(&self, numbers: Vec<f32>) -> Tensor<1> {
        let len = numbers.len();
        let value = Tensor::from_data(TensorData::new(numbers, [len]), &self.device.library);
        if self.learning { value.autodiff().require_grad() } else { value }
    }

    /// A parameter in its shape.
    ///
    /// # Panics
    ///
    /// If it has not `D` dimensions.
    #[must_use]
    pub fn get<const D: usize>(&self, id: Id) -> Tensor<D> {
        let param = &self.entries[id.0];
        let shape: [usize; D] = param.shape.clone().try_into().expect("a layer knows the rank of what it added");
        param.value.clone().reshape(shape)
    }

    /// All of them, in order.
    #[must_use]
    pub fn entries(&self) -> &[Param] {
        &self.entries
    }

    /// How many numbers there are in all.
    #[must_use]
    pub fn count(&self) -> usize {
        self.entries.iter().map(Param::len).sum()
    }

    /// What they live on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Whether gradients follow them.
    #[must_use]
    pub fn learning(&self) -> bool {
        self.learning
    }

    /// The same numbers, not copied, which no gradient follows: to act by.
    #[must_use]
    pub fn frozen(&self) -> Self {
        let freeze = |p: &Param| Param { value: p.value.clone().inner(), ..p.clone() };
        Self { entries: self.entries.iter().map(freeze).collect(), learning: false, ..self.clone() }
    }

    /// The same numbers, which gradients pass through and do not follow: what is learnt through them is something else.
    ///
    /// # Panics
    ///
    /// If the list is frozen.
    #[must_use]
    pub fn fixed(&self) -> Self {
        assert!(self.learning, "nothing passes through what is frozen");
        let fix = |p: &Param| Param { value: p.value.clone().inner().autodiff(), ..p.clone() };
        Self { entries: self.entries.iter().map(fix).collect(), ..self.clone() }
    }

    /// Brings every number nearer to that of another list of the same network, by the share `rate` of what lies between.
    ///
    /// # Panics
    ///
    /// If the other is of another network.
    pub fn approach(&mut self, other: &Self, rate: f64) {
        assert_eq!(self.entries.len(), other.entries.len(), "lists of the same network");
        let (keep, rate) = ((1.0 - rate) as f32, rate as f32);
        for index in 0..self.entries.len() {
            let theirs = other.entries[index].values();
            let own = self.entries[index].values();
            self.set(index, own.iter().zip(&theirs).map(|(own, their)| keep * own + rate * their).collect());
        }
    }

    /// Puts `numbers` in the place of parameter number `index`.
    ///
    /// # Panics
    ///
    /// If they are not as many.
    pub fn set(&mut self, index: usize, numbers: Vec<f32>) {
        assert_eq!(numbers.len(), self.entries[index].len(), "`{}` is of another size", self.entries[index].name);
        self.entries[index].value = self.leaf(numbers);
    }

    /// How `loss` changes with every parameter; zeros for those that it does not depend on.
    ///
    /// # Panics
    ///
    /// If the list is frozen.
    #[must_use]
    pub fn gradients(&self, loss: &Tensor<1>) -> Gradients {
        assert!(self.learning, "frozen parameters have no gradients");
        let found = loss.backward();
        let of = |p: &Param| p.value.grad(&found).map_or_else(|| vec![0.0; p.len()], values);
        Gradients(self.entries.iter().map(of).collect())
    }

    /// SHA-256 of all names and numbers.
    #[must_use]
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        for param in &self.entries {
            hash.update(param.name.as_bytes());
            hash.update([0]);
            param.values().iter().for_each(|x| hash.update(x.to_le_bytes()));
        }
        hexadecimal(&hash.finalize())
    }
}

fn draw(shape: &[usize], init: Init, rng: &mut Rng) -> Vec<f32> {
    let len: usize = shape.iter().product();
    match init {
        Init::Constant(x) => vec![x; len],
        Init::Uniform(bound) => (0..len).map(|_| (bound * (2.0 * rng.unit() - 1.0)) as f32).collect(),
        Init::Normal(deviation) => (0..len).map(|_| (deviation * rng.gaussian()) as f32).collect(),
        Init::Orthogonal(gain) => orthogonal(shape[0], len / shape[0], gain, rng),
    }
}

/// A `rows` x `columns` matrix whose shorter side is orthogonal, by Gram and Schmidt on Gaussians.
fn orthogonal(rows: usize, columns: usize, gain: f64, rng: &mut Rng) -> Vec<f32> {
    let (few, many) = (rows.min(columns), rows.max(columns));
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(few);
    while basis.len() < few {
        let mut v: Vec<f64> = (0..many).map(|_| rng.gaussian()).collect();
        // Twice is enough for the last bits.
        for _ in 0..2 {
            for u in &basis {
                let along: f64 = u.iter().zip(&v).map(|(a, b)| a * b).sum();
                v.iter_mut().zip(u).for_each(|(x, y)| *x -= along * y);
            }
        }
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 1e-6 {
            basis.push(v.into_iter().map(|x| x / length).collect());
        }
    }
    let at = |r: usize, c: usize| if rows <= columns { basis[r][c] } else { basis[c][r] };
    (0..rows * columns).map(|i| (gain * at(i / columns, i % columns)) as f32).collect()
}
