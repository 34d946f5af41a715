//! From AXI4-Lite to the card's register bus.
//!
//! One access at a time. Address and data of a write may come in any order; where a read and a
//! write wait together they take turns. An access that no register answers, an address that is
//! no multiple of four and a write with a partial strobe end with SLVERR and change nothing.
use super::{AxiLiteSlave, BusSource};
use rust_hdl::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Phase {
    /// Nothing under way.
    Idle,
    /// The access is on the bus.
    Request,
    /// The registers look for the address.
    Search,
    /// The registers answer.
    Answer,
    /// The answer waits for the master.
    Respond,
}

/// AXI4-Lite slave, register bus master.
///
/// The answer is valid five cycles after the address (of a write: address or data, whichever is
/// later) was taken.
#[derive(LogicBlock)]
pub struct AxiLite {
    /// Clock of everything.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: forgets accesses under way and takes none.
    pub reset: Signal<In, Bit>,
    /// The port.
    pub s_axil: AxiLiteSlave,
    /// The registers.
    pub bus: BusSource,

    phase: DFF<Phase>,
    writing: DFF<Bit>,
    address: DFF<Bits<12>>,
    write_address: DFF<Bits<12>>,
    write_address_held: DFF<Bit>,
    write_data: DFF<Bits<32>>,
    write_whole: DFF<Bit>,
    write_data_held: DFF<Bit>,
    read_address: DFF<Bits<12>>,
    read_address_held: DFF<Bit>,
    answer: DFF<Bits<32>>,
    failed: DFF<Bit>,

    okay: Constant<Bits<2>>,
    slave_error: Constant<Bits<2>>,
    response: Signal<Local, Bits<2>>,
    write_waits: Signal<Local, Bit>,
    aligned: Signal<Local, Bit>,
    requests: Signal<Local, Bit>,
    responds: Signal<Local, Bit>,
}

impl Default for AxiLite {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            reset: Signal::default(),
            s_axil: AxiLiteSlave::default(),
            bus: BusSource::default(),
            phase: DFF::default(),
            writing: DFF::default(),
            address: DFF::default(),
            write_address: DFF::default(),
            write_address_held: DFF::default(),
            write_data: DFF::default(),
            write_whole: DFF::default(),
            write_data_held: DFF::default(),
            read_address: DFF::default(),
            read_address_held: DFF::default(),
            answer: DFF::default(),
            failed: DFF::default(),
            okay: Constant::new(0b00_u8.to_bits()),
            slave_error: Constant::new(0b10_u8.to_bits()),
            response: Signal::default(),
            write_waits: Signal::default(),
            aligned: Signal::default(),
            requests: Signal::default(),
            responds: Signal::default(),
        }
    }
}

impl Logic for AxiLite {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, phase, writing, address, answer, failed);
        dff_setup!(self, clock, write_address, write_address_held, write_data, write_whole, write_data_held);
        dff_setup!(self, clock, read_address, read_address_held);

        self.write_waits.next = self.write_address_held.q.val() & self.write_data_held.q.val();
        self.aligned.next = !self.address.q.val().get_bits::<2>(0).any();
        self.requests.next = (self.phase.q.val() == Phase::Request) & self.aligned.val();
        self.responds.next = self.phase.q.val() == Phase::Respond;
        self.response.next = self.okay.val();
        if self.failed.q.val() {
            self.response.next = self.slave_error.val();
        }

        self.s_axil.awready.next = !self.write_address_held.q.val() & !self.reset.val();
        self.s_axil.wready.next = !self.write_data_held.q.val() & !self.reset.val();
        self.s_axil.arready.next = !self.read_address_held.q.val() & !self.reset.val();
        self.s_axil.bresp.next = self.response.val();
        self.s_axil.rresp.next = self.response.val();
        self.s_axil.bvalid.next = self.responds.val() & self.writing.q.val();
        self.s_axil.rvalid.next = self.responds.val() & !self.writing.q.val();
        self.s_axil.rdata.next = self.answer.q.val();
        self.bus.address.next = self.address.q.val();
        self.bus.data.next = self.write_data.q.val();
        self.bus.write.next = self.requests.val() & self.writing.q.val() & self.write_whole.q.val();
        self.bus.read.next = self.requests.val() & !self.writing.q.val();

        if self.s_axil.awvalid.val() & !self.write_address_held.q.val() {
            self.write_address_held.d.next = true;
            self.write_address.d.next = self.s_axil.awaddr.val();
        }
        if self.s_axil.wvalid.val() & !self.write_data_held.q.val() {
            self.write_data_held.d.next = true;
            self.write_data.d.next = self.s_axil.wdata.val();
            self.write_whole.d.next = self.s_axil.wstrb.val().all();
        }
        if self.s_axil.arvalid.val() & !self.read_address_held.q.val() {
            self.read_address_held.d.next = true;
            self.read_address.d.next = self.s_axil.araddr.val();
        }

        match self.phase.q.val() {
            // Whichever goes first, its successor is not here yet when the other one's turn comes.
            Phase::Idle => {
                if self.read_address_held.q.val() {
                    self.writing.d.next = false;
                    self.address.d.next = self.read_address.q.val();
                    self.phase.d.next = Phase::Request;
                } else if self.write_waits.val() {
                    self.writing.d.next = true;
                    self.address.d.next = self.write_address.q.val();
                    self.phase.d.next = Phase::Request;
                }
            }
            Phase::Request => {
                self.phase.d.next = Phase::Search;
            }
            Phase::Search => {
                self.phase.d.next = Phase::Answer;
            }
            Phase::Answer => {
                self.answer.d.next = self.bus.answer.val();
                self.failed.d.next = !self.bus.hit.val();
                self.phase.d.next = Phase::Respond;
            }
            Phase::Respond => {
                if self.writing.q.val() & self.s_axil.bready.val() {
                    self.write_address_held.d.next = false;
                    self.write_data_held.d.next = false;
                    self.phase.d.next = Phase::Idle;
                }
                if !self.writing.q.val() & self.s_axil.rready.val() {
                    self.read_address_held.d.next = false;
                    self.phase.d.next = Phase::Idle;
                }
            }
            _ => {
                self.phase.d.next = Phase::Idle;
            }
        }

        if self.reset.val() {
            self.phase.d.next = Phase::Idle;
            self.write_address_held.d.next = false;
            self.write_data_held.d.next = false;
            self.read_address_held.d.next = false;
        }
    }
}
