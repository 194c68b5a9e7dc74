//! Evaluating a program on a scene.
//!
//! All that programs handle but integers belongs to a universe of fewer than 64 things, the *atoms*: items, boxes, members
//! of enums, booleans. Sets of atoms, and lists in which they stand in ascending order, are therefore bit masks; that is
//! what nearly all collections are, since filters keep the order of the scene. The rest (lists with repetitions, sets of
//! integers, lists of tuples) lies in a stack of fixed size.

use super::function::Function;
use super::kind::{BOOL, BOX, COLOR, ITEM, SHAPE, SIDE, SIZE};
use super::{BUDGET, Comparison, Fault, Id, MAX_PARAMETERS, Node, Program};
use crate::scene::{BOX_SIDE, BOXES, Item, MAX_ITEMS, Scene};

/// Atoms: items first, then each enum.
const FIRST_BOX: u8 = MAX_ITEMS as u8;
const FIRST_COLOR: u8 = FIRST_BOX + BOXES as u8;
const FIRST_SHAPE: u8 = FIRST_COLOR + 3;
const FIRST_SIZE: u8 = FIRST_SHAPE + 3;
const FIRST_SIDE: u8 = FIRST_SIZE + 3;
const FALSE: u8 = FIRST_SIDE + 5;
const TRUE: u8 = FALSE + 1;

/// Names of the atoms that a program can name, from [`FIRST_COLOR`] on.
const NAMES: [&str; 16] = [
    "Color.YELLOW",
    "Color.BLACK",
    "Color.BLUE",
    "Shape.CIRCLE",
    "Shape.SQUARE",
    "Shape.TRIANGLE",
    "Size.SMALL",
    "Size.MEDIUM",
    "Size.BIG",
    "Side.ANY",
    "Side.TOP",
    "Side.BOTTOM",
    "Side.LEFT",
    "Side.RIGHT",
    "False",
    "True",
];
/// How near counts as closely touching, in pixels.
const CLOSE: i32 = 4;
/// How near counts as touching another item: the blocks of a tower have a gap of one pixel.
const TOUCHING: i32 = 1;
/// Height of the second block of a tower, and of the third.
const SECOND: i32 = 21;
const THIRD: i32 = 42;
/// Values that the stack holds.
const ROOM: usize = 512;
/// Most elements of a tuple.
const TUPLE_ROOM: usize = 4;

/// The atom that `member` of `space` is.
pub(super) fn find_atom(space: &str, member: &str) -> Option<u8> {
    let fits = |name: &&str| match name.split_once('.') {
        Some((own, rest)) => own == space && rest == member,
        None => space.is_empty() && **name == *member,
    };
    NAMES.iter().position(fits).map(|i| FIRST_COLOR + i as u8)
}

/// What a program calls an atom; items and boxes have no names.
pub(super) fn atom_name(atom: u8) -> &'static str {
    NAMES.get(usize::from(atom.wrapping_sub(FIRST_COLOR))).copied().unwrap_or("?")
}

/// The attribute that an atom belongs to (colour, shape, size) and its place there.
pub(super) fn attribute(atom: u8) -> Option<(usize, usize)> {
    let at = usize::from(atom.checked_sub(FIRST_COLOR)?);
    (atom < FIRST_SIDE).then_some((at / 3, at % 3))
}

