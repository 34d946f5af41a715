//! Datagrams from a UDP socket, many a system call.

use crate::Error;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, AsRawFd};
use rustix::io::Errno;
use rustix::net::sockopt;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::time::Duration;

/// One datagram of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// Payload; only its beginning if `cut`.
    pub data: &'a [u8],
    /// Who sent it, where the network is IPv4.
    pub sender: Option<SocketAddrV4>,
    /// It was longer than the receiver's buffers.
    pub cut: bool,
}

/// A source of datagrams: a socket of the kernel, or of a stack in this process.
pub trait Datagrams {
    /// Gives those that wait to `take`, at most one batch; waits up to `limit` for the first.
    /// Returns how many there were; none at the time-out, and none also when a signal arrives,
    /// so that the caller can look at its flags.
    ///
    /// # Errors
    /// [`Error::Socket`] when the socket is no longer usable.
    fn receive(&mut self, limit: Duration, take: &mut dyn FnMut(Datagram<'_>)) -> Result<usize, Error>;

    /// Datagrams dropped since the start because the socket's buffer was full.
    fn dropped(&self) -> u64;
}

/// Settings of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverOptions {
    /// Datagrams a system call may bring, 1..=1024.
    pub batch: usize,
    /// Longest payload in octets, 1..=65535; longer ones come cut.
    pub longest: usize,
    /// Socket buffer to ask for, in octets.
    pub buffer: usize,
}

impl Default for ReceiverOptions {
    /// Batches of 64 datagrams that fit an MTU of 9000, and a socket buffer of 32 MiB.
    fn default() -> Self {
        Self { batch: 64, longest: 8972, buffer: 32 << 20 }
    }
}

/// Octets the kernel's control messages may take: one 32-bit count with its header, on the
/// alignment of a header.
const CONTROL_WORDS: usize = 4;

/// Receives in batches with `recvmmsg`. All memory is taken at the start.
pub struct Receiver {
    socket: UdpSocket,
    longest: usize,
    granted: usize,
    data: Vec<u8>,
    names: Vec<libc::sockaddr_in>,
    controls: Vec<[u64; CONTROL_WORDS]>,
    parts: Vec<libc::iovec>,
    heads: Vec<libc::mmsghdr>,
    /// The kernel's count of drops, 32 bits, as last heard.
    overflow: u32,
    dropped: u64,
}

// SAFETY: the raw pointers in `parts` and `heads` point into the other vectors of the same value,
// whose heap blocks move between threads with it, and are set anew before each use.
unsafe impl Send for Receiver {}

impl Receiver {
    /// Receives from `socket`, after asking for a larger buffer: by force where this process may,
    /// else as far as `net.core.rmem_max` allows. [`Receiver::granted`] tells the result.
    ///
    /// # Errors
    /// [`Error::Setting`], or [`Error::Socket`] when the kernel knows none of the options.
    pub fn new(socket: UdpSocket, options: &ReceiverOptions) -> Result<Self, Error> {
        let &ReceiverOptions { batch, longest, buffer } = options;
        let setting = |field, wanted, found: usize| Error::Setting { field, wanted, found: found as u64 };
        if !(1..=1024).contains(&batch) {
            return Err(setting("receive batch", "1 to 1024 datagrams", batch));
        }
        if !(1..=65_535).contains(&longest) {
            return Err(setting("longest datagram", "1 to 65535 octets", longest));
        }
        if !(1..=1 << 30).contains(&buffer) {
            return Err(setting("socket buffer", "1 octet to 1 GiB", buffer));
        }
        let granted = enlarge(&socket, buffer)?;
        tracing::debug!(wanted = buffer, granted, "receive buffer");
        count_overflow(&socket)?;
        // SAFETY: all three are plain data, for which all zeros is a value.
        let (name, part, head) = unsafe { (std::mem::zeroed(), std::mem::zeroed(), std::mem::zeroed()) };
        Ok(Self {
            socket,
            longest,
            granted,
            data: vec![0; batch * longest],
            names: vec![name; batch],
            controls: vec![[0; CONTROL_WORDS]; batch],
            parts: vec![part; batch],
            heads: vec![head; batch],
            overflow: 0,
            dropped: 0,
        })
    }

    /// Size of the socket's buffer in octets as the kernel counts, which includes its own
    /// bookkeeping: it grants twice what is asked for.
    pub fn granted(&self) -> usize {
        self.granted
    }

