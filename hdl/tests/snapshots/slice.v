`default_nettype none

// A register slice: cuts every path of a stream, in both directions.
//
// Promise: the words that go in come out, in order, one cycle later at the earliest, one word a
// clock. `ready` is a register, so chains of blocks do not add up to one long path.
//
// Two words deep: one at the output, and a spare one for the word that arrives in the cycle in
// which the output stops, since `ready` tells the producer of that only a cycle later.
//
// Source: Slice in hdl/src/stream/slice.rs.
module slice (
    // The one clock.
    input  wire        clock,
    // Synchronous, active high: forgets both words.
    input  wire        reset,
    // Words in.
    input  wire [63:0] sink_data,
    input  wire [7:0]  sink_keep,
    input  wire        sink_last,
    input  wire        sink_error,
    input  wire        sink_valid,
    output wire        sink_ready,
    // The same words out.
    output wire [63:0] source_data,
    output wire [7:0]  source_keep,
    output wire        source_last,
    output wire        source_error,
    output wire        source_valid,
    input  wire        source_ready
);
    reg  [63:0] data;
    reg  [7:0]  keep;
    reg         last;
    reg         error;
    reg         valid;
    reg  [63:0] spare_data;
    reg  [7:0]  spare_keep;
    reg         spare_last;
    reg         spare_error;
    reg         spare_valid;

    wire        advances;

    assign source_data = data;
    assign source_keep = keep;
    assign source_last = last;
    assign source_error = error;
    assign source_valid = valid;
    assign sink_ready = !spare_valid;
    assign advances = !valid | source_ready;

    always @(posedge clock) begin
        if (advances) begin
            if (spare_valid) begin
                data <= spare_data;
                keep <= spare_keep;
                last <= spare_last;
                error <= spare_error;
            end else begin
                data <= sink_data;
                keep <= sink_keep;
                last <= sink_last;
                error <= sink_error;
            end
            valid <= sink_valid | spare_valid;
            spare_valid <= 1'b0;
        end else begin
            spare_valid <= sink_valid | spare_valid;
        end
        if (reset) begin
            valid <= 1'b0;
            spare_valid <= 1'b0;
        end
    end

    always @(posedge clock) begin
        // The spare place is written whenever it is free: what lands there counts only if the output did
        // not advance.
        if (!spare_valid) begin
            spare_data <= sink_data;
            spare_keep <= sink_keep;
            spare_last <= sink_last;
            spare_error <= sink_error;
        end
    end

    // Values at power-up.
    initial begin
        data = 64'd0;
        keep = 8'd0;
        last = 1'b0;
        error = 1'b0;
        valid = 1'b0;
        spare_data = 64'd0;
        spare_keep = 8'd0;
        spare_last = 1'b0;
        spare_error = 1'b0;
        spare_valid = 1'b0;
    end

`ifdef FORMAL
`include "formal/slice.sv"
`endif
endmodule

`default_nettype wire
