//! `heldout records`: records as one table, for analysis elsewhere.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use heldout_eval::records::{Header, Record, Recorded, keeps};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use crate::files;

/// Writes the records of an evaluation as one table, one row per episode.
#[derive(clap::Args)]
pub(crate) struct Records {
    /// The directory of the evaluation.
    dir: PathBuf,
    /// Writes comma-separated values to this file, or to standard output if it is `-`.
    #[arg(long, value_name = "FILE", required_unless_present = "parquet")]
    csv: Option<PathBuf>,
    /// Writes a Parquet file.
    #[arg(long, value_name = "FILE")]
    parquet: Option<PathBuf>,
}

impl Records {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        if let Some(path) = self.csv.iter().chain(&self.parquet).find(|path| keeps(&self.dir, path)) {
            anyhow::bail!("`{}` lies among the records: the table would take their place", path.display());
        }
        if let Some((csv, parquet)) = self.csv.as_ref().zip(self.parquet.as_ref())
            && heldout_files::same_place(csv, parquet)
        {
            anyhow::bail!("`--csv` and `--parquet` are both `{}`, must be two files", csv.display());
        }
        let table = Table::new(Recorded::read_all(&self.dir)?);
        if let Some(path) = &self.csv {
            let text = table.csv()?;
            if path.as_os_str() == "-" {
                crate::print(&text)?;
            } else {
                files::write(path, text.as_bytes())?;
            }
        }
        if let Some(path) = &self.parquet {
            files::write(path, &table.parquet().context("cannot make the Parquet file")?)?;
        }
        Ok(())
    }
}

/// What a column of the header's or of the episode's own holds.
enum Own {
    Text(fn(&Header, &Record) -> String),
    Flag(fn(&Header, &Record) -> bool),
    Count(fn(&Header, &Record) -> Option<i64>),
    Number(fn(&Header, &Record) -> Option<f64>),
}

