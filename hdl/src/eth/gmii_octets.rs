//! The receive clock's side of the GMII receiver: octets to entries for the core.
//!
//! Promise: each carrier (a run of `rx_dv`) becomes entries, the last of them with its ending, except
//! that what begins and ends within nine octets behind another one is a bounce of that carrier and no
//! frame. A frame begins behind the first delimiter whatever precedes it: octets of preamble may be
//! missing, down to all of them (IEEE 802.3 clause 35.2.3.2.2). What `rx_er` says without `rx_dv` (false carrier, carrier
//! extension) is no frame.
//!
//! Nothing stops the wire. If the entries find no room, the frame ends as [`Ending::Overrun`] as soon as there
//! is room again, and so does, one by one, each frame that began meanwhile: up to 255 of them.
use crate::eth::{Crc32, crc};
use nicforge_layout::wire::gmii;
use rust_hdl::prelude::*;

/// What a last entry says; the numbers are those of the entry.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The FCS is right.
    Good = 0,
    /// It is not.
    BadSum = 1,
    /// `rx_er` was raised inside, or in the preamble.
    Broken = 2,
    /// There was no delimiter.
    Preamble = 3,
    /// There was no room for all of it.
    Overrun = 4,
}

impl Ending {
    /// Its number as the design has it.
    pub(super) fn code(self) -> Constant<Bits<3>> {
        Constant::new((self as u64).to_bits())
    }
}

/// Where in a carrier the line is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Carrier {
    /// There is none.
    Absent,
    /// Before the delimiter.
    Hunted,
    /// Behind it.
    Frame,
    /// In one that began before the end of the reset.
    Unknown,
}

/// Octet times in which a second carrier is a bounce of the first.
const BOUNCE: u64 = 9;

/// Collects octets. An entry that is not the last has eight octets; the four octets of the FCS are
/// left out. A last entry may have none: then the frame was too short, or cut off.
#[derive(LogicBlock)]
pub struct GmiiOctets {
    /// The receive clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// GMII receive data.
    pub rxd: Signal<In, Bits<8>>,
    /// GMII receive data valid.
    pub rx_dv: Signal<In, Bit>,
    /// GMII receive error.
    pub rx_er: Signal<In, Bit>,
    /// The entry: octets in bits 63..0, their number in 67..64, last in 68, [`Ending`] in 71..69.
    pub entry: Signal<Out, Bits<72>>,
    /// The entry is there, in this cycle only.
    pub valid: Signal<Out, Bit>,
    /// There is room for it.
    pub ready: Signal<In, Bit>,

    octet: DFF<Bits<8>>,
    present: DFF<Bit>,
    error: DFF<Bit>,

    carrier: DFF<Carrier>,
    broken: DFF<Bit>,
    /// Octet times since the last ending.
    age: DFF<Bits<4>>,
    grown: Signal<Local, Bit>,
    delimits: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    in_frame: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,

    /// The four latest octets, which are the FCS if the frame ends here, and how many there are.
    tail: DFF<Bits<32>>,
    tail_octets: DFF<Bits<3>>,
    passes: Signal<Local, Bit>,
    crc: Crc32<8>,
    sum: DFF<Bits<32>>,

    lanes: [DFF<Bits<8>>; 8],
    count: DFF<Bits<4>>,
    fills: Signal<Local, Bit>,
    slot: Signal<Local, Bits<3>>,
    word: Signal<Local, Bits<64>>,

    due: DFF<Bit>,
    due_word: DFF<Bits<64>>,
    due_count: DFF<Bits<4>>,
    due_last: DFF<Bit>,
    due_good: DFF<Bit>,
    due_broken: DFF<Bit>,
    due_skipped: DFF<Bit>,
    number: Signal<Local, Bits<4>>,
    last: Signal<Local, Bit>,
    ending: Signal<Local, Bits<3>>,

    /// Words of the present frame were due before.
    inside: DFF<Bit>,
    /// An entry found no room: nothing goes out any more but the endings owed.
    lost: DFF<Bit>,
    owed: DFF<Bits<8>>,
    owes: Signal<Local, Bit>,
    pays: Signal<Local, Bit>,

