package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"leadline/scorer"
	"leadline/server"
)

// watchedReplies is over how many of the newest replies the share of unusable ones is told.
const watchedReplies = 200

// newestReplies counts the replies of the newest runs, control items' too, and those of
// them that could not be used.
func newestReplies(runs []scorer.Run) server.RepliesStatus {
	var r server.RepliesStatus
	for _, run := range slices.Backward(runs) {
		if r.Read >= watchedReplies {
			break
		}
		r.Read += run.Usage.Replies + run.Controls.Replies
		r.Unusable += run.Usage.Repairs + run.Controls.Repairs
	}
	return r
}

// replyLines warn of a judge whose replies often cannot be used.
func replyLines(st server.Status) []string {
	r := st.Judge.Replies
	if !r.TooMany() {
		return nil
	}
	return []string{fmt.Sprintf("judge    %d of %d replies (%.1f %%) could not be used and were asked for again: the judge or its response format is wrong; run leadline check --live",
		r.Unusable, r.Read, 100*r.Share())}
}

// coverageLine counts the newest samples with a score, and why the others have none.
func coverageLine(c server.CoverageStatus) string {
	line := fmt.Sprintf("coverage %d of %d", c.Scored, c.Samples)
	reasons := slices.SortedFunc(maps.Keys(c.Reasons), func(a, b scorer.Reason) int {
		return cmp.Or(cmp.Compare(c.Reasons[b], c.Reasons[a]), cmp.Compare(a, b))
	})
	var why []string
	for _, r := range reasons {
		why = append(why, fmt.Sprintf("%s %d", r, c.Reasons[r]))
	}
	if len(why) > 0 {
		line += " (" + strings.Join(why, ", ") + ")"
	}
	return line
}
