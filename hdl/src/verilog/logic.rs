//! Builds the module of a block with an `update` function.

use super::choose::as_expression;
use super::collect::Node;
use super::error::{Error, Fault};
use super::expr::{Helper, Printer};
use super::flop::Flop;
use super::flow::{self, Flow};
use super::frame::Frame;
use super::groups::{Group, group};
use super::ir::{Expr, Statement, only};
use super::lower::Lowered;
use super::module::{Child, Draft, constants, declare, summarise};
use super::names::clean;
use super::scope::{Role, Symbol, range};
use super::simplify::simplify;
use super::source::{Remarks, tag};
use super::statement::Writer;
use super::text::Text;
use super::{Direction, Port};
use std::collections::{BTreeMap, BTreeSet};

/// A module under construction.
pub(super) struct Logic<'a> {
    node: &'a Node,
    printer: Printer,
    ports: Vec<(String, Port)>,
    lowered: Lowered,
    children: Vec<Child<'a>>,
    flops: Vec<Flop>,
    /// Targets that need no statement: connected at an instance, or a clock that is known.
    hidden: BTreeSet<String>,
    /// Text of the instance ports that are connected to no net of their own.
    connected: BTreeMap<String, String>,
    /// Targets that a procedural block assigns.
    registers: BTreeSet<String>,
    /// Flip-flops that a clocked block assigns, so that no next-state signal is needed.
    direct: BTreeSet<String>,
    frame: Frame<'a>,
    remarks: Remarks,
}

impl<'a> Logic<'a> {
    pub(super) fn new(
        node: &'a Node,
        mut printer: Printer,
        ports: Vec<(String, Port)>,
        lowered: Lowered,
        children: Vec<Child<'a>>,
        flops: Vec<Flop>,
        frame: Frame<'a>,
    ) -> Self {
        declare(node, &mut printer, &children, &flops);
        Self {
            node,
            printer,
            ports,
            lowered,
            children,
            flops,
            hidden: BTreeSet::new(),
            connected: BTreeMap::new(),
            registers: BTreeSet::new(),
            direct: BTreeSet::new(),
            remarks: Remarks::of(frame.source),
            frame,
        }
    }

    fn at(&self, key: &str, fault: Fault) -> Error {
        Error::at(&self.node.path, key, fault)
    }

    pub(super) fn draft(mut self) -> Result<Draft, Error> {
        self.check_names()?;
        let flow = flow::analyse(&self.lowered.statements, &self.printer.scope)
            .map_err(|(key, fault)| self.at(&key, fault))?;
        let summary = summarise(self.node, &self.lowered.statements, &self.printer, &self.children)?;
        self.join_nets();
        self.share_outputs(&flow);
        self.connect(&flow)?;
        let clocks = self.clocks()?;
        let groups = group(&self.lowered.statements, &flow, &clocks);
        let behaviour = self.behaviour(&groups)?;
        let registers = self.next_state(&clocks);
        let instances = self.instances();
        let mut body = Vec::new();
        for section in [
            constants(&self.printer),
            self.declarations(),
            self.helpers(),
            instances,
            behaviour,
            registers,
            self.start_values(),
            self.unused(),
        ] {
            if !body.is_empty() && !section.is_empty() {
                body.push(String::new());
            }
            body.extend(section);
        }
        let text = self.frame.module(self.lowered.marker.as_ref(), &self.ports, &self.registers, &body);
        let mut names = self.printer.scope.names;
        self.children.iter().for_each(|c| names.absorb(&c.built.names));
        let marker = self.lowered.marker;
        Ok(Draft { marker, ports: self.ports, text, summary, names, ..Draft::default() })
    }

    /// Every target must be one that this block may drive, and no next state may be read.
    fn check_names(&self) -> Result<(), Error> {
        let mut fault = None;
        for statement in &self.lowered.statements {
            statement.writes(&mut |key, _| {
                let found = match self.printer.scope.get(key).map(|s| s.role) {
                    Err(found) => found,
                    Ok(Role::Input) => Fault::WritesInput,
                    Ok(Role::ChildOutput | Role::State | Role::Constant | Role::Label) => {
                        Fault::NotAssignable
                    }
                    Ok(_) => return,
                };
                fault.get_or_insert((key.to_string(), found));
            });
            let target = super::statement::first_target(std::slice::from_ref(statement));
            statement.reads(&mut |key, _| match self.printer.scope.get(key) {
                Ok(symbol) if symbol.role == Role::NextState => {
                    fault.get_or_insert((key.to_string(), Fault::ReadsNextState));
                }
                Ok(_) => {}
                Err(found) => {
                    fault.get_or_insert((target.clone(), found));
                }
            });
        }
        fault.map_or(Ok(()), |(key, fault)| Err(self.at(&key, fault)))
    }

