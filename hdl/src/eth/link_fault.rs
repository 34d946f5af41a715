//! Link faults: what the other end says about the line (IEEE 802.3 clause 46.3.4).
//!
//! Promise: four fault sequences of one kind, each less than 128 columns behind the one before,
//! raise that fault two cycles after the last of them; 128 columns without any lower it. A sequence
//! of another kind starts the count anew, and the fault that was raised stays until that count or
//! the columns without one are complete.
use crate::stream::EventSource;
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::xgmii;
use rust_hdl::prelude::*;

/// Watches the line, two columns a cycle, and says what the sending side has to do.
#[derive(LogicBlock)]
pub struct LinkFault {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: no fault.
    pub reset: Signal<In, Bit>,
    /// XGMII data, lane 0 in bits 7..0.
    pub rxd: Signal<In, Bits<64>>,
    /// XGMII control bits.
    pub rxc: Signal<In, Bits<8>>,
    /// Our receive side has no signal: send no frame, and remote fault instead of idle.
    pub local_fault: Signal<Out, Bit>,
    /// The other end has none from us: send no frame.
    pub remote_fault: Signal<Out, Bit>,
    /// `link_local_fault` or `link_remote_fault`, once for each time it is raised.
    pub event: EventSource,

    early: DFF<Bit>,
    early_remote: DFF<Bit>,
    late: DFF<Bit>,
    late_remote: DFF<Bit>,
    /// Columns without a fault sequence.
    quiet: DFF<Bits<7>>,
    /// Fault sequences of the kind `kind`; three stands for all above.
    seen: DFF<Bits<2>>,
    kind: DFF<Bit>,
    faulty: DFF<Bit>,
    fault: DFF<Bit>,
    raised: DFF<Bit>,
    rest: [Signal<Local, Bit>; 2],
    quiet_after: Signal<Local, Bits<8>>,
    early_quiet: Signal<Local, Bit>,
    early_same: Signal<Local, Bit>,
    late_same: Signal<Local, Bit>,
    early_raises: Signal<Local, Bit>,
    late_raises: Signal<Local, Bit>,
    between: Signal<Local, Bits<2>>,
    kind_between: Signal<Local, Bit>,
    raises: Signal<Local, Bit>,

    sequence: Constant<Bits<8>>,
    local_end: Constant<Bits<8>>,
    remote_end: Constant<Bits<8>>,
    local_code: Constant<Bits<6>>,
    remote_code: Constant<Bits<6>>,
}

fn code(counter: Counter) -> Constant<Bits<6>> {
    Constant::new(counter.code.to_bits())
}

impl Default for LinkFault {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            rxd: Default::default(),
            rxc: Default::default(),
            local_fault: Default::default(),
            remote_fault: Default::default(),
            event: Default::default(),
            early: Default::default(),
            early_remote: Default::default(),
            late: Default::default(),
            late_remote: Default::default(),
            quiet: Default::default(),
            seen: Default::default(),
            kind: Default::default(),
            faulty: Default::default(),
            fault: Default::default(),
            raised: Default::default(),
            rest: array_init::array_init(|_| Default::default()),
            quiet_after: Default::default(),
            early_quiet: Default::default(),
            early_same: Default::default(),
            late_same: Default::default(),
            early_raises: Default::default(),
            late_raises: Default::default(),
            between: Default::default(),
            kind_between: Default::default(),
            raises: Default::default(),
            sequence: Constant::new(xgmii::SEQUENCE.to_bits()),
            local_end: Constant::new(xgmii::LOCAL_FAULT[3].to_bits()),
            remote_end: Constant::new(xgmii::REMOTE_FAULT[3].to_bits()),
            local_code: code(counters::LINK_LOCAL_FAULT),
            remote_code: code(counters::LINK_REMOTE_FAULT),
        }
    }
}

impl Logic for LinkFault {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: link_fault - what the other end says about the line");
        dff_setup!(self, clock, early, early_remote, late, late_remote, quiet, seen, kind);
        dff_setup!(self, clock, faulty, fault, raised);

