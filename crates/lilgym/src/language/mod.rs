//! The language of the statements' programs: a small part of Python's expressions over a fixed API.
//!
//! A program is parsed once into a flat tree ([`Program`]) and evaluated on scenes without allocating. The parser is our
//! own: the subset has a dozen kinds of nodes and no strings, numbers with points or statements, whereas a parser of whole
//! Python would accept far more than can be evaluated and would have to be fenced in anyway.
//!
//! # Invariants
//!
//! - No text makes [`Program::parse`] panic, recurse without bound or take more than the sizes below.
//! - No program makes [`Program::truth`] panic, allocate, or run beyond [`BUDGET`].
//! - Functions are second class: a lambda or a function's name stands only where the API takes one, so that closures need
//!   no memory of their own.
//! - Printing a program and parsing what was printed gives an equal program.

mod eval;
mod function;
mod kind;
mod parse;
mod shortfall;

pub(crate) use function::Function;
pub(crate) use parse::ParseError;

use crate::scene::{Item, Scene};
use eval::Evaluator;
use function::Param;

/// Longest program, in bytes. The longest public one has 816.
pub(crate) const MAX_LENGTH: usize = 4096;
/// Deepest nesting. The deepest public program has 17.
pub(crate) const MAX_DEPTH: u16 = 48;
/// Most lambdas within one another. The public programs have three.
pub(crate) const MAX_PARAMETERS: usize = 8;
/// Steps of an evaluation, of which each node and each element of a walk takes one: three nested loops over forty items
/// with room to spare.
pub(crate) const BUDGET: u32 = 1 << 22;

/// Index of a node.
type Id = u16;

/// Some of the list of children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kids {
    at: u16,
    len: u16,
}

/// Comparisons, in the order of their numbers among the children of [`Node::Compare`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    NotIn,
}

impl Comparison {
    const ALL: [Self; 8] = [Self::Eq, Self::Ne, Self::Lt, Self::Le, Self::Gt, Self::Ge, Self::In, Self::NotIn];

    const fn text(self) -> &'static str {
        ["==", "!=", "<", "<=", ">", ">=", "in", "not in"][self as usize]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    /// An enum's member or a boolean, as an atom.
    Const(u8),
    Int(i32),
    Boxes,
    Items,
    /// The parameter of the lambda at this depth, from the outermost.
    Param(u8),
    And(Kids),
    Or(Kids),
    Not(Id),
    /// Operands and comparisons in turn.
    Compare(Kids),
    Add(Id, Id),
    Mod(Id, Id),
    Index(Id, Id),
    /// From, to: `None` is the end.
    Slice(Id, Option<Id>, Option<Id>),
    List(Kids),
    Set(Kids),
    /// `.all_items_in_box()`
    Contents(Id),
    /// `.is_tower()`
    Tower(Id),
    /// `.is_tower`, not called: a bound method, which is true.
    TowerMethod(Id),
    /// `.box`
    BoxOf(Id),
    Call(Function, Kids),
    /// A function of one argument: its body.
    Lambda(Id),
    /// A function by name.
    Name(Function),
}

/// What a program looks at: what it does not, a planner need not vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Looks {
    colors: [u8; 3],
    shapes: [u8; 3],
    sizes: [u8; 3],
    /// Whether it looks at walls.
    pub(crate) walls: bool,
    /// Whether it looks at how the objects of a box lie to each other.
    pub(crate) others: bool,
}

impl Looks {
    /// The attributes of `item`, where those that the program cannot tell apart have one number.
    pub(crate) fn attributes(&self, item: &Item) -> [u8; 3] {
        [self.colors[item.color as usize], self.shapes[item.shape as usize], self.sizes[item.size as usize]]
    }
}

/// A parsed program.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    nodes: Vec<Node>,
    kids: Vec<u16>,
    root: Id,
}

/// Programs are equal if they are the same tree, however they were written.
impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        (&self.nodes, &self.kids, self.root) == (&other.nodes, &other.kids, other.root)
    }
}