    /// The value of a signal that has exactly one assignment, and that on the top level.
    fn only_value(&self, key: &str) -> Option<&Expr> {
        let mut found = None;
        for statement in &self.lowered.statements {
            let mut writes = 0;
            statement.writes(&mut |target, _| writes += usize::from(target == key));
            match (writes, statement) {
                (0, _) => {}
                (1, Statement::Assign(_, value, _)) if found.is_none() => found = Some(value),
                _ => return None,
            }
        }
        found
    }

    fn is_read(&self, key: &str) -> bool {
        let mut read = false;
        self.lowered.statements.iter().for_each(|s| s.reads(&mut |k, _| read |= k == key));
        read
    }

    /// Gives bidirectional signals that are linked one net: the own port if there is one.
    fn join_nets(&mut self) {
        for (a, b) in self.lowered.joined.clone() {
            let is_port = |key: &str| self.ports.iter().any(|(k, _)| k == key);
            let (net, other) = if is_port(&b) { (b, a) } else { (a, b) };
            let Ok(name) = self.printer.scope.get(&net).map(|s| s.name.clone()) else { continue };
            self.printer.scope.mark(&net, 0, self.printer.scope.width(&net));
            self.printer.scope.rename(&other, &name);
            self.hidden.insert(other);
        }
    }

    /// Connects a child's output straight to the own output that only repeats it.
    fn share_outputs(&mut self, flow: &Flow) {
        let mut shared = BTreeSet::new();
        for (key, port) in self.ports.clone() {
            let Some(Expr::Signal(source)) = self.only_value(&key).cloned() else { continue };
            let stale = flow.stale.iter().any(|(target, _)| *target == key);
            let fits = self.printer.scope.role(&source) == Some(Role::ChildOutput)
                && self.printer.scope.width(&source) == port.width;
            if fits && !stale && shared.insert(source.clone()) {
                self.printer.scope.rename(&source, &port.name);
                self.printer.scope.mark(&source, 0, port.width);
                self.hidden.extend([key, source]);
            }
        }
    }

    /// Connects child inputs whose only driver is a signal, a part of one, or a literal.
    fn connect(&mut self, flow: &Flow) -> Result<(), Error> {
        let keys: Vec<(String, usize)> = self
            .children
            .iter()
            .flat_map(|c| c.built.ports.iter().map(move |(k, p)| (format!("{}${k}", c.node.name), p)))
            .filter(|(_, port)| port.direction == Direction::Input)
            .map(|(key, port)| (key, port.width))
            .collect();
        for (key, width) in keys {
            let stale = flow.stale.iter().any(|(target, _)| *target == key);
            let Some(value) = self.only_value(&key).cloned() else { continue };
            if is_simple(&value) && !stale && !self.is_read(&key) {
                let text = self.printer.exact(&value, width).map_err(|f| self.at(&key, f))?;
                self.connected.insert(key.clone(), text.code);
                self.hidden.insert(key);
            }
        }
        Ok(())
    }

    /// The name of each flip-flop's clock, by the key of its input.
    fn clocks(&mut self) -> Result<BTreeMap<String, String>, Error> {
        let mut clocks = BTreeMap::new();
        for flop in self.flops.clone() {
            let clock = match self.only_value(&flop.clock).cloned() {
                Some(clock @ Expr::Signal(_)) => {
                    self.hidden.insert(flop.clock.clone());
                    self.printer.exact(&clock, 1)
                }
                _ => self.printer.exact(&Expr::Signal(flop.clock.clone()), 1),
            };
            let clock = clock.map_err(|f| self.at(&flop.clock, f))?;
            clocks.insert(flop.d, clock.code);
        }
        Ok(clocks)
    }

