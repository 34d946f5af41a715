//! A veth pair in a user namespace: the kernel's stack on one end, a packet socket for the board
//! on the other.

use super::{Error, Kind, Namespace, Plan, Wire, check_length, interface, pad};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketType};
use std::io;

/// The board's end of a veth pair.
pub struct Veth {
    socket: OwnedFd,
    plan: Plan,
}

impl Veth {
    /// Makes a user and network namespace with a veth pair in it, addressed by `plan`.
    ///
    /// # Errors
    /// [`Error::Namespace`] and [`Error::Failed`] where this process may not,
    /// [`Error::Start`] where iproute2 is missing.
    pub fn open(plan: &Plan) -> Result<(Namespace, Self), Error> {
        plan.check()?;
        let namespace = Namespace::unprivileged()?;
        interface::make_veth(&namespace, plan)?;
        interface::checksums_by_kernel(&namespace, interface::HOST)?;
        // No protocol yet: until it is bound the socket would take the frames of all interfaces.
        let socket = namespace.socket(AddressFamily::PACKET, SocketType::RAW, None)?;
        attach(&socket).map_err(|cause| Error::Device {
            device: interface::BOARD.to_owned(),
            action: "attach the packet socket to the end",
            cause,
        })?;
        // Last, so that the socket sees every frame the host ever sends.
        interface::start_host(&namespace, plan)?;
        interface::wait_until_running(&namespace, interface::BOARD)?;
        Ok((namespace, Self { socket, plan: *plan }))
    }
}

/// Binds `socket` to all frames that arrive at the board's end.
fn attach(socket: &OwnedFd) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the option is an int that outlives the call.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_IGNORE_OUTGOING,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        )
    };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    let index = rustix::net::netdevice::name_to_index(socket, interface::BOARD)?;
    // SAFETY: `sockaddr_ll` is plain data, for which all zeros is a value.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = index as libc::c_int;
    // SAFETY: address and length describe one initialised `sockaddr_ll`.
    let result = unsafe {
        libc::bind(socket.as_raw_fd(), (&raw const address).cast(), size_of_val(&address) as libc::socklen_t)
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

impl Wire for Veth {
    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Error> {
        let wire = self.name();
        let found = buffer.len();
        // TRUNC makes the call return the frame's own length, also where the buffer is shorter.
        match rustix::net::recv(&self.socket, &mut *buffer, RecvFlags::DONTWAIT | RecvFlags::TRUNC) {
            Ok((_, length)) if length > found => Err(Error::Buffer { wire, wanted: length, found }),
            Ok((_, length)) => pad(buffer, length, wire).map(Some),
            Err(Errno::AGAIN | Errno::INTR) => Ok(None),
            Err(errno) => Err(Error::Receive { wire, cause: errno.into() }),
        }
    }

    fn send(&mut self, frame: &[u8]) -> Result<(), Error> {
        check_length(frame, &self.plan, self.name())?;
        let sent = rustix::io::retry_on_intr(|| rustix::net::send(&self.socket, frame, SendFlags::empty()));
        match sent {
            Ok(_) => Ok(()),
            Err(errno) => Err(Error::Send { wire: self.name(), octets: frame.len(), cause: errno.into() }),
        }
    }

    fn name(&self) -> &'static str {
        Kind::Veth.name()
    }
}
