//! Link faults: the state diagram of IEEE 802.3 clause 46.3.4, one column of four octets at a time.

/// What an end of a link says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The receive side of the one who reads it has no signal.
    Local,
    /// The end that sends it has no signal.
    Remote,
}

/// Columns without a fault sequence after which everything is well.
const QUIET_COLUMNS: u32 = 128;
/// Fault sequences of one kind that make a fault.
const SEQUENCES: u32 = 4;

/// The fault sequence in a column: the sequence code in the first lane, then 0, 0 and the kind as data.
pub fn sequence(octets: [u8; 4], controls: [bool; 4]) -> Option<Fault> {
    match (octets, controls) {
        ([0x9c, 0, 0, 1], [true, false, false, false]) => Some(Fault::Local),
        ([0x9c, 0, 0, 2], [true, false, false, false]) => Some(Fault::Remote),
        _ => None,
    }
}

/// The receiver of fault sequences.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkFault {
    status: Option<Fault>,
    kind: Option<Fault>,
    seen: u32,
    quiet: u32,
}

impl LinkFault {
    /// Takes a column and says how the link stands behind it.
    pub fn column(&mut self, sequence: Option<Fault>) -> Option<Fault> {
        match sequence {
            Some(kind) => {
                self.seen = if self.kind == Some(kind) { self.seen + 1 } else { 1 };
                self.kind = Some(kind);
                self.quiet = 0;
                if self.seen >= SEQUENCES {
                    self.status = Some(kind);
                }
            }
            None => {
                self.quiet += 1;
                if self.quiet >= QUIET_COLUMNS {
                    *self = Self::default();
                }
            }
        }
        self.status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(columns: impl IntoIterator<Item = Option<Fault>>) -> Option<Fault> {
        let mut link = LinkFault::default();
        columns.into_iter().fold(None, |_, column| link.column(column))
    }

    #[test]
    fn the_fourth_sequence_of_a_kind_makes_the_fault() {
        let local = Some(Fault::Local);
        assert_eq!(after([local; 3]), None);
        assert_eq!(after([local; 4]), local);
        assert_eq!(after([local, local, local, Some(Fault::Remote), local]), None);
    }

    #[test]
    fn a_hundred_and_twenty_eight_quiet_columns_end_everything() {
        let remote = Some(Fault::Remote);
        let quiet = |columns: usize| [remote; 4].into_iter().chain(vec![None; columns]);
        assert_eq!(after(quiet(127)), remote);
        assert_eq!(after(quiet(128)), None);
        let spaced = |gap: usize| (0..4).flat_map(move |_| [None].repeat(gap).into_iter().chain([remote]));
        assert_eq!(after(spaced(127)), remote);
        assert_eq!(after(spaced(128)), None);
    }
}
