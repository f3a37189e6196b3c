package alert

import (
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

func english() words {
	return words{
		Metrics: map[scorer.Metric]string{
			scorer.Faithfulness: "Faithfulness", scorer.AnswerRelevancy: "Answer Relevancy",
			drift.ShareEmptyRetrieval: "Answers with nothing retrieved", drift.ShareRefusal: "Refusals",
			drift.ShareTruncated: "Truncated answers", drift.ShareError: "Error answers",
		},
		Channels: map[sampler.Channel]string{
			sampler.ChannelRelease: "release", sampler.ChannelPrompt: "prompt", sampler.ChannelModel: "model",
			sampler.ChannelRetriever: "retriever", sampler.ChannelEmbedding: "embedding",
			sampler.ChannelResponseModel: "response model", sampler.ChannelIndex: "index",
		},
		Kinds: map[drift.Kind]string{
			drift.KindSilent: "Silent drop", drift.KindRegression: "Regression",
			drift.KindUndecided: "Drop, cause undecided", drift.KindDrop: "Drop, releases not observed",
			drift.KindJudge: "Judge moved", drift.KindBlind: "Monitoring blind", drift.KindDelivery: "Alerts not delivered",
		},
		Problems: englishProblems(),
		Verdicts: map[string]verdictWords{
			"stable":  {"stable", "No drift this week: grounding and relevancy steady; correctness not measured."},
			"watch":   {"watch", "Something may be moving; it is not yet more than luck would explain."},
			"drift":   {"drift", "Scores drifted this week."},
			"unknown": {"unknown", "Too little was measured this week for a verdict. That is not good news; it is no news."},
		},

		All: "all answers", Segment: "%[1]s", Also: "; ", Comma: ", ", And: " and ", Percent: "%[1]s %%",
		Title: "[%[1]s] %[2]s: %[3]s, %[4]s · %[5]s", TitleShort: "[%[1]s] %[2]s: %[3]s · %[4]s",
		Banner: "These numbers come from word overlap: a demonstration, not a measurement.",
		Scope:  "Measured: grounding and relevancy. Correctness is not measured.",
		Footer: "%[1]s · as of %[2]s · Leadline",
		Days:   "%[1]d days", Hours: "%[1]d h %[2]d min", More: "and %[1]d more",

		Fell: "%[1]s of %[2]s fell from %[3]s to %[4]s", Rose: "%[1]s rose from %[3]s to %[4]s of %[2]s",
		Said: map[drift.Kind]string{
			drift.KindSilent:     "%[1]s, although %[2]s did not change.",
			drift.KindRegression: "%[1]s together with %[2]s.",
			drift.KindUndecided:  "%[1]s; %[2]s lies in the window of the change, but with %[3]s of the weight, too little to decide.",
			drift.KindDrop:       "%[1]s; releases are not observed here, so it is unknown whether code changed.",
			drift.KindJudge:      "%[1]s, and so did the frozen control items: the judge moved, the service may not have.",
		},
		SilentRelease: "%[1]s, although no release was made; no other code channel is watched.",
		SilentNear:    "%[1]s, and no change of code fits: the nearest, %[2]s, holds %[3]s of the weight.",
		SilentUnseen:  "%[1]s; no code channel is observed over that time any more.",
		Ended:         "%[1]s (%[2]s): back to normal after %[3]s; it had gone from %[4]s to %[5]s.",
		AcceptedBy:    "%[1]s (%[2]s): the new level was accepted as normal by %[3]s.",
		Merged:        "Goes on as %[1]s: both incidents turned out to be of one kind.",
		Over:          "Over after %[2]s: %[1]s.",

		Figures: "Figures", Change: "Before → after", ZeroShare: "Answers that score 0", Samples: "Samples", Since: "Since",
		Found: "Found", Evidence: "Evidence", Detail: "Detail",
		ChangeIs:    "%[1]s → %[2]s (%[3]s, 95 %% interval %[4]s to %[5]s)",
		Points:      "%[1]s points",
		ZeroShareIs: "%[1]s → %[2]s", SamplesAre: "%[1]s before, %[2]s after",
		SinceOnly:  "since %[1]s",
		SinceOne:   "%[1]s (90 %% window: this run alone)",
		SinceAt:    "%[1]s (90 %% window: the run of %[2]s)",
		SinceIs:    "%[1]s (90 %% window: %[2]s to %[3]s)",
		FoundIn:    "run of %[1]s, %[2]s samples of all segments after the change",
		FiguresOf:  "figures of the run of %[1]s",
		EvidenceIs: "10^%[1]s, alarm at 10^%[2]s; smallest change that can be seen: %[3]s",

		Series: "Other series (%[1]d)", SeriesIs: "%[1]s %[2]s → %[3]s, since %[4]s", SeriesEnded: "%[1]s back to normal, %[2]s",
		SeriesBack: "back to normal: %[1]s",

		Causes: "What changed, and what did not", Judge: "Judge", Mix: "Query mix", Release: "Release",
		Other: "Prompt and model", Corpus: "Corpus",
		JudgeNone:     "not involved: this share is counted, not judged",
		JudgeUnseen:   "not checked: no control items on both sides of the change",
		JudgeMoved:    "moved: %[1]d control items shifted by %[2]s ± %[3]s",
		JudgeCleared:  "cleared: %[1]d control items, shift %[2]s ± %[3]s",
		JudgeOpen:     "cannot be excluded: %[1]d control items, shift %[2]s ± %[3]s; they can show a shift of %[4]s",
		JudgePending:  "no verdict: %[1]d control items, shift %[2]s ± %[3]s",
		JudgeExcludes: "a judge that became stricter by %[1]s or more is ruled out",
		Stands:        "without the judge's part the change is %[1]s (95 %% interval %[2]s to %[3]s): the service got worse, too",
		MayBeAll:      "without the judge's part the change is %[1]s (95 %% interval %[2]s to %[3]s): all of it may be the judge's",

		Controls:      "control items",
		RulerSaid:     "%[1]s: the judge now gives %[2]d frozen control items %[4]s instead of %[3]s on average. It became %[5]s; the service may not have changed.",
		EmbeddingSaid: "%[1]s: %[2]d of %[3]d fixed pairs of texts have another cosine. The embedding model moved; the service may not have changed.",
		Stricter:      "stricter", Lenient: "more lenient",
		RulerEnded: map[string]string{
			drift.EndBack:     "%[1]s: the judge scores the control items as before, after %[2]s.",
			drift.EndReplaced: "%[1]s: another judge scores now, after %[2]s. Falls under the old one are not compared with it.",
			drift.EndAccepted: "%[1]s: the judge as it is was accepted, after %[2]s.",
		},
		RulerAccepted: "%[1]s: the judge as it is was accepted by %[2]s; scores and control items learn anew from here.",
		ShiftOfScores: "Shift of scores", ShiftIs: "%[1]s (95 %% interval %[2]s to %[3]s, weighted as the traffic)",
		ControlsAre: "%[1]d items: mean %[2]s → %[3]s",
		Languages:   map[string]string{"en": "English items", "ja": "Japanese items"},
		LanguageIs:  "%[1]d: %[2]s ± %[3]s", OnlyHere: "only this language moved",
		Pairs: "Embedding model", PairsAre: "%[1]d of %[2]d fixed pairs have another cosine",
		RulerEvidenceIs: "10^%[1]s; needed at this run: 10^%[2]s and the prior of its time",
		HeldBack:        "Held back: the judge moved",
		HeldIs:          "%[1]s, %[2]s: %[3]s; without the judge's part %[4]s (95 %% interval %[5]s to %[6]s)",
		MixUnseen:       "not observed: no segments to compare",
		MixIs:           "accounts for %[1]s ± %[2]s of the change; within segments %[3]s",
		MixWorst:        "largest change: %[1]s %[2]s (n = %[3]s)",
		Length:          "Answer length",
		LengthSame:      "steady within luck: %[1]s → %[2]s statements per answer",
		LengthExplains:  "%[1]s → %[2]s statements per answer, accounts for %[3]s ± %[4]s of the change; at the same length %[5]s",
		LengthNot:       "%[1]s → %[2]s statements per answer, accounts for only %[3]s ± %[4]s of the change; at the same length %[5]s",
		LengthOpen:      "%[1]s → %[2]s statements per answer; what it accounts for cannot be told yet: %[3]s ± %[4]s, at the same length %[5]s",
		LengthSupport:   "supported statements %[1]s → %[2]s (± %[3]s points)",
		ReleaseNone:     "none in the window", ReleaseLast: "none in the window (last: %[1]s at %[2]s, %[3]s before)",
		ReleaseChanged: "%[1]s → %[2]s at %[3]s, accounts for %[4]s of the weight of the change point",
		ReleaseUnseen:  "not observed: no record field and no deploy feed covers the window",
		ChannelChanged: "%[1]s %[2]s → %[3]s (%[4]s of the weight)", ChannelValue: "%[1]s (%[2]s)",
		ChannelsSame: "unchanged: %[1]s", ChannelsUnseen: "not observed: %[1]s",
		ChannelsNone: "not observed: no such field is configured",
		CorpusUnseen: "not observed: the log names no documents on both sides",
		CorpusIs:     "overlap of retrieved documents %[1]s (usual %[2]s); new ones take %[3]s of retrievals, vanished ones had %[4]s",
		CorpusGone:   "no longer retrieved: %[1]s", Nothing: "none",

		Lowest: "Lowest answers to read", LowestIs: "%[1]s  %[2]s  %[3]s", Next: "What to do",
		NextFor: map[drift.Kind][]string{
			drift.KindSilent: {
				"Look at what changes without a release: index builds, document sync, the provider's model.",
				"Read the lowest answers. If the new level is right, accept it: leadline baseline accept %[3]s --by NAME",
			},
			drift.KindRegression: {
				"Compare %[1]s with the one before, and roll back if the lowest answers bear it out.",
				"The incident ends when %[1]s is no longer served.",
			},
			drift.KindUndecided: {
				"Check whether %[1]s can explain it; more samples will narrow the window.",
			},
			drift.KindDrop: {
				"If nothing was released: leadline release none --through %[2]s",
				"If something was: leadline release add NAME --at TIME",
			},
			drift.KindJudge: {
				"Check the judge's model and endpoint before the service. Scores across the change do not compare.",
				"If the old model can be pinned, pin it: this ends when the control items are back. If another one must judge, configure it and compare the two: leadline judge bridge",
				"If this judge is to stay as it is, accept it; scores and control items learn anew: leadline baseline accept %[3]s --by NAME",
			},
		},
		NextGone:     "Check that the index still holds %[1]s.",
		NextEnded:    "Nothing to do. The rows of this time stay out of the baseline.",
		NextAccepted: "Nothing to do. The baseline is learned anew from this level.",
		NextMerged:   "Follow %[1]s.",

		LinkIncident: "Incident", LinkSamples: "Lowest answers", LinkReport: "Report",
	}
}

func englishProblems() map[string]problemWords {
	return map[string]problemWords{
		ProblemKafkaUnreadable: {"Kafka unreadable", "%[1]s", "The log cannot be read from Kafka, so nobody is watching this service.",
			"Check brokers, topic, partitions and access; reading goes on from the stored offset."},
		ProblemNoData: {"no data", "nothing for %[1]s", "No record arrives, so nobody is watching this service.",
			"Check that the service still logs to the topic. An empty window is not a zero."},
		ProblemJudgeDown: {"judge down", "%[1]s", "The judge does not answer: records are kept, and nothing is scored.",
			"Check the judge's endpoint, key and quota; scoring goes on by itself."},
		ProblemNoBudget: {"no budget", "%[1]s left", "What is left of the judge's budget is not enough for the newest window: nothing of it was scored.",
			"Raise judge.budget or lower sample.per_run."},
		ProblemCoverage: {"low coverage", "%[1]s scored", "Too many sampled answers could not be scored: means may be off without showing it.",
			"See the reasons on the page or in: leadline status"},
		ProblemRunsLate: {"runs late", "%[1]s or more windows wait", "Windows close faster than they are scored: findings come late.",
			"Raise judge.concurrency or lower sample.per_run."},
		ProblemReceiverBroken: {"receiver broken", "%[1]s", "A receiver refuses messages for good: alerts do not arrive there.",
			"Correct its address or key, then restart Leadline. What was refused is kept as dead."},
		ProblemReceiverUnreachable: {"receiver unreachable", "%[1]s", "A receiver has not taken a message for an hour or more: alerts wait.",
			"Check its address and the way to it; waiting messages go out by themselves."},
		ProblemMessageRejected: {"message rejected", "%[1]s", "A receiver rejected a message as it stands: that message did not arrive.",
			"Read the incident on the page, and check what the receiver accepts."},
	}
}
