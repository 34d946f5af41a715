// What a register slice promises. Words are numbered modulo 8, which tells all those inside apart.
reg  [2:0] f_taken = 3'd0;
reg  [2:0] f_given = 3'd0;
wire [2:0] f_inside = f_taken - f_given;
wire       f_in = sink_valid & sink_ready & !reset;
wire       f_out = source_valid & source_ready & !reset;

// Any one number, and the word that has it.
(* anyconst *) reg [2:0] f_number;
reg [$bits({sink_error, sink_last, sink_keep, sink_data}) - 1:0] f_word;

// What the output held in the cycle before, and whether it had to stay.
reg        f_stays = 1'b0;
reg [$bits({sink_error, sink_last, sink_keep, sink_data}) - 1:0] f_before;

always @(posedge clock) begin
    if (f_in) begin
        f_taken <= f_taken + 3'd1;
        if (f_taken == f_number) f_word <= {sink_error, sink_last, sink_keep, sink_data};
    end
    if (f_out) f_given <= f_given + 3'd1;
    if (reset) begin
        f_taken <= 3'd0;
        f_given <= 3'd0;
    end
    f_stays <= source_valid & !source_ready & !reset;
    f_before <= {source_error, source_last, source_keep, source_data};
end

always @* begin
    no_more_than_two_words: assert (f_inside <= 3'd2);
    nothing_lost_or_invented: assert (source_valid == (f_inside != 3'd0));
    in_order: assert (!f_out || f_given != f_number
        || {source_error, source_last, source_keep, source_data} == f_word);
    ready_until_full: assert (sink_ready == (f_inside != 3'd2));
    stays_until_taken: assert (!f_stays
        || source_valid && {source_error, source_last, source_keep, source_data} == f_before);
end

`ifdef REACH
always @* can_fill: assert (f_inside != 3'd2);
`endif
