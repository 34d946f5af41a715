//! Register accesses on a card.

use std::path::PathBuf;

use nicforge_host::{Bar, Card, Named, RegisterValue};
use serde::Serialize;

use crate::boards::BoardFolders;
use crate::error::Error;
use crate::report::{Report, table};
use crate::stepped::SteppedBar;

/// Which card is meant.
#[derive(clap::Args, Debug)]
struct Which {
    /// Simulate the board of this configuration, fresh from reset.
    #[arg(long, value_name = "FILE")]
    sim: PathBuf,
    #[command(flatten)]
    boards: BoardFolders,
}

impl Which {
    fn open(&self) -> Result<Card<SteppedBar>, Error> {
        let config = self.boards.load(&self.sim)?;
        Ok(Card::open(SteppedBar::power_up(&config)?)?)
    }
}

/// Read registers or fields.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge regs read ip udp_tx_control.ttl --sim configs/ibob.toml")]
pub struct Read {
    /// Names such as `ip` or `udp_tx_control.ttl`.
    #[arg(required = true)]
    names: Vec<String>,
    #[command(flatten)]
    which: Which,
}

/// Write a register or field, and read it back.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge regs write udp_tx_control.ttl 3 --sim configs/ibob.toml")]
pub struct Write {
    /// A name such as `ip` or `udp_tx_control.ttl`.
    name: String,
    /// The value, decimal or with 0x, 0o or 0b in front.
    #[arg(value_parser = number)]
    value: u32,
    #[command(flatten)]
    which: Which,
}

/// Read all registers of a card.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge regs dump --sim configs/ibob.toml --json")]
pub struct Dump {
    #[command(flatten)]
    which: Which,
}

/// Values read.
#[derive(Serialize, Debug)]
pub struct Values {
    values: Vec<Value>,
}

#[derive(Serialize, Debug)]
struct Value {
    name: String,
    value: u32,
}

impl Value {
    fn row(&self) -> Vec<String> {
        vec![self.name.clone(), format!("{:#x}", self.value), self.value.to_string()]
    }
}

impl Report for Values {
    fn text(&self) -> String {
        table(&self.values.iter().map(Value::row).collect::<Vec<_>>())
    }
}

/// A value written.
#[derive(Serialize, Debug)]
pub struct Written {
    name: String,
    before: u32,
    after: u32,
}

impl Report for Written {
    fn text(&self) -> String {
        format!("{}: was {:#x}, is {:#x}\n", self.name, self.before, self.after)
    }
}

/// All registers of a card.
#[derive(Serialize, Debug)]
pub struct Dumped {
    registers: Vec<RegisterValue>,
}

impl Report for Dumped {
    fn text(&self) -> String {
        let mut rows = Vec::new();
        for register in &self.registers {
            let fields: Vec<String> =
                register.fields.iter().map(|(name, value)| format!("{name}={value:#x}")).collect();
            let (offset, word) = (format!("{:#05x}", register.offset), format!("{:08x}", register.word));
            rows.push(vec![offset, register.name.to_owned(), word, fields.join(" ")]);
        }
        table(&rows)
    }
}

impl Read {
    pub fn run(self) -> Result<Values, Error> {
        check_names(&self.names)?;
        let mut card = self.which.open()?;
        let mut read = |name: String| {
            let value = card.get_named(&name)?;
            Ok(Value { name, value })
        };
        let values = self.names.into_iter().map(&mut read).collect::<Result<_, Error>>()?;
        Ok(Values { values })
    }
}

impl Write {
    pub fn run(self) -> Result<Written, Error> {
        check_names(std::slice::from_ref(&self.name))?;
        write(&mut self.which.open()?, self.name, self.value)
    }
}

fn write<B: Bar>(card: &mut Card<B>, name: String, value: u32) -> Result<Written, Error> {
    let before = card.get_named(&name)?;
    card.set_named(&name, value)?;
    let after = card.get_named(&name)?;
    Ok(Written { name, before, after })
}

impl Dump {
    pub fn run(self) -> Result<Dumped, Error> {
        Ok(Dumped { registers: self.which.open()?.dump()? })
    }
}

/// A mistyped name is told before a board is compiled.
fn check_names(names: &[String]) -> Result<(), Error> {
    names.iter().try_for_each(|name| Named::find(name).map(|_| ()).map_err(Error::from))
}

fn number(text: &str) -> Result<u32, String> {
    let (digits, radix) = match text.get(..2) {
        Some("0x") => (&text[2..], 16),
        Some("0o") => (&text[2..], 8),
        Some("0b") => (&text[2..], 2),
        _ => (text, 10),
    };
    u32::from_str_radix(&digits.replace('_', ""), radix)
        .map_err(|_| "wanted a number of at most 32 bits, such as 64 or 0x40".to_owned())
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_may_have_any_of_four_radices_and_nothing_else() {
        assert_eq!(number("64"), Ok(64));
        assert_eq!(number("0xffff_ffff"), Ok(u32::MAX));
        assert_eq!(number("0b101"), Ok(5));
        assert_eq!(number("0o17"), Ok(15));
        for bad in ["", "0x", "-1", "1.5", "4294967296", "ttl", "é1"] {
            assert!(number(bad).is_err(), "{bad}");
        }
    }
}
