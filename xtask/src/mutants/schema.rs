//! Many mutants in one source text, chosen as the program runs.
//!
//! A mutant replaces a span of the text. The smallest piece of syntax around it that can stand on its own becomes
//! `(if crate::mutant_is(N) { the mutant } else { the original })`; the replacement of a function's body becomes an early
//! `return`, and an arm that is left out becomes one with a guard. Pieces nest as the syntax does.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Arm, BinOp, Expr, ExprBinary, ExprStruct, ExprUnary};

/// What a mutant changes, as cargo-mutants names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Genre {
    /// A function's body is replaced by a value.
    FnValue,
    /// A guard is replaced by `true` or `false`.
    MatchArmGuard,
    /// An arm is left out.
    MatchArm,
    /// A field is left out of an expression that takes the others from elsewhere.
    StructField,
    /// An operator becomes another.
    BinaryOperator,
    /// An operator is left out.
    UnaryOperator,
}

impl Genre {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "FnValue" => Self::FnValue,
            "MatchArmGuard" => Self::MatchArmGuard,
            "MatchArm" => Self::MatchArm,
            "StructField" => Self::StructField,
            "BinaryOperator" => Self::BinaryOperator,
            "UnaryOperator" => Self::UnaryOperator,
            _ => return None,
        })
    }
}

/// One change of a source text.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) genre: Genre,
    /// The bytes it replaces.
    pub(crate) span: Range<usize>,
    pub(crate) replacement: String,
}

impl Change {
    /// The text with this change alone.
    pub(crate) fn apply(&self, source: &str) -> String {
        format!("{}{} {}", &source[..self.span.start], self.replacement, &source[self.span.end..])
    }
}

/// A source text that holds several changes.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    pub(crate) text: String,
    /// Which bytes of it were written for which changes.
    places: Vec<(Range<usize>, Vec<u32>)>,
    /// Changes for which the syntax has no room.
    pub(crate) left: Vec<u32>,
}

impl Schema {
    /// The changes of the smallest piece that holds some of `bytes`.
    pub(crate) fn at(&self, bytes: &Range<usize>) -> &[u32] {
        let touched = self.places.iter().filter(|(place, _)| place.start < bytes.end && bytes.start < place.end);
        touched.min_by_key(|(place, _)| place.len()).map_or(&[], |(_, numbers)| numbers)
    }
}

/// A source text that holds all of `changes`, by their numbers.
pub(crate) fn schema(source: &str, changes: &[(u32, &Change)]) -> syn::Result<Schema> {
    let mut syntax = Syntax::default();
    syntax.visit_file(&syn::parse_file(source)?);
    let mut nodes: BTreeMap<_, Vec<(u32, &Change)>> = BTreeMap::new();
    let mut left = Vec::new();
    for &(number, change) in changes {
        match syntax.node(change) {
            Some(node) => {
                nodes.entry((node.start, Reverse(node.end), change.genre)).or_default().push((number, change));
            }
            None => left.push(number),
        }
    }
    // Outer ones first.
    let edits: Vec<Edit> = nodes
        .into_iter()
        .map(|((start, Reverse(end), genre), changes)| Edit {
            pieces: pieces(genre, &(start..end), &changes),
            node: start..end,
            numbers: changes.iter().map(|c| c.0).collect(),
        })
        .collect();
    let mut schema = Schema { left, ..Schema::default() };
    render(source, 0..source.len(), &edits, &mut schema);
    Ok(schema)
}

/// What a piece of syntax becomes.
struct Edit {
    node: Range<usize>,
    pieces: Vec<(Piece, Option<u32>)>,
    numbers: Vec<u32>,
}

/// A part of an edit, for one change or for all of its changes.
enum Piece {
    Text(String),
    /// These bytes of the source, with the edits inside them.
    Source(Range<usize>),
}

fn pieces(genre: Genre, node: &Range<usize>, changes: &[(u32, &Change)]) -> Vec<(Piece, Option<u32>)> {
    let is = |number: u32| format!("crate::mutant_is({number})");
    let text = |text: &str| (Piece::Text(text.to_owned()), None);
    let whole = (Piece::Source(node.clone()), None);
    let mut pieces = Vec::new();
    match genre {
        Genre::FnValue => {
            for &(number, change) in changes {
                let early = format!("if {} {{ return {}; }} ", is(number), change.replacement);
                pieces.push((Piece::Text(early), Some(number)));
            }
            pieces.push(whole);
        }
        Genre::MatchArm => {
            let none: Vec<String> = changes.iter().map(|c| format!("!{}", is(c.0))).collect();
            pieces.extend([whole, text(&format!(" if {}", none.join(" && ")))]);
        }
        _ => {
            pieces.push(text("("));
            for &(number, change) in changes {
                pieces.extend([
                    (Piece::Text(format!("if {} {{ ", is(number))), Some(number)),
                    (Piece::Source(node.start..change.span.start), Some(number)),
                    (Piece::Text(format!("{} ", change.replacement)), Some(number)),
                    (Piece::Source(change.span.end..node.end), Some(number)),
                    text(" } else "),
                ]);
            }
            pieces.extend([text("{ "), whole, text(" })")]);
        }
    }
    pieces
}

