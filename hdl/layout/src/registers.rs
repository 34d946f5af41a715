//! The register map of the card.
//!
//! 32-bit registers at byte offsets that are multiples of four. Each [`Register`] belongs to a
//! [`Group`]; a top has the groups that its `features` register names. The counters' snapshot is
//! a window of its own, see [`COUNTER_WINDOW`].

/// What a write does to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Fixed when the gateware is generated.
    Constant,
    /// Follows the gateware; a write changes nothing.
    ReadOnly,
    /// Reads back what was written; its reset value may come from the configuration.
    ReadWrite,
    /// A written value is there for one clock cycle; reads as zero.
    Pulse,
}

/// The part of the gateware that a register belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// In every top.
    Core,
    /// In tops with a sampler.
    Sampler,
}

/// Neighbouring bits of a register with one meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, unique within its register.
    pub name: &'static str,
    /// Lowest bit.
    pub lsb: u32,
    /// Number of bits.
    pub width: u32,
    /// What a write does.
    pub access: Access,
    /// Value after reset, where the configuration does not say otherwise.
    pub reset: u32,
    /// Meaning and unit.
    pub doc: &'static str,
}

impl Field {
    /// The field's bits within its register.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (32 - self.width)) << self.lsb
    }
    /// The field's value within a register's word.
    pub const fn get(&self, word: u32) -> u32 {
        (word & self.mask()) >> self.lsb
    }
    /// The register's word with this field replaced; bits beyond the field's width are cut off.
    pub const fn put(&self, word: u32, value: u32) -> u32 {
        (word & !self.mask()) | ((value << self.lsb) & self.mask())
    }
    /// Largest value that fits.
    pub const fn max(&self) -> u32 {
        u32::MAX >> (32 - self.width)
    }
}

/// One 32-bit register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Name, unique in the map.
    pub name: &'static str,
    /// Byte offset.
    pub offset: u32,
    /// The part of the gateware it belongs to.
    pub group: Group,
    /// Its fields, by ascending bit.
    pub fields: &'static [Field],
    /// What it is for.
    pub doc: &'static str,
}

impl Register {
    /// Value after reset, where the configuration does not say otherwise.
    pub fn reset(&self) -> u32 {
        self.fields.iter().fold(0, |word, field| field.put(word, field.reset))
    }
    /// Bits that a read-modify-write may carry over: all but those of pulse fields.
    pub fn rewritable(&self) -> u32 {
        self.fields
            .iter()
            .filter(|field| field.access == Access::ReadWrite)
            .fold(0, |bits, f| bits | f.mask())
    }
    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// Octets of the whole register space.
pub const SPACE: u32 = 0x1000;

/// Where the counters' snapshot begins: counter `code` is the 64-bit word at `COUNTER_WINDOW + 8 * code`, low half first.
pub const COUNTER_WINDOW: u32 = 0x0200;

macro_rules! registers {
    ($($module:ident $offset:literal $group:ident $doc:literal {
        $($constant:ident $name:literal [$lsb:literal +: $width:literal] $access:ident $reset:literal $field_doc:literal;)*
    })*) => {
        $(#[doc = $doc] pub mod $module {
            use super::{Access, Field, Group, Register};
            $(#[doc = $field_doc] pub const $constant: Field = Field {
                name: $name, lsb: $lsb, width: $width, access: Access::$access, reset: $reset, doc: $field_doc };)*
            /// The register itself.
            pub const REG: Register = Register { name: stringify!($module), offset: $offset,
                group: Group::$group, fields: &[$($constant),*], doc: $doc };
        })*
        /// Every register, by ascending offset.
        pub const MAP: &[Register] = &[$($module::REG),*];
    };
}

