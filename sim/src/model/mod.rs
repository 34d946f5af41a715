//! Verilated models: one instance of a design, its ports and its waveform.
//!
//! A model comes from the run-time path ([`build`], any Verilog text) or is linked into the program
//! (feature `ibob`); both are the same [`Model`]. Each instance has a Verilator context of its own,
//! so any number of them may live in one process, on any threads.
mod cache;
mod compile;
mod compiler;
#[cfg(feature = "ibob")]
pub mod ibob;
mod ports;
mod runtime;

use crate::Error;
use ports::Slot;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::sync::Arc;

pub use compile::ToolError;
pub use ports::{Direction, Input, Output, PortInfo};
pub use runtime::{BuildOptions, Library, VerilogSource, build, program, run_tool};

/// The table that the C++ shim exports; the layout is written in `compile.rs` too.
#[repr(C)]
pub(crate) struct Functions {
    port_count: u64,
    create: unsafe extern "C" fn() -> *mut c_void,
    destroy: unsafe extern "C" fn(*mut c_void),
    eval: unsafe extern "C" fn(*mut c_void),
    ports: unsafe extern "C" fn(*mut c_void, *mut *mut c_void),
    trace_open: unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int,
    trace_dump: unsafe extern "C" fn(*mut c_void, u64),
}

/// One verilated instance of a design.
pub struct Model {
    instance: *mut c_void,
    functions: &'static Functions,
    inputs: Box<[Slot]>,
    outputs: Box<[Slot]>,
    ports: Arc<[PortInfo]>,
    can_trace: bool,
    tracing: bool,
    /// Keeps the code of a loaded model in memory; dropped after `Drop::drop` has run.
    _code: Option<Arc<libloading::Library>>,
}

// SAFETY: an instance has its own context and storage, and nothing in it belongs to a thread; every
// change goes through `&mut self`. It is not `Sync`: Verilator says nothing of concurrent reads.
unsafe impl Send for Model {}

impl Model {
    /// Makes an instance.
    ///
    /// `functions` must stay valid while `code` lives, or for ever when that is `None`, and must belong
    /// to a shim written for exactly these ports.
    pub(crate) fn new(
        functions: &'static Functions,
        ports: Arc<[PortInfo]>,
        can_trace: bool,
        code: Option<Arc<libloading::Library>>,
    ) -> Result<Self, Error> {
        if functions.port_count != ports.len() as u64 {
            return Err(Error::PortCount { wanted: ports.len(), found: functions.port_count });
        }
        let mut places = vec![std::ptr::null_mut(); ports.len()];
        // SAFETY: the shim fills exactly `port_count` places.
        let instance = unsafe {
            let instance = (functions.create)();
            (functions.ports)(instance, places.as_mut_ptr());
            instance
        };
        let slots = |direction| -> Box<[Slot]> {
            let all = ports.iter().zip(&places).filter(|(port, _)| port.direction == direction);
            all.map(|(port, place)| Slot::new(*place, port.width)).collect()
        };
        let (inputs, outputs) = (slots(Direction::Input), slots(Direction::Output));
        Ok(Self { instance, functions, inputs, outputs, ports, can_trace, tracing: false, _code: code })
    }

    /// The handle of an input, or an error that lists the inputs there are.
    pub fn input(&self, name: &str) -> Result<Input, Error> {
        self.place(name, Direction::Input).map(Input)
    }

    /// The handle of an output, or an error that lists the outputs there are.
    pub fn output(&self, name: &str) -> Result<Output, Error> {
        self.place(name, Direction::Output).map(Output)
    }

    fn place(&self, name: &str, direction: Direction) -> Result<usize, Error> {
        let names =
            || self.ports.iter().filter(|port| port.direction == direction).map(|port| &port.name[..]);
        names().position(|found| found == name).ok_or_else(|| Error::PortUnknown {
            name: name.into(),
            direction: if direction == Direction::Input { "input" } else { "output" },
            found: names().collect::<Vec<_>>().join(", "),
        })
    }

    /// The width of an input in bits.
    pub fn input_width(&self, port: Input) -> usize {
        self.width(Direction::Input, port.0)
    }

    /// The width of an output in bits.
    pub fn output_width(&self, port: Output) -> usize {
        self.width(Direction::Output, port.0)
    }

    fn width(&self, direction: Direction, index: usize) -> usize {
        let mut all = self.ports.iter().filter(|port| port.direction == direction);
        all.nth(index).map_or(0, |port| port.width)
    }

    /// Every port, in the order of the module.
    pub fn ports(&self) -> &[PortInfo] {
        &self.ports
    }

    /// Sets an input; bits above its width are dropped, a port above 64 bits is filled with zeros.
    #[inline]
    pub fn set(&mut self, port: Input, value: u64) {
        self.inputs[port.0].set(value);
    }

    /// Reads an output; of a port above 64 bits the low 64.
    #[inline]
    pub fn get(&self, port: Output) -> u64 {
        self.outputs[port.0].get()
    }

    /// Sets an input from 32-bit words, the least significant first; missing words are zero.
    pub fn set_wide(&mut self, port: Input, words: &[u32]) {
        self.inputs[port.0].set_words(words);
    }

    /// Reads an output into 32-bit words, the least significant first; surplus words become zero.
    pub fn get_wide(&self, port: Output, words: &mut [u32]) {
        self.outputs[port.0].get_words(words);
    }

    /// Lets the design settle on its inputs; a clock that went up since the last call is a rising edge.
    #[inline]
    pub fn eval(&mut self) {
        // SAFETY: the instance is alive and borrowed mutably.
        unsafe { (self.functions.eval)(self.instance) }
    }

    /// Starts a VCD file, ending the one before; the model must have been built with `trace`.
    pub fn trace(&mut self, path: &Path) -> Result<(), Error> {
        if !self.can_trace {
            return Err(Error::TraceNotBuilt);
        }
        let refused = || Error::TraceOpen { path: path.into() };
        let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| refused())?;
        // SAFETY: the instance is alive, the name ends in a zero octet.
        let opened = unsafe { (self.functions.trace_open)(self.instance, name.as_ptr()) };
        self.tracing = opened != 0;
        if self.tracing { Ok(()) } else { Err(refused()) }
    }

    /// Writes the present values to the VCD file, if one is open; `time` in ps must grow.
    #[inline]
    pub fn dump(&mut self, time: u64) {
        if self.tracing {
            // SAFETY: the instance is alive and borrowed mutably.
            unsafe { (self.functions.trace_dump)(self.instance, time) }
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: the instance was made by `create` of the same table and is destroyed once.
        unsafe { (self.functions.destroy)(self.instance) }
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Model").field("ports", &self.ports).finish_non_exhaustive()
    }
}
