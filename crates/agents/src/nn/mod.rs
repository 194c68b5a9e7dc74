//! Networks: the only place that names the tensor library.
//!
//! Parameters are an ordered list ([`Params`]) of flat tensors; a layer holds their places in the list and is given the
//! list where it computes. So one description of a network acts with frozen weights and learns with weights that are
//! followed by gradients, and optimisers, copies and files never look at shapes. Nothing here draws random numbers but
//! the initial weights, which come from a seed.

#![allow(clippy::many_single_char_names, reason = "the letters are those of the papers")]
#![allow(clippy::needless_pass_by_value, reason = "a tensor is a handle, and operations take it")]

mod affine;
mod attention;
mod conv;
mod cpc;
mod dcem;
mod dnc;
mod esbn;
mod gru;
pub mod gumbel;
mod kernels;
mod linear;
mod ln_lstm;
mod lstm;
mod memory;
mod norm;
mod optim;
mod params;
mod past;
mod reader;
mod rebuild;
mod resnet;

#[cfg(test)]
pub(crate) use self::{dcem::shares, dnc::allocation, esbn::likeness};
pub use affine::Then;
pub use attention::{Attention, Block};
pub use conv::Conv;
pub use cpc::Cpc;
pub use dcem::{Dcem, DcemSizes};
pub use dnc::{Dnc, DncSizes};
pub use esbn::{Esbn, EsbnSizes};
pub use gru::Gru;
pub use linear::{Embedding, Linear, Mlp};
pub use ln_lstm::LnLstm;
pub use lstm::Lstm;
pub use memory::{Core, Episode, Memory, Recalled, Sizes as MemorySizes, nearest, weights as recall_weights};
pub use norm::Norm;
pub use optim::{Adam, Moments, Optimiser, RmsProp, clip};
pub use params::{Gradients, Id, Init, Param, Params};
pub use past::Past;
pub use reader::Reader;
pub use rebuild::Rebuild;
#[cfg(test)]
pub(crate) use resnet::pooled_both_ways;
pub use resnet::{ResNet, Residual};

use burn::tensor::{Int, TensorData, activation};

/// Numbers of rank `D` that gradients may follow.
pub type Tensor<const D: usize> = burn::tensor::Tensor<D>;
/// Whole numbers of rank `D`.
pub type Ints<const D: usize> = burn::tensor::Tensor<D, Int>;

/// What tensors live on and are computed by.
#[derive(Clone, Debug)]
pub struct Device {
    library: burn::tensor::Device,
    name: &'static str,
}

/// What computed something: part of every record, as bits may differ between two.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Backend {
    /// The library's backend: `flex`.
    pub name: String,
    /// The instructions of the processor that it uses: `avx2`.
    pub isa: String,
}

impl std::fmt::Display for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.isa)
    }
}

impl Backend {
    /// What this process computes with, if nothing else is asked for.
    #[must_use]
    pub fn of_this_process() -> Self {
        Self::of(&Device::flex())
    }

    /// What a device computes with.
    #[must_use]
    pub fn of(device: &Device) -> Self {
        let isa = if device.fuses() { isa() } else { "its own" };
        Self { name: device.name.to_owned(), isa: isa.to_owned() }
    }
}

#[cfg(target_arch = "x86_64")]
fn isa() -> &'static str {
    if cfg!(feature = "x86-v4") && std::arch::is_x86_feature_detected!("avx512f") {
        return "avx512";
    }
    let fused = std::arch::is_x86_feature_detected!("fma");
    if std::arch::is_x86_feature_detected!("avx2") && fused { "avx2" } else { "sse2" }
}

#[cfg(not(target_arch = "x86_64"))]
fn isa() -> &'static str {
    std::env::consts::ARCH
}

impl Device {
    /// The processor.
    #[must_use]
    pub fn flex() -> Self {
        Self { library: burn::tensor::Device::flex(), name: "flex" }
    }

