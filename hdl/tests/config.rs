//! What a configuration file may say, what it becomes, and how its faults are reported.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use nicforge_hdl::config::{Boards, Config, FIELDS, Fault, Faults, Kind, TABLES, Top, markdown};
use nicforge_layout::registers::{Access, MAP, by_name, udp_rx};
use proptest::prelude::*;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn starting_file(board: &str) -> String {
    nicforge_hdl::config::starting_file(board, Boards::built_in()).unwrap()
}

fn parse(text: &str) -> Config {
    Config::parse(text, "test.toml").unwrap_or_else(|faults| panic!("{:#?}", faults.list()))
}

fn faults(text: &str) -> Vec<Fault> {
    Config::parse(text, "test.toml").expect_err("this configuration has faults").list().to_vec()
}

/// The only fault of a text.
fn fault(text: &str) -> Fault {
    let mut list = faults(text);
    assert_eq!(list.len(), 1, "{list:#?}");
    list.remove(0)
}

const IBOB: &str = "board = \"ibob\"\n";

/// A file is what the program writes; `NICFORGE_UPDATE=1` rewrites it.
fn assert_current(path: &str, wanted: &str) {
    let file = repository().join(path);
    if std::env::var_os("NICFORGE_UPDATE").is_some() {
        std::fs::write(&file, wanted).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap();
    assert!(
        found == wanted,
        "{path} is out of date: run NICFORGE_UPDATE=1 cargo test -p nicforge-hdl --test config"
    );
}

#[test]
fn the_shipped_configurations_are_what_new_writes() {
    assert_current("configs/ibob.toml", &starting_file("ibob"));
    assert_current("configs/udp_core.toml", &starting_file("none"));
    assert_current("configs/ecpix5.toml", &starting_file("ecpix5"));
    assert_current("configs/colorlight_i5.toml", &starting_file("colorlight_i5"));
}

#[test]
fn the_reference_page_is_current() {
    assert_current("docs/src/configuration.md", &markdown());
}

#[test]
fn a_starting_file_says_nothing_but_defaults() {
    for board in Boards::built_in().sound() {
        let written = parse(&starting_file(&board.name));
        assert_eq!(written, parse(&format!("board = {:?}", board.name)));
    }
    assert_eq!(parse(&starting_file("none")), parse(""));
    let refusal = nicforge_hdl::config::starting_file("ibop", Boards::built_in()).unwrap_err().to_string();
    assert!(refusal.contains("ibop") && refusal.contains("\"kc705\" or \"none\""), "{refusal}");
}

#[test]
fn the_registers_named_by_fields_exist_and_are_set() {
    let words = parse(IBOB).register_words();
    let named: BTreeSet<&str> = FIELDS.iter().flat_map(|field| field.registers).copied().collect();
    for name in &named {
        assert!(by_name(name).is_some(), "no register {name}");
        assert!(words.contains_key(name), "register {name} is not set");
    }
    for name in words.keys() {
        let constant = by_name(name).unwrap().fields.iter().all(|field| field.access == Access::Constant);
        assert!(constant || named.contains(name), "no field names register {name}, which is set");
    }
    for field in FIELDS {
        assert_eq!(field.kind == Kind::Register, !field.registers.is_empty(), "{}", field.path());
        assert!(TABLES.iter().any(|table| table.name == field.table), "{}", field.path());
    }
}

#[test]
fn the_defaults_are_the_reset_values_of_the_map() {
    // The pace differs on purpose: the map's is the link's own, the configuration's one 1 GSa/s. And
    // the sampler board listens on no port.
    let words = parse(IBOB).register_words();
    let others = ["sampler_pace", "udp_rx"];
    for register in MAP.iter().filter(|register| !others.contains(&register.name)) {
        let constant = register.fields.iter().any(|field| field.access == Access::Constant);
        if !constant {
            let word = words.get(register.name).copied().unwrap_or(register.reset());
            assert_eq!(word, register.reset(), "{}", register.name);
        }
    }
    assert_eq!(words["udp_rx"], 0);
    assert_eq!(parse("").register_words()["udp_rx"], udp_rx::REG.reset());
    assert_eq!(words["sampler_pace"], 5 << 16 | 4, "1 GSa/s is eight samples in 4 of 5 cycles of 156.25 MHz");
}

#[test]
fn words_hold_what_the_file_says() {
    let text = "top = \"ibob\"\n[network]\nmac = \"02:11:22:33:44:55\"\nip = \"10.1.2.3\"\nnetmask = \"255.0.0.0\"\n\
        mtu = 1500\n[stream]\nttl = 3\ndscp = 46\nchecksum = false\ndestination_port = 2630\n\
        source_port = 9\n[sampler]\nsource = \"counter\"\nsample_rate = 256_000_000\npace = \"link\"\npackets = 12\n\
        tone = { frequency = 64_000_000, amplitude = 7 }\n[vdif]\nstation = \"Wf\"\nthread = 5\ndata_octets = 1000\n\
        epoch = 54\nseconds = 99\nframe = 255_999\n";
    let words = parse(text).register_words();
    let wanted = [
        ("mac_high", 0x0211),
        ("mac_low", 0x2233_4455),
        ("ip", 0x0a01_0203),
        ("netmask", 0xff00_0000),
        ("rx_control", 0x8000_0000 | 1518),
        ("udp_tx_limit", 1472),
        ("udp_tx_ports", 9 << 16 | 2630),
        ("udp_tx_control", 46 << 8 | 3),
        ("sampler_control", 0),
        ("sampler_pace", 1 << 16 | 1),
        ("sampler_packets", 12),
        ("tone_step", 0x4000_0000),
        ("tone_amplitude", 7),
        ("vdif_station", 5 << 16 | 0x5766),
        ("vdif_layout", 125),
        ("vdif_rate", 256_000),
        ("vdif_frame", 54 << 24 | 255_999),
        ("vdif_seconds", 99),
        ("features", 1),
        ("map_digest", nicforge_layout::registers::digest()),
    ];
    for (name, word) in wanted {
        assert_eq!(words[name], word, "{name} is {:#x}", words[name]);
    }
    assert_eq!(parse("[udp]\nrx_port = 7").register_words()["udp_rx"], 7);
}

#[test]
fn a_sampler_board_refuses_a_port_that_nobody_would_read() {
    let faults = Config::parse("board = \"ibob\"\n[udp]\nrx_port = 7\n", "port.toml").unwrap_err();
    let [fault] = faults.list() else { panic!("{:?}", faults.list()) };
    let text = fault.to_string();
    assert!(text.starts_with("port.toml:3: udp.rx_port") && text.contains("udp_core"), "{text}");
}

#[test]
fn a_design_without_sampler_has_no_sampler_words_and_refuses_sampler_fields() {
    let words = parse("").register_words();
    assert_eq!(words["features"], 0);
    assert!(!words.keys().any(|name| name.starts_with("vdif") || name.starts_with("sampler")));
    let fault = fault("[vdif]\nthread = 3\n");
    assert_eq!((fault.line, fault.field.as_str()), (Some(2), "vdif.thread"));
}

#[test]
fn the_digest_follows_meaning_and_not_spelling() {
    let plain = parse(IBOB);
    let spelled = parse(
        "# a comment\n[vdif]\nthread = 0x0\n[network]\nmtu = 9_000\n"
            .replace('#', "board = 'ibob'\n#")
            .as_str(),
    );
    assert_eq!(plain.digest(), spelled.digest());
    assert_eq!(plain.digest_hex().len(), 64);
    let first = u32::from_str_radix(&plain.digest_hex()[..8], 16).unwrap();
    assert_eq!(plain.register_words()["config_digest"], first);
    for line in [
        "[vdif]\nthread = 1",
        "[sampler]\nenable = true",
        "[network]\nmtu = 8999",
        "[stream]\nchecksum = false",
    ] {
        assert_ne!(parse(&format!("{IBOB}{line}")).digest(), plain.digest(), "{line}");
    }
}

#[test]
fn the_normalised_form_reads_back_as_the_same_configuration() {
    for text in ["", IBOB, "top = \"ibob\"\n[sampler]\nsource = \"counter\"\npace = \"link\"\n"] {
        let config = parse(text);
        assert_eq!(parse(&config.normalised()), config);
    }
}

#[test]
fn every_fault_is_listed_with_line_field_wanted_and_found() {
    let text = "board = \"ibop\"\ntop = \"ibob\"\n[network]\nmac = \"01:00:5e:00:00:01\"\nip = \"192.168.1.300\"\n\
        mtu = 1500\ncolour = 3\n[vdif]\ndata_octets = 8004\n[sampler]\nsample_rate = \"fast\"\n";
    let list = faults(text);
    let places: Vec<_> = list.iter().map(|fault| (fault.line.unwrap(), fault.field.as_str())).collect();
    assert_eq!(
        places,
        [
            (1, "board"),
            (4, "network.mac"),
            (5, "network.ip"),
            (7, "network.colour"),
            (9, "vdif.data_octets"),
            (9, "vdif.data_octets"),
            (11, "sampler.sample_rate"),
        ]
    );
    assert!(list[0].wanted.contains("\"kc705\" or \"none\"") && list[0].found == "\"ibop\"", "{:?}", list[0]);
    assert!(list[3].wanted.contains("\"netmask\""), "{:?}", list[3]);
    assert!(list[4].wanted.contains("multiple of 8"), "{:?}", list[4]);
    assert!(list[5].wanted.contains("mtu = 1500"), "{:?}", list[5]);
    assert!(list[1].to_string().starts_with("test.toml:4: network.mac: wanted a unicast"), "{}", list[1]);
}

#[test]
fn each_rule_alone_gives_one_fault_at_its_field() {
    let cases = [
        ("[network]\nmac = \"00:00:00:00:00:00\"", "network.mac"),
        ("[network]\nmac = \"03:00:00:00:00:80\"", "network.mac"),
        ("[network]\nmac = \"2:0:0:0:0:80\"", "network.mac"),
        ("[network]\nmac = \"02:00:00:00:00:80:00\"", "network.mac"),
        ("[network]\nip = \"127.0.0.1\"", "network.ip"),
        ("[network]\nip = \"0.0.0.5\"", "network.ip"),
        ("[network]\nip = \"224.0.0.1\"", "network.ip"),
        ("[network]\nip = \"192.168.1.0\"", "network.ip"),
        ("[network]\nip = \"192.168.1.255\"", "network.ip"),
        ("[network]\nip = 5", "network.ip"),
        ("[network]\nnetmask = \"255.0.255.0\"", "network.netmask"),
        ("[network]\nnetmask = \"255.255.255.255\"", "network.netmask"),
        ("[network]\nnetmask = \"0.0.0.0\"", "network.netmask"),
        ("[network]\nmtu = 575", "network.mtu"),
        ("[network]\nmtu = 16367", "network.mtu"),
        ("[network]\nmtu = -1", "network.mtu"),
        ("[network]\nmtu = 99999999999999999999999", "network.mtu"),
        ("[network]\nmtu = 8067", "vdif.data_octets"),
        ("[udp]\nrx_port = 65536", "udp.rx_port"),
        ("[udp]\nrx_port = 1.5", "udp.rx_port"),
        ("[stream]\ndestination_ip = \"0.0.0.0\"", "stream.destination_ip"),
        ("[stream]\ndestination_ip = \"192.168.1.128\"", "stream.destination_ip"),
        ("[stream]\ndestination_mac = \"02:00:00:00:00:80\"", "stream.destination_mac"),
        ("[stream]\ndestination_mac = \"01:00:5e:00:00:01\"", "stream.destination_mac"),
        ("[stream]\ndestination_mac = \"00:00:00:00:00:00\"", "stream.destination_mac"),
        ("[stream]\ndestination_ip = \"239.129.2.3\"", "stream.destination_mac"),
        ("[stream]\ndestination_port = 0", "stream.destination_port"),
        ("[stream]\nttl = 0", "stream.ttl"),
        ("[stream]\nchecksum = 1", "stream.checksum"),
        ("[stream]\nchecksum = []", "stream.checksum"),
        ("[sampler]\nsource = \"noise\"", "sampler.source"),
        ("[sampler]\nsample_rate = 1_250_000_000", "sampler.sample_rate"),
        ("[sampler]\nsample_rate = 1_250_000_001", "sampler.sample_rate"),
        ("[sampler]\nsample_rate = 1_002_500_000", "vdif.data_octets"),
        ("[sampler]\nsample_rate = 1_000_056_000", "sampler.sample_rate"),
        ("[sampler.tone]\nfrequency = 500_000_000", "sampler.tone.frequency"),
        ("[sampler.tone]\namplitude = 128", "sampler.tone.amplitude"),
        ("[vdif]\nstation = \"I\"", "vdif.station"),
        ("[vdif]\nstation = \"!b\"", "vdif.station"),
        ("[vdif]\ndata_octets = 8192", "vdif.data_octets"),
        ("[vdif]\ndata_octets = 10_000", "vdif.data_octets"),
        ("[vdif]\ndata_octets = 2500", "vdif.data_octets"),
        ("[vdif]\nframe = 125_000", "vdif.frame"),
        ("[vdif]\nepoch = 64", "vdif.epoch"),
        ("sampler = 3", "sampler"),
        ("vdif = []", "vdif"),
        ("\"network.mac\" = 1", "network.mac"),
        ("\"sampler.tone\" = {}", "sampler.tone"),
        ("colour = \"red\"", "colour"),
        ("[colours]\nred = 1\nblue = 2", "colours"),
        ("top = \"udp_core\"", "top"),
    ];
    for (text, field) in cases {
        let fault = fault(&format!("{IBOB}{text}\n"));
        assert_eq!(fault.field, field, "{text}: {fault}");
        assert!(fault.line.is_some_and(|line| (2..=3).contains(&line)), "{text}: {fault}");
    }
}

#[test]
fn what_is_allowed_at_the_edge_is_accepted() {
    for text in [
        "[network]\nmtu = 8068",
        "[network]\nnetmask = \"255.255.255.252\"\nip = \"192.168.1.129\"",
        "[stream]\ndestination_ip = \"239.129.2.3\"\ndestination_mac = \"01:00:5e:01:02:03\"",
        "[stream]\ndestination_ip = \"255.255.255.255\"\ndestination_mac = \"ff:ff:ff:ff:ff:ff\"",
        "[sampler]\nsample_rate = 1_250_000_000\npace = \"link\"",
        "[sampler.tone]\nfrequency = 499_999_999\namplitude = 127",
        "[vdif]\nframe = 124_999\nstation = \"00\"",
        "sampler.tone.amplitude = 3",
    ] {
        parse(&format!("{IBOB}{text}\n"));
    }
    assert_eq!(parse("top = \"ibob\"").top, Top::Ibob);
}

#[test]
fn syntax_errors_are_faults_beside_the_others() {
    let list = faults("board = \"ibob\"\n[network\nmtu = 3\n[udp]\nrx_port = = 4\n[vdif]\nthread = 5000\n");
    assert!(list.len() >= 2, "{list:#?}");
    assert!(list.iter().any(|fault| fault.line == Some(2) && fault.found.contains("syntax")), "{list:#?}");
    assert!(list.iter().any(|fault| fault.field == "vdif.thread"), "{list:#?}");
}

#[test]
fn a_missing_file_is_one_fault_that_names_it() {
    let faults: Faults = Config::load(Path::new("no/such.toml")).unwrap_err();
    assert_eq!(faults.list().len(), 1);
    assert!(faults.list()[0].to_string().starts_with("no/such.toml:"), "{faults}");
}

/// Pieces that configurations are made of, to reach deeper than random characters do.
fn scrap() -> impl Strategy<Value = String> {
    let fields: Vec<String> = FIELDS.iter().map(|field| field.path()).collect();
    let value = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        Just("\"192.168.1.1\"".to_owned()),
        Just("\"ibob\"".to_owned()),
        "\\PC{0,12}",
    ];
    (proptest::sample::select(fields), value).prop_map(|(field, value)| format!("{field} = {value}\n"))
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(?s).{0,300}") {
        let _ = Config::parse(&text, "fuzz");
    }

    #[test]
    fn any_values_are_read_or_refused(lines in proptest::collection::vec(scrap(), 0..12)) {
        if let Ok(config) = Config::parse(&lines.concat(), "fuzz") {
            prop_assert_eq!(Config::parse(&config.normalised(), "fuzz").unwrap(), config);
        }
    }

    #[test]
    fn a_cut_file_is_read_or_refused(cut in 0usize..4000) {
        let text = starting_file("ibob");
        let _ = Config::parse(text.get(..cut).unwrap_or(&text), "cut");
    }
}
