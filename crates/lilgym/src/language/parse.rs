//! From text to tree, with the kinds of values checked on the way.

use super::eval::{atom_kind, find_atom};
use super::function::{Function, Param};
use super::kind::{BOOL, BOX, INT, ITEM, ITERABLE, Kind, LIST, METHOD, SET, SIDE, TUPLE, describe};
use super::{Comparison, Id, Kids, MAX_DEPTH, MAX_LENGTH, MAX_PARAMETERS, Node, Program};

/// A text that is not a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("program `{program}`, at byte {at}: {problem}")]
pub(crate) struct ParseError {
    /// The text, cut if it is long.
    pub(crate) program: String,
    /// The offending byte.
    pub(crate) at: usize,
    pub(crate) problem: String,
}

/// The enums' names.
const ENUMS: [&str; 4] = ["Color", "Shape", "Size", "Side"];
/// Words that cannot be names.
const KEYWORDS: [&str; 8] = ["and", "or", "not", "in", "lambda", "is", "if", "else"];
/// Signs, the longer ones first.
const SIGNS: [&str; 19] =
    ["==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".", "=", "+", "%", "-"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Int(i32),
    Sign(&'static str),
    End,
}

pub(super) fn parse(text: &str) -> Result<Program, ParseError> {
    let fail = |at: usize, problem: String| ParseError { program: text.chars().take(200).collect(), at, problem };
    if text.len() > MAX_LENGTH {
        return Err(fail(MAX_LENGTH, format!("it has {} bytes, may have {MAX_LENGTH}", text.len())));
    }
    let tokens = tokens(text).map_err(|(at, problem)| fail(at, problem))?;
    let mut parser =
        Parser { tokens, at: 0, nodes: Vec::new(), infos: Vec::new(), kids: Vec::new(), scope: Vec::new(), depth: 0 };
    let root = parser.whole().map_err(|problem| fail(parser.tokens[parser.at].1, problem))?;
    let program = Program { nodes: parser.nodes, kids: parser.kids, root };
    // What is printed, with its spaces, is to be a program as well.
    let printed = program.to_string().len();
    if printed > MAX_LENGTH {
        return Err(fail(text.len(), format!("it is printed with {printed} bytes, may have {MAX_LENGTH}")));
    }
    Ok(program)
}

fn tokens(text: &str) -> Result<Vec<(Token<'_>, usize)>, (usize, String)> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let rest = &text[at..];
        if byte.is_ascii_whitespace() {
            at += 1;
        } else if byte.is_ascii_digit() {
            let end = rest.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
            let number = &rest[..end];
            let value = number.parse().map_err(|_| (at, format!("`{number}` is not an integer of 32 bits")))?;
            tokens.push((Token::Int(value), at));
            at += end;
        } else if byte.is_ascii_alphabetic() || byte == b'_' {
            let end = rest.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_')).unwrap_or(rest.len());
            tokens.push((Token::Word(&rest[..end]), at));
            at += end;
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            tokens.push((Token::Sign(sign), at));
            at += sign.len();
        } else {
            // A byte that begins no character is never reached: only whole ASCII tokens were skipped.
            let found = rest.chars().next().unwrap_or(' ');
            return Err((at, format!("`{found}` has no meaning here")));
        }
    }
    tokens.push((Token::End, text.len()));
    Ok(tokens)
}

/// What is known of a node beside itself.
#[derive(Clone, Copy)]
struct Info {
    depth: u16,
    kind: Kind,
}