/// Why an evaluation has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// A value of a kind that the call cannot take.
    #[error("`{call}` is given what is not {expected}")]
    Kind { call: &'static str, expected: &'static str },
    /// `unique` of none or several.
    #[error("`{call}` is given {found} elements, must be one")]
    Unique { call: &'static str, found: u16 },
    /// The least of nothing.
    #[error("`{call}` is given nothing to choose from")]
    Empty { call: &'static str },
    #[error("index {index} is out of range")]
    Index { index: i32 },
    /// Arithmetic without a result.
    #[error("`{call}` has no result that is an integer of 32 bits")]
    Arithmetic { call: &'static str },
    /// More values than there is room for.
    #[error("`{call}` makes more values than there is room for")]
    Room { call: &'static str },
    #[error("the evaluation takes more than {BUDGET} steps")]
    Budget,
    /// The value of the whole is no boolean.
    #[error("the value of the program is not a boolean")]
    Truth,
}

impl Program {
    /// Parses and checks `text`; the error says where and why it is not a program.
    pub(crate) fn parse(text: &str) -> Result<Self, ParseError> {
        parse::parse(text)
    }

    /// Whether the statement holds in `scene`; a fault if a call is given what it cannot take.
    pub(crate) fn truth(&self, scene: &Scene) -> Result<bool, Fault> {
        Evaluator::new(self, scene).truth()
    }

    /// Steps that an evaluation on `scene` takes.
    #[cfg(test)]
    pub(crate) fn steps(&self, scene: &Scene) -> u32 {
        let mut evaluator = Evaluator::new(self, scene);
        let _ = evaluator.truth();
        evaluator.steps()
    }

    /// How far `scene` is from making the statement `wanted`, about in edits; 0 where it is.
    pub(crate) fn shortfall(&self, scene: &Scene, wanted: bool) -> Result<f32, Fault> {
        Evaluator::new(self, scene).shortfall(wanted)
    }

    /// The functions it calls or names, in no particular order, with repetitions.
    pub(crate) fn functions(&self) -> impl Iterator<Item = Function> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            Node::Call(function, _) | Node::Name(function) => Some(*function),
            _ => None,
        })
    }

    /// What it looks at.
    pub(crate) fn looks(&self) -> Looks {
        // Which members of an attribute it names, and whether it compares what objects have.
        let mut named = [[false; 3]; 3];
        let mut compared = [false; 3];
        let (mut walls, mut others) = (false, false);
        for node in &self.nodes {
            match node {
                Node::Tower(_) => others = true,
                Node::Const(atom) => {
                    if let Some((of, member)) = eval::attribute(*atom) {
                        named[of][member] = true;
                    }
                }
                _ => {}
            }
        }
        for function in self.functions() {
            let name = function.name();
            if let Some((of, member)) = function.attribute() {
                named[of][member] = true;
            }
            for (compared, word) in compared.iter_mut().zip(["color", "shape", "size"]) {
                *compared |= name.contains(word) && !name.starts_with("filter");
            }
            let wall = name.contains("wall") || name.contains("corner");
            walls |= wall;
            others |= function.is_spatial() && !wall;
        }
        let numbers = |of: usize| {
            let unnamed = named[of].iter().position(|named| !named).unwrap_or(0);
            std::array::from_fn(|i| if compared[of] || named[of][i] { i as u8 } else { unnamed as u8 })
        };
        Looks { colors: numbers(0), shapes: numbers(1), sizes: numbers(2), walls, others }
    }

    fn kids(&self, kids: Kids) -> &[u16] {
        &self.kids[usize::from(kids.at)..][..usize::from(kids.len)]
    }

    fn node(&self, id: Id) -> Node {
        self.nodes[usize::from(id)]
    }
}

/// The canonical text: as few brackets as Python needs, parameters named by their depth.
impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Printer { program: self }.write(f, self.root, 0, 0)
    }
}

struct Printer<'a> {
    program: &'a Program,
}

/// How tightly each kind of expression binds, loosest first.
mod binding {
    pub(super) const OR: u8 = 1;
    pub(super) const AND: u8 = 2;
    pub(super) const NOT: u8 = 3;
    pub(super) const COMPARE: u8 = 4;
    pub(super) const ADD: u8 = 5;
    pub(super) const MOD: u8 = 6;
    pub(super) const POSTFIX: u8 = 7;
}

