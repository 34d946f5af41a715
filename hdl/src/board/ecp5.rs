//! The cells of an ECP5 that an RGMII shell needs (Lattice FPGA-TN-02200 for the PLL, FPGA-TN-02035 for
//! DDR cells and delays).
use crate::config::Pll;
use crate::verilog::{Direction, Primitive};
use rust_hdl::prelude::*;
use std::fmt::Write;

const EHXPLLL: Primitive = Primitive {
    name: "EHXPLLL",
    parameters: &[
        ("CLKI_DIV", "1"),
        ("CLKFB_DIV", "1"),
        ("CLKOP_DIV", "8"),
        ("CLKOS_DIV", "8"),
        ("CLKOP_CPHASE", "0"),
        ("CLKOS_CPHASE", "0"),
        ("CLKOP_ENABLE", "\"ENABLED\""),
        ("CLKOS_ENABLE", "\"DISABLED\""),
        ("FEEDBK_PATH", "\"CLKOP\""),
    ],
    ports: &[
        ("CLKI", Direction::Input, 1),
        ("CLKFB", Direction::Input, 1),
        ("RST", Direction::Input, 1),
        ("STDBY", Direction::Input, 1),
        ("PHASESEL0", Direction::Input, 1),
        ("PHASESEL1", Direction::Input, 1),
        ("PHASEDIR", Direction::Input, 1),
        ("PHASESTEP", Direction::Input, 1),
        ("PHASELOADREG", Direction::Input, 1),
        ("PLLWAKESYNC", Direction::Input, 1),
        ("ENCLKOP", Direction::Input, 1),
        ("ENCLKOS", Direction::Input, 1),
        ("CLKOP", Direction::Output, 1),
        ("CLKOS", Direction::Output, 1),
        ("LOCK", Direction::Output, 1),
    ],
};
const ODDRX1F: Primitive = Primitive {
    name: "ODDRX1F",
    parameters: &[],
    ports: &[
        ("D0", Direction::Input, 1),
        ("D1", Direction::Input, 1),
        ("SCLK", Direction::Input, 1),
        ("RST", Direction::Input, 1),
        ("Q", Direction::Output, 1),
    ],
};
const IDDRX1F: Primitive = Primitive {
    name: "IDDRX1F",
    parameters: &[],
    ports: &[
        ("D", Direction::Input, 1),
        ("SCLK", Direction::Input, 1),
        ("RST", Direction::Input, 1),
        ("Q0", Direction::Output, 1),
        ("Q1", Direction::Output, 1),
    ],
};
const DELAYG: Primitive = Primitive {
    name: "DELAYG",
    parameters: &[("DEL_MODE", "\"USER_DEFINED\""), ("DEL_VALUE", "0")],
    ports: &[("A", Direction::Input, 1), ("Z", Direction::Output, 1)],
};

/// Picoseconds of a step of DELAYG.
const STEP_PS: u32 = 25;
/// Its largest number of steps.
const STEPS: u32 = 127;

/// The steps nearest to a delay in ps, as many as there are.
fn steps(delay_ps: u32) -> u32 {
    ((delay_ps + STEP_PS / 2) / STEP_PS).min(STEPS)
}

/// A cell that delays the signal `from` into `to`.
fn delay(name: &str, delay_ps: u32, from: &str, to: &str) -> String {
    let value = steps(delay_ps);
    format!("DELAYG #(.DEL_MODE(\"USER_DEFINED\"), .DEL_VALUE({value})) {name} (.A({from}), .Z({to}));\n")
}

/// The PLL: from the board's clock to transmit clock and core clock.
#[derive(LogicBlock)]
pub struct ClockGenerator {
    /// The board's clock.
    pub board: Signal<In, Clock>,
    /// 125 MHz.
    pub transmit: Signal<Out, Clock>,
    /// The core clock.
    pub core: Signal<Out, Clock>,
    /// Both are as they should be; of no clock.
    pub locked: Signal<Out, Bit>,

    _pll: Pll,
}

impl ClockGenerator {
    /// A PLL with these dividers.
    pub fn new(pll: Pll) -> Self {
        Self {
            board: Default::default(),
            transmit: Default::default(),
            core: Default::default(),
            locked: Default::default(),
            _pll: pll,
        }
    }
}

impl Logic for ClockGenerator {
    fn update(&mut self) {}

    fn connect(&mut self) {
        self.transmit.connect();
        self.core.connect();
        self.locked.connect();
    }