        // Each column: sequence code, two zeros, and the kind.
        for i in 0..2 {
            self.rest[i].next = (self.rxc.val().get_bits::<4>(4 * i) == 1)
                & (self.rxd.val().get_bits::<8>(32 * i) == self.sequence.val())
                & (self.rxd.val().get_bits::<16>(32 * i + 8) == 0);
        }
        self.early_remote.d.next = self.rxd.val().get_bits::<8>(24) == self.remote_end.val();
        self.early.d.next = self.rest[0].val()
            & ((self.rxd.val().get_bits::<8>(24) == self.remote_end.val())
                | (self.rxd.val().get_bits::<8>(24) == self.local_end.val()));
        self.late_remote.d.next = self.rxd.val().get_bits::<8>(56) == self.remote_end.val();
        self.late.d.next = self.rest[1].val()
            & ((self.rxd.val().get_bits::<8>(56) == self.remote_end.val())
                | (self.rxd.val().get_bits::<8>(56) == self.local_end.val()));

        // The early column, then the late one, which may complete what the early one began.
        self.quiet_after.next = bit_cast::<8, 7>(self.quiet.q.val()) + 2;
        self.early_quiet.next = !self.early.q.val() & self.quiet.q.val().all();
        self.early_same.next = self.early_remote.q.val() == self.kind.q.val();
        self.early_raises.next = self.early.q.val() & self.early_same.val() & self.seen.q.val().all();
        self.kind_between.next = self.kind.q.val();
        self.between.next = self.seen.q.val();
        if self.early.q.val() {
            self.kind_between.next = self.early_remote.q.val();
            if !self.early_same.val() {
                self.between.next = 1.into();
            } else if !self.seen.q.val().all() {
                self.between.next = self.seen.q.val() + 1;
            }
        } else if self.early_quiet.val() {
            self.between.next = 0.into();
        }
        self.late_same.next = self.late_remote.q.val() == self.kind_between.val();
        self.late_raises.next = self.late.q.val() & self.late_same.val() & self.between.val().all();
        self.kind.d.next = self.kind_between.val();
        self.seen.d.next = self.between.val();
        if self.late.q.val() {
            self.kind.d.next = self.late_remote.q.val();
            self.quiet.d.next = 0.into();
            if !self.late_same.val() {
                self.seen.d.next = 1.into();
            } else if !self.between.val().all() {
                self.seen.d.next = self.between.val() + 1;
            }
        } else if self.early.q.val() {
            self.quiet.d.next = 1.into();
        } else {
            self.quiet.d.next = self.quiet_after.val().get_bits::<7>(0);
            if self.quiet_after.val().get_bit(7) {
                self.seen.d.next = 0.into();
            }
        }

        // A sequence of another kind before its fourth leaves the fault as it is.
        self.raises.next = self.early_raises.val() | self.late_raises.val();
        self.raised.d.next = false;
        if self.raises.val() {
            self.faulty.d.next = true;
            self.fault.d.next = self.kind_between.val();
            self.raised.d.next = !self.faulty.q.val() | (self.fault.q.val() != self.kind_between.val());
        } else if self.early_quiet.val()
            | (!self.late.q.val() & !self.early.q.val() & self.quiet_after.val().get_bit(7))
        {
            self.faulty.d.next = false;
        }

        self.local_fault.next = self.faulty.q.val() & !self.fault.q.val();
        self.remote_fault.next = self.faulty.q.val() & self.fault.q.val();
        self.event.valid.next = self.raised.q.val();
        self.event.code.next = self.local_code.val();
        if self.fault.q.val() {
            self.event.code.next = self.remote_code.val();
        }

        if self.reset.val() {
            self.early.d.next = false;
            self.late.d.next = false;
            self.quiet.d.next = 0.into();
            self.seen.d.next = 0.into();
            self.faulty.d.next = false;
            self.raised.d.next = false;
        }
    }
}