struct Parser<'a> {
    tokens: Vec<(Token<'a>, usize)>,
    at: usize,
    nodes: Vec<Node>,
    infos: Vec<Info>,
    kids: Vec<u16>,
    /// Parameters in force, from the outermost.
    scope: Vec<(&'a str, Kind)>,
    /// Depth of the recursion.
    depth: u16,
}

type Parsed<T> = Result<T, String>;

impl<'a> Parser<'a> {
    fn whole(&mut self) -> Parsed<Id> {
        let root = self.expression()?;
        if self.peek() != Token::End {
            return Err(format!("{} follows the end of the expression", self.shown()));
        }
        let kind = self.kind(root);
        self.must(root, BOOL, "the program")
            .map_err(|_| format!("the value of the program is {}, must be boolean", describe(kind.own)))?;
        Ok(root)
    }

    fn peek(&self) -> Token<'a> {
        self.tokens[self.at].0
    }

    fn shown(&self) -> String {
        match self.peek() {
            Token::Word(word) => format!("`{word}`"),
            Token::Int(n) => format!("`{n}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "nothing".to_owned(),
        }
    }

    fn advance(&mut self) {
        // The last token is the end, which nothing consumes.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn take(&mut self, token: Token<'_>) -> bool {
        let there = self.peek() == token;
        if there {
            self.advance();
        }
        there
    }

    fn sign(&mut self, sign: &'static str) -> Parsed<()> {
        if self.take(Token::Sign(sign)) { Ok(()) } else { Err(format!("{} stands where `{sign}` must", self.shown())) }
    }

    fn add(&mut self, node: Node, children: &[Id], kind: Kind) -> Parsed<Id> {
        let depth = 1 + children.iter().map(|&c| self.infos[usize::from(c)].depth).max().unwrap_or(0);
        if depth > MAX_DEPTH {
            return Err(format!("expressions are nested more than {MAX_DEPTH} deep"));
        }
        // No more nodes than bytes, of which there are at most `MAX_LENGTH`; defaults add two to a call at the most.
        let id = Id::try_from(self.nodes.len()).map_err(|_| "it has too many parts".to_owned())?;
        self.nodes.push(node);
        self.infos.push(Info { depth, kind });
        Ok(id)
    }

    fn keep(&mut self, ids: &[u16]) -> Parsed<Kids> {
        let at = u16::try_from(self.kids.len()).map_err(|_| "it has too many parts".to_owned())?;
        self.kids.extend_from_slice(ids);
        Ok(Kids { at, len: ids.len() as u16 })
    }

    fn kind(&self, id: Id) -> Kind {
        self.infos[usize::from(id)].kind
    }

    /// Fails if the value of `id` is certainly none of `allowed`.
    fn must(&self, id: Id, allowed: u16, call: &str) -> Parsed<()> {
        let own = self.kind(id).own;
        // Nothing is known of the elements of an empty list.
        if own != 0 && own & allowed == 0 {
            return Err(format!("`{call}` is given {}, takes {}", describe(own), describe(allowed)));
        }
        Ok(())
    }

    /// Any expression but a lambda.
    fn expression(&mut self) -> Parsed<Id> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("expressions are nested more than {MAX_DEPTH} deep"));
        }
        let parsed = self.alternatives();
        self.depth -= 1;
        parsed
    }

    fn several(&mut self, word: &'static str, one: fn(&mut Self) -> Parsed<Id>, node: fn(Kids) -> Node) -> Parsed<Id> {
        let first = one(self)?;
        if self.peek() != Token::Word(word) {
            return Ok(first);
        }
        let mut ids = vec![first];
        while self.take(Token::Word(word)) {
            ids.push(one(self)?);
        }
        // The value is one of the operands.
        let kind = ids[1..].iter().fold(self.kind(first), |kind, &id| kind.or(self.kind(id)));
        let kids = self.keep(&ids)?;
        self.add(node(kids), &ids, kind)
    }

    fn alternatives(&mut self) -> Parsed<Id> {
        self.several("or", Self::conditions, Node::Or)
    }

    fn conditions(&mut self) -> Parsed<Id> {
        self.several("and", Self::negation, Node::And)
    }

    fn negation(&mut self) -> Parsed<Id> {
        let mut count = 0;
        while self.take(Token::Word("not")) {
            count += 1;
        }
        let mut id = self.comparison()?;
        for _ in 0..count {
            id = self.add(Node::Not(id), &[id], Kind::of(BOOL))?;
        }
        Ok(id)
    }

    fn comparison_sign(&mut self) -> Option<Comparison> {
        let found = match self.peek() {
            Token::Sign(sign) => Comparison::ALL[..6].iter().copied().find(|c| c.text() == sign)?,
            Token::Word("in") => Comparison::In,
            Token::Word("not") if self.tokens.get(self.at + 1).is_some_and(|t| t.0 == Token::Word("in")) => {
                self.advance();
                Comparison::NotIn
            }
            _ => return None,
        };
        self.advance();
        Some(found)
    }

    fn comparison(&mut self) -> Parsed<Id> {
        let first = self.sum()?;
        let (mut parts, mut ids) = (vec![first], vec![first]);
        while let Some(comparison) = self.comparison_sign() {
            let next = self.sum()?;
            if matches!(comparison, Comparison::In | Comparison::NotIn) {
                self.must(next, ITERABLE, comparison.text())?;
            } else if !matches!(comparison, Comparison::Eq | Comparison::Ne) {
                self.must(*ids.last().unwrap_or(&first), INT | BOOL, comparison.text())?;
                self.must(next, INT | BOOL, comparison.text())?;
            }
            parts.push(comparison as u16);
            parts.push(next);
            ids.push(next);
        }
        if ids.len() == 1 {
            return Ok(first);
        }
        let kids = self.keep(&parts)?;
        self.add(Node::Compare(kids), &ids, Kind::of(BOOL))
    }

    fn sum(&mut self) -> Parsed<Id> {
        let mut left = self.remainder()?;
        while self.take(Token::Sign("+")) {
            let right = self.remainder()?;
            self.must(left, INT | BOOL | LIST, "+")?;
            self.must(right, INT | BOOL | LIST, "+")?;
            let (a, b) = (self.kind(left), self.kind(right));
            let both = |kinds: u16| a.own & kinds != 0 && b.own & kinds != 0;
            let own = if both(INT | BOOL) { INT } else { 0 } | if both(LIST) { LIST } else { 0 };
            if own == 0 {
                return Err(format!("`+` is given {} and {}", describe(a.own), describe(b.own)));
            }
            let kind = Kind { own, ..a.or(b) };
            left = self.add(Node::Add(left, right), &[left, right], kind)?;
        }
        Ok(left)
    }

    fn remainder(&mut self) -> Parsed<Id> {
        let mut left = self.postfix()?;
        while self.take(Token::Sign("%")) {
            let right = self.postfix()?;
            self.must(left, INT | BOOL, "%")?;
            self.must(right, INT | BOOL, "%")?;
            left = self.add(Node::Mod(left, right), &[left, right], Kind::of(INT))?;
        }
        Ok(left)
    }

    fn postfix(&mut self) -> Parsed<Id> {
        let mut id = self.atom()?;
        loop {
            if self.take(Token::Sign(".")) {
                id = self.attribute(id)?;
            } else if self.take(Token::Sign("[")) {
                id = self.subscript(id)?;
            } else {
                return Ok(id);
            }
        }
    }

    fn attribute(&mut self, of: Id) -> Parsed<Id> {
        let Token::Word(name) = self.peek() else {
            return Err(format!("{} stands where a name must", self.shown()));
        };
        let called = |parser: &mut Self| {
            parser.sign("(")?;
            parser.sign(")")
        };
        match name {
            "all_items_in_box" => {
                self.must(of, BOX, ".all_items_in_box")?;
                self.advance();
                called(self)?;
                self.add(Node::Contents(of), &[of], Kind::all(LIST, ITEM))
            }
            "is_tower" => {
                self.must(of, BOX, ".is_tower")?;
                self.advance();
                if self.peek() == Token::Sign("(") {
                    called(self)?;
                    return self.add(Node::Tower(of), &[of], Kind::of(BOOL));
                }
                self.add(Node::TowerMethod(of), &[of], Kind::of(METHOD))
            }
            "box" => {
                self.must(of, ITEM, ".box")?;
                self.advance();
                self.add(Node::BoxOf(of), &[of], Kind::all(BOX, ITEM))
            }
            _ => Err(format!("there is no attribute `{name}`")),
        }
    }

    fn subscript(&mut self, of: Id) -> Parsed<Id> {
        self.must(of, LIST | TUPLE | BOX, "[]")?;
        let part = |parser: &mut Self| -> Parsed<Option<Id>> {
            if matches!(parser.peek(), Token::Sign(":" | "]")) {
                return Ok(None);
            }
            let id = parser.expression()?;
            parser.must(id, INT | BOOL, "[]")?;
            Ok(Some(id))
        };
        let from = part(self)?;
        let kind = self.kind(of);
        if self.take(Token::Sign(":")) {
            let to = part(self)?;
            self.sign("]")?;
            let children: Vec<Id> = [Some(of), from, to].into_iter().flatten().collect();
            let own = if kind.own & TUPLE == 0 { LIST } else { LIST | TUPLE };
            let element = kind.of_element();
            let kind = Kind { own, element: element.own, inner: element.element };
            return self.add(Node::Slice(of, from, to), &children, kind);
        }
        let Some(index) = from else { return Err("`[]` needs an index".to_owned()) };
        self.sign("]")?;
        self.add(Node::Index(of, index), &[of, index], kind.of_element())
    }

    fn display(&mut self, close: &'static str) -> Parsed<Vec<Id>> {
        let mut ids = Vec::new();
        while !self.take(Token::Sign(close)) {
            ids.push(self.expression()?);
            if !self.take(Token::Sign(",")) {
                self.sign(close)?;
                break;
            }
        }
        Ok(ids)
    }

    fn atom(&mut self) -> Parsed<Id> {
        match self.peek() {
            Token::Int(n) => {
                self.advance();
                self.add(Node::Int(n), &[], Kind::of(INT))
            }
            Token::Sign("(") => {
                self.advance();
                let id = self.expression()?;
                self.sign(")")?;
                Ok(id)
            }
            Token::Sign(open @ ("[" | "{")) => {
                self.advance();
                let ids = self.display(if open == "[" { "]" } else { "}" })?;
                if open == "{" && ids.is_empty() {
                    return Err("`{}` is a dictionary, not a set".to_owned());
                }
                let inside = ids.iter().map(|&id| self.kind(id)).reduce(Kind::or).unwrap_or(Kind::of(0));
                let kids = self.keep(&ids)?;
                let (own, node) = if open == "[" { (LIST, Node::List(kids)) } else { (SET, Node::Set(kids)) };
                self.add(node, &ids, Kind { own, element: inside.own, inner: inside.element })
            }
            Token::Word("lambda") => Err("a lambda stands only where a function takes one".to_owned()),
            Token::Word(word) if !KEYWORDS.contains(&word) => self.word(word),
            _ => Err(format!("{} stands where a value must", self.shown())),
        }
    }

    fn word(&mut self, word: &'a str) -> Parsed<Id> {
        if let Some(at) = self.scope.iter().rposition(|(name, _)| *name == word) {
            self.advance();
            if self.peek() == Token::Sign("(") {
                return Err(format!("`{word}` is a parameter and cannot be called"));
            }
            return self.add(Node::Param(at as u8), &[], self.scope[at].1);
        }
        match word {
            "all_boxes" => {
                self.advance();
                self.add(Node::Boxes, &[], Kind { own: LIST, element: BOX, inner: ITEM })
            }
            "all_items" => {
                self.advance();
                self.add(Node::Items, &[], Kind::all(LIST, ITEM))
            }
            "True" | "False" => {
                self.advance();
                self.add(Node::Const(find_atom("", word).unwrap_or(0)), &[], Kind::of(BOOL))
            }
            _ if ENUMS.contains(&word) => {
                self.advance();
                self.sign(".")?;
                let Token::Word(member) = self.peek() else { return Err(format!("`{word}.` needs a member")) };
                let atom = find_atom(word, member).ok_or_else(|| format!("`{word}` has no member `{member}`"))?;
                self.advance();
                self.add(Node::Const(atom), &[], Kind::of(atom_kind(atom)))
            }
            _ => {
                let function = Function::find(word).ok_or_else(|| format!("there is no `{word}`"))?;
                self.advance();
                if self.peek() != Token::Sign("(") {
                    return Err(format!("the function `{word}` stands where a value must"));
                }
                self.call(function)
            }
        }
    }

    fn call(&mut self, function: Function) -> Parsed<Id> {
        let params = function.params();
        let name = function.name();
        self.sign("(")?;
        let mut arguments: Vec<Option<Id>> = vec![None; params.len()];
        let (mut place, mut keywords) = (0, false);
        while !self.take(Token::Sign(")")) {
            let keyword = match (self.peek(), self.tokens.get(self.at + 1)) {
                (Token::Word(word), Some((Token::Sign("="), _))) => Some(word),
                _ => None,
            };
            let at = if let Some(word) = keyword {
                let fits = |p: &Param| {
                    *p == Param::Side(keyword_name(*p)) && keyword_name(*p) == word || *p == Param::Key && word == "key"
                };
                let at = params.iter().position(fits).ok_or_else(|| format!("`{name}` takes no keyword `{word}`"))?;
                self.advance();
                self.advance();
                keywords = true;
                at
            } else if keywords {
                return Err(format!("`{name}` is given an argument by place after one by keyword"));
            } else {
                place += 1;
                if place > params.len() || params[place - 1] == Param::Key {
                    return Err(format!("`{name}` is given too many arguments"));
                }
                place - 1
            };
            if arguments[at].is_some() {
                return Err(format!("`{name}` is given an argument twice"));
            }
            let first = arguments[0].map(|id| self.kind(id));
            arguments[at] = Some(self.argument(function, params[at], first)?);
            if !self.take(Token::Sign(",")) {
                self.sign(")")?;
                break;
            }
        }
        let mut ids = Vec::with_capacity(params.len());
        for (argument, param) in arguments.into_iter().zip(params) {
            match (argument, param) {
                (Some(id), _) => ids.push(id),
                (None, Param::Side(_)) => {
                    let any = find_atom("Side", "ANY").unwrap_or(0);
                    ids.push(self.add(Node::Const(any), &[], Kind::of(SIDE))?);
                }
                (None, Param::Key) => {}
                (None, _) => return Err(format!("`{name}` takes {} arguments", function.required())),
            }
        }
        let kind = self.result(function, &ids);
        let kids = self.keep(&ids)?;
        self.add(Node::Call(function, kids), &ids, kind)
    }

    fn argument(&mut self, function: Function, param: Param, first: Option<Kind>) -> Parsed<Id> {
        let name = function.name();
        match param {
            Param::Value(allowed) => {
                let id = self.expression()?;
                self.must(id, allowed, name)?;
                if allowed == super::kind::ITEMS_LIKE && self.kind(id).own & ITEM == 0 {
                    let inside = self.kind(id).of_element().own;
                    if inside & ITEM == 0 && inside != 0 {
                        return Err(format!("`{name}` is given {}, takes items", describe(inside)));
                    }
                }
                Ok(id)
            }
            Param::Side(_) => {
                let id = self.expression()?;
                self.must(id, SIDE, name)?;
                Ok(id)
            }
            Param::Function | Param::Key => self.function(name, first),
        }
    }

    /// A lambda, or the name of a function that can do with one argument.
    fn function(&mut self, call: &str, first: Option<Kind>) -> Parsed<Id> {
        let element = first.map_or(Kind::of(super::kind::ANY), Kind::of_element);
        if self.take(Token::Word("lambda")) {
            let Token::Word(name) = self.peek() else { return Err("a lambda needs a parameter".to_owned()) };
            if KEYWORDS.contains(&name) {
                return Err(format!("`{name}` cannot name a parameter"));
            }
            if self.scope.len() == MAX_PARAMETERS {
                return Err(format!("lambdas are nested more than {MAX_PARAMETERS} deep"));
            }
            self.advance();
            self.sign(":")?;
            self.scope.push((name, element));
            let body = self.expression();
            self.scope.pop();
            let body = body?;
            return self.add(Node::Lambda(body), &[body], self.kind(body));
        }
        let Token::Word(word) = self.peek() else {
            return Err(format!("`{call}` is given {}, takes a function", self.shown()));
        };
        let named = Function::find(word).filter(|_| self.scope.iter().all(|(name, _)| *name != word));
        let function = named.ok_or_else(|| format!("`{call}` is given `{word}`, takes a function"))?;
        let fits = match function.params() {
            [Param::Value(allowed), rest @ ..] => {
                rest.iter().all(|p| matches!(p, Param::Side(_))) && (element.own & allowed != 0 || element.own == 0)
            }
            _ => false,
        };
        if !fits {
            return Err(format!("`{word}` cannot be called with {} alone", describe(element.own)));
        }
        self.advance();
        self.add(Node::Name(function), &[], function.result())
    }

    /// What a call gives, knowing its arguments.
    fn result(&self, function: Function, ids: &[Id]) -> Kind {
        let known = function.result();
        let Some(&first) = ids.first() else { return known };
        let element = self.kind(first).of_element();
        let like = |own| Kind { own, element: element.own, inner: element.element };
        match function {
            Function::Unique | Function::Min | Function::Max => element,
            Function::FilterObj | Function::FilterColor | Function::FilterShape | Function::FilterSize => like(LIST),
            Function::SetOf => like(SET),
            Function::Combinations => Kind { own: LIST, element: TUPLE, inner: element.own },
            _ => known,
        }
    }
}

/// The keyword under which a parameter may be given.
fn keyword_name(param: Param) -> &'static str {
    match param {
        Param::Side(name) => name,
        _ => "",
    }
}