/// The kind of an atom.
pub(super) const fn atom_kind(atom: u8) -> u16 {
    if atom < FIRST_BOX {
        ITEM
    } else if atom < FIRST_COLOR {
        BOX
    } else if atom < FIRST_SHAPE {
        COLOR
    } else if atom < FIRST_SIZE {
        SHAPE
    } else if atom < FIRST_SIDE {
        SIZE
    } else if atom < FALSE {
        SIDE
    } else {
        BOOL
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Atom(u8),
    Int(i32),
    /// A bound method: nothing can be done with it, but it is true.
    Method,
    /// Atoms in ascending order.
    Bits {
        bits: u64,
        set: bool,
    },
    /// Some of the stack.
    Seq {
        at: u16,
        len: u16,
        set: bool,
    },
    /// A few atoms; `list`: a list within a list.
    Tuple {
        list: bool,
        len: u8,
        atoms: [u8; TUPLE_ROOM],
    },
    /// The list of all selections of `k` atoms, as tuples or, by `list`, as lists.
    Combos {
        bits: u64,
        k: u8,
        list: bool,
    },
}

/// Where a walk through a collection stands.
pub(super) enum Walk {
    Bits(u64),
    Seq { at: u16, end: u16 },
    Tuple { at: u8, len: u8, atoms: [u8; TUPLE_ROOM] },
    Combos { atoms: [u8; 64], n: u8, k: u8, at: [u8; TUPLE_ROOM], list: bool, done: bool },
}

type Eval<T> = Result<T, Fault>;

const fn truth(value: bool) -> Value {
    Value::Atom(if value { TRUE } else { FALSE })
}

const fn fault(call: &'static str, expected: &'static str) -> Fault {
    Fault::Kind { call, expected }
}

pub(super) struct Evaluator<'a> {
    pub(super) program: &'a Program,
    scene: &'a Scene,
    stack: [Value; ROOM],
    used: usize,
    params: [Value; MAX_PARAMETERS],
    depth: usize,
    budget: u32,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(program: &'a Program, scene: &'a Scene) -> Self {
        Self {
            program,
            scene,
            stack: [Value::Method; ROOM],
            used: 0,
            params: [Value::Method; MAX_PARAMETERS],
            depth: 0,
            budget: BUDGET,
        }
    }

    pub(super) fn truth(&mut self) -> Eval<bool> {
        match self.eval(self.program.root)? {
            Value::Atom(TRUE) => Ok(true),
            Value::Atom(FALSE) => Ok(false),
            _ => Err(Fault::Truth),
        }
    }

    pub(super) fn spend(&mut self, steps: usize) -> Eval<()> {
        self.budget = self.budget.checked_sub(steps as u32).ok_or(Fault::Budget)?;
        Ok(())
    }

    /// Steps so far.
    #[cfg(test)]
    pub(super) fn steps(&self) -> u32 {
        BUDGET - self.budget
    }

    pub(super) fn mark(&self) -> usize {
        self.used
    }

    pub(super) fn forget(&mut self, mark: usize) {
        self.used = mark;
    }

    fn push(&mut self, value: Value, call: &'static str) -> Eval<()> {
        *self.stack.get_mut(self.used).ok_or(Fault::Room { call })? = value;
        self.used += 1;
        Ok(())
    }

    /// The collection of all that was pushed since `mark`.
    fn since(&self, mark: usize, set: bool) -> Value {
        Value::Seq { at: mark as u16, len: (self.used - mark) as u16, set }
    }

    /// Frees what an expression left on the stack since `mark`, but for its value.
    fn settle(&mut self, mark: usize, value: Value) -> Eval<Value> {
        let Value::Seq { at, len, set } = value else {
            self.used = mark;
            return Ok(value);
        };
        let (from, len) = (usize::from(at), usize::from(len));
        if from < mark {
            self.used = mark;
            return Ok(value);
        }
        self.spend(len)?;
        if self.stack[from..from + len].iter().any(|v| matches!(v, Value::Seq { .. })) {
            return Ok(value);
        }
        self.stack.copy_within(from..from + len, mark);
        self.used = mark + len;
        Ok(Value::Seq { at: mark as u16, len: len as u16, set })
    }

    fn box_bits(&self, index: usize) -> u64 {
        let range = self.scene.range(index);
        ((1 << range.end) - 1) & !((1 << range.start) - 1)
    }

    fn item(&self, value: Value, call: &'static str) -> Eval<(usize, Item)> {
        match value {
            Value::Atom(atom) if atom < FIRST_BOX => {
                let items = self.scene.items();
                items.get(usize::from(atom)).map(|&item| (usize::from(atom), item)).ok_or(fault(call, "an item"))
            }
            _ => Err(fault(call, "an item")),
        }
    }

    fn boxed(value: Value, call: &'static str) -> Eval<usize> {
        match value {
            Value::Atom(atom) if atom_kind(atom) == BOX => Ok(usize::from(atom - FIRST_BOX)),
            _ => Err(fault(call, "a box")),
        }
    }

    fn boolean(value: Value, call: &'static str) -> Eval<bool> {
        match value {
            Value::Atom(TRUE) => Ok(true),
            Value::Atom(FALSE) => Ok(false),
            _ => Err(fault(call, "a boolean")),
        }
    }

    fn integer(value: Value, call: &'static str) -> Eval<i32> {
        match value {
            Value::Int(n) => Ok(n),
            _ => Err(fault(call, "an integer")),
        }
    }

    /// An integer where Python also takes a boolean for one.
    pub(super) fn number(value: Value, call: &'static str) -> Eval<i32> {
        match value {
            Value::Int(n) => Ok(n),
            Value::Atom(TRUE) => Ok(1),
            Value::Atom(FALSE) => Ok(0),
            _ => Err(fault(call, "an integer")),
        }
    }

    pub(super) fn truthy(&self, value: Value) -> bool {
        match value {
            Value::Atom(FALSE) => false,
            Value::Atom(atom) if atom_kind(atom) == BOX => !self.scene.of(usize::from(atom - FIRST_BOX)).is_empty(),
            Value::Atom(_) | Value::Method => true,
            Value::Int(n) => n != 0,
            Value::Bits { bits, .. } => bits != 0,
            Value::Seq { len, .. } => len != 0,
            Value::Tuple { len, .. } => len != 0,
            Value::Combos { bits, k, list } => list || bits.count_ones() >= u32::from(k),
        }
    }

    /// Elements of a collection, `None` if it is none.
    fn size(&self, value: Value) -> Option<usize> {
        Some(match value {
            Value::Bits { bits, .. } => bits.count_ones() as usize,
            Value::Seq { len, .. } => len.into(),
            Value::Tuple { len, .. } => len.into(),
            Value::Combos { bits, k, list } => selections(bits.count_ones() as usize, k.into(), list),
            Value::Atom(atom) if atom_kind(atom) == BOX => self.scene.of(usize::from(atom - FIRST_BOX)).len(),
            _ => return None,
        })
    }

    fn len(&self, value: Value, call: &'static str) -> Eval<usize> {
        self.size(value).ok_or(fault(call, "a collection"))
    }

    pub(super) fn walk(&mut self, value: Value, call: &'static str) -> Eval<Walk> {
        Ok(match value {
            Value::Bits { bits, .. } => Walk::Bits(bits),
            Value::Seq { at, len, .. } => Walk::Seq { at, end: at + len },
            Value::Tuple { len, atoms, .. } => Walk::Tuple { at: 0, len, atoms },
            Value::Combos { bits, k, list } => {
                self.spend(bits.count_ones() as usize)?;
                let mut all = [0; 64];
                let mut rest = bits;
                let mut n = 0;
                while rest != 0 {
                    all[n] = rest.trailing_zeros() as u8;
                    rest &= rest - 1;
                    n += 1;
                }
                // A list of selections larger than the whole holds one empty list; of combinations it is empty.
                let few = n < usize::from(k);
                let k = if few && list { 0 } else { k };
                Walk::Combos { atoms: all, n: n as u8, k, at: [0, 1, 2, 3], list, done: few && !list }
            }
            Value::Atom(atom) if atom_kind(atom) == BOX => Walk::Bits(self.box_bits(usize::from(atom - FIRST_BOX))),
            _ => return Err(fault(call, "a collection")),
        })
    }

    /// The next of a walk, for a step of the budget: no walk is free, whatever becomes of its values.
    pub(super) fn next(&mut self, walk: &mut Walk) -> Eval<Option<Value>> {
        self.spend(1)?;
        Ok(match walk {
            Walk::Bits(bits) => (*bits != 0).then(|| {
                let atom = bits.trailing_zeros() as u8;
                *bits &= *bits - 1;
                Value::Atom(atom)
            }),
            Walk::Seq { at, end } => (*at < *end).then(|| {
                *at += 1;
                self.stack[usize::from(*at - 1)]
            }),
            Walk::Tuple { at, len, atoms } => (*at < *len).then(|| {
                *at += 1;
                Value::Atom(atoms[usize::from(*at - 1)])
            }),
            Walk::Combos { atoms, n, k, at, list, done } => {
                if *done {
                    return Ok(None);
                }
                let mut tuple = [0; TUPLE_ROOM];
                let k = usize::from(*k);
                for i in 0..k {
                    tuple[i] = atoms[usize::from(at[i])];
                }
                *done = !advance(&mut at[..k], *n);
                Some(Value::Tuple { list: *list, len: k as u8, atoms: tuple })
            }
        })
    }

    /// The bits of a collection of atoms in ascending order, without repetition; `None` if it is not one.
    fn bits(&self, value: Value) -> Option<u64> {
        match value {
            Value::Bits { bits, .. } => Some(bits),
            Value::Atom(atom) if atom_kind(atom) == BOX => Some(self.box_bits(usize::from(atom - FIRST_BOX))),
            Value::Tuple { len, atoms, .. } => {
                let atoms = &atoms[..usize::from(len)];
                let ascending = atoms.windows(2).all(|pair| pair[0] < pair[1]);
                ascending.then(|| atoms.iter().fold(0, |bits, &atom| bits | 1 << atom))
            }
            _ => None,
        }
    }

    /// Python's `==`.
    fn equal(&mut self, a: Value, b: Value) -> Eval<bool> {
        self.spend(1)?;
        let (kind_a, kind_b) = (type_of(a), type_of(b));
        if kind_a != kind_b {
            let numbers = [a, b].map(|v| Self::number(v, "==").ok());
            return Ok(numbers[0].is_some() && numbers[0] == numbers[1]);
        }
        match (a, b) {
            (Value::Atom(a), Value::Atom(b)) => Ok(a == b),
            (Value::Int(a), Value::Int(b)) => Ok(a == b),
            (Value::Bits { bits: a, .. }, Value::Bits { bits: b, .. }) => Ok(a == b),
            (Value::Method, _) => Ok(false),
            _ if kind_a == Type::Set => Ok(self.len(a, "==")? == self.len(b, "==")? && self.contained(a, b, "==")?),
            _ => {
                if self.len(a, "==")? != self.len(b, "==")? {
                    return Ok(false);
                }
                let (mut left, mut right) = (self.walk(a, "==")?, self.walk(b, "==")?);
                while let (Some(a), Some(b)) = (self.next(&mut left)?, self.next(&mut right)?) {
                    if !self.equal(a, b)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// Python's `in`.
    fn contains(&mut self, all: Value, one: Value, call: &'static str) -> Eval<bool> {
        if let (Some(bits), Value::Atom(atom)) = (self.bits(all), one)
            && atom < FALSE
        {
            return Ok(bits >> atom & 1 == 1);
        }
        let mut walk = self.walk(all, call)?;
        while let Some(value) = self.next(&mut walk)? {
            if self.equal(value, one)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn contained(&mut self, some: Value, all: Value, call: &'static str) -> Eval<bool> {
        let mut walk = self.walk(some, call)?;
        self.walk(all, call)?;
        while let Some(value) = self.next(&mut walk)? {
            if !self.contains(all, value, call)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A set of the values that were pushed since `mark`.
    fn collect_set(&mut self, mark: usize, call: &'static str) -> Eval<Value> {
        self.spend(self.used - mark)?;
        let mut bits = 0;
        let mut atoms = true;
        for i in mark..self.used {
            match self.stack[i] {
                Value::Atom(atom) => bits |= 1 << atom,
                Value::Int(_) | Value::Tuple { list: false, .. } => atoms = false,
                _ => return Err(fault(call, "made of what a set can hold")),
            }
        }
        if atoms {
            self.used = mark;
            return Ok(Value::Bits { bits, set: true });
        }
        let end = self.used;
        let mut kept = mark;
        for i in mark..end {
            let value = self.stack[i];
            let mut known = false;
            for j in mark..kept {
                if self.equal(self.stack[j], value)? {
                    known = true;
                    break;
                }
            }
            if !known {
                self.stack[kept] = value;
                kept += 1;
            }
        }
        self.used = kept;
        Ok(self.since(mark, true))
    }

    /// A list of the values that were pushed since `mark`.
    fn collect_list(&mut self, mark: usize) -> Value {
        let mut bits = 0_u64;
        for value in &self.stack[mark..self.used] {
            match value {
                Value::Atom(atom) if bits >> atom == 0 => bits |= 1 << atom,
                _ => return self.since(mark, false),
            }
        }
        self.used = mark;
        Value::Bits { bits, set: false }
    }

    fn push_all(&mut self, value: Value, call: &'static str) -> Eval<()> {
        let mut walk = self.walk(value, call)?;
        while let Some(value) = self.next(&mut walk)? {
            self.push(value, call)?;
        }
        Ok(())
    }

    pub(super) fn eval(&mut self, id: Id) -> Eval<Value> {
        self.spend(1)?;
        let program = self.program;
        Ok(match program.node(id) {
            Node::Const(atom) => Value::Atom(atom),
            Node::Int(n) => Value::Int(n),
            Node::Boxes => Value::Bits { bits: 0b111 << FIRST_BOX, set: false },
            Node::Items => Value::Bits { bits: (1 << self.scene.len()) - 1, set: false },
            Node::Param(at) => self.params[usize::from(at)],
            Node::And(kids) => self.either(program.kids(kids), false)?,
            Node::Or(kids) => self.either(program.kids(kids), true)?,
            Node::Not(a) => {
                let value = self.eval(a)?;
                truth(!self.truthy(value))
            }
            Node::Compare(kids) => truth(self.compare(program.kids(kids))?),
            Node::Add(a, b) => self.add(a, b)?,
            Node::Mod(a, b) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                let (a, b) = (Self::number(a, "%")?, Self::number(b, "%")?);
                // Python's remainder has the sign of the divisor.
                let rest = a.checked_rem(b).ok_or(Fault::Arithmetic { call: "%" })?;
                Value::Int(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
            }
            Node::Index(a, i) => {
                let (of, index) = (self.eval(a)?, self.eval(i)?);
                let index = Self::number(index, "[]")?;
                self.index(of, index)?
            }
            Node::Slice(a, from, to) => self.slice(a, from, to)?,
            Node::List(kids) => {
                let mark = self.display(program.kids(kids), "[]")?;
                self.collect_list(mark)
            }
            Node::Set(kids) => {
                let mark = self.display(program.kids(kids), "{}")?;
                self.collect_set(mark, "{}")?
            }
            Node::Contents(a) => {
                let value = self.eval(a)?;
                Value::Bits { bits: self.box_bits(Self::boxed(value, ".all_items_in_box")?), set: false }
            }
            Node::Tower(a) => {
                let value = self.eval(a)?;
                let owner = Self::boxed(value, ".is_tower")?;
                self.spend(self.scene.of(owner).len())?;
                truth(self.scene.is_tower(owner))
            }
            Node::TowerMethod(a) => {
                let value = self.eval(a)?;
                Self::boxed(value, ".is_tower")?;
                Value::Method
            }
            Node::BoxOf(a) => {
                let value = self.eval(a)?;
                let (index, _) = self.item(value, ".box")?;
                Value::Atom(FIRST_BOX + self.scene.box_of(index) as u8)
            }
            Node::Call(function, kids) => {
                let mark = self.used;
                let value = self.call(function, program.kids(kids))?;
                self.settle(mark, value)?
            }
            Node::Lambda(_) | Node::Name(_) => return Err(fault("lambda", "a value")),
        })
    }

    /// The values of a display go to the stack, one after the other; gives where they begin.
    fn display(&mut self, ids: &[u16], call: &'static str) -> Eval<usize> {
        // An element may leave values of its own on the stack, below which the display cannot begin.
        let mut values = [Value::Method; 32];
        if ids.len() > values.len() {
            return Err(Fault::Room { call });
        }
        for (value, &id) in values.iter_mut().zip(ids) {
            *value = self.eval(id)?;
        }
        let mark = self.used;
        for &value in &values[..ids.len()] {
            self.push(value, call)?;
        }
        Ok(mark)
    }

    fn either(&mut self, ids: &[u16], wanted: bool) -> Eval<Value> {
        let mut value = truth(!wanted);
        for &id in ids {
            value = self.eval(id)?;
            if self.truthy(value) == wanted {
                break;
            }
        }
        Ok(value)
    }

    fn compare(&mut self, parts: &[u16]) -> Eval<bool> {
        let mut left = self.eval(parts[0])?;
        for pair in parts[1..].chunks_exact(2) {
            let right = self.eval(pair[1])?;
            let comparison = Comparison::ALL[usize::from(pair[0])];
            let call = comparison.text();
            let holds = match comparison {
                Comparison::Eq => self.equal(left, right)?,
                Comparison::Ne => !self.equal(left, right)?,
                Comparison::In => self.contains(right, left, call)?,
                Comparison::NotIn => !self.contains(right, left, call)?,
                _ => {
                    let (a, b) = (Self::number(left, call)?, Self::number(right, call)?);
                    match comparison {
                        Comparison::Lt => a < b,
                        Comparison::Le => a <= b,
                        Comparison::Gt => a > b,
                        _ => a >= b,
                    }
                }
            };
            if !holds {
                return Ok(false);
            }
            left = right;
        }
        Ok(true)
    }

    fn add(&mut self, a: Id, b: Id) -> Eval<Value> {
        let (a, b) = (self.eval(a)?, self.eval(b)?);
        if type_of(a) == Type::List && type_of(b) == Type::List {
            if let (Some(left), Some(right)) = (self.bits(a), self.bits(b))
                && (left == 0 || right.trailing_zeros() > left.ilog2())
            {
                return Ok(Value::Bits { bits: left | right, set: false });
            }
            let mark = self.used;
            self.push_all(a, "+")?;
            self.push_all(b, "+")?;
            return Ok(self.collect_list(mark));
        }
        let sum = Self::number(a, "+")?.checked_add(Self::number(b, "+")?);
        Ok(Value::Int(sum.ok_or(Fault::Arithmetic { call: "+" })?))
    }

    fn ordered(&self, value: Value) -> Eval<usize> {
        match type_of(value) {
            Type::List | Type::Tuple | Type::Box => self.len(value, "[]"),
            _ => Err(fault("[]", "a list, tuple or box")),
        }
    }

    fn index(&mut self, of: Value, index: i32) -> Eval<Value> {
        let len = self.ordered(of)?;
        let at = if index < 0 { i64::from(index) + len as i64 } else { index.into() };
        let at = usize::try_from(at).ok().filter(|&at| at < len).ok_or(Fault::Index { index })?;
        let mut walk = self.walk(of, "[]")?;
        for _ in 0..at {
            self.next(&mut walk)?;
        }
        self.next(&mut walk)?.ok_or(Fault::Index { index })
    }

    fn slice(&mut self, of: Id, from: Option<Id>, to: Option<Id>) -> Eval<Value> {
        let of = self.eval(of)?;
        let len = self.ordered(of)?;
        let bound = |this: &mut Self, id: Option<Id>, default: usize| -> Eval<usize> {
            let Some(id) = id else { return Ok(default) };
            let value = this.eval(id)?;
            let n = Self::number(value, "[]")?;
            let at = if n < 0 { i64::from(n) + len as i64 } else { n.into() };
            Ok(at.clamp(0, len as i64) as usize)
        };
        let (from, to) = (bound(self, from, 0)?, bound(self, to, len)?);
        let mark = self.used;
        let mut walk = self.walk(of, "[]")?;
        for at in 0..to {
            let Some(value) = self.next(&mut walk)? else { break };
            if at >= from {
                self.push(value, "[]")?;
            }
        }
        if let Value::Tuple { list: false, .. } = of {
            let mut atoms = [0; TUPLE_ROOM];
            let len = self.used - mark;
            for (atom, value) in atoms.iter_mut().zip(&self.stack[mark..self.used]) {
                if let Value::Atom(found) = value {
                    *atom = *found;
                }
            }
            self.used = mark;
            return Ok(Value::Tuple { list: false, len: len as u8, atoms });
        }
        Ok(self.collect_list(mark))
    }

    /// Applies the function that node `id` stands for to `argument`.
    pub(super) fn apply(&mut self, id: Id, argument: Value) -> Eval<Value> {
        match self.program.node(id) {
            Node::Lambda(body) => {
                self.enter(argument)?;
                let value = self.eval(body);
                self.leave();
                value
            }
            Node::Name(function) => {
                self.spend(1)?;
                self.primitive(function, &[argument, ANY_SIDE, ANY_SIDE])
            }
            _ => Err(fault("call", "a function")),
        }
    }

    pub(super) fn enter(&mut self, argument: Value) -> Eval<()> {
        *self.params.get_mut(self.depth).ok_or(Fault::Budget)? = argument;
        self.depth += 1;
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Applies a function and forgets what it left on the stack.
    fn test(&mut self, id: Id, argument: Value) -> Eval<Value> {
        let mark = self.used;
        let value = self.apply(id, argument)?;
        // The value of a test is only looked at for its truth, which does not need the stack.
        self.used = mark;
        Ok(value)
    }

    /// Calls that take functions; the others have their arguments evaluated first.
    fn call(&mut self, function: Function, ids: &[u16]) -> Eval<Value> {
        let name = function.name();
        match function {
            Function::FilterObj => {
                let all = self.eval(ids[0])?;
                self.filter(all, ids[1])
            }
            Function::All | Function::Any => {
                let all = self.eval(ids[0])?;
                let every = function == Function::All;
                let mut holds = every && self.len(all, name)? > 0;
                let mut walk = self.walk(all, name)?;
                while let Some(value) = self.next(&mut walk)? {
                    let is_true = self.test(ids[1], value)? == Value::Atom(TRUE);
                    if every {
                        holds &= is_true;
                    } else if is_true {
                        return Ok(truth(true));
                    }
                }
                Ok(truth(holds))
            }
            Function::AllSameAttribute => {
                let all = self.eval(ids[0])?;
                let mark = self.used;
                let mut walk = self.walk(all, name)?;
                while let Some(value) = self.next(&mut walk)? {
                    let inner = self.used;
                    let value = self.apply(ids[1], value)?;
                    self.used = inner;
                    self.push(value, name)?;
                }
                let set = self.collect_set(mark, name)?;
                Ok(truth(self.len(set, name)? == 1))
            }
            Function::Min | Function::Max => self.extreme(function, ids),
            Function::Count | Function::Exist => {
                let count = self.count(ids[0], name)?;
                Ok(if function == Function::Count { Value::Int(count) } else { truth(count > 0) })
            }
            _ => {
                let mut values = [Value::Method; 3];
                for (value, &id) in values.iter_mut().zip(ids) {
                    *value = self.eval(id)?;
                }
                self.primitive(function, &values)
            }
        }
    }

    fn filter(&mut self, all: Value, test: Id) -> Eval<Value> {
        let name = Function::FilterObj.name();
        if let Some(bits) = self.bits(all) {
            let mut kept = 0;
            let mut walk = Walk::Bits(bits);
            while let Some(value) = self.next(&mut walk)? {
                let verdict = self.test(test, value)?;
                if let (Value::Atom(atom), true) = (value, self.truthy(verdict)) {
                    kept |= 1 << atom;
                }
            }
            return Ok(Value::Bits { bits: kept, set: false });
        }
        let mark = self.used;
        let mut walk = self.walk(all, name)?;
        while let Some(value) = self.next(&mut walk)? {
            let verdict = self.test(test, value)?;
            if self.truthy(verdict) {
                self.push(value, name)?;
            }
        }
        Ok(self.collect_list(mark))
    }

    /// Number of different things in the collection that node `id` gives. What is only counted is not kept.
    fn count(&mut self, id: Id, call: &'static str) -> Eval<i32> {
        let program = self.program;
        if let Node::Call(Function::FilterObj, kids) = program.node(id) {
            let ids = program.kids(kids);
            let all = self.eval(ids[0])?;
            if matches!(all, Value::Combos { .. }) {
                let mut count = 0;
                let mut walk = self.walk(all, call)?;
                while let Some(value) = self.next(&mut walk)? {
                    let verdict = self.test(ids[1], value)?;
                    count += i32::from(self.truthy(verdict));
                }
                return Ok(count);
            }
            let kept = self.filter(all, ids[1])?;
            return self.different(kept, call);
        }
        let all = self.eval(id)?;
        self.different(all, call)
    }

    fn different(&mut self, all: Value, call: &'static str) -> Eval<i32> {
        let size = self.len(all, call)?;
        let Value::Seq { at, .. } = all else { return Ok(size as i32) };
        let mut count = 0;
        for i in 0..size {
            let value = self.stack[usize::from(at) + i];
            let mut new = true;
            self.spend(1)?;
            // Atoms and small integers are one object each; any tuple or list is an object of its own.
            if matches!(value, Value::Atom(_) | Value::Int(_)) {
                for j in 0..i {
                    new = new && self.stack[usize::from(at) + j] != value;
                }
                self.spend(i)?;
            }
            count += i32::from(new);
        }
        Ok(count)
    }

    fn extreme(&mut self, function: Function, ids: &[u16]) -> Eval<Value> {
        let name = function.name();
        let all = self.eval(ids[0])?;
        let mut walk = self.walk(all, name)?;
        let mut best: Option<(Value, i32)> = None;
        while let Some(value) = self.next(&mut walk)? {
            let key = match ids.get(1) {
                Some(&key) => self.test(key, value)?,
                None => value,
            };
            let key = Self::number(key, name)?;
            let better = |(_, old): (Value, i32)| if function == Function::Min { key < old } else { key > old };
            if best.is_none_or(better) {
                best = Some((value, key));
            }
        }
        best.map(|(value, _)| value).ok_or(Fault::Empty { call: name })
    }

    /// Items, one or several, as bits.
    fn items(&mut self, value: Value, call: &'static str) -> Eval<u64> {
        if let Value::Atom(atom) = value
            && atom < FIRST_BOX
        {
            return Ok(1 << atom);
        }
        let mut bits = 0;
        let mut walk = self.walk(value, call)?;
        while let Some(value) = self.next(&mut walk)? {
            bits |= 1 << self.item(value, call)?.0;
        }
        Ok(bits)
    }

    /// Pushes the attribute of an item, or of each of several.
    fn attributes(&mut self, value: Value, of: Attribute, call: &'static str) -> Eval<()> {
        if let Value::Atom(atom) = value
            && atom < FIRST_BOX
        {
            let (_, item) = self.item(value, call)?;
            return self.push(Value::Atom(of.atom(&item)), call);
        }
        let mut walk = self.walk(value, call)?;
        while let Some(value) = self.next(&mut walk)? {
            let (_, item) = self.item(value, call)?;
            self.push(Value::Atom(of.atom(&item)), call)?;
        }
        Ok(())
    }

    fn filter_attribute(&mut self, all: Value, wanted: Value, of: Attribute, call: &'static str) -> Eval<Value> {
        if let (Some(bits), Value::Atom(wanted)) = (self.bits(all), wanted)
            && bits >> FIRST_BOX == 0
        {
            let mut kept = 0;
            let mut walk = Walk::Bits(bits);
            while let Some(value) = self.next(&mut walk)? {
                let (index, item) = self.item(value, call)?;
                if atom_kind(wanted) != atom_kind(of.atom(&item)) {
                    return Err(fault(call, of.name()));
                }
                kept |= u64::from(of.atom(&item) == wanted) << index;
            }
            return Ok(Value::Bits { bits: kept, set: false });
        }
        let mark = self.used;
        let mut walk = self.walk(all, call)?;
        while let Some(value) = self.next(&mut walk)? {
            let inner = self.used;
            self.attributes(value, of, call)?;
            let own = self.collect_list(inner);
            let same = self.same(own, wanted, call)?;
            self.used = inner;
            if same {
                self.push(value, call)?;
            }
        }
        Ok(self.collect_list(mark))
    }

    /// The API's `equal`: what is no list counts as a list of one.
    fn same(&mut self, a: Value, b: Value, call: &'static str) -> Eval<bool> {
        if type_of(a) == type_of(b) {
            return self.equal(a, b);
        }
        let mark = self.used;
        let mut kind = None;
        let mut lists = [a, b];
        for list in &mut lists {
            if type_of(*list) != Type::List {
                let at = self.used;
                self.push(*list, call)?;
                *list = self.since(at, false);
            }
            let mut walk = self.walk(*list, call)?;
            while let Some(value) = self.next(&mut walk)? {
                if kind.replace(type_of(value)).is_some_and(|known| known != type_of(value)) {
                    return Err(fault(call, "of one kind"));
                }
            }
        }
        let [a, b] = lists;
        let same = self.contained(a, b, call)? && self.contained(b, a, call)?;
        self.used = mark;
        Ok(same)
    }

    fn same_of(&mut self, a: Value, b: Value, of: Attribute, call: &'static str) -> Eval<Value> {
        for value in [a, b] {
            let fits = |v: Value| matches!(v, Value::Atom(atom) if atom_kind(atom) == of.kind());
            if fits(value) {
                continue;
            }
            let mut walk = self.walk(value, call)?;
            while let Some(value) = self.next(&mut walk)? {
                if !fits(value) {
                    return Err(fault(call, of.name()));
                }
            }
        }
        Ok(truth(self.same(a, b, call)?))
    }

    /// The items of `value`'s boxes that `related(whether the box is a tower, of it, other)` holds for.
    fn related(
        &mut self,
        value: Value,
        call: &'static str,
        related: impl Fn(bool, &Item, &Item) -> bool,
    ) -> Eval<Value> {
        let mut found = 0;
        let mut walk = Walk::Bits(self.items(value, call)?);
        while let Some(value) = self.next(&mut walk)? {
            let (index, item) = self.item(value, call)?;
            let owner = self.scene.box_of(index);
            self.spend(2 * self.scene.of(owner).len())?;
            let tower = self.scene.is_tower(owner);
            for other in self.scene.range(owner) {
                if other != index && related(tower, &item, &self.scene.items()[other]) {
                    found |= 1 << other;
                }
            }
        }
        Ok(Value::Bits { bits: found, set: true })
    }

    /// Whether an item touches a wall, and that of `side`, within `margin`.
    fn wall(item: &Item, side: Value, margin: i32, corner: bool, call: &'static str) -> Eval<bool> {
        let touched = [
            item.top() >= BOX_SIDE - margin,
            item.bottom() <= margin,
            item.left() <= margin,
            item.right() >= BOX_SIDE - margin,
        ];
        let count = touched.iter().filter(|t| **t).count();
        let at_side = match side {
            Value::Atom(FIRST_SIDE) => count > 0,
            Value::Atom(atom) if atom_kind(atom) == SIDE => touched[usize::from(atom - FIRST_SIDE - 1)],
            _ => return Err(fault(call, "a side")),
        };
        Ok(at_side && (!corner || count == 2))
    }

    fn attribute_is(&self, value: Value, atom: u8, of: Attribute, call: &'static str) -> Eval<Value> {
        let (_, item) = self.item(value, call)?;
        Ok(truth(of.atom(&item) == atom))
    }

    #[expect(clippy::too_many_lines, clippy::many_single_char_names, reason = "one arm a function of the API")]
    fn primitive(&mut self, function: Function, values: &[Value; 3]) -> Eval<Value> {
        use Function as F;
        let name = function.name();
        let [a, b, c] = *values;
        Ok(match function {
            F::And => {
                let (a, b) = (Self::boolean(a, name)?, Self::boolean(b, name)?);
                truth(a && b)
            }
            F::Or => {
                let (a, b) = (Self::boolean(a, name)?, Self::boolean(b, name)?);
                truth(a || b)
            }
            F::Not => truth(!Self::boolean(a, name)?),
            F::Count => Value::Int(self.different(a, name)?),
            F::Exist => truth(self.different(a, name)? > 0),
            F::Len => Value::Int(self.len(a, name)? as i32),
            F::Unique => {
                let found = self.len(a, name)?;
                if found != 1 {
                    return Err(Fault::Unique { call: name, found: found.min(u16::MAX.into()) as u16 });
                }
                let mut walk = self.walk(a, name)?;
                self.next(&mut walk)?.ok_or(Fault::Empty { call: name })?
            }
            F::FilterColor => self.filter_attribute(a, b, Attribute::Color, name)?,
            F::FilterShape => self.filter_attribute(a, b, Attribute::Shape, name)?,
            F::FilterSize => self.filter_attribute(a, b, Attribute::Size, name)?,
            F::Union | F::Intersect => {
                if type_of(a) != Type::Set {
                    return Err(fault(name, "a set"));
                }
                self.combine(function, a, b)?
            }
            F::Contained => truth(self.contained(a, b, name)?),
            F::EqualSet => truth(self.contained(a, b, name)? && self.contained(b, a, name)?),
            F::MemberOf => truth(self.contains(b, a, name)?),
            F::AllSame => {
                let mark = self.used;
                self.push_all(a, name)?;
                let set = self.collect_set(mark, name)?;
                truth(self.len(set, name)? == 1)
            }
            F::AllSameColor | F::AllSameShape | F::AllSameSize => {
                let of = Attribute::of(function);
                let mark = self.used;
                self.attributes(a, of, name)?;
                let set = self.collect_set(mark, name)?;
                truth(self.len(set, name)? == 1)
            }
            F::Combinations => self.selections(a, b, false, name)?,
            F::Select => self.selections(b, a, true, name)?,
            F::IsYellow => self.attribute_is(a, FIRST_COLOR, Attribute::Color, name)?,
            F::IsBlack => self.attribute_is(a, FIRST_COLOR + 1, Attribute::Color, name)?,
            F::IsBlue => self.attribute_is(a, FIRST_COLOR + 2, Attribute::Color, name)?,
            F::IsCircle => self.attribute_is(a, FIRST_SHAPE, Attribute::Shape, name)?,
            F::IsSquare => self.attribute_is(a, FIRST_SHAPE + 1, Attribute::Shape, name)?,
            F::IsTriangle => self.attribute_is(a, FIRST_SHAPE + 2, Attribute::Shape, name)?,
            F::IsSmall => self.attribute_is(a, FIRST_SIZE, Attribute::Size, name)?,
            F::IsMedium => self.attribute_is(a, FIRST_SIZE + 1, Attribute::Size, name)?,
            F::IsBig => self.attribute_is(a, FIRST_SIZE + 2, Attribute::Size, name)?,
            F::IsTop | F::IsBottom => {
                let (index, item) = self.item(a, name)?;
                self.spend(self.scene.of(self.scene.box_of(index)).len())?;
                let tops = self.scene.of(self.scene.box_of(index)).iter().map(Item::top);
                let extreme = if function == F::IsTop { tops.max() } else { tops.min() };
                truth(extreme == Some(item.top()))
            }
            F::IsSecond | F::IsThird => {
                let (index, item) = self.item(a, name)?;
                let height = if function == F::IsSecond { SECOND } else { THIRD };
                self.spend(self.scene.of(self.scene.box_of(index)).len())?;
                truth(self.scene.is_tower(self.scene.box_of(index)) && item.bottom() == height)
            }
            F::IsTouchingWall => truth(Self::wall(&self.item(a, name)?.1, b, 0, false, name)?),
            F::IsCloselyTouchingWall => truth(Self::wall(&self.item(a, name)?.1, b, CLOSE, false, name)?),
            F::IsTouchingCorner => truth(Self::wall(&self.item(a, name)?.1, b, 0, true, name)?),
            F::IsCloselyTouchingCorner => truth(Self::wall(&self.item(a, name)?.1, b, CLOSE, true, name)?),
            F::IsCloselyTouchingSpecificCorner => {
                let (_, item) = self.item(a, name)?;
                let (one, two) = (Self::wall(&item, b, CLOSE, true, name)?, Self::wall(&item, c, CLOSE, true, name)?);
                truth(one && two)
            }
            F::IsCloselyTouching => {
                let ((_, x), (_, y)) = (self.item(a, name)?, self.item(b, name)?);
                let gaps = [x.top() - y.bottom(), x.left() - y.right(), y.top() - x.bottom(), y.left() - x.right()];
                truth(gaps.iter().any(|gap| gap.abs() <= CLOSE))
            }
            F::GetTouching => self.related(a, name, |_, x, y| x.distance(y) <= TOUCHING)?,
            F::GetCloselyTouching => self.related(a, name, |_, x, y| x.distance(y) <= CLOSE)?,
            F::GetAbove => {
                self.related(a, name, |tower, x, y| x.top() <= y.bottom() && (!tower || x.distance(y) <= TOUCHING))?
            }
            F::GetBelow => {
                self.related(a, name, |tower, x, y| y.top() <= x.bottom() && (!tower || x.distance(y) <= TOUCHING))?
            }
            F::GetBoxAllAbove => self.related(a, name, |_, x, y| x.top() <= y.bottom())?,
            F::GetBoxAllBelow => self.related(a, name, |_, x, y| y.top() <= x.bottom())?,
            F::GetBoxInclusive | F::GetBoxExclusive => {
                let (index, _) = self.item(a, name)?;
                let bits = self.box_bits(self.scene.box_of(index));
                let own = if function == F::GetBoxExclusive { 1 << index } else { 0 };
                Value::Bits { bits: bits & !own, set: false }
            }
            F::QueryColor | F::QueryShape | F::QuerySize => {
                let mark = self.used;
                self.attributes(a, Attribute::of(function), name)?;
                self.collect_list(mark)
            }
            F::GetSetColors | F::GetSetShapes | F::GetSetSizes => {
                // Unlike a query, a single item will not do.
                let mut walk = self.walk(a, name)?;
                let mut bits = 0;
                while let Some(value) = self.next(&mut walk)? {
                    bits |= 1 << Attribute::of(function).atom(&self.item(value, name)?.1);
                }
                Value::Bits { bits, set: true }
            }
            F::Ge => truth(Self::integer(a, name)? >= Self::integer(b, name)?),
            F::Gt => truth(Self::integer(a, name)? > Self::integer(b, name)?),
            F::Le => truth(Self::integer(a, name)? <= Self::integer(b, name)?),
            F::Lt => truth(Self::integer(a, name)? < Self::integer(b, name)?),
            F::EqualInt => truth(Self::integer(a, name)? == Self::integer(b, name)?),
            F::Equal => truth(self.same(a, b, name)?),
            F::EqualColor | F::EqualShape | F::EqualSize => self.same_of(a, b, Attribute::of(function), name)?,
            F::UnionAll => {
                let mark = self.used;
                let mut walk = self.walk(a, name)?;
                while let Some(part) = self.next(&mut walk)? {
                    self.push_all(part, name)?;
                }
                self.collect_set(mark, name)?
            }
            F::IntersectAll => self.intersect_all(a, name)?,
            F::SetOf => {
                let mark = self.used;
                self.push_all(a, name)?;
                self.collect_set(mark, name)?
            }
            F::AllTrue | F::AnyTrue => {
                let wanted = function == F::AnyTrue;
                let mut walk = self.walk(a, name)?;
                let mut found = false;
                while !found && let Some(value) = self.next(&mut walk)? {
                    found = self.truthy(value) == wanted;
                }
                truth(found == wanted)
            }
            // These take functions, which names given as functions cannot.
            F::FilterObj | F::All | F::Any | F::AllSameAttribute => return Err(fault(name, "a function")),
            F::Min | F::Max => {
                let mut walk = self.walk(a, name)?;
                let mut best: Option<i32> = None;
                while let Some(value) = self.next(&mut walk)? {
                    let key = Self::number(value, name)?;
                    let pick = if function == F::Min {
                        best.map_or(key, |b| b.min(key))
                    } else {
                        best.map_or(key, |b| b.max(key))
                    };
                    best = Some(pick);
                }
                Value::Int(best.ok_or(Fault::Empty { call: name })?)
            }
        })
    }

    fn combine(&mut self, function: Function, a: Value, b: Value) -> Eval<Value> {
        let name = function.name();
        if let (Some(left), Some(right)) = (self.bits(a), self.bits(b)) {
            let bits = if function == Function::Union { left | right } else { left & right };
            return Ok(Value::Bits { bits, set: true });
        }
        let mark = self.used;
        let mut walk = self.walk(a, name)?;
        self.walk(b, name)?;
        while let Some(value) = self.next(&mut walk)? {
            if function == Function::Union || self.contains(b, value, name)? {
                self.push(value, name)?;
            }
        }
        if function == Function::Union {
            self.push_all(b, name)?;
        }
        self.collect_set(mark, name)
    }

    fn intersect_all(&mut self, all: Value, call: &'static str) -> Eval<Value> {
        let mut outer = self.walk(all, call)?;
        let Some(first) = self.next(&mut outer)? else { return Ok(Value::Bits { bits: 0, set: true }) };
        let mark = self.used;
        let mut walk = self.walk(first, call)?;
        while let Some(value) = self.next(&mut walk)? {
            let mut everywhere = true;
            let mut parts = self.walk(all, call)?;
            while let Some(part) = self.next(&mut parts)? {
                everywhere = everywhere && self.contains(part, value, call)?;
            }
            if everywhere {
                self.push(value, call)?;
            }
        }
        Ok(self.collect_list(mark))
    }

    fn selections(&mut self, all: Value, k: Value, list: bool, call: &'static str) -> Eval<Value> {
        let k = Self::integer(k, call)?;
        let k = u8::try_from(k).ok().filter(|&k| usize::from(k) <= TUPLE_ROOM).ok_or(Fault::Room { call })?;
        if let Some(bits) = self.bits(all) {
            return Ok(Value::Combos { bits, k, list });
        }
        // Not in order, or with repetitions: by place, one after the other.
        let mut atoms = [0; 64];
        let mut n = 0;
        let mut walk = self.walk(all, call)?;
        while let Some(value) = self.next(&mut walk)? {
            let Value::Atom(atom) = value else { return Err(Fault::Room { call }) };
            *atoms.get_mut(n).ok_or(Fault::Room { call })? = atom;
            n += 1;
        }
        let few = n < usize::from(k);
        let k = if few && list { 0 } else { k };
        let mut walk = Walk::Combos { atoms, n: n as u8, k, at: [0, 1, 2, 3], list, done: few && !list };
        let mark = self.used;
        while let Some(value) = self.next(&mut walk)? {
            self.push(value, call)?;
        }
        Ok(self.since(mark, false))
    }
}

const ANY_SIDE: Value = Value::Atom(FIRST_SIDE);

/// How many selections of `k` there are.
fn selections(n: usize, k: usize, list: bool) -> usize {
    if n < k {
        return usize::from(list);
    }
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

/// Moves on to the next selection of places below `n`; `false` if there is none.
fn advance(at: &mut [u8], n: u8) -> bool {
    let k = at.len();
    for i in (0..k).rev() {
        if at[i] < n - (k - i) as u8 {
            at[i] += 1;
            for j in i + 1..k {
                at[j] = at[j - 1] + 1;
            }
            return true;
        }
    }
    false
}

/// Python's types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Bool,
    Int,
    Item,
    Box,
    Color,
    Shape,
    Size,
    Side,
    List,
    Set,
    Tuple,
    Method,
}

fn type_of(value: Value) -> Type {
    match value {
        Value::Atom(atom) => match atom_kind(atom) {
            ITEM => Type::Item,
            BOX => Type::Box,
            COLOR => Type::Color,
            SHAPE => Type::Shape,
            SIZE => Type::Size,
            SIDE => Type::Side,
            _ => Type::Bool,
        },
        Value::Int(_) => Type::Int,
        Value::Method => Type::Method,
        Value::Bits { set: true, .. } | Value::Seq { set: true, .. } => Type::Set,
        Value::Bits { .. } | Value::Seq { .. } | Value::Combos { .. } | Value::Tuple { list: true, .. } => Type::List,
        Value::Tuple { .. } => Type::Tuple,
    }
}

/// What an item has.
#[derive(Clone, Copy)]
enum Attribute {
    Color,
    Shape,
    Size,
}

impl Attribute {
    /// The attribute that a function is about.
    fn of(function: Function) -> Self {
        use Function as F;
        match function {
            F::AllSameShape | F::QueryShape | F::GetSetShapes | F::EqualShape => Self::Shape,
            F::AllSameSize | F::QuerySize | F::GetSetSizes | F::EqualSize => Self::Size,
            _ => Self::Color,
        }
    }

    fn atom(self, item: &Item) -> u8 {
        match self {
            Self::Color => FIRST_COLOR + item.color as u8,
            Self::Shape => FIRST_SHAPE + item.shape as u8,
            Self::Size => FIRST_SIZE + item.size as u8,
        }
    }

    fn kind(self) -> u16 {
        match self {
            Self::Color => COLOR,
            Self::Shape => SHAPE,
            Self::Size => SIZE,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Color => "a colour",
            Self::Shape => "a shape",
            Self::Size => "a size",
        }
    }
}
