package alert

import (
	"leadline/drift"
	"leadline/sampler"
	"leadline/scorer"
)

func japanese() words {
	return words{
		Metrics: map[scorer.Metric]string{
			scorer.Faithfulness: "忠実度（Faithfulness）", scorer.AnswerRelevancy: "回答の関連性（Answer Relevancy）",
			drift.ShareEmptyRetrieval: "検索結果なしの割合", drift.ShareRefusal: "回答拒否の割合",
			drift.ShareTruncated: "途中で切れた回答の割合", drift.ShareError: "エラー回答の割合",
		},
		Channels: map[sampler.Channel]string{
			sampler.ChannelRelease: "リリース", sampler.ChannelPrompt: "プロンプト", sampler.ChannelModel: "モデル",
			sampler.ChannelRetriever: "リトリーバー", sampler.ChannelEmbedding: "埋め込み",
			sampler.ChannelResponseModel: "応答モデル", sampler.ChannelIndex: "インデックス",
		},
		Kinds: map[drift.Kind]string{
			drift.KindSilent: "変更なしの品質低下", drift.KindRegression: "変更に伴う品質低下",
			drift.KindUndecided: "品質低下（要因は未確定）", drift.KindDrop: "品質低下（リリース情報なし）",
			drift.KindJudge: "評価モデルの変動", drift.KindBlind: "監視不能", drift.KindDelivery: "通知の不達",
		},
		Problems: japaneseProblems(),
		Verdicts: map[string]verdictWords{
			"stable":  {"安定", "今週はドリフトなし。根拠との一致と質問との関連性は安定しています。回答の正しさは測定していません。"},
			"watch":   {"要注意", "変化の兆しがありますが、まだ偶然の範囲を超えたとは言えません。"},
			"drift":   {"ドリフト", "今週、スコアにドリフトがありました。"},
			"unknown": {"判定不能", "今週は測定量が足りず、判定できません。「問題なし」という意味ではありません。"},
		},

		All: "全回答", Segment: "「%[1]s」", Also: "。", Comma: "、", And: "、", Percent: "%[1]s%%",
		Title: "[%[1]s] %[2]s: %[3]s、%[4]s · %[5]s", TitleShort: "[%[1]s] %[2]s: %[3]s · %[4]s",
		Banner: "この数値は単語の重なりから算出したデモ用の値で、測定結果ではありません。",
		Scope:  "測定対象は根拠との一致と質問との関連性です。回答の正しさは測定していません。",
		Footer: "%[1]s · %[2]s 時点 · Leadline",
		Days:   "%[1]d 日", Hours: "%[1]d 時間 %[2]d 分", More: "ほか %[1]d 件",

		Fell: "%[2]sの%[1]sが %[3]s から %[4]s に低下", Rose: "%[2]sで%[1]sが %[3]s から %[4]s に上昇",
		Said: map[drift.Kind]string{
			drift.KindSilent:     "%[1]sしました。%[2]sに変更はありません。",
			drift.KindRegression: "「%[2]s」と時期を同じくして、%[1]sしました。",
			drift.KindUndecided:  "%[1]sしました。変化が起きた期間に「%[2]s」がありますが、重みは %[3]s にとどまり、判断できません。",
			drift.KindDrop:       "%[1]sしました。リリース情報が得られていないため、コード変更の有無は不明です。",
			drift.KindJudge:      "%[1]sしましたが、固定の対照項目の採点も動いています。変わったのは評価モデルで、サービスではない可能性があります。",
		},
		SilentRelease: "%[1]sしました。リリースはありません。ほかのコード側の項目は監視していません。",
		SilentNear:    "%[1]sしました。時期が合うコード側の変更はありません（最も近い「%[2]s」の重みは %[3]s）。",
		SilentUnseen:  "%[1]sしました。この期間のコード側の項目は、現在は観測できていません。",
		Ended:         "%[2]sの%[1]sは平常に戻りました（継続 %[3]s、変化時は %[4]s → %[5]s）。",
		AcceptedBy:    "%[2]sの%[1]s: %[3]s さんが現在の水準を新しい基準として承認しました。",
		Merged:        "%[1]s に統合しました。両者は同じ種類のインシデントでした。",
		Over:          "「%[1]s」は解消しました（継続 %[2]s）。",

		Figures: "数値", Change: "変化前 → 変化後", ZeroShare: "スコア 0 の回答", Samples: "サンプル数", Since: "開始",
		Found: "検出", Evidence: "証拠の強さ", Detail: "詳細",
		ChangeIs:    "%[1]s → %[2]s（%[3]s、95%% 区間 %[4]s ～ %[5]s）",
		Points:      "%[1]s ポイント",
		ZeroShareIs: "%[1]s → %[2]s", SamplesAre: "変化前 %[1]s 件、変化後 %[2]s 件",
		SinceOnly:  "%[1]s から",
		SinceOne:   "%[1]s（90%% の範囲: この回のみ）",
		SinceAt:    "%[1]s（90%% の範囲: %[2]s の回のみ）",
		SinceIs:    "%[1]s（90%% の範囲: %[2]s ～ %[3]s）",
		FoundIn:    "%[1]s の実行。変化以降の採点は全セグメントで %[2]s 件",
		FiguresOf:  "数値は %[1]s の実行時点",
		EvidenceIs: "10^%[1]s（アラート基準 10^%[2]s）。検出できる最小の変化幅は %[3]s",

		Series: "ほかの系列（%[1]d 件）", SeriesIs: "%[1]sが %[2]s → %[3]s、%[4]s から", SeriesEnded: "%[1]sは平常に復帰（%[2]s）",
		SeriesBack: "平常に復帰: %[1]s",

		Causes: "変わったもの、変わらなかったもの", Judge: "評価モデル", Mix: "質問の構成", Release: "リリース",
		Other: "プロンプト・モデル", Corpus: "文書",
		JudgeNone:     "対象外: この割合は評価モデルを使わずに集計しています",
		JudgeUnseen:   "未確認: 変化の前後に採点した対照項目がありません",
		JudgeMoved:    "変動あり: 対照項目 %[1]d 件、ずれ %[2]s ± %[3]s",
		JudgeCleared:  "変動なし: 対照項目 %[1]d 件、ずれ %[2]s ± %[3]s",
		JudgeOpen:     "変動の可能性を除外できません: 対照項目 %[1]d 件、ずれ %[2]s ± %[3]s（検出できるずれは %[4]s）",
		JudgePending:  "判定なし: 対照項目 %[1]d 件、ずれ %[2]s ± %[3]s",
		JudgeExcludes: "評価モデルが %[1]s 以上厳しくなった可能性は除外できます",
		Stands:        "評価モデルの分を除いた変化は %[1]s（95 %% 区間 %[2]s〜%[3]s）。サービスの品質も低下しています",
		MayBeAll:      "評価モデルの分を除いた変化は %[1]s（95 %% 区間 %[2]s〜%[3]s）。すべて評価モデルによる可能性があります",

		Controls:      "対照項目",
		RulerSaid:     "%[1]s: 固定の対照項目 %[2]d 件に対する評価モデルの平均点が %[3]s から %[4]s に変わりました。評価モデルが%[5]sなっており、サービスは変わっていない可能性があります。",
		EmbeddingSaid: "%[1]s: 固定の文の組 %[3]d 件中 %[2]d 件で類似度が変わりました。埋め込みモデルが変わっており、サービスは変わっていない可能性があります。",
		Stricter:      "厳しく", Lenient: "甘く",
		RulerEnded: map[string]string{
			drift.EndBack:     "%[1]s: 評価モデルによる対照項目の採点が元に戻りました（%[2]s後）。",
			drift.EndReplaced: "%[1]s: 別の評価モデルに替わりました（%[2]s後）。以前の評価モデルでの低下とは比較しません。",
			drift.EndAccepted: "%[1]s: 現在の評価モデルが承認されました（%[2]s後）。",
		},
		RulerAccepted: "%[1]s: 現在の評価モデルが%[2]sにより承認されました。スコアと対照項目はここから学習し直します。",
		ShiftOfScores: "スコアのずれ", ShiftIs: "%[1]s（95 %% 区間 %[2]s〜%[3]s、トラフィックの構成で加重）",
		ControlsAre: "%[1]d 件: 平均 %[2]s → %[3]s",
		Languages:   map[string]string{"en": "英語の項目", "ja": "日本語の項目"},
		LanguageIs:  "%[1]d 件: %[2]s ± %[3]s", OnlyHere: "この言語だけで変動",
		Pairs: "埋め込みモデル", PairsAre: "固定の文の組 %[2]d 件中 %[1]d 件で類似度が変化",
		RulerEvidenceIs: "10^%[1]s（この回の検出基準: 10^%[2]s と期間に応じた事前の重み）",
		HeldBack:        "通知を保留中: 評価モデルが変動",
		HeldIs:          "%[1]s、%[2]s: %[3]s。評価モデルの分を除くと %[4]s（95 %% 区間 %[5]s〜%[6]s）",
		MixUnseen:       "観測なし: 比較できるセグメントがありません",
		MixIs:           "変化のうち質問の構成で説明できる分は %[1]s ± %[2]s、セグメント内の変化は %[3]s",
		MixWorst:        "変化が最大のセグメント: %[1]s %[2]s（n = %[3]s）",
		Length:          "回答の長さ",
		LengthSame:      "偶然の範囲内: 1 回答あたりの文 %[1]s → %[2]s",
		LengthExplains:  "1 回答あたりの文 %[1]s → %[2]s。変化のうち長さで説明できる分は %[3]s ± %[4]s、同じ長さの回答での変化は %[5]s",
		LengthNot:       "1 回答あたりの文 %[1]s → %[2]s。ただし変化のうち長さで説明できる分は %[3]s ± %[4]s のみで、同じ長さの回答でも %[5]s 変化",
		LengthOpen:      "1 回答あたりの文 %[1]s → %[2]s。長さで説明できるかはまだ判断できません: %[3]s ± %[4]s、同じ長さの回答での変化は %[5]s",
		LengthSupport:   "裏付けのある文 %[1]s → %[2]s（± %[3]s ポイント）",
		ReleaseNone:     "期間内になし", ReleaseLast: "期間内になし（直近は %[1]s、%[2]s、変化の %[3]s前）",
		ReleaseChanged: "%[1]s → %[2]s（%[3]s）。変化点の重みのうち %[4]s を説明",
		ReleaseUnseen:  "観測なし: この期間のリリースを示す項目もデプロイ通知もありません",
		ChannelChanged: "%[1]s %[2]s → %[3]s（重み %[4]s）", ChannelValue: "%[1]s（%[2]s）",
		ChannelsSame: "変更なし: %[1]s", ChannelsUnseen: "観測なし: %[1]s",
		ChannelsNone: "観測なし: 該当する項目が設定されていません",
		CorpusUnseen: "観測なし: 変化の前後で文書 ID がログにありません",
		CorpusIs:     "検索された文書の重なり %[1]s（通常 %[2]s）。新しい文書が検索の %[3]s、消えた文書は以前の %[4]s",
		CorpusGone:   "検索されなくなった文書: %[1]s", Nothing: "なし",

		Lowest: "確認すべき低スコアの回答", LowestIs: "%[1]s  %[2]s  %[3]s", Next: "対応",
		NextFor: map[drift.Kind][]string{
			drift.KindSilent: {
				"リリース以外で変わるもの（インデックスの再構築、文書の同期、プロバイダー側のモデル）を確認してください。",
				"低スコアの回答を確認し、現在の水準で問題なければ承認してください: leadline baseline accept %[3]s --by 名前",
			},
			drift.KindRegression: {
				"「%[1]s」と直前の版を比べ、低スコアの回答でも裏付けられればロールバックを検討してください。",
				"「%[1]s」の提供が終わると、このインシデントは解消します。",
			},
			drift.KindUndecided: {
				"「%[1]s」で説明がつくか確認してください。サンプルが増えると期間は絞り込まれます。",
			},
			drift.KindDrop: {
				"リリースがなかった場合: leadline release none --through %[2]s",
				"リリースがあった場合: leadline release add 名前 --at 時刻",
			},
			drift.KindJudge: {
				"サービスより先に、評価モデルとその接続先を確認してください。変化をまたいだスコアは比較できません。",
				"以前のモデルに固定できる場合は固定してください。対照項目の採点が戻ると解消します。別の評価モデルに替える場合は設定を変え、両者を比較してください: leadline judge bridge",
				"この評価モデルのまま使う場合は承認してください。スコアと対照項目は学習し直します: leadline baseline accept %[3]s --by 名前",
			},
		},
		NextGone:     "%[1]s がインデックスに残っているか確認してください。",
		NextEnded:    "対応は不要です。この期間のデータは基準に含めません。",
		NextAccepted: "対応は不要です。基準はこの水準から学習し直します。",
		NextMerged:   "%[1]s を確認してください。",

		LinkIncident: "インシデント", LinkSamples: "低スコアの回答", LinkReport: "レポート",
	}
}

