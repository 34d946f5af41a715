//! The outermost module of a board with an RGMII PHY on an ECP5, around [`Stream1g`].
//!
//! Clocks from the PLL and from the PHY, a reset for each of them, the pins of RGMII, and lamps. The
//! register port of the design is not connected: it keeps the values of its configuration. MDIO is left
//! alone: the PHY works as its straps say.
use crate::board::{ClockGenerator, InBand, RgmiiReceive, RgmiiTransmit, StartUp};
use crate::config::{Config, Led};
use crate::top::Stream1g;
use crate::verilog::{self, Emitted, Options};
use rust_hdl::prelude::*;

/// The shell of a configuration, if its board has one: the text of the outermost module and of all
/// below it.
///
/// # Errors
/// Faults of the gateware's own source.
pub fn emit(config: &Config, options: &Options) -> Option<Result<Emitted, verilog::Error>> {
    let parts = Parts::of(config)?;
    let button = config.board.as_ref().is_some_and(|board| board.port("rst_n").is_some());
    // The number of lamps is a width, and Rust-HDL knows widths when it is compiled.
    Some(match parts.leds.len() {
        1 => parts.emit::<1>(button, options),
        2 => parts.emit::<2>(button, options),
        3 => parts.emit::<3>(button, options),
        4 => parts.emit::<4>(button, options),
        5 => parts.emit::<5>(button, options),
        6 => parts.emit::<6>(button, options),
        7 => parts.emit::<7>(button, options),
        _ => parts.emit::<8>(button, options),
    })
}

/// What a shell is made of.
struct Parts {
    design: Stream1g,
    clocks: ClockGenerator,
    start_up: StartUp,
    transmit: RgmiiTransmit,
    receive: RgmiiReceive,
    in_band_status: bool,
    leds: Vec<Led>,
}

impl Parts {
    fn of(config: &Config) -> Option<Self> {
        let (board, pll) = (config.board.as_ref()?, config.pll()?);
        let rgmii = board.rgmii.as_ref()?;
        Some(Self {
            design: Stream1g::new(config),
            clocks: ClockGenerator::new(pll),
            start_up: StartUp::new(config.core_clock_hertz()),
            transmit: RgmiiTransmit::new(rgmii.tx_delay_ps),
            receive: RgmiiReceive::new(rgmii.rx_delay_ps),
            in_band_status: rgmii.in_band_status,
            leds: board.leds.clone(),
        })
    }

    fn emit<const N: usize>(self, button: bool, options: &Options) -> Result<Emitted, verilog::Error> {
        match button {
            true => verilog::emit_block(&mut ShellWithButton::<N>::new(self), options),
            false => verilog::emit_block(&mut Shell::<N>::new(self), options),
        }
    }
}

