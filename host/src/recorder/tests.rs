use super::*;
use crate::vdif::Reader;
use crate::{Receiver, ReceiverOptions};
use proptest::prelude::*;
use std::net::{Ipv4Addr, UdpSocket};

fn frame(number: u32) -> Vec<u8> {
    let header = Header { frame: number, frame_octets: 48, ..Header::default() };
    [&header.encode().unwrap()[..], &[number as u8; 16]].concat()
}

fn packet(serial: u64) -> Vec<u8> {
    // Frame numbers have 24 bits.
    vtp::join(serial, &frame(serial as u32 & 0xff_ffff))
}

fn whole(data: &[u8]) -> Datagram<'_> {
    Datagram { data, sender: None, cut: false }
}

fn recorder(settings: Settings) -> Recorder<Vec<u8>> {
    Recorder::new(Vec::new(), settings).unwrap()
}

/// Frame numbers of a finished recording.
fn numbers(file: &[u8]) -> Vec<u32> {
    let mut reader = Reader::new(file);
    let mut numbers = Vec::new();
    while let Some(frame) = reader.next_frame().unwrap() {
        assert_eq!(frame.data, [frame.header.frame as u8; 16]);
        numbers.push(frame.header.frame);
    }
    numbers
}

fn run(settings: Settings, serials: &[u64]) -> (Vec<u32>, Statistics) {
    let mut recorder = recorder(settings);
    for &serial in serials {
        recorder.take(whole(&packet(serial))).unwrap();
    }
    let (file, statistics) = recorder.finish().unwrap();
    (numbers(&file), statistics)
}

#[test]
fn a_clean_stream_is_recorded_whole() {
    let serials: Vec<u64> = (0..1000).collect();
    let (numbers, statistics) = run(Settings::default(), &serials);
    assert_eq!(numbers, (0..1000).collect::<Vec<u32>>());
    assert!(statistics.clean(), "{statistics:?}");
    assert_eq!((statistics.datagrams, statistics.octets), (1000, 56_000));
    assert_eq!((statistics.frames_written, statistics.serials.received), (1000, 1000));
}

#[test]
fn frames_are_written_in_order_and_once() {
    let settings = Settings { window: 8, start: Some(0), count: Some(12), ..Settings::default() };
    let (numbers, statistics) = run(settings, &[1, 0, 0, 3, 4, 2, 2, 5, 7, 8, 10]);
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 7, 8, 10]);
    let Counts { received, lost, reordered, duplicate, .. } = statistics.serials;
    assert_eq!((received, lost, reordered, duplicate), (9, 3, 2, 2));
    assert_eq!(statistics.frames_written, received);
    assert!(!statistics.clean());
}

#[test]
fn foreign_datagrams_are_counted_and_change_nothing() {
    let mut recorder = recorder(Settings::default());
    recorder.take(whole(&packet(0))).unwrap();
    let longer = Header { frame: 1, frame_octets: 56, ..Header::default() };
    let longer = [&longer.encode().unwrap()[..], &[0; 24]].concat();
    let other = Header { frame: 1, frame_octets: 48, station: 7, ..Header::default() };
    let other = [&other.encode().unwrap()[..], &[0; 16]].concat();
    let good = packet(1);
    for foreign in [
        &b""[..],
        b"hello",
        &good[..7],
        &good[..40],
        &good[..55],
        &vtp::join(1, &longer),
        &vtp::join(1, &other),
    ] {
        recorder.take(whole(foreign)).unwrap();
    }
    recorder.take(Datagram { data: &good, sender: None, cut: true }).unwrap();
    recorder.take(whole(&good)).unwrap();
    let (file, statistics) = recorder.finish().unwrap();
    assert_eq!(numbers(&file), [0, 1]);
    assert_eq!((statistics.foreign, statistics.datagrams), (8, 10));
    assert_eq!(statistics.serials, Counts { received: 2, ..Counts::default() });
}

#[test]
fn a_known_header_shuts_out_what_comes_first() {
    let like = Header { frame_octets: 48, station: 7, ..Header::default() };
    let mut recorder = recorder(Settings { like: Some(like), ..Settings::default() });
    recorder.take(whole(&packet(0))).unwrap();
    assert_eq!(recorder.statistics().foreign, 1);
    let impossible = Settings { like: Some(Header { bits: 0, ..like }), ..Settings::default() };
    assert!(Recorder::new(Vec::new(), impossible).is_err());
    let endless = Settings { like: Some(Header { frame_octets: 1 << 20, ..like }), ..Settings::default() };
    assert!(Recorder::new(Vec::new(), endless).is_err());
}