    /// Points the headers at their buffers; the kernel overwrites lengths and flags each time.
    fn prepare(&mut self) {
        let places = self.data.chunks_exact_mut(self.longest).zip(&mut self.names).zip(&mut self.controls);
        for (((data, name), control), (part, head)) in places.zip(self.parts.iter_mut().zip(&mut self.heads))
        {
            *part = libc::iovec { iov_base: data.as_mut_ptr().cast(), iov_len: data.len() };
            head.msg_len = 0;
            let head = &mut head.msg_hdr;
            head.msg_name = (&raw mut *name).cast();
            head.msg_namelen = size_of_val(name) as libc::socklen_t;
            head.msg_iov = part;
            head.msg_iovlen = 1;
            head.msg_control = control.as_mut_ptr().cast();
            head.msg_controllen = size_of_val(control);
            head.msg_flags = 0;
        }
    }

    /// One `recvmmsg` that never waits.
    fn batch(&mut self) -> io::Result<usize> {
        self.prepare();
        // SAFETY: every header points at live buffers of the lengths it gives (see `prepare`), and
        // no other reference to them exists during the call.
        let count = unsafe {
            libc::recvmmsg(
                self.socket.as_raw_fd(),
                self.heads.as_mut_ptr(),
                self.heads.len() as libc::c_uint,
                libc::MSG_DONTWAIT,
                std::ptr::null_mut(),
            )
        };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }

    /// Reads the drop count that came with the datagram at `place`, if one did: the kernel sends
    /// it only once something was dropped.
    fn note_overflow(&mut self, place: usize) {
        let head = &self.heads[place].msg_hdr;
        // SAFETY: the kernel has filled `msg_controllen` octets of the control buffer with whole
        // messages; the macros stay within them, and the count is read without assuming alignment.
        let count = unsafe {
            let message = libc::CMSG_FIRSTHDR(head);
            if message.is_null()
                || (*message).cmsg_level != libc::SOL_SOCKET
                || (*message).cmsg_type != libc::SO_RXQ_OVFL
            {
                return;
            }
            libc::CMSG_DATA(message).cast::<u32>().read_unaligned()
        };
        self.dropped += u64::from(count.wrapping_sub(self.overflow));
        self.overflow = count;
    }

    /// The datagram at `place` of the last batch.
    fn datagram(&self, place: usize) -> Datagram<'_> {
        let head = &self.heads[place];
        let start = place * self.longest;
        let name = &self.names[place];
        let ipv4 = name.sin_family == libc::AF_INET as libc::sa_family_t;
        let sender = ipv4.then(|| {
            let address = Ipv4Addr::from(u32::from_be(name.sin_addr.s_addr));
            SocketAddrV4::new(address, u16::from_be(name.sin_port))
        });
        Datagram {
            data: &self.data[start..start + (head.msg_len as usize).min(self.longest)],
            sender,
            cut: head.msg_hdr.msg_flags & libc::MSG_TRUNC != 0,
        }
    }

    /// Waits for a datagram; `false` at the time-out or when a signal arrives.
    fn wait(&self, limit: Duration) -> Result<bool, Error> {
        let failed = |errno: Errno| Error::Socket { action: "wait for", cause: errno.into() };
        let mut polled = [PollFd::from_borrowed_fd(self.socket.as_fd(), PollFlags::IN)];
        let limit = Timespec::try_from(limit).map_err(|_| failed(Errno::INVAL))?;
        match rustix::event::poll(&mut polled, Some(&limit)) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(errno) => Err(failed(errno)),
        }
    }
}

