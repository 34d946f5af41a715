//! The lanes of one transmitted word.
use nicforge_layout::wire::xgmii;
use rust_hdl::prelude::*;

/// Puts data, check sequence, TERMINATE and idle into the lanes of a word; combinational.
///
/// Of `keep`, `check_lanes` and `end_lane` at most one is set for each lane; none means idle.
#[derive(LogicBlock)]
pub struct Lanes {
    /// Data, lane 0 in bits 7..0.
    pub data: Signal<In, Bits<64>>,
    /// Lanes with data.
    pub keep: Signal<In, Bits<8>>,
    /// Check sequence: the octet for lane i is number i mod 4.
    pub check: Signal<In, Bits<32>>,
    /// Lanes with the check sequence.
    pub check_lanes: Signal<In, Bits<8>>,
    /// The lane with TERMINATE, if any.
    pub end_lane: Signal<In, Bits<8>>,
    /// All lanes.
    pub octets: Signal<Out, Bits<64>>,

    lane: [Signal<Local, Bits<8>>; 8],
    idle: Constant<Bits<8>>,
    terminate: Constant<Bits<8>>,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            data: Default::default(),
            keep: Default::default(),
            check: Default::default(),
            check_lanes: Default::default(),
            end_lane: Default::default(),
            octets: Default::default(),
            lane: array_init::array_init(|_| Default::default()),
            idle: Constant::new(xgmii::IDLE.to_bits()),
            terminate: Constant::new(xgmii::TERMINATE.to_bits()),
        }
    }
}

impl Logic for Lanes {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: xgmii_lanes - the lanes of a transmitted word");
        for i in 0..8 {
            self.lane[i].next = self.idle.val();
            if self.keep.val().get_bit(i) {
                self.lane[i].next = self.data.val().get_bits::<8>(8 * i);
            }
            if self.end_lane.val().get_bit(i) {
                self.lane[i].next = self.terminate.val();
            }
        }
        for i in 0..4 {
            if self.check_lanes.val().get_bit(i) {
                self.lane[i].next = self.check.val().get_bits::<8>(8 * i);
            }
            if self.check_lanes.val().get_bit(i + 4) {
                self.lane[i + 4].next = self.check.val().get_bits::<8>(8 * i);
            }
        }
        self.octets.next = bit_cast::<64, 8>(self.lane[7].val()) << 56
            | bit_cast::<64, 8>(self.lane[6].val()) << 48
            | bit_cast::<64, 8>(self.lane[5].val()) << 40
            | bit_cast::<64, 8>(self.lane[4].val()) << 32
            | bit_cast::<64, 8>(self.lane[3].val()) << 24
            | bit_cast::<64, 8>(self.lane[2].val()) << 16
            | bit_cast::<64, 8>(self.lane[1].val()) << 8
            | bit_cast::<64, 8>(self.lane[0].val());
    }
}