/// Writes the bytes `range` of `source` with those of `edits` that lie inside them.
fn render(source: &str, range: Range<usize>, edits: &[Edit], schema: &mut Schema) {
    let mut at = range.start;
    for (i, edit) in edits.iter().enumerate() {
        if edit.node.start < at || edit.node.end > range.end {
            continue;
        }
        schema.text.push_str(&source[at..edit.node.start]);
        let start = schema.text.len();
        for (piece, number) in &edit.pieces {
            let start = schema.text.len();
            match piece {
                Piece::Text(text) => schema.text.push_str(text),
                Piece::Source(bytes) => render(source, bytes.clone(), &edits[i + 1..], schema),
            }
            schema.places.extend(number.map(|number| (start..schema.text.len(), vec![number])));
        }
        schema.places.push((start..schema.text.len(), edit.numbers.clone()));
        at = edit.node.end;
    }
    schema.text.push_str(&source[at..range.end]);
}

/// The pieces of syntax that changes are made in.
#[derive(Default)]
struct Syntax {
    /// Where an operator is, and the whole expression it belongs to.
    operators: Vec<(Range<usize>, Range<usize>)>,
    /// Where an arm is, and its pattern.
    arms: Vec<(Range<usize>, Range<usize>)>,
    structs: Vec<Range<usize>>,
}

impl Syntax {
    /// The piece of syntax that is written anew for a change.
    fn node(&self, change: &Change) -> Option<Range<usize>> {
        let find = |list: &[(Range<usize>, Range<usize>)]| {
            list.iter().find(|(span, _)| *span == change.span).map(|(_, node)| node.clone())
        };
        match change.genre {
            Genre::FnValue | Genre::MatchArmGuard => Some(change.span.clone()),
            Genre::MatchArm => find(&self.arms),
            Genre::BinaryOperator | Genre::UnaryOperator => find(&self.operators),
            Genre::StructField => {
                let around = self.structs.iter().filter(|s| s.start <= change.span.start && change.span.end <= s.end);
                around.min_by_key(|s| s.len()).cloned()
            }
        }
    }

    /// Notes the operators of an expression that stands on its own. They share it, since another operator may bind
    /// otherwise: `a - b + c` is what becomes of `a - b * c`.
    fn chain(&mut self, binary: &ExprBinary, whole: &Range<usize>) {
        // A condition with a `let` cannot be put into an expression, its other parts can.
        let bare = binds(&binary.left) || binds(&binary.right);
        if !bare {
            self.operators.push((binary.op.span().byte_range(), whole.clone()));
        }
        for side in [&*binary.left, &*binary.right] {
            match side {
                Expr::Binary(inner) if bare => self.chain(inner, &inner.span().byte_range()),
                Expr::Binary(inner) => self.chain(inner, whole),
                other => self.visit_expr(other),
            }
        }
    }
}

