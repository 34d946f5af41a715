//! What is said of a received frame: exactly one counter, that of the first test it fails.
use crate::ip::facts::code;
use crate::stream::EventSource;
use nicforge_layout::counters;
use rust_hdl::prelude::*;

/// Orders the tests. Those that need no sum are decided when the frame ends (`ends`); the sums
/// are known two cycles later, and then the verdict is given.
///
/// What is kept in between is only overwritten by a frame of at least five words, so that a short
/// damaged frame right behind cannot disturb it.
#[derive(LogicBlock)]
pub struct Verdict {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A frame has ended, and everything below but the sums is valid for it.
    pub ends: Signal<In, Bit>,
    /// The MAC says that it is bad.
    pub error: Signal<In, Bit>,
    /// Its DA is the broadcast address.
    pub broadcast: Signal<In, Bit>,
    /// Its type is IPv4.
    pub is_ipv4: Signal<In, Bit>,
    /// Its type is ARP.
    pub is_arp: Signal<In, Bit>,
    /// Its type is a VLAN tag.
    pub is_tagged: Signal<In, Bit>,
    /// ARP: not as RFC 826 has it.
    pub arp_bad: Signal<In, Bit>,
    /// ARP: nothing to answer.
    pub arp_not_ours: Signal<In, Bit>,
    /// IPv4: another version.
    pub version_bad: Signal<In, Bit>,
    /// IPv4: header below five words.
    pub header_short: Signal<In, Bit>,
    /// IPv4: total length below the header.
    pub length_short: Signal<In, Bit>,
    /// IPv4: total length beyond the frame.
    pub frame_short: Signal<In, Bit>,
    /// IPv4: header above five words.
    pub options: Signal<In, Bit>,
    /// IPv4: the source is no host.
    pub source_bad: Signal<In, Bit>,
    /// IPv4: to the own address.
    pub for_us: Signal<In, Bit>,
    /// IPv4: to a group or a broadcast address.
    pub for_many: Signal<In, Bit>,
    /// IPv4: a fragment.
    pub fragment: Signal<In, Bit>,
    /// It carries ICMP.
    pub is_icmp: Signal<In, Bit>,
    /// It carries UDP.
    pub is_udp: Signal<In, Bit>,
    /// ICMP: below eight octets.
    pub icmp_short: Signal<In, Bit>,
    /// ICMP: echo request.
    pub icmp_echo: Signal<In, Bit>,
    /// ICMP: too long to answer.
    pub icmp_long: Signal<In, Bit>,
    /// UDP: length below 8 or beyond the datagram.
    pub udp_length_bad: Signal<In, Bit>,
    /// UDP: to the port that is delivered.
    pub port_fits: Signal<In, Bit>,
    /// UDP: no checksum computed.
    pub no_checksum: Signal<In, Bit>,
    /// UDP: there is a payload, and the frame did not end before it.
    pub has_payload: Signal<In, Bit>,
    /// Two cycles after `ends`: the header sum is right.
    pub header_good: Signal<In, Bit>,
    /// Two cycles after `ends`: the sum over ICMP or UDP is right.
    pub content_good: Signal<In, Bit>,

    /// No test of the headers fails so far, but for their checksum: payload may leave.
    pub accepts: Signal<Out, Bit>,
    /// Two cycles after `ends`: the payload that was accepted ends.
    pub closes: Signal<Out, Bit>,
    /// With `closes`: the datagram is bad.
    pub closes_bad: Signal<Out, Bit>,
    /// The verdict, three cycles after `ends`.
    pub event: EventSource,
    /// With the verdict: an ARP request to be answered.
    pub arp_request: Signal<Out, Bit>,
    /// With the verdict: an echo request to be answered.
    pub echo_request: Signal<Out, Bit>,