    /// The device of this name.
    ///
    /// # Errors
    ///
    /// If there is none in this build.
    pub fn named(name: &str) -> Result<Self, String> {
        match name {
            "flex" => Ok(Self::flex()),
            #[cfg(feature = "wgpu")]
            "wgpu" => Ok(Self { library: burn::tensor::Device::wgpu(graphics()), name: "wgpu" }),
            #[cfg(feature = "vulkan")]
            "vulkan" => Ok(Self { library: burn::tensor::Device::vulkan(graphics()), name: "vulkan" }),
            #[cfg(feature = "metal")]
            "metal" => Ok(Self { library: burn::tensor::Device::metal(graphics()), name: "metal" }),
            #[cfg(feature = "cuda")]
            "cuda" => Ok(Self { library: burn::tensor::Device::cuda(0), name: "cuda" }),
            "wgpu" | "vulkan" | "metal" | "cuda" => {
                Err(format!("this build has no `{name}`; a build of the sources with the feature `{name}` has"))
            }
            _ => Err(format!("there is no device `{name}`; there are `flex`, `wgpu`, `vulkan`, `metal` and `cuda`")),
        }
    }

    /// Whether the hand-written operations are for it; if not, what they stand for is composed of the library's own.
    #[must_use]
    pub fn fuses(&self) -> bool {
        self.name == "flex"
    }
}

/// The graphics processor that the system names first.
#[cfg(feature = "wgpu")]
fn graphics() -> burn::tensor::DeviceKind {
    burn::tensor::DeviceKind::DefaultDevice
}

/// A tensor of these numbers, row after row, that no gradient follows.
///
/// # Panics
///
/// If `shape` does not hold as many.
#[must_use]
pub fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values, shape), &device.library)
}

/// A tensor of these whole numbers.
///
/// # Panics
///
/// If `shape` does not hold as many.
#[must_use]
pub fn ints<const D: usize>(values: Vec<i64>, shape: [usize; D], device: &Device) -> Ints<D> {
    Ints::from_data(TensorData::new(values, shape), &device.library)
}

/// The numbers of a tensor, row after row.
///
/// # Panics
///
/// If the device fails.
#[must_use]
pub fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    let data = tensor.inner().into_data();
    data.as_slice::<f32>().expect("all tensors are of f32").to_vec()
}

/// The hyperbolic tangent by the logistic function, which the processor's backend computes much faster.
#[must_use]
pub fn tanh<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    activation::sigmoid(x * 2.0) * 2.0 - 1.0
}

/// The logistic function.
#[must_use]
pub fn sigmoid<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    activation::sigmoid(x)
}

/// The logarithm of one plus `exp`.
#[must_use]
pub fn softplus<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    activation::softplus(x, 1.0)
}

/// The positive part.
#[must_use]
pub fn relu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    activation::relu(x)
}

/// The positive part, and a hundredth of the negative.
#[must_use]
pub fn leaky_relu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    activation::leaky_relu(x, 0.01)
}

/// Shares of `exp` along the last dimension.
#[must_use]
pub fn softmax<const D: usize>(logits: Tensor<D>) -> Tensor<D> {
    activation::softmax(logits, D - 1)
}

/// Logarithms of the shares of `exp` along the last dimension.
#[must_use]
pub fn log_softmax(logits: Tensor<2>) -> Tensor<2> {
    activation::log_softmax(logits, 1)
}

/// Element `columns[r]` of each row `r`.
#[must_use]
pub fn pick(rows: Tensor<2>, columns: Vec<i64>, device: &Device) -> Tensor<1> {
    let n = columns.len();
    rows.gather(1, ints(columns, [n, 1], device)).reshape([n])
}

/// Computes with so many threads, if nothing was computed yet; what is computed does not depend on it.
pub fn set_threads(threads: usize) {
    // Who asked first has been given threads: there is no harm in that.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
}