registers! {
    map_digest 0x000 Core "Which register map this card has: the driver compares it before anything else." {
        DIGEST "digest" [0 +: 32] Constant 0 "FNV-1a digest over all names, offsets and fields of the map.";
    }
    generator 0x004 Core "Which generator made the gateware." {
        PATCH "patch" [0 +: 8] Constant 0 "Third number of the version.";
        MINOR "minor" [8 +: 8] Constant 0 "Second number of the version.";
        MAJOR "major" [16 +: 8] Constant 0 "First number of the version.";
    }
    config_digest 0x008 Core "Which configuration the gateware was generated from." {
        DIGEST "digest" [0 +: 32] Constant 0 "First four octets of the SHA-256 digest of the normalised configuration.";
    }
    features 0x00c Core "Which register groups this card has." {
        SAMPLER "sampler" [0 +: 1] Constant 0 "1: the sampler group is there.";
    }
    scratch 0x010 Core "A word without meaning, for testing the register path." {
        VALUE "value" [0 +: 32] ReadWrite 0 "Whatever was written.";
    }
    mac_high 0x020 Core "Own MAC address, first two octets." {
        VALUE "value" [0 +: 16] ReadWrite 0x0200 "Octets 0 and 1, octet 0 in bits 15..8.";
    }
    mac_low 0x024 Core "Own MAC address, last four octets." {
        VALUE "value" [0 +: 32] ReadWrite 0x00000080 "Octets 2 to 5, octet 2 in bits 31..24.";
    }
    ip 0x028 Core "Own IPv4 address." {
        VALUE "value" [0 +: 32] ReadWrite 0xc0a80180 "First octet in bits 31..24.";
    }
    netmask 0x02c Core "Mask of the own subnet." {
        VALUE "value" [0 +: 32] ReadWrite 0xffffff00 "First octet in bits 31..24.";
    }
    rx_control 0x030 Core "Receiver settings." {
        MAX_FRAME "max_frame" [0 +: 15] ReadWrite 9018 "Longest accepted frame in octets, FCS included.";
        ENABLE "enable" [31 +: 1] ReadWrite 1 "0: every frame is ignored and not counted.";
    }
    udp_rx 0x040 Core "UDP receive port." {
        PORT "port" [0 +: 16] ReadWrite 10000 "Destination port that is delivered; 0 delivers none.";
    }
    udp_tx_mac_high 0x050 Core "MAC address that UDP packets are sent to, first two octets." {
        VALUE "value" [0 +: 16] ReadWrite 0x0200 "Octets 0 and 1, octet 0 in bits 15..8.";
    }
    udp_tx_mac_low 0x054 Core "MAC address that UDP packets are sent to, last four octets." {
        VALUE "value" [0 +: 32] ReadWrite 0x00000001 "Octets 2 to 5, octet 2 in bits 31..24.";
    }
    udp_tx_ip 0x058 Core "IPv4 address that UDP packets are sent to." {
        VALUE "value" [0 +: 32] ReadWrite 0xc0a80101 "First octet in bits 31..24.";
    }
    udp_tx_ports 0x05c Core "UDP ports of packets sent." {
        DESTINATION "destination" [0 +: 16] ReadWrite 50000 "Destination port.";
        SOURCE "source" [16 +: 16] ReadWrite 10000 "Source port.";
    }
    udp_tx_control 0x060 Core "Settings of packets sent." {
        TTL "ttl" [0 +: 8] ReadWrite 64 "Time to live.";
        DSCP "dscp" [8 +: 6] ReadWrite 0 "Differentiated services code point.";
        CHECKSUM "checksum" [16 +: 1] ReadWrite 1 "1: the UDP checksum is computed; 0: it is sent as 0.";
    }
    udp_tx_limit 0x064 Core "Longest packet sent." {
        OCTETS "octets" [0 +: 15] ReadWrite 8972 "Largest UDP payload in octets; longer packets are dropped whole and counted.";
    }
    statistics 0x080 Core "Control of the counters." {
        SNAPSHOT "snapshot" [0 +: 1] Pulse 0 "1: freeze all counters for reading.";
        PRESET "preset" [1 +: 1] Pulse 0 "1: load the counter of `code` with the preset value.";
        CODE "code" [8 +: 6] Pulse 0 "Counter that `preset` loads.";
    }
    statistics_status 0x084 Core "State of the counters." {
        BUSY "busy" [0 +: 1] ReadOnly 0 "1: a snapshot or a preset is under way.";
        LOST "lost" [1 +: 1] ReadOnly 0 "1: an event came too fast to be counted. Stays until reset.";
    }
    preset_low 0x088 Core "Value that `statistics.preset` loads, low half." {
        VALUE "value" [0 +: 32] ReadWrite 0 "Bits 31..0.";
    }
    preset_high 0x08c Core "Value that `statistics.preset` loads, high half." {
        VALUE "value" [0 +: 32] ReadWrite 0 "Bits 63..32.";
    }
    sampler_control 0x100 Sampler "What the sampler does." {
        ENABLE "enable" [0 +: 1] ReadWrite 0 "1: samples are taken and framed; 0: stop at the end of a packet.";
        SOURCE "source" [4 +: 2] ReadWrite 1 "0: counter, 1: tone.";
        LOAD "load" [8 +: 1] Pulse 0 "1: take over the preset time, frame, serial and sample numbers.";
    }
    sampler_pace 0x104 Sampler "Share of the clock cycles in which eight samples are taken." {
        NUMERATOR "numerator" [0 +: 16] ReadWrite 1 "Cycles with samples ...";
        DENOMINATOR "denominator" [16 +: 16] ReadWrite 1 "... out of so many. Equal numbers: as fast as the link takes them.";
    }
    sampler_packets 0x108 Sampler "How many packets to send." {
        VALUE "value" [0 +: 32] ReadWrite 0 "Packets after which the sampler stops; 0: no limit.";
    }
    sampler_sent 0x10c Sampler "How many packets were framed since the last `load`." {
        VALUE "value" [0 +: 32] ReadOnly 0 "Packets, modulo 2^32.";
    }
    tone_step 0x110 Sampler "Frequency of the tone." {
        VALUE "value" [0 +: 32] ReadWrite 0x01000000 "Phase step a sample, in units of 2^-32 turns.";
    }
    tone_amplitude 0x114 Sampler "Amplitude of the tone." {
        VALUE "value" [0 +: 7] ReadWrite 100 "Peak value in steps of the 8-bit sample.";
    }
    vdif_seconds 0x120 Sampler "VDIF time, taken over by `load`." {
        VALUE "value" [0 +: 30] ReadWrite 0 "Seconds from the reference epoch.";
    }
    vdif_frame 0x124 Sampler "VDIF frame number, taken over by `load`." {
        VALUE "value" [0 +: 24] ReadWrite 0 "Frame number within the second.";
        EPOCH "epoch" [24 +: 6] ReadWrite 53 "Reference epoch in half years from 2000.";
    }
    vdif_rate 0x128 Sampler "Frames a second." {
        VALUE "value" [0 +: 24] ReadWrite 125000 "The frame number runs from 0 to this less one.";
    }
    vdif_layout 0x12c Sampler "Length of a frame." {
        DATA_WORDS "data_words" [0 +: 12] ReadWrite 1000 "Words of 8 octets behind the header.";
    }
    vdif_station 0x130 Sampler "Who sends." {
        STATION "station" [0 +: 16] ReadWrite 0x4962 "Station identifier, first character in bits 15..8.";
        THREAD "thread" [16 +: 10] ReadWrite 0 "Thread identifier.";
    }
    vtp_serial_low 0x134 Sampler "VTP serial number of the next packet, low half, taken over by `load`." {
        VALUE "value" [0 +: 32] ReadWrite 0 "Bits 31..0.";
    }
    vtp_serial_high 0x138 Sampler "VTP serial number of the next packet, high half, taken over by `load`." {
        VALUE "value" [0 +: 32] ReadWrite 0 "Bits 63..32.";
    }
}

