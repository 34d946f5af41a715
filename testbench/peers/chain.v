// The chain of testbench/src/chain.rs as a person would write it: the yardstick of the bench.
module chain_stage_by_hand (
    input             clock,
    input             reset,
    input      [63:0] s_data,
    input      [7:0]  s_keep,
    input             s_last,
    input             s_valid,
    output            s_ready,
    output reg [63:0] m_data,
    output reg [7:0]  m_keep,
    output reg        m_last,
    output reg        m_valid,
    input             m_ready,
    output reg [19:0] sum
);
    wire [19:0] words = {4'd0, s_data[15:0]} + {4'd0, s_data[31:16]} + {4'd0, s_data[47:32]} + {4'd0, s_data[63:48]};

    assign s_ready = m_ready | !m_valid;

    always @(posedge clock) begin
        if (s_valid & s_ready) begin
            m_data <= s_data;
            m_keep <= s_keep;
            m_last <= s_last;
            m_valid <= 1'b1;
            sum <= {4'd0, sum[15:0]} + {16'd0, sum[19:16]} + words;
        end else if (m_ready) begin
            m_valid <= 1'b0;
        end
        if (reset) begin
            m_valid <= 1'b0;
            sum <= 20'd0;
        end
    end
endmodule

module chain (
    input         clk,
    input         rst,
    input  [63:0] s_data,
    input  [7:0]  s_keep,
    input         s_last,
    input         s_valid,
    output        s_ready,
    output [63:0] m_data,
    output [7:0]  m_keep,
    output        m_last,
    output        m_valid,
    input         m_ready,
    output [19:0] sum
);
    wire [63:0] data [0:32];
    wire [7:0]  keep [0:32];
    wire        last [0:32];
    wire        valid [0:32];
    wire        ready [0:32];
    wire [19:0] sums [0:32];

    assign data[0] = s_data;
    assign keep[0] = s_keep;
    assign last[0] = s_last;
    assign valid[0] = s_valid;
    assign s_ready = ready[0];
    assign m_data = data[32];
    assign m_keep = keep[32];
    assign m_last = last[32];
    assign m_valid = valid[32];
    assign ready[32] = m_ready;
    assign sums[0] = 20'd0;
    assign sum = sums[32];

    genvar i;
    generate
        for (i = 0; i < 32; i = i + 1) begin : stages
            chain_stage_by_hand stage (
                .clock(clk), .reset(rst),
                .s_data(data[i]), .s_keep(keep[i]), .s_last(last[i]), .s_valid(valid[i]), .s_ready(ready[i]),
                .m_data(data[i + 1]), .m_keep(keep[i + 1]), .m_last(last[i + 1]), .m_valid(valid[i + 1]),
                .m_ready(ready[i + 1]), .sum(sums[i + 1])
            );
        end
    endgenerate
endmodule