#[test]
fn invalid_frames_are_written_and_counted() {
    let mut recorder = recorder(Settings::default());
    let header = Header { invalid: true, frame_octets: 48, ..Header::default() };
    let data = [&header.encode().unwrap()[..], &[0; 16]].concat();
    recorder.take(whole(&vtp::join(0, &data))).unwrap();
    recorder.take(whole(&packet(1))).unwrap();
    let (_, statistics) = recorder.finish().unwrap();
    assert_eq!((statistics.frames_written, statistics.frames_invalid), (2, 1));
}

#[test]
fn a_full_disk_is_an_error_and_no_panic() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut recorder = Recorder::new(Full, Settings::default()).unwrap();
    let error = recorder.take(whole(&packet(0))).unwrap_err();
    assert!(error.to_string().contains("cannot write"), "{error}");
}

#[test]
fn completion_is_known_from_start_and_count() {
    let mut recorder = recorder(Settings { start: Some(5), count: Some(2), ..Settings::default() });
    recorder.take(whole(&packet(5))).unwrap();
    assert!(!recorder.complete());
    recorder.take(whole(&packet(6))).unwrap();
    assert!(recorder.complete());
}

#[test]
fn the_statistics_are_one_flat_object() {
    let statistics = Statistics { datagrams: 3, ..Statistics::default() };
    let json = serde_json::to_value(statistics).unwrap();
    assert_eq!(json["datagrams"], 3);
    assert_eq!(json["lost"], 0);
    assert!(json.as_object().unwrap().values().all(|value| value.is_u64()));
}

fn socket() -> (Receiver, UdpSocket) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let sender = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    sender.connect(socket.local_addr().unwrap()).unwrap();
    (Receiver::new(socket, &ReceiverOptions::default()).unwrap(), sender)
}

const LONG: Duration = Duration::from_secs(20);

#[test]
fn a_stream_through_a_socket_is_recorded_until_complete() {
    let (mut receiver, sender) = socket();
    let settings = Settings { start: Some(u64::MAX - 4), count: Some(10), ..Settings::default() };
    let mut recorder = recorder(settings);
    for step in 0..10u64 {
        // Serial numbers wrap; frame numbers are cut from them.
        let serial = (u64::MAX - 4).wrapping_add(step);
        sender.send(&vtp::join(serial, &frame(step as u32))).unwrap();
    }
    let limits = Limits { idle: LONG, total: LONG };
    let mut calls = 0;
    let progress = &mut |_: &Statistics| calls += 1;
    let end = record(&mut receiver, &mut recorder, &limits, &AtomicBool::new(false), progress).unwrap();
    assert_eq!(end, End::Complete);
    let (file, statistics) = recorder.finish().unwrap();
    assert_eq!(numbers(&file), (0..10).collect::<Vec<u32>>());
    assert!(statistics.clean(), "{statistics:?}");
    assert!(calls >= 1);
}

#[test]
fn silence_the_deadline_and_the_flag_each_end_the_recording() {
    let short = Duration::from_millis(20);
    for (limits, raised, wanted) in [
        (Limits { idle: short, total: LONG }, false, End::Idle),
        (Limits { idle: LONG, total: short }, false, End::Deadline),
        (Limits { idle: LONG, total: LONG }, true, End::Stopped),
    ] {
        let (mut receiver, _sender) = socket();
        let stop = AtomicBool::new(raised);
        let start = Instant::now();
        let mut recorder = recorder(Settings::default());
        let end = record(&mut receiver, &mut recorder, &limits, &stop, &mut |_| {}).unwrap();
        assert_eq!(end, wanted);
        assert!(start.elapsed() < LONG / 2);
    }
}

proptest! {
    #[test]
    fn any_datagrams_are_taken(
        datagrams in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..120), 0..20),
        serials in proptest::collection::vec(any::<u64>(), 0..20),
    ) {
        let mut recorder = recorder(Settings { window: 4, ..Settings::default() });
        let packets: Vec<_> = datagrams.into_iter().chain(serials.into_iter().map(packet)).collect();
        for data in &packets {
            recorder.take(whole(data)).unwrap();
        }
        let (file, statistics) = recorder.finish().unwrap();
        prop_assert_eq!(statistics.datagrams, packets.len() as u64);
        prop_assert_eq!(statistics.frames_written, statistics.serials.received);
        prop_assert!(file.len() as u64 <= statistics.octets);
    }

    #[test]
    fn a_shuffle_within_the_window_leaves_no_trace(
        keys in proptest::collection::vec(0..8u64, 1..300),
    ) {
        // Number n may slip back by up to seven places.
        let mut serials: Vec<u64> = (0..keys.len() as u64).collect();
        serials.sort_by_key(|&serial| serial + keys[serial as usize]);
        let settings = Settings { window: 16, start: Some(0), ..Settings::default() };
        let (numbers, statistics) = run(settings, &serials);
        prop_assert_eq!(numbers, (0..keys.len() as u32).collect::<Vec<_>>());
        prop_assert_eq!((statistics.serials.lost, statistics.serials.duplicate), (0, 0));
    }
}
