// A register slice as a person would write it: the yardstick for the area of `stream::Slice`.
module slice (
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
    input         source_ready
);
    wire [73:0] in = {sink_error, sink_last, sink_keep, sink_data};
    reg  [73:0] out;
    reg  [73:0] spare;
    reg         out_valid;
    reg         spare_valid;

    assign {source_error, source_last, source_keep, source_data} = out;
    assign source_valid = out_valid;
    assign sink_ready = !spare_valid;

    always @(posedge clock) begin
        if (!spare_valid)
            spare <= in;
        if (source_ready || !out_valid) begin
            out <= spare_valid ? spare : in;
            out_valid <= spare_valid || sink_valid;
            spare_valid <= 1'b0;
        end else if (sink_valid) begin
            spare_valid <= 1'b1;
        end
        if (reset) begin
            out_valid <= 1'b0;
            spare_valid <= 1'b0;
        end
    end

    initial begin
        out_valid = 1'b0;
        spare_valid = 1'b0;
    end
endmodule
