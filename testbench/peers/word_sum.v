// The checksum stage as a person would write it: the yardstick for the area of `ip::WordSum`.
module word_sum (
    input         clock,
    input  [63:0] data,
    input  [7:0]  mask,
    input         twice,
    input         first,
    input  [15:0] seed,
    input         valid,
    output [29:0] total,
    output        all_ones
);
    wire [63:0] octets = data & {
        {8{mask[7]}}, {8{mask[6]}}, {8{mask[5]}}, {8{mask[4]}},
        {8{mask[3]}}, {8{mask[2]}}, {8{mask[1]}}, {8{mask[0]}}
    };
    wire [16:0] last_half = twice ? {octets[63:48], 1'b0} : {1'b0, octets[63:48]};

    // First clock: two sums of two half-words.
    reg [16:0] lower;
    reg [17:0] upper;
    reg        restart;
    reg [15:0] start;
    reg        add;
    // Second clock: the running sum, whose carries are only collected.
    reg [29:0] sum;

    always @(posedge clock) begin
        lower <= octets[15:0] + octets[31:16];
        upper <= octets[47:32] + last_half;
        restart <= first;
        start <= seed;
        add <= valid;
        if (add)
            sum <= (restart ? {14'd0, start} : sum) + (lower + upper);
    end

    assign total = sum;
    assign all_ones = &(sum[15:0] ^ {2'b00, sum[29:16]});

    initial begin
        add = 1'b0;
        sum = 30'd0;
    end
endmodule
