//! Network namespaces held by descriptors.
//!
//! A namespace is made in a forked child that hands its descriptors back and ends at once; from
//! then on this process's descriptors alone keep it alive. Devices and sockets inside it vanish
//! with the last descriptor, so an interrupt or a kill leaves nothing behind.
//!
//! Sockets are opened by such a child too. A thread could enter a plain network namespace, but no
//! thread of a threaded process may enter a user namespace (setns(2)), a fresh child may; one way
//! for both keeps one set of traps.

use super::{Error, Step};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use rustix::process::{Pid, Signal, WaitOptions};
use rustix::thread::{LinkNameSpaceType, UnshareFlags};
use std::ffi::CStr;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// Bound on the helper child, which makes a handful of system calls.
const HELPER_LIMIT: Duration = Duration::from_secs(10);

/// A network namespace, with the user namespace around it where there is one.
#[derive(Debug)]
pub struct Namespace {
    user: Option<OwnedFd>,
    network: OwnedFd,
}

/// What a step in the child gives: a result, or the step and the kernel's reason.
type Act<T> = Result<T, (Step, Errno)>;

impl Namespace {
    /// A network namespace for a process that may make one (CAP_SYS_ADMIN).
    ///
    /// # Errors
    /// [`Error::Namespace`] when the kernel refuses.
    pub fn privileged() -> Result<Self, Error> {
        let [network] = from_child(|| {
            share_no_more(UnshareFlags::NEWNET, Step::UnshareNetwork)?;
            Ok([open(c"/proc/self/ns/net")?])
        })?;
        Ok(Self { user: None, network })
    }

    /// A network namespace inside a new user namespace in which this user is root.
    ///
    /// # Errors
    /// [`Error::Namespace`] when the kernel or a security module refuses.
    pub fn unprivileged() -> Result<Self, Error> {
        // Formatted before the fork: the child must not allocate.
        let users = format!("0 {} 1", rustix::process::geteuid().as_raw());
        let groups = format!("0 {} 1", rustix::process::getegid().as_raw());
        let [user, network] = from_child(|| {
            share_no_more(UnshareFlags::NEWUSER | UnshareFlags::NEWNET, Step::UnshareUser)?;
            write(c"/proc/self/setgroups", b"deny", Step::DenyGroups)?;
            write(c"/proc/self/uid_map", users.as_bytes(), Step::MapUser)?;
            write(c"/proc/self/gid_map", groups.as_bytes(), Step::MapGroup)?;
            Ok([open(c"/proc/self/ns/user")?, open(c"/proc/self/ns/net")?])
        })?;
        Ok(Self { user: Some(user), network })
    }

    /// The namespace's inode, as `lsns` and `/proc/PID/ns/net` show it.
    ///
    /// # Errors
    /// [`Error::Namespace`] when the descriptor cannot be asked.
    pub fn inode(&self) -> Result<u64, Error> {
        let failed = |errno: Errno| Error::Namespace { step: Step::Pin, cause: errno.into() };
        Ok(rustix::fs::fstat(&self.network).map_err(failed)?.st_ino)
    }

    /// Opens a socket that belongs to the namespace; `protocol` is as for socket(2).
    ///
    /// # Errors
    /// [`Error::Namespace`] when the namespace cannot be entered or the socket is refused.
    pub fn socket(
        &self,
        family: AddressFamily,
        kind: SocketType,
        protocol: Option<rustix::net::Protocol>,
    ) -> Result<OwnedFd, Error> {
        let (user, network) = (self.user.as_ref().map(AsFd::as_fd), self.network.as_fd());
        let [socket] = from_child(|| {
            enter(user, network)?;
            let socket = rustix::net::socket_with(family, kind, SocketFlags::CLOEXEC, protocol);
            Ok([socket.map_err(|errno| (Step::OpenSocket, errno))?])
        })?;
        Ok(socket)
    }

    /// Makes `command` run inside the namespace, and die with the thread that starts it.
    ///
    /// # Errors
    /// [`Error::Namespace`] when the descriptors cannot be duplicated.
    pub fn enclose(&self, command: &mut Command) -> Result<(), Error> {
        let copy = |fd: &OwnedFd| fd.try_clone().map_err(|cause| Error::Namespace { step: Step::Pin, cause });
        let user = self.user.as_ref().map(copy).transpose()?;
        let network = copy(&self.network)?;
        let prepare = move || {
            enter(user.as_ref().map(AsFd::as_fd), network.as_fd()).map_err(|(_, errno)| errno)?;
            // Only now: entering a user namespace changes credentials, which clears the signal.
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            Ok(())
        };
        // SAFETY: between fork and exec the closure only makes system calls; it neither allocates
        // nor takes a lock.
        unsafe { command.pre_exec(prepare) };
        Ok(())
    }

    /// Runs `work` on a thread of its own inside the namespace.
    ///
    /// # Errors
    /// [`Error::Namespace`] when the namespace cannot be entered, which is always so for one
    /// with a user namespace around it.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        let user = self.user.as_ref().map(AsFd::as_fd);
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                enter(user, self.network.as_fd())
                    .map_err(|(step, errno)| Error::Namespace { step, cause: errno.into() })?;
                Ok(work())
            });
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// Moves the calling thread into the namespaces, the user namespace first: being root there is
/// what permits the second step.
fn enter(user: Option<BorrowedFd<'_>>, network: BorrowedFd<'_>) -> Act<()> {
    if let Some(user) = user {
        rustix::thread::move_into_link_name_space(user, Some(LinkNameSpaceType::User))
            .map_err(|errno| (Step::EnterUser, errno))?;
    }
    rustix::thread::move_into_link_name_space(network, Some(LinkNameSpaceType::Network))
        .map_err(|errno| (Step::EnterNetwork, errno))
}

