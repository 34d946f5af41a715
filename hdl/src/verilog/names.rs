//! Names that every tool accepts: `[a-z0-9_]`, no keyword of Verilog, SystemVerilog, VHDL or C++.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The names in use in one scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// A clean name for a key that no other key of the scope has got.
    pub(super) fn claim(&mut self, key: &str) -> String {
        let name = self.free(key);
        self.taken.insert(name.clone());
        name
    }

    /// Whether a name is in use.
    pub(super) fn has(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// Takes over all the names of another scope.
    pub(super) fn absorb(&mut self, other: &Names) {
        self.taken.extend(other.taken.iter().cloned());
    }

    /// The name that `claim` would give, left free.
    pub(super) fn free(&self, key: &str) -> String {
        let base = clean(key);
        let mut name = base.clone();
        let mut number = 2;
        while self.taken.contains(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }
}

static ALL_RESERVED: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| RESERVED.iter().flat_map(|(_, words)| words.split_ascii_whitespace()).collect());

/// A key with every foreign character replaced; reserved words get `the_` in front.
///
/// VHDL allows no underscore at either end and no two in a row.
pub(super) fn clean(key: &str) -> String {
    let parts = key.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let mut name = parts.collect::<Vec<_>>().join("_").to_ascii_lowercase();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'n');
    }
    if ALL_RESERVED.contains(name.as_str()) {
        name.insert_str(0, "the_");
    }
    name
}

/// Words that are no names, by the language that reserves them.
///
/// VHDL's are here because a module may be instantiated from VHDL, those of C++ because Verilator makes
/// members of ports.
pub const RESERVED: [(&str, &str); 4] = [
    ("Verilog, IEEE 1364-2005 annex B", VERILOG),
    ("SystemVerilog, IEEE 1800-2017 and 1800-2023 annex B, beyond Verilog", SYSTEM_VERILOG),
    ("VHDL, IEEE 1076-2008 and 1076-2019 clause 15.10", VHDL),
    ("C++, ISO/IEC 14882:2020 clause 5.11", CPP),
];

const VERILOG: &str = "\
    always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign \
    default defparam design disable edge else end endcase endconfig endfunction endgenerate \
    endmodule endprimitive endspecify endtable endtask event for force forever fork function \
    generate genvar highz0 highz1 if ifnone incdir include initial inout input instance integer join \
    large liblist library localparam macromodule medium module nand negedge nmos nor noshowcancelled \
    not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1 pulldown pullup \
    pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat rnmos rpmos rtran \
    rtranif0 rtranif1 scalared showcancelled signed small specify specparam strong0 strong1 supply0 \
    supply1 table task time tran tranif0 tranif1 tri tri0 tri1 triand trior trireg unsigned use \
    uwire vectored wait wand weak0 weak1 while wire wor xnor xor";

const SYSTEM_VERILOG: &str = "\
    accept_on alias always_comb always_ff always_latch assert assume before bind bins binsof bit \
    break byte chandle checker class clocking const constraint context continue cover covergroup \
    coverpoint cross dist do endchecker endclass endclocking endgroup endinterface endpackage \
    endprogram endproperty endsequence enum eventually expect export extends extern final \
    first_match foreach forkjoin global iff ignore_bins illegal_bins implements implies import \
    inside int interconnect interface intersect join_any join_none let local logic longint matches \
    modport nettype new nexttime null package packed priority program property protected pure rand \
    randc randcase randsequence ref reject_on restrict return s_always s_eventually s_nexttime \
    s_until s_until_with sequence shortint shortreal soft solve static string strong struct super \
    sync_accept_on sync_reject_on tagged this throughout timeprecision timeunit type typedef union \
    unique unique0 until until_with untyped var virtual void wait_order weak wildcard with within";

const VHDL: &str = "\
    abs access after alias all and architecture array assert assume assume_guarantee attribute begin \
    block body buffer bus case component configuration constant context cover default disconnect \
    downto else elsif end entity exit fairness file for force function generate generic group \
    guarded if impure in inertial inout is label library linkage literal loop map mod nand new next \
    nor not null of on open or others out package parameter port postponed private procedure process \
    property protected pure range record register reject release rem report restrict \
    restrict_guarantee return rol ror select sequence severity shared signal sla sll sra srl strong \
    subtype then to transport type unaffected units until use variable view vmode vpkg vprop vunit \
    wait when while with xnor xor";

const CPP: &str = "\
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t \
    char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr \
    constinit continue decltype default delete do double dynamic_cast else enum explicit export \
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq \
    nullptr operator or or_eq private protected public register reinterpret_cast requires return \
    short signed sizeof static static_assert static_cast struct switch template this thread_local \
    throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while \
    xor xor_eq";

#[cfg(test)]
mod tests {
    use super::{Names, SYSTEM_VERILOG, VERILOG, clean};

    #[test]
    fn keywords_of_all_languages_are_avoided() {
        assert_eq!(clean("begin"), "the_begin");
        assert_eq!(clean("logic"), "the_logic");
        assert_eq!(clean("signal"), "the_signal");
        assert_eq!(clean("not_eq"), "the_not_eq");
        assert_eq!(clean("State$Idle"), "state_idle");
        assert_eq!(clean("3rd"), "n3rd");
        assert_eq!(clean("_a__b_"), "a_b");
        assert_eq!(clean("$"), "n");
    }

    /// As many as the annexes list.
    #[test]
    fn no_word_of_verilog_and_systemverilog_is_missing() {
        let words = |list: &str| list.split_ascii_whitespace().count();
        assert_eq!(words(VERILOG), 124);
        assert_eq!(words(VERILOG) + words(SYSTEM_VERILOG), 248);
    }

    #[test]
    fn clashing_names_are_numbered() {
        let mut names = Names::default();
        assert_eq!(names.claim("s$data"), "s_data");
        assert_eq!(names.claim("s_data"), "s_data_2");
        assert_eq!(names.claim("S_data"), "s_data_3");
        assert_eq!(names.free("s_data"), "s_data_4");
    }
}
