//! The card of a configuration with everything at its ports.
use fastrand::Rng;
use nicforge_hdl::config::Config;
use nicforge_layout::registers::config_digest;
use nicforge_layout::wire::{ethernet, xgmii};
use nicforge_sim::Board;
use nicforge_sim::link::{AxiLite, AxisSink, AxisSource, FrameSink, FrameSource, Line, Received, Stalls};
use nicforge_sim::models::card::{Card, Settings};
use nicforge_sim::models::eth;
use nicforge_sim::models::ip::Own;
use nicforge_testbench::bench::Design;
use nicforge_testbench::network::{arp_request, echo_request};

/// Longest wait for an answer, in cycles of the core clock.
const PATIENCE: u64 = 60_000;
/// Cycles between two looks at what was sent.
const LOOK: u64 = 64;
/// The longest that an answer may be in the way of a stream, or the stages of a card may differ from one
/// packet to the next, in picoseconds.
const JITTER: u64 = 3_000_000;

/// The line both ways, and the UDP port where there is one.
type Ends<L> = (<L as Line>::Source, <L as Line>::Sink, Option<AxisSource>, Option<AxisSink>);

/// A card fresh out of reset.
pub struct Bench<L: Line> {
    pub config: Config,
    /// Which configuration it is, for whoever reads a failure.
    pub context: String,
    pub random: Rng,
    pub board: Board,
    pub ends: Ends<L>,
    pub bus: AxiLite,
    /// Frames of UDP that the card sent, the oldest first.
    pub datagrams: Vec<Received>,
    /// All other frames.
    pub answers: Vec<Received>,
}

impl<L: Line> Bench<L> {
    pub fn new(config: &Config, context: String) -> Self {
        let mut board = Design::top(config).unwrap().board().unwrap();
        let line = (L::source(&mut board).unwrap(), L::sink(&mut board).unwrap());
        let packets = AxisSource::attach(&mut board, "s_axis_udp", Stalls::none()).ok();
        let port = AxisSink::attach(&mut board, "m_axis_udp", Stalls::none()).ok();
        let bus = AxiLite::attach(&mut board, "s_axil", Stalls::none()).unwrap();
        Self {
            config: config.clone(),
            random: Rng::with_seed(u64::from(config.network.ip.to_bits())),
            context,
            board,
            ends: (line.0, line.1, packets, port),
            bus,
            datagrams: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Lets the card run for so many cycles and sorts what it sent.
    pub fn run(&mut self, cycles: u64) {
        self.board.run(cycles, &mut self.ends);
        while let Some(frame) = self.ends.1.pop() {
            assert!(frame.is_good(), "{}: a damaged frame {frame:02x?}", self.context);
            let is_datagram =
                frame.octets[12..14] == ethernet::TYPE_IPV4.to_be_bytes() && frame.octets[23] == 17;
            if is_datagram { self.datagrams.push(frame) } else { self.answers.push(frame) }
        }
        assert_eq!(self.ends.1.violations(), [""; 0], "{}", self.context);
    }

    /// Lets the card run until it did something, or for so many cycles.
    pub fn run_until(&mut self, what: &str, cycles: u64, done: impl Fn(&Self) -> bool) {
        let end = self.board.cycle() + cycles;
        while !done(self) {
            let [datagrams, answers] = [&self.datagrams, &self.answers].map(Vec::len);
            assert!(
                self.board.cycle() < end,
                "{}: {what}: not within {cycles} cycles; {datagrams} datagrams and {answers} answers came",
                self.context
            );
            self.run(LOOK);
        }
    }

    /// The registers are those of this very configuration.
    pub fn has_the_digest(&mut self) {
        let [a, b, c, d, ..] = self.config.digest();
        let found = self.bus.read(&mut self.board, &mut self.ends, config_digest::REG.offset).unwrap();
        assert_eq!(found, u32::from_be_bytes([a, b, c, d]), "{}: the digest", self.context);
    }

    /// How the reference model of the card is set.
    pub fn settings(&self) -> Settings {
        let network = &self.config.network;
        let own = Own { mac: network.mac.0, ip: network.ip, netmask: network.netmask };
        let headers = ethernet::HEADER_OCTETS + ethernet::FCS_OCTETS;
        Settings { own, udp_port: 0, max_frame: network.mtu as usize + headers }
    }

    /// Whoever asks for the address of the file is told the MAC address of the file, and a ping to it is
    /// answered; both as the reference model does it.
    pub fn answers_arp_and_ping(&mut self) {
        let own = self.settings().own;
        let rest: Vec<u8> = (0..self.random.usize(4..200)).map(|_| self.random.u8(..)).collect();
        for (what, request) in [("ARP", arp_request(&own)), ("ping", echo_request(&own, &rest))] {
            let request = eth::transmit(&request);
            let wanted = Card::new(self.settings()).frame(&request).replies;
            assert_eq!(wanted.len(), 1, "{}: {what}: the model answers", self.context);
            self.ends.0.push_frame(request);
            self.run_until(what, PATIENCE, |bench| !bench.answers.is_empty());
            let found: Vec<Vec<u8>> = self.answers.drain(..).map(|frame| frame.octets).collect();
            assert_eq!(found, wanted, "{}: {what}", self.context);
        }
    }

    /// Octets that the line moves in a second.
    fn octets_a_second(&self) -> u128 {
        u128::from(self.config.link_bits_a_second()) / 8
    }

    /// The time of the simulation at which the link would have carried this frame, its preamble and a gap
    /// of 12, in picoseconds from its start.
    pub fn slot(&self, frame: &[u8]) -> u64 {
        let octets = (frame.len() + xgmii::PREAMBLE_OCTETS + ethernet::IFG_OCTETS) as u128;
        (octets * 1_000_000_000_000 / self.octets_a_second()) as u64
    }

    /// The first and the last datagram lie as far apart as wanted, within one per cent and what an answer
    /// in between can shift them.
    pub fn took(&self, what: &str, wanted: u64) {
        let time = |frame: &Received| {
            let octets = frame.cycle * L::OCTETS_A_CYCLE + frame.lane as u64;
            octets * (L::Sink::PERIOD / L::OCTETS_A_CYCLE)
        };
        let [first, .., last] = &self.datagrams[..] else { return };
        let found = time(last) - time(first);
        assert!(
            found.abs_diff(wanted) <= wanted / 100 + JITTER,
            "{}: {what}: wanted {wanted} ps for {} datagrams, found {found} ps",
            self.context,
            self.datagrams.len()
        );
    }
}

/// Asserts frame by frame: a whole stream in a message helps nobody.
#[track_caller]
pub fn assert_frames(found: &[Received], wanted: &[Vec<u8>], context: &str) {
    for (number, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert_eq!(found.octets.len(), wanted.len(), "{context}: octets of datagram {number}");
        let first = (0..wanted.len()).find(|at| found.octets[*at] != wanted[*at]);
        if let Some(at) = first {
            let range = at - at % 8..(at + 16).min(wanted.len());
            let (found, wanted) = (&found.octets[range.clone()], &wanted[range]);
            panic!("{context}: datagram {number} from octet {at}: wanted {wanted:02x?}, found {found:02x?}");
        }
    }
    assert!(found.len() <= wanted.len(), "{context}: {} datagrams, wanted {}", found.len(), wanted.len());
}
