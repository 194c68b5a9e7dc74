//! How far a scene is from making a statement true or false: what a planner steers by.
//!
//! The measure follows the program's outermost logic (conjunction, negation, existence, counting, comparison of numbers)
//! and counts about one for each edit that seems needed. It is zero exactly where the statement has the value wanted, but
//! for programs whose values are no booleans; a planner checks the truth itself.

use super::eval::Evaluator;
use super::function::Function;
use super::{Comparison, Fault, Id, Node};

/// What it seems to cost to bring in a thing that is not there.
const NEW: f32 = 1.5;
/// What each of its relations to other things adds to that.
const RELATION: f32 = 0.75;
/// What a condition without further structure costs.
const FLAT: f32 = 1.0;
/// Most elements whose costs are weighed against each other.
const MOST: usize = 64;

impl Evaluator<'_> {
    /// How far the scene is from `wanted`.
    pub(super) fn shortfall(&mut self, wanted: bool) -> Result<f32, Fault> {
        self.far(self.program.root, wanted)
    }

    fn far(&mut self, id: Id, wanted: bool) -> Result<f32, Fault> {
        let program = self.program;
        match program.node(id) {
            Node::And(kids) | Node::Call(Function::And, kids) => self.join(program.kids(kids), wanted, wanted),
            Node::Or(kids) | Node::Call(Function::Or, kids) => self.join(program.kids(kids), wanted, !wanted),
            Node::Not(a) => self.far(a, !wanted),
            Node::Call(Function::Not, kids) => self.far(program.kids(kids)[0], !wanted),
            Node::Call(Function::Exist, kids) => {
                self.number_is(program.kids(kids)[0], if wanted { Comparison::Ge } else { Comparison::Lt }, 1)
            }
            Node::Call(function @ (Function::All | Function::Any), kids) => {
                let ids = program.kids(kids);
                self.quantified(function == Function::All, ids[0], ids[1], wanted)
            }
            Node::Compare(kids) => {
                let &[a, comparison, b] = program.kids(kids) else { return self.flat(id, wanted) };
                self.compared(id, a, Comparison::ALL[usize::from(comparison)], b, wanted)
            }
            Node::Call(
                function @ (Function::Ge | Function::Gt | Function::Le | Function::Lt | Function::EqualInt),
                kids,
            ) => {
                let comparison = match function {
                    Function::Ge => Comparison::Ge,
                    Function::Gt => Comparison::Gt,
                    Function::Le => Comparison::Le,
                    Function::Lt => Comparison::Lt,
                    _ => Comparison::Eq,
                };
                let ids = program.kids(kids);
                self.compared(id, ids[0], comparison, ids[1], wanted)
            }
            _ => self.flat(id, wanted),
        }
    }

    fn flat(&mut self, id: Id, wanted: bool) -> Result<f32, Fault> {
        let mark = self.mark();
        let value = self.eval(id)?;
        let holds = self.truthy(value) == wanted;
        self.forget(mark);
        Ok(if holds { 0.0 } else { FLAT })
    }

    /// Several conditions, of which `all` or any must be as wanted.
    fn join(&mut self, ids: &[u16], wanted: bool, all: bool) -> Result<f32, Fault> {
        let mut total = if all { 0.0 } else { f32::INFINITY };
        for &id in ids {
            // Python stops at the first that decides; what follows may then be meaningless, and is passed over.
            let far = match self.far(id, wanted) {
                Ok(far) => far,
                Err(_) if total > 0.0 => FLAT,
                Err(fault) => return Err(fault),
            };
            total = if all { total + far } else { total.min(far) };
        }
        Ok(total)
    }

    /// How far element `value` is from passing or failing the test at `id`.
    fn far_of(&mut self, id: Id, value: super::eval::Value, wanted: bool) -> Result<f32, Fault> {
        self.spend(1)?;
        if let Node::Lambda(body) = self.program.node(id) {
            self.enter(value)?;
            let far = self.far(body, wanted);
            self.leave();
            return far;
        }
        let mark = self.mark();
        let value = self.apply(id, value)?;
        let holds = self.truthy(value) == wanted;
        self.forget(mark);
        Ok(if holds { 0.0 } else { FLAT })
    }

    /// What it seems to cost to bring in a thing that passes the test at `id`.
    fn fresh(&self, id: Id) -> f32 {
        let Node::Lambda(body) = self.program.node(id) else { return NEW };
        let parts = match self.program.node(body) {
            Node::And(kids) | Node::Call(Function::And, kids) => self.program.kids(kids),
            _ => return NEW,
        };
        let related = |part: &&u16| match self.program.node(**part) {
            Node::Compare(_) => true,
            Node::Call(function, _) => matches!(function, Function::Exist | Function::All | Function::Any),
            _ => false,
        };
        NEW + RELATION * parts.iter().filter(related).count() as f32
    }

    fn quantified(&mut self, all: bool, of: Id, test: Id, wanted: bool) -> Result<f32, Fault> {
        let mark = self.mark();
        let values = self.eval(of)?;
        let every = all == wanted;
        let mut walk = self.walk(values, "All")?;
        let (mut total, mut some) = (if every { 0.0 } else { f32::INFINITY }, false);
        while let Some(value) = self.next(&mut walk)? {
            some = true;
            let far = self.far_of(test, value, wanted)?;
            total = if every { total + far } else { total.min(far) };
        }
        self.forget(mark);
        Ok(match (some, wanted) {
            (true, true) if !every => total.min(self.fresh(test)),
            (true, _) => total,
            // Of nothing neither `All` nor `Any` holds.
            (false, true) => self.fresh(test),
            (false, false) => 0.0,
        })
    }

    fn compared(&mut self, id: Id, a: Id, comparison: Comparison, b: Id, wanted: bool) -> Result<f32, Fault> {
        let counts = |node| matches!(node, Node::Call(Function::Count | Function::Len, _));
        let comparison = if wanted { comparison } else { opposite(comparison) };
        if let (Node::Call(Function::Count, kids), Node::Int(n)) = (self.program.node(a), self.program.node(b)) {
            let of = self.program.kids(kids)[0];
            return self.number_is(of, comparison, n);
        }
        if !counts(self.program.node(a)) && !counts(self.program.node(b)) {
            return self.flat(id, wanted);
        }
        let mark = self.mark();
        let (left, right) = (self.eval(a)?, self.eval(b)?);
        let numbers = (Self::number(left, "=="), Self::number(right, "=="));
        self.forget(mark);
        match numbers {
            (Ok(left), Ok(right)) => Ok(missing(left, comparison, right).unsigned_abs() as f32),
            _ => self.flat(id, wanted),
        }
    }

    /// How far the size of the collection at `id` is from comparing with `n` as wanted.
    fn number_is(&mut self, id: Id, comparison: Comparison, n: i32) -> Result<f32, Fault> {
        let program = self.program;
        let mark = self.mark();
        let Node::Call(Function::FilterObj, kids) = program.node(id) else {
            let values = self.eval(id)?;
            let mut walk = self.walk(values, "count")?;
            let mut count = 0;
            while self.next(&mut walk)?.is_some() {
                count += 1;
            }
            self.forget(mark);
            let change = missing(count, comparison, n);
            return Ok(if change > 0 { change as f32 * NEW } else { -change as f32 });
        };
        let ids = program.kids(kids);
        let values = self.eval(ids[0])?;
        let mut walk = self.walk(values, "filter_obj")?;
        let (mut passing, mut failing) = ([0.0; MOST], [0.0; MOST]);
        let (mut passed, mut failed, mut count) = (0, 0, 0);
        while let Some(value) = self.next(&mut walk)? {
            let toward = self.far_of(ids[1], value, true)?;
            if toward == 0.0 {
                count += 1;
                if passed < MOST {
                    passing[passed] = self.far_of(ids[1], value, false)?;
                    passed += 1;
                }
            } else if failed < MOST {
                failing[failed] = toward;
                failed += 1;
            }
        }
        self.forget(mark);
        let change = missing(count, comparison, n);
        let costs = if change > 0 { &mut failing[..failed] } else { &mut passing[..passed] };
        costs.sort_unstable_by(f32::total_cmp);
        let of_boxes = matches!(program.node(ids[0]), Node::Boxes);
        let needed = change.unsigned_abs() as usize;
        let fresh = self.fresh(ids[1]);
        let cost = |i: usize| match costs.get(i) {
            // There is no fourth box; anything else can be brought in anew.
            Some(&cost) if of_boxes || change < 0 => cost,
            Some(&cost) => cost.min(fresh),
            None => fresh,
        };
        Ok((0..needed.min(MOST)).map(cost).sum::<f32>() + needed.saturating_sub(MOST) as f32)
    }
}

fn opposite(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Eq => Comparison::Ne,
        Comparison::Ne => Comparison::Eq,
        Comparison::Lt => Comparison::Ge,
        Comparison::Ge => Comparison::Lt,
        Comparison::Gt => Comparison::Le,
        Comparison::Le => Comparison::Gt,
        Comparison::In => Comparison::NotIn,
        Comparison::NotIn => Comparison::In,
    }
}

/// What must be added to `count` so that it compares with `n`.
fn missing(count: i32, comparison: Comparison, n: i32) -> i32 {
    match comparison {
        Comparison::Eq => n.saturating_sub(count),
        Comparison::Ne => i32::from(count == n),
        Comparison::Lt => (n.saturating_sub(1)).saturating_sub(count).min(0),
        Comparison::Le => n.saturating_sub(count).min(0),
        Comparison::Gt => n.saturating_add(1).saturating_sub(count).max(0),
        Comparison::Ge => n.saturating_sub(count).max(0),
        Comparison::In | Comparison::NotIn => 0,
    }
}