impl Printer<'_> {
    fn list(
        &self,
        f: &mut std::fmt::Formatter<'_>,
        ids: &[u16],
        between: &str,
        least: u8,
        depth: u8,
    ) -> std::fmt::Result {
        for (i, &id) in ids.iter().enumerate() {
            if i > 0 {
                f.write_str(between)?;
            }
            self.write(f, id, least, depth)?;
        }
        Ok(())
    }

    /// Writes node `id`, in brackets if it binds less tightly than `least`.
    fn write(&self, f: &mut std::fmt::Formatter<'_>, id: Id, least: u8, depth: u8) -> std::fmt::Result {
        let node = self.program.node(id);
        let own = match node {
            Node::Or(_) => binding::OR,
            Node::And(_) => binding::AND,
            Node::Not(_) => binding::NOT,
            Node::Compare(_) => binding::COMPARE,
            Node::Add(..) => binding::ADD,
            Node::Mod(..) => binding::MOD,
            _ => binding::POSTFIX,
        };
        if own < least {
            f.write_str("(")?;
            self.node(f, node, depth)?;
            return f.write_str(")");
        }
        self.node(f, node, depth)
    }

    fn node(&self, f: &mut std::fmt::Formatter<'_>, node: Node, depth: u8) -> std::fmt::Result {
        let program = self.program;
        let postfix = |f: &mut std::fmt::Formatter<'_>, id, tail: &str| {
            self.write(f, id, binding::POSTFIX, depth)?;
            f.write_str(tail)
        };
        match node {
            Node::Const(atom) => f.write_str(eval::atom_name(atom)),
            Node::Int(n) => write!(f, "{n}"),
            Node::Boxes => f.write_str("all_boxes"),
            Node::Items => f.write_str("all_items"),
            Node::Param(i) => write!(f, "x{i}"),
            Node::Or(kids) => self.list(f, program.kids(kids), " or ", binding::OR + 1, depth),
            Node::And(kids) => self.list(f, program.kids(kids), " and ", binding::AND + 1, depth),
            Node::Not(a) => {
                f.write_str("not ")?;
                self.write(f, a, binding::NOT, depth)
            }
            Node::Compare(kids) => {
                for (i, &part) in program.kids(kids).iter().enumerate() {
                    if i % 2 == 0 {
                        self.write(f, part, binding::COMPARE + 1, depth)?;
                    } else {
                        write!(f, " {} ", Comparison::ALL[usize::from(part)].text())?;
                    }
                }
                Ok(())
            }
            Node::Add(a, b) => {
                self.write(f, a, binding::ADD, depth)?;
                f.write_str(" + ")?;
                self.write(f, b, binding::ADD + 1, depth)
            }
            Node::Mod(a, b) => {
                self.write(f, a, binding::MOD, depth)?;
                f.write_str(" % ")?;
                self.write(f, b, binding::MOD + 1, depth)
            }
            Node::Index(a, i) => {
                postfix(f, a, "[")?;
                self.write(f, i, 0, depth)?;
                f.write_str("]")
            }
            Node::Slice(a, from, to) => {
                postfix(f, a, "[")?;
                from.map_or(Ok(()), |id| self.write(f, id, 0, depth))?;
                f.write_str(":")?;
                to.map_or(Ok(()), |id| self.write(f, id, 0, depth))?;
                f.write_str("]")
            }
            Node::List(kids) => {
                f.write_str("[")?;
                self.list(f, program.kids(kids), ", ", 0, depth)?;
                f.write_str("]")
            }
            Node::Set(kids) => {
                f.write_str("{")?;
                self.list(f, program.kids(kids), ", ", 0, depth)?;
                f.write_str("}")
            }
            Node::Contents(a) => postfix(f, a, ".all_items_in_box()"),
            Node::Tower(a) => postfix(f, a, ".is_tower()"),
            Node::TowerMethod(a) => postfix(f, a, ".is_tower"),
            Node::BoxOf(a) => postfix(f, a, ".box"),
            Node::Call(function, kids) => {
                write!(f, "{}(", function.name())?;
                let params = function.params();
                for (i, &id) in program.kids(kids).iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    if params[i] == Param::Key {
                        f.write_str("key=")?;
                    }
                    self.write(f, id, 0, depth)?;
                }
                f.write_str(")")
            }
            Node::Lambda(body) => {
                write!(f, "lambda x{depth}: ")?;
                self.write(f, body, 0, depth + 1)
            }
            Node::Name(function) => f.write_str(function.name()),
        }
    }
}
