// A FIFO of 512 words as a person would write it: the yardstick for the area of `stream::Fifo`.
//
// A word fetched from the block RAM waits in `read_data` until the output register takes it.
module fifo (
    input         clock,
    input         reset,
    input  [63:0] sink_data,
    input  [7:0]  sink_keep,
    input         sink_last,
    input         sink_error,
    input         sink_valid,
    output        sink_ready,
    output [63:0] source_data,
    output [7:0]  source_keep,
    output        source_last,
    output        source_error,
    output        source_valid,
    input         source_ready,
    output [9:0]  level
);
    (* no_rw_check *)
    reg [73:0] words [0:511];
    reg [73:0] read_data;
    reg [73:0] out;
    reg [8:0]  write;
    reg [8:0]  read;
    reg [9:0]  count;
    reg        some;
    reg        full;
    reg        fetched;
    reg        out_valid;

    wire store = sink_valid && !full;
    wire advance = source_ready || !out_valid;
    wire fetch = some && (advance || !fetched);

    assign sink_ready = !full;
    assign level = count;
    assign {source_error, source_last, source_keep, source_data} = out;
    assign source_valid = out_valid;

    always @(posedge clock) begin
        if (store)
            words[write] <= {sink_error, sink_last, sink_keep, sink_data};
        if (fetch)
            read_data <= words[read];
    end

    always @(posedge clock) begin
        if (store)
            write <= write + 1'b1;
        if (fetch)
            read <= read + 1'b1;
        case ({store, fetch})
            2'b10: begin
                count <= count + 1'b1;
                some <= 1'b1;
                full <= count == 10'd511;
            end
            2'b01: begin
                count <= count - 1'b1;
                some <= count != 10'd1;
                full <= 1'b0;
            end
            default: ;
        endcase
        fetched <= fetch || (fetched && !advance);
        if (advance) begin
            out <= read_data;
            out_valid <= fetched;
        end
        if (reset) begin
            write <= 9'd0;
            read <= 9'd0;
            count <= 10'd0;
            some <= 1'b0;
            full <= 1'b0;
            fetched <= 1'b0;
            out_valid <= 1'b0;
        end
    end

    initial begin
        write = 9'd0;
        read = 9'd0;
        count = 10'd0;
        some = 1'b0;
        full = 1'b0;
        fetched = 1'b0;
        out_valid = 1'b0;
    end
endmodule
