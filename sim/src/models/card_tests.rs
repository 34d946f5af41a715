use super::*;
use crate::models::udp::Flow;
use crate::models::worked;
use proptest::prelude::*;
use std::net::Ipv4Addr;

const OWN: Own = Own {
    mac: [2, 0, 0, 0, 0, 0x80],
    ip: Ipv4Addr::new(192, 168, 1, 128),
    netmask: Ipv4Addr::new(255, 255, 255, 0),
};
const FLOW: Flow = Flow {
    source_mac: [2, 0, 0, 0, 0, 1],
    destination_mac: OWN.mac,
    source_ip: Ipv4Addr::new(192, 168, 1, 1),
    destination_ip: OWN.ip,
    source_port: 50_000,
    destination_port: 10_000,
    ttl: 64,
    dscp: 0,
    checksum: true,
};

fn card() -> Card {
    Card::new(Settings { own: OWN, udp_port: 10_000, max_frame: 16_384 })
}

fn ramp(octets: usize) -> Vec<u8> {
    (0..octets).map(|i| i as u8).collect()
}

/// What comes of one frame given with its FCS, and the verdict that counted it last.
fn meet(frame: &[u8]) -> (Outcome, &'static str) {
    let mut card = card();
    let outcome = card.frame(frame);
    let mut verdicts = counters::COUNTERS
        .iter()
        .filter(|counter| [counters::Group::Mac, counters::Group::Network].contains(&counter.group))
        .filter(|counter| card.counters().contains_key(counter.name));
    (outcome, verdicts.next_back().expect("every frame has a verdict").name)
}

/// `V08` changed, with header checksum and FCS written anew.
fn changed(change: impl Fn(&mut Vec<u8>)) -> &'static str {
    let mut frame = udp::build(&FLOW, &ramp(18));
    change(&mut frame);
    ip::refresh_checksum(&mut frame);
    meet(&eth::with_fcs(&frame)).1
}

/// `V01` changed, with the FCS written anew.
fn changed_arp(change: impl Fn(&mut [u8])) -> &'static str {
    let mut frame = worked::octets(worked::V01);
    frame.truncate(60);
    change(&mut frame);
    meet(&eth::with_fcs(&frame)).1
}

#[test]
fn every_worked_frame_meets_its_counter() {
    for (text, wanted) in [
        (worked::V01, "arp_request"),
        (worked::V04, "arp_request"),
        (worked::V05, "arp_not_ours"),
        (worked::V06, "icmp_echo"),
        (worked::V08, "udp_good"),
        (worked::V09, "udp_good"),
        (worked::V10, "udp_good"),
        (worked::V11, "udp_good"),
        (worked::V12, "udp_nocsum"),
        (worked::V13, "udp_bad_csum"),
        (worked::V14, "ip_bad_csum"),
        (worked::V15, "rx_fcs_error"),
        (worked::V16, "ip_options"),
        (worked::V17, "ip_fragment"),
        (worked::V18, "ip_fragment"),
        (worked::V19, "ip_len_error"),
        (worked::V20, "udp_len_error"),
        (worked::V21, "ip_bad_version"),
        (worked::V22, "mac_filtered"),
        (worked::V23, "mac_filtered"),
        (worked::V27, "mac_filtered"),
        (worked::V28, "vlan_drop"),
        (worked::V29, "mac_filtered"),
        (worked::V31, "rx_undersize"),
        (worked::V32, "ip_broadcast"),
        (worked::V33, "l2bcast_unicast_ip"),
        (worked::V34, "udp_good"),
        (worked::V35, "mac_filtered"),
    ] {
        assert_eq!(meet(&worked::octets(text)).1, wanted, "{text}");
    }
}

