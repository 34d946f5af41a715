//! The names of one module: what each key is called in Verilog, and which bits of it are used.

use super::error::Fault;
use super::names::Names;
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// What a key stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Own input or bidirectional port.
    Input,
    /// Own output. Reading it in `update` gives the value assigned above.
    Output,
    /// Local signal. Reading it in `update` gives the value assigned above.
    Local,
    /// A Constant field.
    Constant,
    /// An enum value.
    Label,
    /// Input of a block below; reading it gives the settled value.
    ChildInput,
    /// Output of a block below.
    ChildOutput,
    /// Output of a flip-flop.
    State,
    /// Input of a flip-flop.
    NextState,
    /// Clock of a flip-flop.
    StateClock,
}

impl Role {
    /// Whether a read sees what the statements above have assigned, not the settled value.
    pub(super) fn reads_in_order(self) -> bool {
        matches!(self, Self::Output | Self::Local)
    }
}

/// A signal, Constant or enum value.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    /// Name in the Verilog text.
    pub(super) name: String,
    pub(super) width: usize,
    pub(super) signed: bool,
    pub(super) role: Role,
    /// Value of a Constant or an enum value.
    pub(super) value: Option<BigUint>,
}

/// All symbols of a module.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) names: Names,
    symbols: BTreeMap<String, Symbol>,
    /// Keys as they were added, which is the order of the fields.
    order: Vec<String>,
    /// Bits that the text reads, by key.
    used: BTreeMap<String, BigUint>,
    /// Enum values that mean two things.
    pub(super) ambiguous: Vec<String>,
}

/// `count` ones from bit `lowest` up.
pub(super) fn ones(lowest: usize, count: usize) -> BigUint {
    ((BigUint::from(1_u8) << count) - 1_u8) << lowest
}

/// `[7:0] ` before a name, nothing for one bit.
pub(super) fn range(width: usize) -> String {
    match width {
        1 => String::new(),
        _ => format!("[{}:0] ", width - 1),
    }
}

impl Scope {
    /// Adds a symbol under a clean name made from `wish`.
    pub(super) fn add(&mut self, key: &str, wish: &str, width: usize, signed: bool, role: Role) -> String {
        let name = self.names.claim(wish);
        self.insert(key, Symbol { name: name.clone(), width, signed, role, value: None });
        name
    }

    /// Adds a symbol with a value.
    pub(super) fn add_value(&mut self, key: &str, width: usize, signed: bool, role: Role, value: BigUint) {
        let name = self.names.claim(key);
        self.insert(key, Symbol { name, width, signed, role, value: Some(value) });
    }

    fn insert(&mut self, key: &str, symbol: Symbol) {
        if self.symbols.insert(key.into(), symbol).is_none() {
            self.order.push(key.into());
        }
    }

    /// Lets a key share the net of another name.
    pub(super) fn rename(&mut self, key: &str, name: &str) {
        if let Some(symbol) = self.symbols.get_mut(key) {
            symbol.name = name.into();
        }
    }

    /// The symbol of a key.
    pub(super) fn get(&self, key: &str) -> Result<&Symbol, Fault> {
        if self.ambiguous.iter().any(|a| a == key) {
            return Err(Fault::AmbiguousLabel(super::error::spoken(key)));
        }
        self.symbols.get(key).ok_or_else(|| Fault::UnknownName(super::error::spoken(key)))
    }

    /// The role of a key, if it is known.
    pub(super) fn role(&self, key: &str) -> Option<Role> {
        self.symbols.get(key).map(|s| s.role)
    }

    /// The width of a key, 1 if it is not known.
    pub(super) fn width(&self, key: &str) -> usize {
        self.symbols.get(key).map_or(1, |s| s.width)
    }

    /// Notes that the text reads these bits.
    pub(super) fn mark(&mut self, key: &str, lowest: usize, count: usize) {
        *self.used.entry(key.into()).or_default() |= ones(lowest, count);
    }

    /// Whether the text reads any bit of the key.
    pub(super) fn is_used(&self, key: &str) -> bool {
        self.used.contains_key(key)
    }

    /// The symbols in the order in which they were added.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Symbol)> {
        self.order.iter().map(|k| (k.as_str(), &self.symbols[k]))
    }

    /// The bits of a signal that the text never reads, as Verilog selections.
    pub(super) fn unused(&self, key: &str) -> Vec<String> {
        let Some(symbol) = self.symbols.get(key) else { return Vec::new() };
        let Some(used) = self.used.get(key) else { return vec![symbol.name.clone()] };
        let mut pieces = Vec::new();
        let mut bit = 0;
        while bit < symbol.width {
            let free = (bit..symbol.width).take_while(|b| !used.bit(*b as u64)).count();
            match free {
                0 => {}
                1 => pieces.push(format!("{}[{bit}]", symbol.name)),
                _ => pieces.push(format!("{}[{}:{bit}]", symbol.name, bit + free - 1)),
            }
            bit += free + 1;
        }
        pieces
    }
}