impl Datagrams for Receiver {
    fn receive(&mut self, limit: Duration, take: &mut dyn FnMut(Datagram<'_>)) -> Result<usize, Error> {
        let mut waited = false;
        loop {
            match self.batch() {
                Ok(count) => {
                    for place in 0..count {
                        self.note_overflow(place);
                        take(self.datagram(place));
                    }
                    return Ok(count);
                }
                Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => {
                    // The second time round another reader of the socket, or a datagram with a
                    // bad checksum, may have left nothing.
                    if waited || !self.wait(limit)? {
                        return Ok(0);
                    }
                    waited = true;
                }
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => return Ok(0),
                Err(cause) => return Err(Error::Socket { action: "receive from", cause }),
            }
        }
    }

    fn dropped(&self) -> u64 {
        self.dropped
    }
}

/// Asks for a buffer of `octets` and returns what the kernel granted.
fn enlarge(socket: &UdpSocket, octets: usize) -> Result<usize, Error> {
    let failed = |action| move |errno: Errno| Error::Socket { action, cause: errno.into() };
    if sockopt::set_socket_recv_buffer_size_force(socket, octets).is_err() {
        sockopt::set_socket_recv_buffer_size(socket, octets).map_err(failed("enlarge the buffer of"))?;
    }
    sockopt::socket_recv_buffer_size(socket).map_err(failed("ask for the buffer of"))
}

/// Makes the kernel send its count of dropped datagrams along.
fn count_overflow(socket: &UdpSocket) -> Result<(), Error> {
    let on: libc::c_int = 1;
    // SAFETY: the option is an int that outlives the call.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_RXQ_OVFL,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        )
    };
    if result < 0 {
        return Err(Error::Socket { action: "count the drops of", cause: io::Error::last_os_error() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    const LIMIT: Duration = Duration::from_secs(5);

    fn pair(options: &ReceiverOptions) -> (Receiver, UdpSocket) {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let sender = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        sender.connect(socket.local_addr().unwrap()).unwrap();
        (Receiver::new(socket, options).unwrap(), sender)
    }

    /// Receives until `count` datagrams are there or nothing more comes.
    fn collect(receiver: &mut Receiver, count: usize) -> Vec<(Vec<u8>, bool)> {
        let mut all = Vec::new();
        while all.len() < count {
            let take = &mut |datagram: Datagram<'_>| all.push((datagram.data.to_vec(), datagram.cut));
            if receiver.receive(LIMIT, take).unwrap() == 0 {
                break;
            }
        }
        all
    }

    #[test]
    fn datagrams_come_whole_in_order_and_with_their_sender() {
        let (mut receiver, sender) = pair(&ReceiverOptions { batch: 7, ..ReceiverOptions::default() });
        let all: Vec<Vec<u8>> = (0..40u8).map(|n| vec![n; [0, 1, 8040][usize::from(n) % 3]]).collect();
        for data in &all {
            sender.send(data).unwrap();
        }
        let wanted: Vec<_> = all.into_iter().map(|data| (data, false)).collect();
        assert_eq!(collect(&mut receiver, 40), wanted);
        sender.send(b"x").unwrap();
        let mut from = None;
        receiver.receive(LIMIT, &mut |datagram| from = datagram.sender).unwrap();
        assert_eq!(from.map(Into::into), Some(sender.local_addr().unwrap()));
        assert_eq!(receiver.dropped(), 0);
    }

    #[test]
    fn too_long_a_datagram_comes_cut_and_marked() {
        let (mut receiver, sender) = pair(&ReceiverOptions { longest: 10, ..ReceiverOptions::default() });
        for octets in [10, 11, 3] {
            sender.send(&vec![7; octets]).unwrap();
        }
        let wanted = [(vec![7; 10], false), (vec![7; 10], true), (vec![7; 3], false)];
        assert_eq!(collect(&mut receiver, 3), wanted);
    }

    #[test]
    fn the_wait_for_nothing_is_bounded() {
        let (mut receiver, _sender) = pair(&ReceiverOptions::default());
        let start = Instant::now();
        let count = receiver.receive(Duration::from_millis(30), &mut |_| panic!("nothing was sent")).unwrap();
        assert_eq!(count, 0);
        assert!((Duration::from_millis(25)..LIMIT).contains(&start.elapsed()));
    }

    #[test]
    fn what_the_kernel_drops_is_counted() {
        let options = ReceiverOptions { buffer: 1, ..ReceiverOptions::default() };
        let (mut receiver, sender) = pair(&options);
        for _ in 0..200 {
            sender.send(&[0; 1000]).unwrap();
        }
        let first = collect_waiting(&mut receiver);
        // The count comes with the next datagram that finds room.
        sender.send(&[1]).unwrap();
        let second = collect_waiting(&mut receiver);
        assert!(first < 200, "a buffer of {} octets took everything", receiver.granted());
        assert_eq!(second, 1);
        assert_eq!(receiver.dropped(), 200 - first as u64);
    }

    fn collect_waiting(receiver: &mut Receiver) -> usize {
        let mut count = 0;
        loop {
            match receiver.receive(Duration::from_millis(50), &mut |_| {}).unwrap() {
                0 => return count,
                more => count += more,
            }
        }
    }

    #[test]
    fn the_granted_buffer_is_told() {
        let (small, _) = pair(&ReceiverOptions { buffer: 100_000, ..ReceiverOptions::default() });
        // socket(7): the kernel doubles the value to make room for bookkeeping.
        assert_eq!(small.granted(), 200_000);
        let (large, _) = pair(&ReceiverOptions::default());
        assert!(large.granted() >= small.granted());
    }

    #[test]
    fn senseless_options_are_refused_by_name() {
        let good = ReceiverOptions::default();
        for (options, name) in [
            (ReceiverOptions { batch: 0, ..good }, "batch"),
            (ReceiverOptions { batch: 1025, ..good }, "batch"),
            (ReceiverOptions { longest: 0, ..good }, "longest"),
            (ReceiverOptions { longest: 65_536, ..good }, "longest"),
            (ReceiverOptions { buffer: 0, ..good }, "buffer"),
        ] {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let error = Receiver::new(socket, &options).err().expect("the option is out of range");
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