#[test]
fn the_worked_datagrams_deliver_their_payloads() {
    for (text, wanted) in [
        (worked::V08, ramp(18)),
        (worked::V09, vec![0xa5]),
        (worked::V10, vec![0xa5, 0x5a, 0x01]),
        (worked::V11, vec![0x91, 0xa7]),
        (worked::V12, ramp(18)),
        (worked::V34, ramp(18)),
    ] {
        assert_eq!(meet(&worked::octets(text)).0.delivered, [wanted], "{text}");
    }
}

#[test]
fn the_worked_requests_get_the_worked_replies() {
    assert_eq!(meet(&worked::octets(worked::V01)).0.replies, [worked::octets(worked::V02)]);
    assert_eq!(meet(&worked::octets(worked::V06)).0.replies, [worked::octets(worked::V07)]);
}

#[test]
fn a_probe_is_answered_with_the_target_address_zero() {
    let reply = meet(&worked::octets(worked::V04)).0.replies.remove(0);
    assert_eq!(reply[38..42], [0; 4]);
    assert_eq!(reply[..6], FLOW.source_mac);
}

#[test]
fn the_builder_makes_the_worked_datagrams() {
    let sent = |payload: &[u8]| eth::transmit(&udp::build(&FLOW, payload));
    assert_eq!(sent(&ramp(18)), worked::octets(worked::V08));
    assert_eq!(sent(&[0xa5]), worked::octets(worked::V09));
    assert_eq!(sent(&[0x91, 0xa7]), worked::octets(worked::V11));
    let unsummed = Flow { ttl: 255, checksum: false, ..FLOW };
    assert_eq!(eth::transmit(&udp::build(&unsummed, &ramp(18))), worked::octets(worked::V12));
    assert_eq!(eth::transmit(&udp::build(&Flow { ttl: 1, ..FLOW }, &ramp(18))), worked::octets(worked::V34));
}

#[test]
fn long_frames_have_the_worked_checksums() {
    for (payload, length, ip_sum, udp_sum, fcs) in [
        (1472, 1518, 0xb13f, 0x00c9, [0x63, 0xb0, 0x10, 0xfa]),
        (8972, 9018, 0x93f3, 0xe4b7, [0x63, 0xf4, 0x78, 0xd6]),
        (16_080, 16_126, 0x782f, 0x8230, [0xaa, 0x55, 0xbb, 0xa1]),
    ] {
        let frame = eth::transmit(&udp::build(&FLOW, &ramp(payload)));
        assert_eq!(frame.len(), length);
        assert_eq!((be16(&frame, 24), be16(&frame, 40)), (ip_sum, udp_sum));
        assert_eq!(frame[length - 4..], fcs);
        assert_eq!(meet(&frame).0.delivered, [ramp(payload)]);
    }
}

#[test]
fn a_datagram_of_other_addresses_has_its_worked_header() {
    let flow = Flow {
        source_ip: Ipv4Addr::new(10, 0, 0, 1),
        destination_ip: Ipv4Addr::new(10, 0, 0, 2),
        source_mac: [2, 0, 0, 0, 0, 1],
        destination_mac: [2, 0, 0, 0, 0, 2],
        source_port: 4001,
        destination_port: 4001,
        ..FLOW
    };
    let short = udp::build(&flow, &ramp(18));
    let wanted = "4500002e00004000401126bd0a0000010a000002 0fa10fa1001a8424";
    assert_eq!(short[14..42], worked::octets(wanted));
    assert_eq!(eth::fcs(&short)[..], worked::octets("a762454d"));
    let long = udp::build(&Flow { checksum: false, ..flow }, &ramp(8040));
    let wanted = "020000000002 020000000001 0800 4500 1f84 0000 4000 4011 0767
                  0a000001 0a000002 0fa1 0fa1 1f70 0000";
    assert_eq!(long[..42], worked::octets(wanted));
}