const fn offsets_ascend_by_words() -> bool {
    let mut i = 0;
    while i < MAP.len() {
        let here = MAP[i].offset;
        if !here.is_multiple_of(4) || here >= SPACE || (i > 0 && here <= MAP[i - 1].offset) {
            return false;
        }
        let end = COUNTER_WINDOW + 8 * super::counters::PLACES as u32;
        if here >= COUNTER_WINDOW && here < end {
            return false;
        }
        i += 1;
    }
    true
}
const fn fields_are_disjoint() -> bool {
    let mut i = 0;
    while i < MAP.len() {
        let (mut seen, mut k) = (0u32, 0);
        while k < MAP[i].fields.len() {
            let field = &MAP[i].fields[k];
            if field.width == 0
                || field.lsb + field.width > 32
                || seen & field.mask() != 0
                || field.reset > field.max()
            {
                return false;
            }
            seen |= field.mask();
            k += 1;
        }
        i += 1;
    }
    true
}
const _: () = assert!(offsets_ascend_by_words(), "register offsets overlap or do not ascend");
const _: () = assert!(fields_are_disjoint(), "two fields share a bit, or a reset value does not fit");

const fn fnv(mut hash: u32, octets: &[u8]) -> u32 {
    let mut i = 0;
    while i < octets.len() {
        hash = (hash ^ octets[i] as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    hash
}

/// Digest of the map and of the counters: 32-bit FNV-1a over names, offsets, places and access kinds.
pub const fn digest() -> u32 {
    let (mut hash, mut i) = (0x811c_9dc5, 0);
    while i < MAP.len() {
        hash = fnv(fnv(hash, MAP[i].name.as_bytes()), &MAP[i].offset.to_le_bytes());
        let mut k = 0;
        while k < MAP[i].fields.len() {
            let field = &MAP[i].fields[k];
            hash = fnv(hash, field.name.as_bytes());
            hash = fnv(hash, &[field.lsb as u8, field.width as u8, field.access as u8]);
            k += 1;
        }
        i += 1;
    }
    let mut i = 0;
    while i < super::counters::COUNTERS.len() {
        let counter = &super::counters::COUNTERS[i];
        hash = fnv(fnv(hash, counter.name.as_bytes()), &[counter.code]);
        i += 1;
    }
    hash
}

/// The register of this name.
pub fn by_name(name: &str) -> Option<&'static Register> {
    MAP.iter().find(|register| register.name == name)
}