    /// Assignments and `always` blocks: combinational ones first, then clocked ones.
    fn behaviour(&mut self, groups: &[Group]) -> Result<Vec<String>, Error> {
        let (mut wires, mut blocks, mut clocked) = (Vec::new(), Vec::new(), Vec::new());
        for group in groups {
            if group.targets.iter().all(|t| self.hidden.contains(t)) {
                continue;
            }
            let statements = only(&self.lowered.statements, &|t| group.targets.iter().any(|g| g == t));
            let statements = simplify(statements);
            if let Some(clock) = &group.clock {
                let statements = self.without_holds(&group.targets, &statements);
                clocked.push((clock.clone(), statements));
            } else if let Some(line) = self.assignment(&group.targets, &statements)? {
                let remark = self.remarks.take(statements.first().and_then(Statement::line));
                separate_if(!remark.is_empty(), &mut wires);
                wires.extend(remark);
                wires.push(line);
            } else {
                separate(&mut blocks, self.combinational(&group.targets, &statements)?);
            }
        }
        separate(&mut wires, blocks);
        for (clock, statements) in gathered(clocked) {
            let block = self.clocked(&clock, &statements)?;
            separate(&mut wires, block);
        }
        Ok(wires)
    }

    /// `assign`, for a single target with a short value.
    fn assignment(&mut self, targets: &[String], statements: &[Statement]) -> Result<Option<String>, Error> {
        let [target] = targets else { return Ok(None) };
        let mut reads_itself = false;
        statements.iter().for_each(|s| s.reads(&mut |key, _| reads_itself |= key == target));
        let Some(value) = as_expression(statements).filter(|_| !reads_itself) else { return Ok(None) };
        let (name, width) = (self.name(target), self.printer.scope.width(target));
        let value = self.printer.exact(&value, width).map_err(|f| self.at(target, f))?;
        let line = statements.last().and_then(Statement::line);
        Ok(Some(tag(&format!("assign {name} = {};", value.code), line)))
    }

    fn name(&self, key: &str) -> String {
        self.printer.scope.get(key).map(|s| s.name.clone()).unwrap_or_default()
    }

    fn write(
        &mut self,
        operator: &'static str,
        instead: &BTreeMap<String, String>,
        statements: &[Statement],
    ) -> Result<Vec<String>, Error> {
        let (printer, remarks) = (&mut self.printer, &mut self.remarks);
        let mut writer = Writer { printer, operator, instead, remarks, out: String::new() };
        let outcome = writer.list(statements, 1);
        let lines = writer.out.lines().map(String::from).collect();
        outcome.map(|()| lines).map_err(|(key, fault)| self.at(&key, fault))
    }

    fn combinational(&mut self, targets: &[String], statements: &[Statement]) -> Result<Vec<String>, Error> {
        let mut varies = false;
        let role = |key: &str| self.printer.scope.role(key);
        let fixed = |key: &str| matches!(role(key), Some(Role::Constant | Role::Label));
        let own = |key: &str| targets.iter().any(|t| t == key);
        statements.iter().for_each(|s| s.reads(&mut |key, _| varies |= !fixed(key) && !own(key)));
        if !varies {
            return self.fixed(targets, statements);
        }
        let mut lines = vec!["always @* begin".to_string()];
        lines.extend(self.write("=", &BTreeMap::new(), statements)?);
        lines.push("end".into());
        self.registers.extend(targets.iter().cloned());
        Ok(lines)
    }

    /// Targets that depend on Constants only. `always @*` would wait for a change that never comes,
    /// so each is the result of a function.
    fn fixed(&mut self, targets: &[String], statements: &[Statement]) -> Result<Vec<String>, Error> {
        let original: Vec<String> = targets.iter().map(|t| self.name(t)).collect();
        let mut lines = Vec::new();
        for (index, name) in original.iter().enumerate() {
            let function = self.printer.scope.names.claim(&format!("constant_{name}"));
            let width = self.printer.scope.width(&targets[index]);
            lines.push(format!("function {}{function};", range(width)));
            lines.push("    input unused;".into());
            for (other, target) in targets.iter().enumerate() {
                let local = match other == index {
                    true => function.clone(),
                    false => self.printer.scope.names.claim(&format!("{function}_{}", original[other])),
                };
                if other != index {
                    lines.push(format!("    reg {}{local};", range(self.printer.scope.width(target))));
                }
                self.printer.scope.rename(target, &local);
            }
            lines.push("    begin".into());
            let body = self.write("=", &BTreeMap::new(), statements)?;
            lines.extend(body.into_iter().map(|l| format!("    {l}")));
            lines.extend(["    end".into(), "endfunction".into()]);
            lines.push(format!("assign {name} = {function}(1'b0);"));
        }
        for (target, name) in targets.iter().zip(&original) {
            self.printer.scope.rename(target, name);
        }
        Ok(lines)
    }