#[test]
fn each_header_field_that_is_wrong_has_its_own_counter() {
    let source = |address: [u8; 4]| changed(|frame| frame[26..30].copy_from_slice(&address));
    let destination = |address: [u8; 4]| changed(|frame| frame[30..34].copy_from_slice(&address));
    assert_eq!(changed(|_| ()), "udp_good");
    assert_eq!(changed(|frame| frame[14] = 0x44), "ip_bad_ihl");
    assert_eq!(changed(|frame| frame[17] = 19), "ip_len_error");
    assert_eq!(changed(|frame| frame[17] = 47), "ip_len_error");
    assert_eq!(changed(|frame| frame[39] = 7), "udp_len_error");
    assert_eq!(changed(|frame| frame[39] = 27), "udp_len_error");
    assert_eq!(changed(|frame| frame[17] = 27), "udp_len_error");
    assert_eq!(changed(|frame| frame[20] = 0x20), "ip_fragment");
    assert_eq!(changed(|frame| frame[21] = 1), "ip_fragment");
    assert_eq!(changed(|frame| frame[20] = 0x80), "udp_good");
    assert_eq!(changed(|frame| frame[23] = 6), "ip_proto_other");
    assert_eq!(changed(|frame| frame[37] ^= 1), "udp_bad_csum");
    assert_eq!(changed(|frame| frame[36..42].copy_from_slice(&[0x27, 0x11, 0, 26, 0, 0])), "udp_no_port");
    assert_eq!(changed(|frame| frame[36..42].copy_from_slice(&[0, 0, 0, 26, 0, 0])), "udp_no_port");
    for address in [[0; 4], [224, 0, 0, 5], [255; 4], [192, 168, 1, 255], [127, 0, 0, 1], OWN.ip.octets()] {
        assert_eq!(source(address), "ip_bad_src", "{address:?}");
    }
    for address in [[239, 1, 2, 3], [255; 4], [192, 168, 1, 255]] {
        assert_eq!(destination(address), "ip_broadcast", "{address:?}");
    }
    assert_eq!(destination([192, 168, 1, 129]), "ip_not_ours");
    assert_eq!(changed(|frame| frame[12..14].copy_from_slice(&[0x88, 0xa8])), "vlan_drop");
    assert_eq!(changed(|frame| frame[12..14].copy_from_slice(&[0x86, 0xdd])), "ethertype_other");
}

#[test]
fn arp_that_is_malformed_or_from_no_host_is_bad() {
    for (at, octet) in
        [(15, 6), (16, 0x86), (18, 8), (19, 6), (21, 3), (20, 1), (22, 1), (28, 224), (31, 255)]
    {
        assert_eq!(changed_arp(|frame| frame[at] = octet), "arp_bad", "octet {at}");
    }
    assert_eq!(changed_arp(|frame| frame[28..32].fill(255)), "arp_bad");
}

#[test]
fn arp_that_asks_nothing_of_ours_is_not_answered() {
    assert_eq!(changed_arp(|frame| frame[41] = 0x81), "arp_not_ours");
    assert_eq!(changed_arp(|frame| frame[21] = 2), "arp_not_ours");
    let own_echo = |frame: &mut [u8]| {
        frame[22..28].copy_from_slice(&OWN.mac);
        frame[28..32].copy_from_slice(&OWN.ip.octets());
    };
    assert_eq!(changed_arp(own_echo), "arp_not_ours");
    assert_eq!(changed_arp(|frame| frame[28..32].copy_from_slice(&OWN.ip.octets())), "arp_request");
}

/// An echo request with so many octets of data.
fn echo(data: usize, change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut message = vec![8, 0, 0, 0, 0x12, 0x34, 0, 1];
    message.extend(ramp(data));
    let sum = !ip::sum(&message);
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    change(&mut message);
    let header = ip::Header { dscp: 0, ttl: 64, protocol: 1, source: FLOW.source_ip, destination: OWN.ip };
    eth::transmit(&ip::frame(OWN.mac, FLOW.source_mac, 0x0800, &header.datagram(&message)))
}