/// A shell, with a port for the button or without.
macro_rules! shell {
    ($name:ident, $doc:literal $(, $button:ident)?) => {
        #[doc = $doc]
        #[derive(LogicBlock)]
        struct $name<const N: usize> {
            /// The board's clock.
            pub clk_in: Signal<In, Clock>,
            $(
                /// Low: the button is pressed.
                pub $button: Signal<In, Bit>,
            )?
            /// Transmit clock.
            pub rgmii_txc: Signal<Out, Bit>,
            /// Transmit control.
            pub rgmii_tx_ctl: Signal<Out, Bit>,
            /// Transmit data.
            pub rgmii_txd: Signal<Out, Bits<4>>,
            /// Receive clock.
            pub rgmii_rxc: Signal<In, Clock>,
            /// Receive control.
            pub rgmii_rx_ctl: Signal<In, Bit>,
            /// Receive data.
            pub rgmii_rxd: Signal<In, Bits<4>>,
            /// Reset of the PHY, active low.
            pub phy_rst_n: Signal<Out, Bit>,
            /// Management clock: stands still.
            pub mdc: Signal<Out, Bit>,
            /// Management data: left alone.
            pub mdio: Signal<InOut, Bit>,
            /// Lamps.
            pub led: Signal<Out, Bits<N>>,

            design: Stream1g,
            clocks: ClockGenerator,
            start_up: StartUp,
            transmit: RgmiiTransmit,
            receive: RgmiiReceive,
            in_band: InBand,
            management: Released,
            status: Signal<Local, Bits<4>>,
            linked: Signal<Local, Bit>,
            lit: Signal<Local, Bits<N>>,
            /// The bits of `status` that each lamp shows.
            shown: [Constant<Bits<4>>; N],
            /// Lamps that are lit by a low pin.
            inverted: Constant<Bits<N>>,
            in_band_ignored: Constant<Bit>,
        }

        impl<const N: usize> $name<N> {
            fn new(parts: Parts) -> Self {
                let shown = |lamp: usize| 1_u64 << parts.leds[lamp].status.bit();
                let low = |lamp: &usize| parts.leds[*lamp].active_low;
                let inverted = (0..N).filter(low).fold(0_u64, |mask, lamp| mask | 1 << lamp);
                Self {
                    clk_in: Default::default(),
                    $($button: Default::default(),)?
                    rgmii_txc: Default::default(),
                    rgmii_tx_ctl: Default::default(),
                    rgmii_txd: Default::default(),
                    rgmii_rxc: Default::default(),
                    rgmii_rx_ctl: Default::default(),
                    rgmii_rxd: Default::default(),
                    phy_rst_n: Default::default(),
                    mdc: Default::default(),
                    mdio: Default::default(),
                    led: Default::default(),
                    shown: std::array::from_fn(|lamp| Constant::new(shown(lamp).to_bits())),
                    inverted: Constant::new(inverted.to_bits()),
                    design: parts.design,
                    clocks: parts.clocks,
                    start_up: parts.start_up,
                    transmit: parts.transmit,
                    receive: parts.receive,
                    in_band: Default::default(),
                    management: Default::default(),
                    status: Default::default(),
                    linked: Default::default(),
                    lit: Default::default(),
                    in_band_ignored: Constant::new(!parts.in_band_status),
                }
            }
        }

        impl<const N: usize> Logic for $name<N> {
            #[hdl_gen]
            fn update(&mut self) {
                // Clocks and resets.
                self.clocks.board.next = self.clk_in.val();
                self.start_up.clock.next = self.clocks.core.val();
                self.start_up.locked.next = self.clocks.locked.val();
                self.start_up.button_n.next = true;
                $(self.start_up.button_n.next = self.$button.val();)?
                self.phy_rst_n.next = self.start_up.phy_reset_n.val();
                self.design.clk.next = self.clocks.core.val();
                self.design.rst.next = self.start_up.reset.val();
                self.design.gmii_tx_clk.next = self.clocks.transmit.val();
                self.design.gmii_rx_clk.next = self.rgmii_rxc.val();

                // The PHY.
                self.transmit.clock.next = self.clocks.transmit.val();
                self.transmit.data.next = self.design.gmii_txd.val();
                self.transmit.enable.next = self.design.gmii_tx_en.val();
                self.transmit.error.next = self.design.gmii_tx_er.val();
                self.rgmii_txc.next = self.transmit.txc.val();
                self.rgmii_tx_ctl.next = self.transmit.tx_ctl.val();
                self.rgmii_txd.next = self.transmit.txd.val();
                self.receive.clock.next = self.rgmii_rxc.val();
                self.receive.rx_ctl.next = self.rgmii_rx_ctl.val();
                self.receive.rxd.next = self.rgmii_rxd.val();
                self.design.gmii_rxd.next = self.receive.data.val();
                self.design.gmii_rx_dv.next = self.receive.valid.val();
                self.design.gmii_rx_er.next = self.receive.error.val();
                self.mdc.next = false;
                Signal::<InOut, Bit>::link(&mut self.mdio, &mut self.management.pin);

                // The register port.
                self.design.s_axil.awaddr.next = 0.into();
                self.design.s_axil.awvalid.next = false;
                self.design.s_axil.wdata.next = 0.into();
                self.design.s_axil.wstrb.next = 0.into();
                self.design.s_axil.wvalid.next = false;
                self.design.s_axil.bready.next = true;
                self.design.s_axil.araddr.next = 0.into();
                self.design.s_axil.arvalid.next = false;
                self.design.s_axil.rready.next = true;

                // Lamps.
                self.in_band.clock.next = self.clocks.core.val();
                self.in_band.rx_clk.next = self.rgmii_rxc.val();
                self.in_band.data.next = self.receive.data.val();
                self.in_band.valid.next = self.receive.valid.val();
                self.in_band.error.next = self.receive.error.val();
                self.linked.next = self.in_band.up.val() | self.in_band_ignored.val();
                self.status.next = self.design.status.val();
                if !self.linked.val() {
                    self.status.next = self.design.status.val() & 0x0d;
                }
                self.lit.next = 0.into();
                for i in 0..N {
                    if (self.status.val() & self.shown[i].val()).any() {
                        self.lit.next = self.lit.val().replace_bit(i, true);
                    }
                }
                self.led.next = self.lit.val() ^ self.inverted.val();
            }
        }
    };
}

shell!(Shell, "A board without a reset button.");
shell!(ShellWithButton, "A board with a reset button.", rst_n);

/// A pin that the FPGA does not drive.
#[derive(LogicBlock, Default)]
pub struct Released {
    /// The pin.
    pub pin: Signal<InOut, Bit>,
}

impl Logic for Released {
    fn update(&mut self) {}

    fn connect(&mut self) {
        self.pin.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Wrapper(Wrapper {
            code: "// module: released - a pin that is not driven\nassign pin = 1'bz;\n".into(),
            cores: String::new(),
        })
    }
}
