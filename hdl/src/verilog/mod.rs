//! The Verilog back end.
