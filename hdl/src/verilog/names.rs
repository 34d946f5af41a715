//! Names that every tool accepts: `[a-z0-9_]`, no keyword of Verilog, SystemVerilog, VHDL or C++.

use std::collections::BTreeSet;

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

/// A key with every foreign character replaced; keywords get an underscore at the end.
pub(super) fn clean(key: &str) -> String {
    let mut name = String::new();
    for c in key.chars() {
        name.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'n');
    }
    if KEYWORDS.split_ascii_whitespace().any(|k| k == name) {
        name.push('_');
    }
    name
}

/// Reserved words of IEEE 1364-2005 annex B, IEEE 1800-2017 annex B, IEEE 1076-2008 clause 15.10 and
/// ISO C++ 2020 clause 5.11. VHDL's are here because a port may be instantiated from VHDL, those of
/// C++ because Verilator makes members of ports.
const KEYWORDS: &str = "\
    abs accept_on access after alias alignas alignof all always always_comb always_ff always_latch and \
    and_eq architecture array asm assert assign assume assume_guarantee attribute auto automatic before \
    begin bind bins binsof bit bitand bitor block body bool break buf buffer bufif0 bufif1 bus byte case \
    casex casez catch cell chandle char char16_t char32_t char8_t checker class clocking cmos co_await \
    co_return co_yield compl component concept config configuration const const_cast constant consteval \
    constexpr constinit constraint context continue cover covergroup coverpoint cross deassign decltype \
    default defparam delete design disable disconnect dist do double downto dynamic_cast edge else elsif \
    end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface \
    endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable endtask \
    entity enum event eventually exit expect explicit export extends extern fairness false file final \
    first_match float for force foreach forever fork forkjoin friend function generate generic genvar \
    global goto group guarded highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies \
    import impure in incdir include inertial initial inline inout input inside instance int integer \
    interconnect interface intersect is join join_any join_none label large let liblist library linkage \
    literal local localparam logic long longint loop macromodule map matches medium mod modport module \
    mutable namespace nand negedge nettype new next nexttime nmos noexcept nor noshowcancelled not \
    not_eq notif0 notif1 null nullptr of on open operator or or_eq others out output package packed \
    parameter pmos port posedge postponed primitive priority private procedure process program property \
    protected public pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc \
    randcase randsequence range rcmos real realtime record ref reg register reinterpret_cast reject \
    reject_on release rem repeat report requires restrict restrict_guarantee return rnmos rol ror rpmos \
    rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared select \
    sequence severity shared short shortint shortreal showcancelled signal signed sizeof sla sll small \
    soft solve specify specparam sra srl static static_assert static_cast string strong strong0 strong1 \
    struct subtype super supply0 supply1 switch sync_accept_on sync_reject_on table tagged task template \
    then this thread_local throughout throw time timeprecision timeunit to tran tranif0 tranif1 \
    transport tri tri0 tri1 triand trior trireg true try type typedef typeid typename unaffected union \
    unique unique0 units unsigned until until_with untyped use using uwire var variable vectored virtual \
    vmode void volatile vprop vunit wait wait_order wand wchar_t weak weak0 weak1 when while wildcard \
    wire with within wor xnor xor xor_eq";

#[cfg(test)]
mod tests {
    use super::{Names, clean};

    #[test]
    fn keywords_of_all_languages_are_avoided() {
        assert_eq!(clean("begin"), "begin_");
        assert_eq!(clean("logic"), "logic_");
        assert_eq!(clean("signal"), "signal_");
        assert_eq!(clean("not_eq"), "not_eq_");
        assert_eq!(clean("State$Idle"), "state_idle");
        assert_eq!(clean("3rd"), "n3rd");
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