    /// The statements of flip-flops that need no next-state signals, without holding.
    fn without_holds(&mut self, targets: &[String], statements: &[Statement]) -> Vec<Statement> {
        self.direct.extend(targets.iter().cloned());
        without_holds(statements, &self.states())
    }

    /// The output of each flip-flop by its input.
    fn states(&self) -> BTreeMap<String, String> {
        self.flops.iter().map(|f| (f.d.clone(), f.q.clone())).collect()
    }

    fn clocked(&mut self, clock: &str, statements: &[Statement]) -> Result<Vec<String>, Error> {
        let mut lines = vec![format!("always @(posedge {clock}) begin")];
        lines.extend(self.write("<=", &self.states(), statements)?);
        lines.push("end".into());
        Ok(lines)
    }

    /// Flip-flops whose next state is a signal of its own.
    fn next_state(&mut self, clocks: &BTreeMap<String, String>) -> Vec<String> {
        let mut lines = Vec::new();
        for flop in self.flops.iter().filter(|f| !self.direct.contains(&f.d)) {
            let (q, d) = (self.name(&flop.q), self.name(&flop.d));
            lines.push(format!("always @(posedge {}) {q} <= {d};", clocks[&flop.d]));
        }
        lines
    }

    /// Flip-flops, signals, and nets of the blocks below, each kind apart from the others.
    fn declarations(&self) -> Vec<String> {
        let mut kinds: [Vec<(&str, &Symbol)>; 3] = Default::default();
        for (key, symbol) in self.printer.scope.iter() {
            let shown = !self.hidden.contains(key);
            match symbol.role {
                Role::State => kinds[0].push((key, symbol)),
                Role::NextState if !self.direct.contains(key) => kinds[1].push((key, symbol)),
                Role::Local | Role::StateClock if shown => kinds[1].push((key, symbol)),
                Role::ChildInput | Role::ChildOutput if shown => kinds[2].push((key, symbol)),
                _ => {}
            }
        }
        let all = kinds.iter().flatten();
        let widest = all.map(|(_, symbol)| range(symbol.width).len()).max().unwrap_or_default();
        let mut lines = Vec::new();
        for kind in kinds {
            separate(&mut lines, self.aligned(&kind, widest));
        }
        lines
    }

    /// Declarations below each other, each field's comment above the first of it.
    fn aligned(&self, list: &[(&str, &Symbol)], widest: usize) -> Vec<String> {
        let (mut lines, mut field) = (Vec::new(), "");
        for (key, symbol) in list {
            let next = key.split('$').next().unwrap_or_default();
            if next != field && matches!(symbol.role, Role::Local | Role::State) {
                lines.extend(self.frame.field(key));
            }
            field = next;
            let register = symbol.role == Role::State || self.registers.contains(*key);
            let kind = if register { "reg " } else { "wire" };
            let caught = symbol.role == Role::State && self.lowered.asynchronous.contains(&symbol.name);
            let mark = if caught { "(* ASYNC_REG = \"TRUE\" *) " } else { "" };
            lines.push(format!("{mark}{kind} {:widest$}{};", range(symbol.width), symbol.name));
        }
        lines
    }

    fn helpers(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (helper, name) in &self.printer.helpers {
            match *helper {
                Helper::Low { from, to } => lines.extend([
                    format!("function {}{name};", range(to)),
                    format!("    input {}value;", range(from)),
                    "    reg unused;".into(),
                    "    begin".into(),
                    format!("        {name} = value{};", selection(to - 1, 0)),
                    format!("        unused = |value{};", selection(from - 1, to)),
                    "    end".into(),
                    "endfunction".into(),
                ]),
                Helper::Extend { from, to } => lines.extend([
                    format!("function {}{name};", range(to)),
                    format!("    input {}value;", range(from)),
                    format!("    {name} = {{{{{}{{value[{}]}}}}, value}};", to - from, from - 1),
                    "endfunction".into(),
                ]),
            }
        }
        lines
    }