/// Whether a condition has a `let`.
fn binds(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(ExprBinary { left, op: BinOp::And(_), right, .. }) => binds(left) || binds(right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Syntax {
    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        self.chain(binary, &binary.span().byte_range());
    }

    fn visit_expr_unary(&mut self, unary: &'ast ExprUnary) {
        self.operators.push((unary.op.span().byte_range(), unary.span().byte_range()));
        visit::visit_expr_unary(self, unary);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.arms.push((arm.span().byte_range(), arm.pat.span().byte_range()));
        visit::visit_arm(self, arm);
    }

    fn visit_expr_struct(&mut self, expr: &'ast ExprStruct) {
        self.structs.push(expr.span().byte_range());
        visit::visit_expr_struct(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schema of `source` with, from the first on, changes of what is written in it.
    fn written(source: &str, changes: &[(Genre, &str, &str)]) -> Schema {
        let change = |&(genre, old, new): &(Genre, &str, &str)| {
            let start = source.find(old).expect("the text has what is to be changed");
            Change { genre, span: start..start + old.len(), replacement: new.to_owned() }
        };
        let changes: Vec<Change> = changes.iter().map(change).collect();
        let numbered: Vec<(u32, &Change)> = (1..).zip(&changes).collect();
        let schema = schema(source, &numbered).expect("the text is Rust");
        syn::parse_file(&schema.text).expect("so is what it becomes");
        schema
    }

    fn text(source: &str, changes: &[(Genre, &str, &str)]) -> String {
        let schema = written(source, changes);
        assert_eq!(schema.left, [] as [u32; 0]);
        schema.text
    }

    #[test]
    fn a_body_is_left_early() {
        assert_eq!(
            text("fn f() -> u8 { g(); 3 }", &[(Genre::FnValue, "g(); 3", "0"), (Genre::FnValue, "g(); 3", "1")]),
            "fn f() -> u8 { if crate::mutant_is(1) { return 0; } if crate::mutant_is(2) { return 1; } g(); 3 }"
        );
    }

    #[test]
    fn an_operator_is_replaced_in_the_text_as_it_binds_there() {
        assert_eq!(
            text("fn f() { let x = a - b * c; }", &[(Genre::BinaryOperator, "*", "+")]),
            "fn f() { let x = (if crate::mutant_is(1) { a - b +  c } else { a - b * c }); }"
        );
    }

    #[test]
    fn operators_of_one_expression_are_alternatives() {
        assert_eq!(
            text("fn f() { x += a % b; }", &[(Genre::BinaryOperator, "+=", "-="), (Genre::BinaryOperator, "%", "/")]),
            "fn f() { (if crate::mutant_is(1) { x -=  a % b } else if crate::mutant_is(2) { x += a /  b } \
             else { x += a % b }); }"
        );
    }

    #[test]
    fn expressions_inside_others_nest() {
        assert_eq!(
            text(
                "fn f() -> bool { a[i + 1] < 2 }",
                &[
                    (Genre::BinaryOperator, "<", ">"),
                    (Genre::BinaryOperator, "+", "-"),
                    (Genre::FnValue, "a[i + 1] < 2", "true")
                ]
            ),
            "fn f() -> bool { if crate::mutant_is(3) { return true; } (if crate::mutant_is(1) { \
             a[(if crate::mutant_is(2) { i -  1 } else { i + 1 })] >  2 } else { \
             a[(if crate::mutant_is(2) { i -  1 } else { i + 1 })] < 2 }) }"
        );
    }

    #[test]
    fn a_unary_operator_is_left_out() {
        assert_eq!(
            text("fn f() { g(-x.y) }", &[(Genre::UnaryOperator, "-", "")]),
            "fn f() { g((if crate::mutant_is(1) {  x.y } else { -x.y })) }"
        );
    }

    #[test]
    fn an_arm_is_guarded() {
        assert_eq!(
            text("fn f() { match x { 1 | 2 => a, _ => b } }", &[(Genre::MatchArm, "1 | 2 => a,", "")]),
            "fn f() { match x { 1 | 2 if !crate::mutant_is(1) => a, _ => b } }"
        );
    }

    #[test]
    fn a_guard_is_replaced_and_so_are_its_operators() {
        assert_eq!(
            text(
                "fn f() { match x { y if y > 1 => a, _ => b } }",
                &[(Genre::MatchArmGuard, "y > 1", "false"), (Genre::BinaryOperator, ">", "<")]
            ),
            "fn f() { match x { y if (if crate::mutant_is(1) { false  } else { \
             (if crate::mutant_is(2) { y <  1 } else { y > 1 }) }) => a, _ => b } }"
        );
    }

    #[test]
    fn a_field_is_left_out() {
        assert_eq!(
            text("fn f() { g(S { a: 1, b: 2, ..s }) }", &[(Genre::StructField, "b: 2,", "")]),
            "fn f() { g((if crate::mutant_is(1) { S { a: 1,   ..s } } else { S { a: 1, b: 2, ..s } })) }"
        );
    }

    #[test]
    fn a_condition_that_binds_is_left_but_not_its_parts() {
        let schema = written(
            "fn f() { if let Some(x) = y && x > 1 { g() } }",
            &[(Genre::BinaryOperator, "&&", "||"), (Genre::BinaryOperator, ">", "<")],
        );
        assert_eq!(schema.left, [1]);
        assert_eq!(
            schema.text,
            "fn f() { if let Some(x) = y && (if crate::mutant_is(2) { x <  1 } else { x > 1 }) { g() } }"
        );
    }

    #[test]
    fn a_place_in_the_text_names_the_innermost_change() {
        let schema = written(
            "fn f() -> u8 { g(a + b); c }",
            &[
                (Genre::FnValue, "g(a + b); c", "0"),
                (Genre::BinaryOperator, "+", "-"),
                (Genre::BinaryOperator, "+", "*"),
                (Genre::FnValue, "g(a + b); c", "x"),
            ],
        );
        let at = |part: &str| {
            let start = schema.text.find(part).expect("the text has this part");
            schema.at(&(start..start + part.len()))
        };
        assert_eq!(at("- "), [2]);
        assert_eq!(at("a *"), [3]);
        assert_eq!(at("a + b"), [2, 3]);
        assert_eq!(at("return x"), [4]);
        assert_eq!(at("; c"), [1, 4]);
        assert_eq!(at("fn f"), [] as [u32; 0]);
    }

    #[test]
    fn one_change_alone_replaces_its_span() {
        let change = Change { genre: Genre::BinaryOperator, span: 2..3, replacement: "-".to_owned() };
        assert_eq!(change.apply("a + b"), "a -  b");
    }
}
