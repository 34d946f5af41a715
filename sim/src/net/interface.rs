//! Settings of the kernel's side of a network: addresses and limits by `ip` of iproute2, the
//! offloads by the ethtool request that no older `ip` has.

use super::command::Running;
use super::plan::mac_text;
use super::{Error, Namespace, Plan};
use rustix::fd::AsRawFd;
use rustix::net::{AddressFamily, SocketType};
use std::process::Command;
use std::time::{Duration, Instant};

/// Name of the interface whose addresses are the host's.
pub(super) const HOST: &str = "host0";
/// Name of the veth end that stands for the board's socket.
pub(super) const BOARD: &str = "board0";

/// Bound on one run of `ip`.
const IP_LIMIT: Duration = Duration::from_secs(10);

/// Longest wait for a link: the kernel looks at changed links once a second.
const LINK_LIMIT: Duration = Duration::from_secs(10);
/// From one look at a link to the next.
const LINK_GLANCE: Duration = Duration::from_millis(5);

/// ETHTOOL_STXCSUM of linux/ethtool.h: checksums of sent packets by the device, on or off.
const ETHTOOL_STXCSUM: u32 = 0x17;

/// Runs `ip` with `words` inside the namespace.
pub(super) fn ip(namespace: &Namespace, words: &[&str]) -> Result<(), Error> {
    let mut command = Command::new("ip");
    command.args(words);
    namespace.enclose(&mut command)?;
    Running::start(command, "ip", "iproute2")?.wait(IP_LIMIT)?.success().map(drop)
}

/// Keeps IPv6 silent on `device`: a board without IPv6 would only see neighbour discovery it must
/// drop, and a capture of a test would differ from run to run.
fn no_ipv6(namespace: &Namespace, device: &str) -> Result<(), Error> {
    // A kernel without IPv6 lacks this file, and refuses the setting.
    if !std::path::Path::new("/proc/self/net/if_inet6").exists() {
        return Ok(());
    }
    ip(namespace, &["link", "set", "dev", device, "addrgenmode", "none"])
}

/// Gives the host's interface the plan's addresses and starts it.
pub(super) fn start_host(namespace: &Namespace, plan: &Plan) -> Result<(), Error> {
    let (mac, mtu) = (mac_text(&plan.mac), plan.mtu.to_string());
    no_ipv6(namespace, HOST)?;
    ip(namespace, &["link", "set", "dev", HOST, "address", &mac, "mtu", &mtu, "up"])?;
    wait_until_running(namespace, HOST)?;
    let address = format!("{}/{}", plan.address, plan.prefix);
    ip(namespace, &["address", "add", &address, "dev", HOST])
}

/// Waits until the kernel has noticed that `device` has a link; until then it drops what is sent there.
pub(super) fn wait_until_running(namespace: &Namespace, device: &str) -> Result<(), Error> {
    let socket = namespace.socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    let fault = |cause| Error::Device { device: device.to_owned(), action: "wait for the link of", cause };
    let begin = Instant::now();
    while begin.elapsed() < LINK_LIMIT {
        let mut request = request_for(device);
        // SAFETY: the request names a terminated device name; the kernel writes only its flags.
        let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFFLAGS, &raw mut request) };
        if result < 0 {
            return Err(fault(std::io::Error::last_os_error()));
        }
        // SAFETY: the call has filled the flags in.
        let flags = libc::c_int::from(unsafe { request.ifr_ifru.ifru_flags });
        if flags & libc::IFF_RUNNING != 0 {
            return Ok(());
        }
        std::thread::sleep(LINK_GLANCE);
    }
    Err(fault(std::io::ErrorKind::TimedOut.into()))
}

/// A request about `device`.
fn request_for(device: &str) -> libc::ifreq {
    // SAFETY: `ifreq` is plain data, for which all zeros is a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    // The name is shorter than the field, so a closing zero stays.
    for (to, from) in request.ifr_name.iter_mut().zip(device.bytes().take(libc::IFNAMSIZ - 1)) {
        *to = from as libc::c_char;
    }
    request
}

/// Makes the veth pair and starts the board's end, on which the kernel itself stays mute.
pub(super) fn make_veth(namespace: &Namespace, plan: &Plan) -> Result<(), Error> {
    let mtu = plan.mtu.to_string();
    ip(namespace, &["link", "add", "name", HOST, "type", "veth", "peer", "name", BOARD])?;
    no_ipv6(namespace, BOARD)?;
    ip(namespace, &["link", "set", "dev", BOARD, "arp", "off", "mtu", &mtu, "up"])
}

/// Switches the transmit checksum offload of `device` off (segmentation offload goes with it).
///
/// A veth hands packets over in memory and leaves UDP and TCP checksums to a device that never
/// comes; the board would rightly drop such packets.
pub(super) fn checksums_by_kernel(namespace: &Namespace, device: &str) -> Result<(), Error> {
    /// `struct ethtool_value` of linux/ethtool.h.
    #[repr(C)]
    struct Value {
        command: u32,
        data: u32,
    }
    let socket = namespace.socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    let mut value = Value { command: ETHTOOL_STXCSUM, data: 0 };
    let mut request = request_for(device);
    request.ifr_ifru.ifru_data = (&raw mut value).cast();
    // SAFETY: the request names a terminated device name and a value that outlives the call.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL, &raw mut request) };
    if result < 0 {
        return Err(Error::Device {
            device: device.to_owned(),
            action: "switch off the checksum offload",
            cause: std::io::Error::last_os_error(),
        });
    }
    Ok(())
}