#[test]
fn echo_requests_are_answered_up_to_the_size_of_the_reply_buffer() {
    assert_eq!(meet(&echo(2006, |_| ())).1, "icmp_echo");
    assert_eq!(meet(&echo(2007, |_| ())), (Outcome::default(), "icmp_too_long"));
    assert_eq!(meet(&echo(0, |_| ())).1, "icmp_echo");
}

#[test]
fn other_or_damaged_icmp_is_not_answered() {
    assert_eq!(meet(&echo(10, |message| message[9] ^= 1)).1, "icmp_bad_csum");
    assert_eq!(meet(&echo(10, |message| (message[0], message[2]) = (0, message[2] + 8))).1, "icmp_other");
    assert_eq!(meet(&echo(0, |message| message.truncate(7))).1, "icmp_other");
}

#[test]
fn an_empty_datagram_counts_and_delivers_nothing() {
    let mut card = card();
    let outcome = card.frame(&eth::transmit(&udp::build(&FLOW, &[])));
    assert_eq!((outcome, card.counters()["udp_good"]), (Outcome::default(), 1));
}

#[test]
fn a_udp_length_below_the_ip_payload_is_legal_and_cuts_the_payload() {
    let mut frame = udp::build(&FLOW, &ramp(12));
    frame.extend([0xee; 6]);
    frame[17] += 6;
    ip::refresh_checksum(&mut frame);
    assert_eq!(meet(&eth::with_fcs(&frame)).0.delivered, [ramp(12)]);
}

/// `rx_frames` is the sum of the MAC's verdicts, and `rx_good` the sum of the network's.
fn sums_hold(card: &Card) -> bool {
    let sum = |group| -> u64 {
        let members = counters::COUNTERS.iter().filter(|counter| counter.group == group);
        members.filter_map(|counter| card.counters().get(counter.name)).sum()
    };
    let moved = |name| card.counters().get(name).copied().unwrap_or_default();
    moved("rx_frames") == sum(counters::Group::Mac) && moved("rx_good") == sum(counters::Group::Network)
}

proptest! {
    #[test]
    fn any_octets_are_taken_and_every_frame_has_exactly_one_verdict(
        frames in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..100), 0..10)
    ) {
        let mut card = card();
        for frame in &frames {
            card.frame(frame);
            card.frame(&eth::transmit(frame));
        }
        prop_assert!(sums_hold(&card));
    }

    #[test]
    fn worked_frames_with_any_octet_changed_have_exactly_one_verdict(
        which in 0usize..4, at in 0usize..60, octet: u8, resum: bool
    ) {
        let text = [worked::V01, worked::V06, worked::V08, worked::V16][which];
        let mut frame = worked::octets(text);
        frame.truncate(frame.len() - 4);
        frame[at] = octet;
        if resum && at >= 14 {
            ip::refresh_checksum(&mut frame);
        }
        let mut card = card();
        card.frame(&eth::with_fcs(&frame));
        prop_assert!(sums_hold(&card));
    }

    #[test]
    fn every_payload_built_for_the_port_is_delivered_as_it_was(
        payload in proptest::collection::vec(any::<u8>(), 1..3000), checksum: bool, dscp in 0u8..64
    ) {
        let mut card = card();
        let frame = eth::transmit(&udp::build(&Flow { checksum, dscp, ..FLOW }, &payload));
        prop_assert_eq!(card.frame(&frame).delivered, vec![payload]);
    }

    #[test]
    fn every_reply_to_an_echo_request_has_good_sums_and_the_same_data(data in 0usize..2007) {
        let request = echo(data, |_| ());
        let reply = meet(&request).0.replies.remove(0);
        prop_assert!(eth::fcs_is_good(&reply));
        prop_assert_eq!(ip::sum(&reply[14..34]), 0xffff);
        prop_assert_eq!(ip::sum(&reply[34..42 + data]), 0xffff);
        prop_assert_eq!(&reply[38..42 + data], &request[38..42 + data]);
    }
}