fn share_no_more(flags: UnshareFlags, step: Step) -> Act<()> {
    // SAFETY: the flags name namespaces only; memory and descriptors stay as they are.
    unsafe { rustix::thread::unshare_unsafe(flags) }.map_err(|errno| (step, errno))
}

fn open(path: &CStr) -> Act<OwnedFd> {
    rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|errno| (Step::Pin, errno))
}

fn write(path: &CStr, text: &[u8], step: Step) -> Act<()> {
    rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())
        .and_then(|file| rustix::io::write(file, text))
        .map(|_| ())
        .map_err(|errno| (step, errno))
}

/// Runs `work` in a forked child and returns the descriptors it obtained there.
///
/// The child may hold a copy of any lock of this process, so `work` must make system calls only:
/// no allocation, no printing.
fn from_child<const N: usize>(work: impl FnOnce() -> Act<[OwnedFd; N]>) -> Result<[OwnedFd; N], Error> {
    let helper = |errno: Errno| Error::Helper { cause: errno.into() };
    let (ours, theirs) =
        rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
            .map_err(helper)?;
    // SAFETY: the child makes system calls only (see above) and leaves by `_exit`, so that no
    // destructor or exit handler of this process runs twice.
    match unsafe { libc::fork() } {
        0 => {
            let outcome = answer(&theirs, work());
            // SAFETY: ends the child; nothing of this process is touched.
            unsafe { libc::_exit(i32::from(outcome.is_err())) }
        }
        pid => {
            drop(theirs);
            let pid = Pid::from_raw(pid)
                .filter(|_| pid > 0)
                .ok_or_else(|| Error::Helper { cause: std::io::Error::last_os_error() })?;
            let answer = hear(&ours);
            // Reaping is bounded: the child has answered, or is killed.
            if answer.is_err() {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
            let _ = rustix::io::retry_on_intr(|| rustix::process::waitpid(Some(pid), WaitOptions::empty()));
            answer
        }
    }
}

/// The child's half of [`from_child`]: one message with the step, the error number and, on
/// success, the descriptors.
fn answer<const N: usize>(socket: &OwnedFd, outcome: Act<[OwnedFd; N]>) -> Result<usize, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let mut message = [0u8; 8];
    let descriptors;
    let borrowed;
    match outcome {
        Ok(owned) => {
            descriptors = owned;
            borrowed = descriptors.each_ref().map(|fd| fd.as_fd());
            if !control.push(SendAncillaryMessage::ScmRights(&borrowed)) {
                return Err(Errno::NOBUFS);
            }
        }
        Err((step, errno)) => {
            message[..4].copy_from_slice(&(step as u32).to_ne_bytes());
            message[4..].copy_from_slice(&errno.raw_os_error().to_ne_bytes());
        }
    }
    rustix::net::sendmsg(socket, &[IoSlice::new(&message)], &mut control, SendFlags::NOSIGNAL)
}

/// The parent's half of [`from_child`].
fn hear<const N: usize>(socket: &OwnedFd) -> Result<[OwnedFd; N], Error> {
    let helper = |errno: Errno| Error::Helper { cause: errno.into() };
    if !readable(socket.as_fd(), HELPER_LIMIT).map_err(helper)? {
        return Err(Error::Timeout { what: "the namespace helper process".to_owned(), waited: HELPER_LIMIT });
    }
    let mut message = [0u8; 8];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [IoSliceMut::new(&mut message)];
    let received =
        rustix::net::recvmsg(socket, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC).map_err(helper)?;
    let descriptors: Vec<OwnedFd> = control
        .drain()
        .filter_map(|part| match part {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        })
        .flatten()
        .collect();
    let errno = i32::from_ne_bytes(message[4..].try_into().expect("four of eight octets"));
    if errno != 0 {
        let step = u32::from_ne_bytes(message[..4].try_into().expect("four of eight octets"));
        let step = Step::ALL.get(step as usize).copied().unwrap_or(Step::Pin);
        return Err(Error::Namespace { step, cause: std::io::Error::from_raw_os_error(errno) });
    }
    let count = descriptors.len();
    descriptors.try_into().map_err(|_| Error::Helper {
        cause: std::io::Error::other(format!(
            "it sent {} octets and {count} descriptors, wanted 8 and {N}",
            received.bytes
        )),
    })
}

/// Whether `fd` becomes readable within `limit`.
pub(super) fn readable(fd: BorrowedFd<'_>, limit: Duration) -> Result<bool, Errno> {
    let mut polled = [rustix::event::PollFd::from_borrowed_fd(fd, rustix::event::PollFlags::IN)];
    let limit = rustix::event::Timespec::try_from(limit).map_err(|_| Errno::INVAL)?;
    // An interrupted wait starts again; signals are too rare for the bound to suffer.
    let ready = rustix::io::retry_on_intr(|| rustix::event::poll(&mut polled, Some(&limit)))?;
    Ok(ready > 0)
}
