//! Stream, flow and event interfaces with their contracts.
#![allow(missing_docs, reason = "the interface derive writes methods without comments")]
use rust_hdl::prelude::*;

/// A packet stream as its producer sees it: words of `W` bits, `K` = `W` / 8 octets.
///
/// Octet 0 of a word is in bits 7..0 and first on the wire. `keep` is all ones except in the last
/// word of a packet, where it is contiguous from octet 0 and not zero. `error` counts only with
/// `last` and says that the packet that just ended is bad.
///
/// A word moves on the clock edge where `valid` and `ready` are both high. Once raised, `valid`
/// stays up with everything else unchanged until that edge. No combinational path leads from
/// `valid` to `ready` of the same port, nor through a block in both directions.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "StreamSink"]
pub struct StreamSource<const W: usize, const K: usize> {
    /// The word.
    pub data: Signal<Out, Bits<W>>,
    /// Which octets of the word belong to the packet.
    pub keep: Signal<Out, Bits<K>>,
    /// This word ends the packet.
    pub last: Signal<Out, Bit>,
    /// With `last`: the packet is bad.
    pub error: Signal<Out, Bit>,
    /// The word is there.
    pub valid: Signal<Out, Bit>,
    /// The consumer takes it.
    pub ready: Signal<In, Bit>,
}

/// The same stream as its consumer sees it.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "StreamSource"]
pub struct StreamSink<const W: usize, const K: usize> {
    /// The word.
    pub data: Signal<In, Bits<W>>,
    /// Which octets of the word belong to the packet.
    pub keep: Signal<In, Bits<K>>,
    /// This word ends the packet.
    pub last: Signal<In, Bit>,
    /// With `last`: the packet is bad.
    pub error: Signal<In, Bit>,
    /// The word is there.
    pub valid: Signal<In, Bit>,
    /// The consumer takes it.
    pub ready: Signal<Out, Bit>,
}

/// A packet stream that cannot wait, as its producer sees it: a stream without `ready`.
///
/// Received frames are one: the wire does not stop. Words of a packet may have gaps between them.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "FlowSink"]
pub struct FlowSource<const W: usize, const K: usize> {
    /// The word.
    pub data: Signal<Out, Bits<W>>,
    /// Which octets of the word belong to the packet.
    pub keep: Signal<Out, Bits<K>>,
    /// This word ends the packet.
    pub last: Signal<Out, Bit>,
    /// With `last`: the packet is bad.
    pub error: Signal<Out, Bit>,
    /// The word is there, in this cycle only.
    pub valid: Signal<Out, Bit>,
}

/// The same flow as its consumer sees it.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "FlowSource"]
pub struct FlowSink<const W: usize, const K: usize> {
    /// The word.
    pub data: Signal<In, Bits<W>>,
    /// Which octets of the word belong to the packet.
    pub keep: Signal<In, Bits<K>>,
    /// This word ends the packet.
    pub last: Signal<In, Bit>,
    /// With `last`: the packet is bad.
    pub error: Signal<In, Bit>,
    /// The word is there, in this cycle only.
    pub valid: Signal<In, Bit>,
}

/// Clocks from the last word of a received frame to its verdict.
pub const VERDICT_DELAY: u64 = 2;

/// Frames as a MAC receives them, as the MAC sees it: the verdict follows the frame.
///
/// Words hold the frame from DA through FCS and cannot wait; there may be gaps between them. `keep`
/// is all ones except with `last`, where it is contiguous from octet 0 and may be zero. `last` comes
/// with the word that holds the end of a frame, or at which it was cut off; a frame of which a word
/// came out has exactly one. `judged` follows [`VERDICT_DELAY`] clocks behind each `last` and only
/// there, in order, and `good` counts only with it. Words of a bad frame may be anything. A frame may
/// end with an empty word: the end stands in the word behind when its length is a multiple of eight.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "MacFlowSink"]
pub struct MacFlowSource {
    /// The word, octet 0 in bits 7..0.
    pub data: Signal<Out, Bits<64>>,
    /// Which octets of the word belong to the frame.
    pub keep: Signal<Out, Bits<8>>,
    /// This word ends the frame.
    pub last: Signal<Out, Bit>,
    /// The word is there, in this cycle only.
    pub valid: Signal<Out, Bit>,
    /// The verdict on the frame whose `last` came [`VERDICT_DELAY`] clocks ago.
    pub judged: Signal<Out, Bit>,
    /// With `judged`: legal in length and code, and the FCS is right.
    pub good: Signal<Out, Bit>,
    /// With `judged` and `good`: octets of the frame, FCS included.
    pub octets: Signal<Out, Bits<15>>,
}

/// The same frames as their reader sees them.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "MacFlowSource"]
pub struct MacFlowSink {
    /// The word, octet 0 in bits 7..0.
    pub data: Signal<In, Bits<64>>,
    /// Which octets of the word belong to the frame.
    pub keep: Signal<In, Bits<8>>,
    /// This word ends the frame.
    pub last: Signal<In, Bit>,
    /// The word is there, in this cycle only.
    pub valid: Signal<In, Bit>,
    /// The verdict on the frame whose `last` came [`VERDICT_DELAY`] clocks ago.
    pub judged: Signal<In, Bit>,
    /// With `judged`: legal in length and code, and the FCS is right.
    pub good: Signal<In, Bit>,
    /// With `judged` and `good`: octets of the frame, FCS included.
    pub octets: Signal<In, Bits<15>>,
}

/// An event for a counter, as the block sees in which it happens.
///
/// `code` is the code of a counter in `nicforge_layout::counters`. One source never raises two
/// events in neighbouring cycles.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "EventSink"]
pub struct EventSource {
    /// Something happened in this cycle.
    pub valid: Signal<Out, Bit>,
    /// What happened.
    pub code: Signal<Out, Bits<6>>,
}

/// The same event as the statistics see it.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "EventSource"]
pub struct EventSink {
    /// Something happened in this cycle.
    pub valid: Signal<In, Bit>,
    /// What happened.
    pub code: Signal<In, Bits<6>>,
}
