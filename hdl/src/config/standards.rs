//! What the parts of a family share: the tools that take them, and the I/O standards of their pins.

use serde::Serialize;

/// A family of FPGAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Lattice ECP5 and ECP5-5G.
    Ecp5,
    /// Xilinx Virtex-II Pro.
    Virtex2p,
    /// Xilinx Artix-7.
    Artix7,
    /// Xilinx Kintex-7.
    Kintex7,
    /// Xilinx Virtex-7.
    Virtex7,
}

/// Tools that make a bitstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Flow {
    /// Yosys, nextpnr-ecp5 and ecppack: open, and what `nicforge build` runs.
    #[serde(rename = "nextpnr-ecp5")]
    NextpnrEcp5,
    /// Vivado.
    #[serde(rename = "vivado")]
    Vivado,
    /// ISE 10.1, the last line that knows Virtex-II Pro.
    #[serde(rename = "ise")]
    Ise,
}

/// Families by their names in board files.
pub(super) const FAMILIES: &[(&str, Family)] = &[
    ("ecp5", Family::Ecp5),
    ("virtex2p", Family::Virtex2p),
    ("artix7", Family::Artix7),
    ("kintex7", Family::Kintex7),
    ("virtex7", Family::Virtex7),
];

/// Flows by their names in board files.
pub(super) const FLOWS: &[(&str, Flow)] =
    &[("nextpnr-ecp5", Flow::NextpnrEcp5), ("vivado", Flow::Vivado), ("ise", Flow::Ise)];

/// The name that belongs to a value of one of the lists above.
pub(super) fn name_of<T: PartialEq>(list: &[(&'static str, T)], value: &T) -> &'static str {
    list.iter().find(|(_, other)| other == value).expect("the lists name every value, and a test holds it").0
}

impl Family {
    /// Name, as in board files.
    pub fn name(self) -> &'static str {
        name_of(FAMILIES, &self)
    }
    /// The flow that takes parts of the family.
    pub fn flow(self) -> Flow {
        match self {
            Family::Ecp5 => Flow::NextpnrEcp5,
            Family::Virtex2p => Flow::Ise,
            Family::Artix7 | Family::Kintex7 | Family::Virtex7 => Flow::Vivado,
        }
    }
    /// The I/O standards that pins of the family can have.
    pub(super) fn standards(self) -> impl Iterator<Item = &'static Standard> {
        let own = match self {
            Family::Ecp5 => ECP5,
            Family::Virtex2p => VIRTEX2P,
            Family::Artix7 | Family::Kintex7 | Family::Virtex7 => SERIES7,
        };
        own.iter().chain([&TRANSCEIVER])
    }
}

impl Flow {
    /// Name, as in board files.
    pub fn name(self) -> &'static str {
        name_of(FLOWS, &self)
    }
}

/// The name in board files for pins of a transceiver, which have no I/O standard to choose.
pub const MGT: &str = "MGT";

/// An I/O standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standard {
    /// Name, as the tools of the family call it.
    pub(super) name: &'static str,
    /// Supply of the bank that an output needs; 0 for pins outside the I/O banks.
    pub(super) millivolts: u32,
    /// How a pin of this standard looks.
    pub(super) pair: Pair,
}

/// Whether a standard takes two pins, and what its receiver asks of the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pair {
    /// One pin; the receiver's threshold follows the bank's supply.
    Single,
    /// Two pins; the receiver alone works at any supply.
    Differential,
    /// Two pins with a terminated receiver, which needs the supply too.
    Terminated,
}

const TRANSCEIVER: Standard = Standard { name: MGT, millivolts: 0, pair: Pair::Differential };

const fn single(name: &'static str, millivolts: u32) -> Standard {
    Standard { name, millivolts, pair: Pair::Single }
}

const fn differential(name: &'static str, millivolts: u32) -> Standard {
    Standard { name, millivolts, pair: Pair::Differential }
}

/// As nextpnr-ecp5 takes them for `IO_TYPE`.
const ECP5: &[Standard] = &[
    single("LVCMOS33", 3300),
    single("LVTTL33", 3300),
    single("LVCMOS25", 2500),
    single("LVCMOS18", 1800),
    single("LVCMOS15", 1500),
    single("LVCMOS12", 1200),
    single("SSTL18_I", 1800),
    single("SSTL15_I", 1500),
    single("SSTL135_I", 1350),
    single("HSUL12", 1200),
    differential("LVDS", 2500),
    differential("LVCMOS33D", 3300),
    differential("LVCMOS25D", 2500),
    differential("SSTL15D_I", 1500),
    differential("SSTL135D_I", 1350),
];

/// The ones of Virtex-II Pro that boards use; `_DT` ends the line on the die.
const VIRTEX2P: &[Standard] = &[
    single("LVTTL", 3300),
    single("LVCMOS33", 3300),
    single("LVCMOS25", 2500),
    single("LVCMOS18", 1800),
    single("LVCMOS15", 1500),
    single("SSTL2_I", 2500),
    single("SSTL18_I", 1800),
    single("HSTL_I", 1500),
    differential("LVDS_25", 2500),
    differential("LVDSEXT_25", 2500),
    differential("LVPECL_25", 2500),
    Standard { name: "LVDS_25_DT", millivolts: 2500, pair: Pair::Terminated },
];

/// The ones of the 7 series that boards use.
const SERIES7: &[Standard] = &[
    single("LVTTL", 3300),
    single("LVCMOS33", 3300),
    single("LVCMOS25", 2500),
    single("LVCMOS18", 1800),
    single("LVCMOS15", 1500),
    single("LVCMOS12", 1200),
    single("SSTL15", 1500),
    single("SSTL135", 1350),
    single("HSTL_I", 1500),
    differential("LVDS", 1800),
    differential("LVDS_25", 2500),
    differential("DIFF_SSTL15", 1500),
    differential("DIFF_SSTL135", 1350),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_a_name_and_standards_of_distinct_names() {
        for (name, family) in FAMILIES {
            assert_eq!(family.name(), *name);
            assert!(FLOWS.iter().any(|(_, flow)| *flow == family.flow()));
            let mut names: Vec<_> = family.standards().map(|standard| standard.name).collect();
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "{name}");
        }
        for (name, flow) in FLOWS {
            assert_eq!(flow.name(), *name);
        }
    }
}