    sums_first: DFF<Bit>,
    sums_second: DFF<Bit>,
    bad: DFF<Bit>,
    early: DFF<Bit>,
    middle: DFF<Bit>,
    stop_code: DFF<Bits<6>>,
    asks: DFF<Bit>,
    summed: DFF<Bit>,
    sum_code: DFF<Bits<6>>,
    late_code: DFF<Bits<6>>,
    echo: DFF<Bit>,
    delivers: DFF<Bit>,
    waits: DFF<Bit>,
    decided: DFF<Bit>,
    decided_code: DFF<Bits<6>>,
    answer_arp: DFF<Bit>,
    answer_echo: DFF<Bit>,

    arp_code: Signal<Local, Bits<6>>,
    misread: Signal<Local, Bit>,
    early_fault: Signal<Local, Bit>,
    early_code: Signal<Local, Bits<6>>,
    middle_fault: Signal<Local, Bit>,
    middle_code: Signal<Local, Bits<6>>,
    icmp_code: Signal<Local, Bits<6>>,
    udp_code: Signal<Local, Bits<6>>,
    sum_wrong: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    decides: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,

    vlan_drop: Constant<Bits<6>>,
    ethertype_other: Constant<Bits<6>>,
    arp_is_bad: Constant<Bits<6>>,
    arp_is_not_ours: Constant<Bits<6>>,
    arp_is_request: Constant<Bits<6>>,
    ip_bad_version: Constant<Bits<6>>,
    ip_bad_ihl: Constant<Bits<6>>,
    ip_len_error: Constant<Bits<6>>,
    ip_bad_csum: Constant<Bits<6>>,
    ip_options: Constant<Bits<6>>,
    ip_bad_src: Constant<Bits<6>>,
    ip_not_ours: Constant<Bits<6>>,
    l2bcast_unicast_ip: Constant<Bits<6>>,
    ip_fragment: Constant<Bits<6>>,
    ip_proto_other: Constant<Bits<6>>,
    icmp_bad_csum: Constant<Bits<6>>,
    icmp_other: Constant<Bits<6>>,
    icmp_too_long: Constant<Bits<6>>,
    icmp_is_echo: Constant<Bits<6>>,
    udp_len_error: Constant<Bits<6>>,
    udp_bad_csum: Constant<Bits<6>>,
    udp_no_port: Constant<Bits<6>>,
    udp_good: Constant<Bits<6>>,
    udp_nocsum: Constant<Bits<6>>,
    ip_broadcast: Constant<Bits<6>>,
}