    fn hdl(&self) -> Verilog {
        let Pll { input_divider, feedback_divider, transmit_divider, core_divider } = self._pll;
        // A coarse phase of divider - 1 makes the outputs rise together.
        let code = format!(
            "\
// module: clock_generator - board clock to transmit clock and core clock
EHXPLLL #(
    .CLKI_DIV({input_divider}),
    .CLKFB_DIV({feedback_divider}),
    .CLKOP_DIV({transmit_divider}),
    .CLKOP_CPHASE({transmit_phase}),
    .CLKOP_ENABLE(\"ENABLED\"),
    .CLKOS_DIV({core_divider}),
    .CLKOS_CPHASE({core_phase}),
    .CLKOS_ENABLE(\"ENABLED\"),
    .FEEDBK_PATH(\"CLKOP\")
) pll (
    .CLKI(board),
    .CLKFB(transmit),
    .RST(1'b0),
    .STDBY(1'b0),
    .PHASESEL0(1'b0),
    .PHASESEL1(1'b0),
    .PHASEDIR(1'b1),
    .PHASESTEP(1'b1),
    .PHASELOADREG(1'b1),
    .PLLWAKESYNC(1'b0),
    .ENCLKOP(1'b0),
    .ENCLKOS(1'b0),
    .CLKOP(transmit),
    .CLKOS(core),
    .LOCK(locked)
);
",
            transmit_phase = transmit_divider - 1,
            core_phase = core_divider - 1,
        );
        Verilog::Wrapper(Wrapper { code, cores: EHXPLLL.declaration() })
    }
}

/// GMII to the transmit pins of RGMII (RGMII 2.0 section 3): the lower half of an octet with the rising
/// edge, the upper one with the falling edge.
#[derive(LogicBlock)]
pub struct RgmiiTransmit {
    /// The transmit clock, 125 MHz.
    pub clock: Signal<In, Clock>,
    /// GMII transmit data.
    pub data: Signal<In, Bits<8>>,
    /// GMII transmit enable.
    pub enable: Signal<In, Bit>,
    /// GMII transmit error.
    pub error: Signal<In, Bit>,
    /// The clock at the pin.
    pub txc: Signal<Out, Bit>,
    /// Enable, and enable xor error.
    pub tx_ctl: Signal<Out, Bit>,
    /// Data.
    pub txd: Signal<Out, Bits<4>>,

    _delay_ps: u32,
}

impl RgmiiTransmit {
    /// Pins whose clock leaves so many ps later than the data.
    pub fn new(delay_ps: u32) -> Self {
        Self {
            clock: Default::default(),
            data: Default::default(),
            enable: Default::default(),
            error: Default::default(),
            txc: Default::default(),
            tx_ctl: Default::default(),
            txd: Default::default(),
            _delay_ps: delay_ps,
        }
    }
}

/// A cell that sends `rise` and `fall` to `pin`.
fn output(name: &str, rise: &str, fall: &str, pin: &str) -> String {
    format!("ODDRX1F {name} (.D0({rise}), .D1({fall}), .SCLK(clock), .RST(1'b0), .Q({pin}));\n")
}

impl Logic for RgmiiTransmit {
    fn update(&mut self) {}

    fn connect(&mut self) {
        self.txc.connect();
        self.tx_ctl.connect();
        self.txd.connect();
    }

    fn hdl(&self) -> Verilog {
        let mut code = String::from("// module: rgmii_transmit - GMII to the transmit pins of RGMII\n");
        code += "wire clock_out;\n";
        code += &output("clock_cell", "1'b1", "1'b0", "clock_out");
        code += &delay("clock_delay", self._delay_ps, "clock_out", "txc");
        code += &output("control_cell", "enable", "enable ^ error", "tx_ctl");
        for bit in 0..4 {
            let (low, high) = (format!("data[{bit}]"), format!("data[{}]", bit + 4));
            code += &output(&format!("data_cell_{bit}"), &low, &high, &format!("txd[{bit}]"));
        }
        Verilog::Wrapper(Wrapper { code, cores: ODDRX1F.declaration() + &DELAYG.declaration() })
    }
}

/// The receive pins of RGMII to GMII.
#[derive(LogicBlock)]
pub struct RgmiiReceive {
    /// The receive clock as it comes from the PHY.
    pub clock: Signal<In, Clock>,
    /// Data valid, and data valid xor error.
    pub rx_ctl: Signal<In, Bit>,
    /// Data.
    pub rxd: Signal<In, Bits<4>>,
    /// GMII receive data.
    pub data: Signal<Out, Bits<8>>,
    /// GMII receive data valid.
    pub valid: Signal<Out, Bit>,
    /// GMII receive error.
    pub error: Signal<Out, Bit>,

    _delay_ps: u32,
}

impl RgmiiReceive {
    /// Pins whose data and control arrive so many ps later at the cells.
    pub fn new(delay_ps: u32) -> Self {
        Self {
            clock: Default::default(),
            rx_ctl: Default::default(),
            rxd: Default::default(),
            data: Default::default(),
            valid: Default::default(),
            error: Default::default(),
            _delay_ps: delay_ps,
        }
    }

    /// Cells that take `pin` apart into `rise` and `fall`.
    fn input(&self, code: &mut String, name: &str, pin: &str, rise: &str, fall: &str) {
        let delayed = format!("{name}_delayed");
        let _ = writeln!(code, "wire {delayed};");
        *code += &delay(&format!("{name}_delay"), self._delay_ps, pin, &delayed);
        let _ = writeln!(
            code,
            "IDDRX1F {name}_cell (.D({delayed}), .SCLK(clock), .RST(1'b0), .Q0({rise}), .Q1({fall}));"
        );
    }
}

impl Logic for RgmiiReceive {
    fn update(&mut self) {}

    fn connect(&mut self) {
        self.data.connect();
        self.valid.connect();
        self.error.connect();
    }

    fn hdl(&self) -> Verilog {
        let mut code = String::from("// module: rgmii_receive - receive pins of RGMII to GMII\n");
        code += "wire rise;\nwire fall;\nassign valid = rise;\nassign error = rise ^ fall;\n";
        self.input(&mut code, "control", "rx_ctl", "rise", "fall");
        for bit in 0..4 {
            let (low, high) = (format!("data[{bit}]"), format!("data[{}]", bit + 4));
            self.input(&mut code, &format!("data_{bit}"), &format!("rxd[{bit}]"), &low, &high);
        }
        Verilog::Wrapper(Wrapper { code, cores: IDDRX1F.declaration() + &DELAYG.declaration() })
    }
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn delays_are_rounded_to_steps_of_25_ps_and_end_at_the_last_one() {
        assert_eq!([0, 12, 13, 1000, 2000, 3175, 9000].map(steps), [0, 0, 1, 40, 80, 127, 127]);
    }
}