    seed: Constant<Bits<32>>,
    residue: Constant<Bits<32>>,
    delimiter: Constant<Bits<8>>,
    bounce: Constant<Bits<4>>,
    good_ending: Constant<Bits<3>>,
    bad_sum_ending: Constant<Bits<3>>,
    broken_ending: Constant<Bits<3>>,
    preamble_ending: Constant<Bits<3>>,
    overrun_ending: Constant<Bits<3>>,
}

impl Default for GmiiOctets {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            rxd: Default::default(),
            rx_dv: Default::default(),
            rx_er: Default::default(),
            entry: Default::default(),
            valid: Default::default(),
            ready: Default::default(),
            octet: Default::default(),
            present: Default::default(),
            error: Default::default(),
            carrier: Default::default(),
            broken: Default::default(),
            age: Default::default(),
            grown: Default::default(),
            delimits: Default::default(),
            begins: Default::default(),
            in_frame: Default::default(),
            takes: Default::default(),
            ends: Default::default(),
            tail: Default::default(),
            tail_octets: Default::default(),
            passes: Default::default(),
            crc: Default::default(),
            sum: Default::default(),
            count: Default::default(),
            fills: Default::default(),
            slot: Default::default(),
            word: Default::default(),
            due: Default::default(),
            due_word: Default::default(),
            due_count: Default::default(),
            due_last: Default::default(),
            due_good: Default::default(),
            due_broken: Default::default(),
            due_skipped: Default::default(),
            number: Default::default(),
            last: Default::default(),
            ending: Default::default(),
            inside: Default::default(),
            lost: Default::default(),
            owed: Default::default(),
            owes: Default::default(),
            pays: Default::default(),
            lanes: array_init::array_init(|_| Default::default()),
            seed: Constant::new(crc::SEED.to_bits()),
            residue: Constant::new(crc::residue(0).to_bits()),
            delimiter: Constant::new(gmii::SFD.to_bits()),
            bounce: Constant::new(BOUNCE.to_bits()),
            good_ending: Ending::Good.code(),
            bad_sum_ending: Ending::BadSum.code(),
            broken_ending: Ending::Broken.code(),
            preamble_ending: Ending::Preamble.code(),
            overrun_ending: Ending::Overrun.code(),
        }
    }
}

impl Logic for GmiiOctets {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: gmii_octets - octets of the receive clock to entries for the core");
        dff_setup!(self, clock, octet, present, error, carrier, broken, age, tail, tail_octets, sum, count);
        dff_setup!(self, clock, due, due_word, due_count, due_last, due_good, due_broken, due_skipped);
        dff_setup!(self, clock, inside, lost, owed);
        for i in 0..8 {
            self.lanes[i].clock.next = self.clock.val();
            self.lanes[i].d.next = self.lanes[i].q.val();
        }
        self.octet.d.next = self.rxd.val();
        self.present.d.next = self.rx_dv.val();
        self.error.d.next = self.rx_er.val();

        // The carrier.
        self.delimits.next = self.present.q.val() & (self.octet.q.val() == self.delimiter.val());
        self.in_frame.next = self.carrier.q.val() == Carrier::Frame;
        self.takes.next = self.in_frame.val() & self.present.q.val();
        self.begins.next = false;
        self.ends.next = false;
        self.grown.next = self.age.q.val() == self.bounce.val();
        if self.present.q.val() {
            self.broken.d.next = self.broken.q.val() | self.error.q.val();
        }
        match self.carrier.q.val() {
            Carrier::Absent => {
                self.begins.next = self.delimits.val();
                self.broken.d.next = self.error.q.val();
                if self.present.q.val() {
                    self.carrier.d.next = Carrier::Hunted;
                }
            }
            Carrier::Hunted => {
                self.begins.next = self.delimits.val();
                self.ends.next = !self.present.q.val();
            }
            Carrier::Frame => {
                self.ends.next = !self.present.q.val();
            }
            Carrier::Unknown => {
                if !self.present.q.val() {
                    self.carrier.d.next = Carrier::Absent;
                }
            }
        }
        if self.begins.val() {
            self.carrier.d.next = Carrier::Frame;
        }
        if !self.grown.val() {
            self.age.d.next = self.age.q.val() + 1;
        }
        if self.ends.val() {
            self.carrier.d.next = Carrier::Absent;
            if self.grown.val() {
                self.age.d.next = 0.into();
            }
        }

