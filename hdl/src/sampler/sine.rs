//! The sine table of the tone.
use fixed::types::I1F15;
use rust_hdl::prelude::*;

/// Entries of the table: one turn.
pub const ENTRIES: usize = 1024;

/// Entry `place` of the table: the sine of `place` / 1024 turns in units of 2^-15, scaled so that
/// its peak is the largest number, and rounded to the nearest.
pub fn sine(place: usize) -> I1F15 {
    let turns = place as f64 / ENTRIES as f64;
    I1F15::from_num((std::f64::consts::TAU * turns).sin() * I1F15::MAX.to_num::<f64>())
}

/// The table as a read-only memory that synthesis maps to block RAM.
#[derive(LogicBlock, Default)]
pub struct SineTable {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Look up `place`; otherwise `value` stays.
    pub enable: Signal<In, Bit>,
    /// Phase in units of 1/1024 turn.
    pub place: Signal<In, Bits<10>>,
    /// The sine in two's complement, one cycle later.
    pub value: Signal<Out, Bits<16>>,
}

impl Logic for SineTable {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.enable.val() {
            self.value.next = u64::from(sine(self.place.val().index()).to_bits() as u16).to_bits();
        }
    }

    fn connect(&mut self) {
        self.value.connect();
    }

    fn hdl(&self) -> Verilog {
        let entries: String =
            (0..ENTRIES).map(|n| format!("    words[{n}] = 16'h{:04x};\n", sine(n).to_bits())).collect();
        Verilog::Custom(format!(
            "\
// module: sine_table
reg [15:0] words [0:{last}];

initial begin
{entries}end

always @(posedge clock) begin
    if (enable) begin
        value <= words[place];
    end
end
",
            last = ENTRIES - 1,
        ))
    }
}
