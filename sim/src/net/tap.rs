//! A TAP device in a network namespace: the kernel's stack on one side, the board on the other.

use super::{Error, Kind, Namespace, Plan, Wire, check_length, interface, pad};
use std::io::ErrorKind;
use tun_rs::{DeviceBuilder, Layer, SyncDevice};

/// The board's end of a TAP device.
pub struct Tap {
    device: SyncDevice,
    plan: Plan,
}

impl Tap {
    /// Makes a namespace with a TAP device in it, addressed by `plan`.
    ///
    /// # Errors
    /// [`Error::Namespace`] and [`Error::Device`] where this process may not,
    /// [`Error::Start`] where iproute2 is missing.
    pub fn open(plan: &Plan) -> Result<(Namespace, Self), Error> {
        plan.check()?;
        let namespace = Namespace::privileged()?;
        let fault = |action| move |cause| Error::Device { device: interface::HOST.to_owned(), action, cause };
        // The device is born in the namespace of the thread that opens it.
        let device = namespace
            .run(|| DeviceBuilder::new().name(interface::HOST).layer(Layer::L2).enable(false).build_sync())?
            .map_err(fault("open the TAP side (/dev/net/tun)"))?;
        device.set_nonblocking(true).map_err(fault("set the non-blocking mode"))?;
        interface::start_host(&namespace, plan)?;
        Ok((namespace, Self { device, plan: *plan }))
    }

    /// Makes a TAP device of this name where the process itself is, addressed by `plan`; it is gone
    /// when the process ends.
    ///
    /// # Errors
    /// [`Error::Plan`], and [`Error::Device`] where this process may not.
    pub fn named(name: &str, plan: &Plan) -> Result<Self, Error> {
        plan.check()?;
        let fault = |action| move |cause| Error::Device { device: name.to_owned(), action, cause };
        let device = DeviceBuilder::new()
            .name(name)
            .layer(Layer::L2)
            .mac_addr(plan.mac)
            .mtu(plan.mtu)
            .ipv4(plan.address, plan.prefix, None)
            .build_sync()
            .map_err(fault("open the TAP side (/dev/net/tun)"))?;
        device.set_nonblocking(true).map_err(fault("set the non-blocking mode"))?;
        Ok(Self { device, plan: *plan })
    }
}

impl Wire for Tap {
    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Error> {
        match self.device.recv(buffer) {
            // A TAP cuts what does not fit without a word; a full buffer may be a cut frame.
            Ok(length) if length == buffer.len() => {
                Err(Error::Buffer { wire: self.name(), wanted: length + 1, found: length })
            }
            Ok(length) => pad(buffer, length, self.name()).map(Some),
            Err(cause) if cause.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(cause) => Err(Error::Receive { wire: self.name(), cause }),
        }
    }

    fn send(&mut self, frame: &[u8]) -> Result<(), Error> {
        check_length(frame, &self.plan, self.name())?;
        let octets = frame.len();
        match self.device.send(frame) {
            Ok(sent) if sent == octets => Ok(()),
            Ok(sent) => Err(Error::Send {
                wire: self.name(),
                octets,
                cause: std::io::Error::other(format!("only {sent} octets were taken")),
            }),
            Err(cause) => Err(Error::Send { wire: self.name(), octets, cause }),
        }
    }

    fn name(&self) -> &'static str {
        Kind::Tap.name()
    }
}