impl Default for Verdict {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            ends: Default::default(),
            error: Default::default(),
            broadcast: Default::default(),
            is_ipv4: Default::default(),
            is_arp: Default::default(),
            is_tagged: Default::default(),
            arp_bad: Default::default(),
            arp_not_ours: Default::default(),
            version_bad: Default::default(),
            header_short: Default::default(),
            length_short: Default::default(),
            frame_short: Default::default(),
            options: Default::default(),
            source_bad: Default::default(),
            for_us: Default::default(),
            for_many: Default::default(),
            fragment: Default::default(),
            is_icmp: Default::default(),
            is_udp: Default::default(),
            icmp_short: Default::default(),
            icmp_echo: Default::default(),
            icmp_long: Default::default(),
            udp_length_bad: Default::default(),
            port_fits: Default::default(),
            no_checksum: Default::default(),
            has_payload: Default::default(),
            header_good: Default::default(),
            content_good: Default::default(),
            accepts: Default::default(),
            closes: Default::default(),
            closes_bad: Default::default(),
            event: Default::default(),
            arp_request: Default::default(),
            echo_request: Default::default(),
            sums_first: Default::default(),
            sums_second: Default::default(),
            bad: Default::default(),
            early: Default::default(),
            middle: Default::default(),
            stop_code: Default::default(),
            asks: Default::default(),
            summed: Default::default(),
            sum_code: Default::default(),
            late_code: Default::default(),
            echo: Default::default(),
            delivers: Default::default(),
            waits: Default::default(),
            decided: Default::default(),
            decided_code: Default::default(),
            answer_arp: Default::default(),
            answer_echo: Default::default(),
            arp_code: Default::default(),
            misread: Default::default(),
            early_fault: Default::default(),
            early_code: Default::default(),
            middle_fault: Default::default(),
            middle_code: Default::default(),
            icmp_code: Default::default(),
            udp_code: Default::default(),
            sum_wrong: Default::default(),
            takes: Default::default(),
            decides: Default::default(),
            passes: Default::default(),
            vlan_drop: code(counters::VLAN_DROP),
            ethertype_other: code(counters::ETHERTYPE_OTHER),
            arp_is_bad: code(counters::ARP_BAD),
            arp_is_not_ours: code(counters::ARP_NOT_OURS),
            arp_is_request: code(counters::ARP_REQUEST),
            ip_bad_version: code(counters::IP_BAD_VERSION),
            ip_bad_ihl: code(counters::IP_BAD_IHL),
            ip_len_error: code(counters::IP_LEN_ERROR),
            ip_bad_csum: code(counters::IP_BAD_CSUM),
            ip_options: code(counters::IP_OPTIONS),
            ip_bad_src: code(counters::IP_BAD_SRC),
            ip_not_ours: code(counters::IP_NOT_OURS),
            l2bcast_unicast_ip: code(counters::L2BCAST_UNICAST_IP),
            ip_fragment: code(counters::IP_FRAGMENT),
            ip_proto_other: code(counters::IP_PROTO_OTHER),
            icmp_bad_csum: code(counters::ICMP_BAD_CSUM),
            icmp_other: code(counters::ICMP_OTHER),
            icmp_too_long: code(counters::ICMP_TOO_LONG),
            icmp_is_echo: code(counters::ICMP_ECHO),
            udp_len_error: code(counters::UDP_LEN_ERROR),
            udp_bad_csum: code(counters::UDP_BAD_CSUM),
            udp_no_port: code(counters::UDP_NO_PORT),
            udp_good: code(counters::UDP_GOOD),
            udp_nocsum: code(counters::UDP_NOCSUM),
            ip_broadcast: code(counters::IP_BROADCAST),
        }
    }
}

impl Logic for Verdict {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: verdict One counter for each received frame");
        dff_setup!(self, clock, sums_first, sums_second, bad, early, middle, stop_code, asks);
        dff_setup!(self, clock, summed, sum_code, late_code, echo, delivers, waits);
        dff_setup!(self, clock, decided, decided_code, answer_arp, answer_echo);

        // In each group the tests stand in reverse order: the last assignment wins, and the first
        // test that fails has to.
        self.arp_code.next = self.arp_is_request.val();
        if self.arp_not_ours.val() {
            self.arp_code.next = self.arp_is_not_ours.val();
        }
        if self.arp_bad.val() {
            self.arp_code.next = self.arp_is_bad.val();
        }

        // Before the header checksum.
        self.misread.next =
            !self.is_ipv4.val() | self.version_bad.val() | self.header_short.val() | self.length_short.val();
        self.early_fault.next = self.misread.val() | self.frame_short.val();
        self.early_code.next = self.ip_len_error.val();
        if self.header_short.val() {
            self.early_code.next = self.ip_bad_ihl.val();
        }
        if self.version_bad.val() {
            self.early_code.next = self.ip_bad_version.val();
        }
        if !self.is_ipv4.val() {
            self.early_code.next = self.ethertype_other.val();
        }
        if self.is_tagged.val() {
            self.early_code.next = self.vlan_drop.val();
        }
        if self.is_arp.val() {
            self.early_code.next = self.arp_code.val();
        }

        // Between the header checksum and the sum over the content.
        self.middle_fault.next = true;
        self.middle_code.next = self.ip_proto_other.val();
        if self.is_udp.val() {
            self.middle_fault.next = self.udp_length_bad.val();
            self.middle_code.next = self.udp_len_error.val();
        }
        if self.is_icmp.val() {
            self.middle_fault.next = self.icmp_short.val();
            self.middle_code.next = self.icmp_other.val();
        }
        if self.fragment.val() {
            self.middle_fault.next = true;
            self.middle_code.next = self.ip_fragment.val();
        }
        if self.broadcast.val() {
            self.middle_fault.next = true;
            self.middle_code.next = self.l2bcast_unicast_ip.val();
        }
        if !self.for_us.val() {
            self.middle_fault.next = true;
            self.middle_code.next = self.ip_not_ours.val();
            if self.for_many.val() {
                self.middle_code.next = self.ip_broadcast.val();
            }
        }
        if self.source_bad.val() {
            self.middle_fault.next = true;
            self.middle_code.next = self.ip_bad_src.val();
        }
        if self.options.val() {
            self.middle_fault.next = true;
            self.middle_code.next = self.ip_options.val();
        }