func japaneseProblems() map[string]problemWords {
	return map[string]problemWords{
		ProblemKafkaUnreadable: {"Kafka を読み取れません", "%[1]s", "Kafka からログを読み取れず、このサービスを監視できていません。",
			"ブローカー、トピック、パーティション、権限を確認してください。読み取りは保存済みのオフセットから再開します。"},
		ProblemNoData: {"データなし", "途絶 %[1]s", "レコードが届いておらず、このサービスを監視できていません。",
			"サービスがトピックへログを出しているか確認してください。空の期間はスコア 0 ではありません。"},
		ProblemJudgeDown: {"評価モデル応答なし", "%[1]s", "評価モデルが応答しません。レコードは保存していますが、採点は止まっています。",
			"評価モデルの接続先、キー、利用枠を確認してください。採点は自動で再開します。"},
		ProblemNoBudget: {"予算不足", "残り %[1]s", "評価モデルの予算の残りが最新のウィンドウの採点に足りず、そのウィンドウは採点されませんでした。",
			"judge.budget を増やすか、sample.per_run を減らしてください。"},
		ProblemCoverage: {"採点率の低下", "%[1]s 件を採点", "採点できなかったサンプルが多く、平均値が気づかないうちにずれているおそれがあります。",
			"理由は画面または leadline status で確認できます。"},
		ProblemRunsLate: {"採点の遅れ", "%[1]s 件以上のウィンドウが待機中", "採点がウィンドウの進みに追いついておらず、検出が遅れます。",
			"judge.concurrency を増やすか、sample.per_run を減らしてください。"},
		ProblemReceiverBroken: {"通知先の異常", "%[1]s", "通知先がメッセージを恒久的に拒否しています。アラートは届きません。",
			"アドレスまたはキーを修正し、Leadline を再起動してください。拒否されたメッセージは未達として残ります。"},
		ProblemReceiverUnreachable: {"通知先へ接続不可", "%[1]s", "通知先が 1 時間以上メッセージを受け取っていません。アラートは送信待ちです。",
			"アドレスと経路を確認してください。送信待ちのメッセージは自動で送られます。"},
		ProblemMessageRejected: {"メッセージの拒否", "%[1]s", "通知先がメッセージを拒否しました。そのメッセージは届いていません。",
			"画面でインシデントを確認し、通知先が受け付ける形式を確認してください。"},
	}
}
