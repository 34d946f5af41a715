`default_nettype none

// A memory of 2^9 stream words, kept side by side with what goes with them.
//
// Source: StreamMemory in hdl/src/stream/memory.rs.
module stream_memory_512x64 (
    // The one clock of both ports.
    input  wire        clock,
    // `valid` stores the word at `write_address`.
    input  wire [63:0] word_data,
    input  wire [7:0]  word_keep,
    input  wire        word_last,
    input  wire        word_error,
    input  wire        word_valid,
    // Where to store.
    input  wire [8:0]  write_address,
    // Fetch the word at `read_address`; otherwise the word read stays.
    input  wire        read_enable,
    // What to fetch.
    input  wire [8:0]  read_address,
    // The word fetched last.
    output reg  [63:0] read_data,
    // Its octets.
    output reg  [7:0]  read_keep,
    // It ends a packet.
    output reg         read_last,
    // The packet it ends is bad.
    output reg         read_error
);
    (* no_rw_check *)
    reg [73:0] words [0:511];

    always @(posedge clock) begin
        if (word_valid) begin
            words[write_address] <= {word_error, word_last, word_keep, word_data};
        end
    end

    always @(posedge clock) begin
        if (read_enable) begin
            {read_error, read_last, read_keep, read_data} <= words[read_address];
        end
    end
endmodule

// The reading half of a FIFO: a stream memory, and the words fetched from it ahead of the reader.
//
// Turns "there is a word at this address" into a stream, one word a clock.
//
// A block RAM answers late in the clock cycle. The word therefore goes through a register before
// it leaves, and the next one is fetched while it waits there.
//
// Source: Outlet in hdl/src/stream/outlet.rs.
module outlet (
    // The one clock.
    input  wire        clock,
    // Synchronous, active high: forgets the words fetched.
    input  wire        reset,
    // `valid` stores the word at `write_address`.
    input  wire [63:0] word_data,
    input  wire [7:0]  word_keep,
    input  wire        word_last,
    input  wire        word_error,
    input  wire        word_valid,
    // Where to store.
    input  wire [8:0]  write_address,
    // The next word to read is here ...
    input  wire [8:0]  read_address,
    // ... if it was stored in an earlier cycle.
    input  wire        available,
    // The word at `read_address` is taken in this cycle; its place is free from the next one.
    output wire        fetches,
    // The words, two cycles after they became available at the earliest.
    output wire [63:0] source_data,
    output wire [7:0]  source_keep,
    output wire        source_last,
    output wire        source_error,
    output wire        source_valid,
    input  wire        source_ready
);
    reg         fetched;
    reg  [63:0] data;
    reg  [7:0]  keep;
    reg         last;
    reg         error;
    reg         valid;

    wire        advances;
    wire        takes;

    wire [63:0] memory_read_data;
    wire [7:0]  memory_read_keep;
    wire        memory_read_last;
    wire        memory_read_error;

    stream_memory_512x64 memory (
        .clock(clock),
        .word_data(word_data),
        .word_keep(word_keep),
        .word_last(word_last),
        .word_error(word_error),
        .word_valid(word_valid),
        .write_address(write_address),
        .read_enable(takes),
        .read_address(read_address),
        .read_data(memory_read_data),
        .read_keep(memory_read_keep),
        .read_last(memory_read_last),
        .read_error(memory_read_error)
    );

    assign advances = !valid | source_ready;
    assign takes = available & (!fetched | advances);
    assign fetches = takes;
    assign source_data = data;
    assign source_keep = keep;
    assign source_last = last;
    assign source_error = error;
    assign source_valid = valid;

    always @(posedge clock) begin
        if (advances) begin
            data <= memory_read_data;
            keep <= memory_read_keep;
            last <= memory_read_last;
            error <= memory_read_error;
            valid <= fetched;
        end
        fetched <= takes | (fetched & !advances);
        if (reset) begin
            fetched <= 1'b0;
            valid <= 1'b0;
        end
    end

    // Values at power-up.
    initial begin
        fetched = 1'b0;
        data = 64'd0;
        keep = 8'd0;
        last = 1'b0;
        error = 1'b0;
        valid = 1'b0;
    end
endmodule

// A FIFO on one clock.
//
// Promise: the words that go in come out, in order, three cycles later at the earliest, one word a
// clock. It takes at least 2^9 words while its output stands still.
//
// 2^9 words in block RAM; 10 is 9 + 1, the bits of a count from 0 to 2^9.
//
// Source: Fifo in hdl/src/stream/fifo.rs.
module fifo (
    // The one clock.
    input  wire        clock,
    // Synchronous, active high: empties the FIFO.
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
    input  wire        source_ready,
    // Words in the memory, 0 to 2^9; up to two more wait at the output.
    output wire [9:0]  level
);
    localparam [9:0] almost_full = 10'h1ff;

    reg  [8:0] write;
    reg  [8:0] read;
    reg  [9:0] count;
    reg        some;
    reg        full;

    wire       stores;
    wire       takes;

    wire       outlet_fetches;

    outlet outlet (
        .clock(clock),
        .reset(reset),
        .word_data(sink_data),
        .word_keep(sink_keep),
        .word_last(sink_last),
        .word_error(sink_error),
        .word_valid(stores),
        .write_address(write),
        .read_address(read),
        .available(some),
        .fetches(outlet_fetches),
        .source_data(source_data),
        .source_keep(source_keep),
        .source_last(source_last),
        .source_error(source_error),
        .source_valid(source_valid),
        .source_ready(source_ready)
    );

    assign stores = sink_valid & !full;
    assign takes = outlet_fetches;
    assign sink_ready = !full;
    assign level = count;

    always @(posedge clock) begin
        if (stores) begin
            write <= write + 9'd1;
        end
        if (takes) begin
            read <= read + 9'd1;
        end
        if (stores & !takes) begin
            count <= count + 10'd1;
            some <= 1'b1;
            full <= count == almost_full;
        end
        if (takes & !stores) begin
            count <= count - 10'd1;
            some <= count != 10'd1;
            full <= 1'b0;
        end
        if (reset) begin
            write <= 9'd0;
            read <= 9'd0;
            count <= 10'd0;
            some <= 1'b0;
            full <= 1'b0;
        end
    end

    // Values at power-up.
    initial begin
        write = 9'd0;
        read = 9'd0;
        count = 10'd0;
        some = 1'b0;
        full = 1'b0;
    end

`ifdef FORMAL
`include "formal/fifo.sv"
`endif
endmodule

`default_nettype wire