        // The frame: an octet goes into the word when the four behind it are there.
        self.passes.next = self.takes.val() & self.tail_octets.q.val().get_bit(2);
        self.fills.next = self.passes.val() & self.count.q.val().get_bit(3);
        self.slot.next = self.count.q.val().get_bits::<3>(0);
        self.word.next = bit_cast::<64, 8>(self.lanes[7].q.val()) << 56
            | bit_cast::<64, 8>(self.lanes[6].q.val()) << 48
            | bit_cast::<64, 8>(self.lanes[5].q.val()) << 40
            | bit_cast::<64, 8>(self.lanes[4].q.val()) << 32
            | bit_cast::<64, 8>(self.lanes[3].q.val()) << 24
            | bit_cast::<64, 8>(self.lanes[2].q.val()) << 16
            | bit_cast::<64, 8>(self.lanes[1].q.val()) << 8
            | bit_cast::<64, 8>(self.lanes[0].q.val());
        self.crc.old_crc.next = self.sum.q.val();
        self.crc.data.next = self.octet.q.val();
        if self.takes.val() {
            self.sum.d.next = self.crc.new_crc.val();
            self.tail.d.next = (self.tail.q.val() >> 8) | (bit_cast::<32, 8>(self.octet.q.val()) << 24);
            if !self.tail_octets.q.val().get_bit(2) {
                self.tail_octets.d.next = self.tail_octets.q.val() + 1;
            }
        }
        if self.passes.val() {
            self.count.d.next = self.count.q.val() + 1;
            if self.fills.val() {
                self.count.d.next = 1.into();
            }
            for i in 0..8 {
                if self.slot.val().index() == i {
                    self.lanes[i].d.next = self.tail.q.val().get_bits::<8>(0);
                }
            }
        }
        if self.begins.val() {
            self.sum.d.next = self.seed.val();
            self.tail_octets.d.next = 0.into();
        }
        if self.begins.val() | self.ends.val() {
            self.count.d.next = 0.into();
        }

        self.due.d.next = self.fills.val() | (self.ends.val() & self.grown.val());
        self.due_last.d.next = self.ends.val();
        self.due_word.d.next = self.word.val();
        self.due_count.d.next = self.count.q.val();
        self.due_good.d.next = self.sum.q.val() == self.residue.val();
        self.due_broken.d.next = self.broken.q.val();
        self.due_skipped.d.next = !self.in_frame.val();

        // Out, or lost: what is lost is made up for by an ending each, once there is room.
        self.ending.next = self.good_ending.val();
        if !self.due_good.q.val() {
            self.ending.next = self.bad_sum_ending.val();
        }
        if self.due_broken.q.val() {
            self.ending.next = self.broken_ending.val();
        }
        if self.due_skipped.q.val() {
            self.ending.next = self.preamble_ending.val();
        }
        self.number.next = self.due_count.q.val();
        self.last.next = self.due_last.q.val();
        self.valid.next = self.due.q.val();
        self.pays.next = false;
        if self.lost.q.val() {
            self.number.next = 0.into();
            self.last.next = true;
            self.ending.next = self.overrun_ending.val();
            self.valid.next = self.owed.q.val().any();
            self.pays.next = self.owed.q.val().any() & self.ready.val();
        }
        self.entry.next = bit_cast::<72, 3>(self.ending.val()) << 69
            | bit_cast::<72, 1>(self.last.val().into()) << 68
            | bit_cast::<72, 4>(self.number.val()) << 64
            | bit_cast::<72, 64>(self.due_word.q.val());

        if self.due.q.val() {
            self.inside.d.next = !self.due_last.q.val();
        }
        self.owes.next = self.due.q.val() & self.due_last.q.val() & (self.lost.q.val() | !self.ready.val());
        if self.due.q.val() & !self.ready.val() {
            self.lost.d.next = true;
        }
        if !self.due.q.val() & !self.inside.q.val() & !self.owed.q.val().any() {
            self.lost.d.next = false;
        }
        if self.owes.val() & !self.pays.val() & !self.owed.q.val().all() {
            self.owed.d.next = self.owed.q.val() + 1;
        }
        if self.pays.val() & !self.owes.val() {
            self.owed.d.next = self.owed.q.val() - 1;
        }

        if self.reset.val() {
            self.carrier.d.next = Carrier::Unknown;
            self.age.d.next = self.bounce.val();
            self.due.d.next = false;
            self.inside.d.next = false;
            self.lost.d.next = false;
            self.owed.d.next = 0.into();
        }
    }
}