/// The columns before the metrics. `score` is the metric that is scored, whose name is `metric`; in a mean over episodes it
/// counts by `weight`, which is 1 unless `weighed_by` names another metric.
const OWN: [(&str, Own); 20] = [
    ("protocol", Own::Text(|h, _| h.protocol.clone())),
    ("task", Own::Text(|h, _| h.task.clone())),
    ("condition", Own::Text(|h, _| h.condition.clone())),
    ("held_out", Own::Flag(|h, _| h.held_out)),
    ("agent", Own::Text(|h, _| h.agent.clone())),
    ("policy", Own::Text(|h, _| h.policy.clone())),
    ("player", Own::Text(player)),
    ("id", Own::Text(|h, _| h.id.clone())),
    ("heldout", Own::Text(|h, _| h.heldout.clone())),
    ("build", Own::Text(|h, _| h.build_text())),
    // The bits of the seed: tables elsewhere have no unsigned integers.
    ("seed", Own::Count(|_, r| Some(r.seed as i64))),
    ("episode", Own::Count(|_, r| Some(r.episode as i64))),
    ("problem", Own::Count(|_, r| r.problem.map(i64::from))),
    ("status", Own::Text(|_, r| format!("{:?}", r.status).to_lowercase())),
    ("metric", Own::Text(|h, _| h.metric.clone())),
    ("score", Own::Number(|h, r| r.value(&h.metric))),
    ("weight", Own::Number(weight)),
    ("weighed_by", Own::Text(|h, _| h.weights.get(&h.metric).cloned().unwrap_or_default())),
    ("length", Own::Count(|_, r| Some(r.length as i64))),
    ("return", Own::Number(|_, r| Some(r.r#return))),
];

/// The identity of whoever played a seed.
fn player(header: &Header, record: &Record) -> String {
    let seed = header.seeds.iter().position(|seed| *seed == record.seed);
    let own = seed.and_then(|seed| header.policies.get(seed));
    own.unwrap_or(&header.policy).clone()
}

/// What the score counts in a mean; nothing where there is no score.
fn weight(header: &Header, record: &Record) -> Option<f64> {
    record.value(&header.metric)?;
    header.weights.get(&header.metric).map_or(Some(1.0), |name| record.value(name))
}

/// All records, with the names of all their metrics.
struct Table {
    files: Vec<Recorded>,
    metrics: Vec<String>,
}

impl Table {
    fn new(files: Vec<Recorded>) -> Self {
        let names = files.iter().flat_map(|f| &f.records).flat_map(|r| r.metrics.keys());
        let metrics: BTreeSet<&String> = names.collect();
        let metrics = metrics.into_iter().cloned().collect();
        Self { files, metrics }
    }

    fn rows(&self) -> impl Iterator<Item = (&Header, &Record)> {
        self.files.iter().flat_map(|file| file.records.iter().map(move |record| (&file.header, record)))
    }

    fn csv(&self) -> anyhow::Result<String> {
        let mut text = OWN.map(|(name, _)| name).join(",");
        for metric in &self.metrics {
            text += &format!(",{}", quoted(&format!("metric_{metric}")));
        }
        text.push('\n');
        for (header, record) in self.rows() {
            for (i, (_, own)) in OWN.iter().enumerate() {
                text += if i == 0 { "" } else { "," };
                match own {
                    Own::Text(f) => text += &quoted(&f(header, record)),
                    Own::Flag(f) => write!(text, "{}", f(header, record))?,
                    Own::Count(f) => text += &f(header, record).map_or(String::new(), |n| n.to_string()),
                    Own::Number(f) => text += &f(header, record).map_or(String::new(), |x| x.to_string()),
                }
            }
            for metric in &self.metrics {
                text.push(',');
                text += &record.metrics.get(metric).map_or(String::new(), f64::to_string);
            }
            text.push('\n');
        }
        Ok(text)
    }

    fn parquet(&self) -> anyhow::Result<Vec<u8>> {
        let own = OWN.iter().map(|(name, own)| {
            let (kind, logical, there) = match own {
                Own::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
                Own::Flag(_) => (Physical::BOOLEAN, None, Repetition::REQUIRED),
                Own::Count(_) => (Physical::INT64, None, Repetition::OPTIONAL),
                Own::Number(_) => (Physical::DOUBLE, None, Repetition::OPTIONAL),
            };
            Type::primitive_type_builder(name, kind).with_logical_type(logical).with_repetition(there).build()
        });
        let metrics = self.metrics.iter().map(|metric| {
            let name = format!("metric_{metric}");
            Type::primitive_type_builder(&name, Physical::DOUBLE).with_repetition(Repetition::OPTIONAL).build()
        });
        let fields = own.chain(metrics).map(|field| field.map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
        let schema = Arc::new(Type::group_type_builder("records").with_fields(fields).build()?);
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(WriterProperties::builder().build()))?;
        let mut group = writer.next_row_group()?;
        for (_, own) in &OWN {
            match own {
                Own::Text(f) => {
                    let values: Vec<ByteArray> = self.rows().map(|(h, r)| f(h, r).into_bytes().into()).collect();
                    column::<ByteArrayType>(&mut group, &values, None)?;
                }
                Own::Flag(f) => {
                    column::<BoolType>(&mut group, &self.rows().map(|(h, r)| f(h, r)).collect::<Vec<_>>(), None)?;
                }
                Own::Number(f) => optional::<DoubleType>(&mut group, self.rows().map(|(h, r)| f(h, r)))?,
                Own::Count(f) => optional::<Int64Type>(&mut group, self.rows().map(|(h, r)| f(h, r)))?,
            }
        }
        for metric in &self.metrics {
            optional::<DoubleType>(&mut group, self.rows().map(|(_, r)| r.metrics.get(metric).copied()))?;
        }
        group.close()?;
        Ok(writer.into_inner()?)
    }
}

/// Writes the next column; `levels` say which values are there, where some are not.
fn column<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> anyhow::Result<()> {
    let mut writer = group.next_column()?.context("the schema has fewer columns")?;
    writer.typed::<T>().write_batch(values, levels, None)?;
    Ok(writer.close()?)
}

/// Writes the next column, of values that may be absent.
fn optional<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: impl Iterator<Item = Option<T::T>>,
) -> anyhow::Result<()> {
    let values: Vec<Option<T::T>> = values.collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    column::<T>(group, &values.into_iter().flatten().collect::<Vec<_>>(), Some(&levels))
}

/// A text as a field of comma-separated values (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