        // Behind all sums.
        self.icmp_code.next = self.icmp_is_echo.val();
        if self.icmp_long.val() {
            self.icmp_code.next = self.icmp_too_long.val();
        }
        if !self.icmp_echo.val() {
            self.icmp_code.next = self.icmp_other.val();
        }
        self.udp_code.next = self.udp_good.val();
        if self.no_checksum.val() {
            self.udp_code.next = self.udp_nocsum.val();
        }
        if !self.port_fits.val() {
            self.udp_code.next = self.udp_no_port.val();
        }
        self.takes.next =
            !self.misread.val() & !self.middle_fault.val() & self.is_udp.val() & self.port_fits.val();
        self.accepts.next = self.takes.val();

        self.sums_first.d.next = self.ends.val();
        self.sums_second.d.next = self.sums_first.q.val();
        if self.ends.val() {
            self.bad.d.next = self.error.val();
            self.early.d.next = self.early_fault.val();
            self.middle.d.next = self.middle_fault.val();
            self.stop_code.d.next = self.middle_code.val();
            if self.early_fault.val() {
                self.stop_code.d.next = self.early_code.val();
            }
            self.asks.d.next = self.is_arp.val() & !self.arp_bad.val() & !self.arp_not_ours.val();
            self.summed.d.next = true;
            self.sum_code.d.next = self.icmp_bad_csum.val();
            self.late_code.d.next = self.icmp_code.val();
            if self.is_udp.val() {
                self.summed.d.next = !self.no_checksum.val();
                self.sum_code.d.next = self.udp_bad_csum.val();
                self.late_code.d.next = self.udp_code.val();
            }
            self.echo.d.next = self.is_icmp.val() & self.icmp_echo.val() & !self.icmp_long.val();
            self.delivers.d.next = self.takes.val();
            self.waits.d.next = self.has_payload.val();
        }

        self.decides.next = self.sums_second.q.val() & !self.bad.q.val();
        self.sum_wrong.next = self.summed.q.val() & !self.content_good.val();
        self.passes.next =
            !self.early.q.val() & self.header_good.val() & !self.middle.q.val() & !self.sum_wrong.val();
        self.decided.d.next = self.decides.val();
        self.decided_code.d.next = self.late_code.q.val();
        if self.sum_wrong.val() {
            self.decided_code.d.next = self.sum_code.q.val();
        }
        if self.middle.q.val() {
            self.decided_code.d.next = self.stop_code.q.val();
        }
        if !self.header_good.val() {
            self.decided_code.d.next = self.ip_bad_csum.val();
        }
        if self.early.q.val() {
            self.decided_code.d.next = self.stop_code.q.val();
        }
        self.answer_arp.d.next = self.decides.val() & self.asks.q.val();
        self.answer_echo.d.next = self.decides.val() & self.passes.val() & self.echo.q.val();

        self.closes.next =
            self.sums_second.q.val() & self.delivers.q.val() & self.waits.q.val() & self.header_good.val();
        self.closes_bad.next = self.bad.q.val() | !self.passes.val();
        self.event.valid.next = self.decided.q.val();
        self.event.code.next = self.decided_code.q.val();
        self.arp_request.next = self.answer_arp.q.val();
        self.echo_request.next = self.answer_echo.q.val();

        if self.reset.val() {
            self.sums_first.d.next = false;
            self.sums_second.d.next = false;
            self.decided.d.next = false;
            self.answer_arp.d.next = false;
            self.answer_echo.d.next = false;
        }
    }
}