    fn instances(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for index in 0..self.children.len() {
            let child = &self.children[index];
            let mut wish = clean(&child.node.name);
            // Tools warn of a signal that hides the name of an instance around it.
            if child.built.names.has(&wish) {
                wish.insert_str(0, "u_");
            }
            let name = self.printer.scope.names.claim(&wish);
            let child = &self.children[index];
            let mut block = vec![format!("{} {name} (", child.built.name)];
            let last = child.built.ports.len().saturating_sub(1);
            for (number, (key, port)) in child.built.ports.iter().enumerate() {
                let comma = if number < last { "," } else { "" };
                block.push(self.connection(child, key, port) + comma);
            }
            block.push(");".into());
            separate(&mut lines, block);
        }
        lines
    }

    fn connection(&self, child: &Child, port: &str, built: &Port) -> String {
        let key = format!("{}${port}", child.node.name);
        let net = self.connected.get(&key).cloned().unwrap_or_else(|| self.name(&key));
        format!("    .{}({net})", built.name)
    }

    /// Values at power-up.
    fn start_values(&self) -> Vec<String> {
        if self.flops.is_empty() {
            return Vec::new();
        }
        let mut lines = vec!["// Values at power-up.".to_string(), "initial begin".to_string()];
        for flop in &self.flops {
            let value = Text::literal(&flop.start, flop.width).code;
            lines.push(format!("    {} = {value};", self.name(&flop.q)));
        }
        lines.push("end".into());
        lines
    }

    /// Names the inputs and bits that nothing reads, so that tools need not warn of them.
    fn unused(&self) -> Vec<String> {
        let mut pieces = Vec::new();
        for (key, symbol) in self.printer.scope.iter() {
            let readable = matches!(symbol.role, Role::Input | Role::Local | Role::State | Role::ChildOutput);
            if readable {
                pieces.extend(self.printer.scope.unused(key));
            }
        }
        if pieces.is_empty() {
            return Vec::new();
        }
        let name = self.printer.scope.names.free("unused");
        vec![
            "// Nothing in this module needs these.".into(),
            format!("wire {name} = &{{1'b0, {}}};", pieces.join(", ")),
        ]
    }
}

fn selection(high: usize, low: usize) -> String {
    if high == low { format!("[{low}]") } else { format!("[{high}:{low}]") }
}

/// Clocked blocks, with those that hold nothing but plain assignments joined, clock by clock.
fn gathered(blocks: Vec<(String, Vec<Statement>)>) -> Vec<(String, Vec<Statement>)> {
    let plain = |statements: &[Statement]| statements.iter().all(|s| matches!(s, Statement::Assign(..)));
    let mut out: Vec<(String, Vec<Statement>)> = Vec::new();
    for (clock, statements) in blocks {
        let earlier = out.iter_mut().find(|(c, list)| *c == clock && plain(list));
        match earlier.filter(|_| plain(&statements)) {
            Some((_, list)) => list.extend(statements),
            None => out.push((clock, statements)),
        }
    }
    out
}

/// Adds an empty line, unless nothing is above it.
fn separate_if(wanted: bool, lines: &mut Vec<String>) {
    if wanted && !lines.is_empty() {
        lines.push(String::new());
    }
}

/// Adds lines after an empty one.
fn separate(lines: &mut Vec<String>, more: Vec<String>) {
    if !lines.is_empty() && !more.is_empty() {
        lines.push(String::new());
    }
    lines.extend(more);
}

/// What may stand in a port connection as it is.
fn is_simple(value: &Expr) -> bool {
    match value {
        Expr::Signal(_) | Expr::Literal(_) | Expr::Sized(..) => true,
        Expr::Slice(x, _, at) | Expr::Index(x, at) => matches!(**x, Expr::Signal(_)) && at.small().is_some(),
        _ => false,
    }
}

/// The statements without the leading `d = q` defaults: holding is what a clocked block does anyway.
/// A default that nothing follows stays, or the register would have no driver.
fn without_holds(statements: &[Statement], state_of: &BTreeMap<String, String>) -> Vec<Statement> {
    let holds =
        |target: &String, value: &Expr| matches!(value, Expr::Signal(q) if state_of.get(target) == Some(q));
    let mut written = BTreeSet::new();
    let mut rest = Vec::new();
    for (index, statement) in statements.iter().enumerate() {
        if let Statement::Assign(target, value, _) = statement {
            let first = written.insert(target.as_str());
            let mut later = false;
            statements[index + 1..].iter().for_each(|s| s.writes(&mut |t, _| later |= t == target));
            if first && later && holds(target, value) {
                continue;
            }
        }
        statement.writes(&mut |target, _| {
            written.insert(target);
        });
        rest.push(statement.clone());
    }
    rest
}
