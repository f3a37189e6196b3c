package standin_test

import (
	"math"
	"testing"

	"leadline/scorer/standin"
)

type sample struct {
	id, question, answer string
	contexts             []string
	faithfulness         float64
	noncommittal         int
}

var (
	leave    = "有給休暇は取得日の3営業日前までに勤怠システムで申請します。"
	sick     = "当日の体調不良による休暇は、始業前に上長へ連絡し、事後に申請します。"
	remote   = "在宅勤務は週3日までです。前週の金曜日までに申請します。"
	expenses = "経費精算は月末締めで、翌月5日までに申請します。"
)

var articleSamples = []sample{
	{"S1", "有給休暇はいつまでに申請しますか", "有給休暇は取得日の3営業日前までに申請します。勤怠システムから申請します。", []string{leave, sick}, 1, 0},
	{"S2", "在宅勤務は週何日までですか", "在宅勤務は週3日までです。申請は前週の金曜日までです。交通費は在宅日も支給されます。", []string{remote}, 2. / 3, 0},
	{"S3", "経費精算の締め日はいつですか", "経費精算は月末締めで、翌月5日までに申請します。", []string{remote, leave}, 0, 0},
	{"S4", "体調不良で休むときの手続きは", "始業前に上長へ連絡し、事後に申請します。", []string{expenses, leave, sick}, 1, 0},
	{"S5", "在宅勤務の申請期限は", "申し訳ありませんが、分かりません。", []string{remote}, 0, 1},
}

var (
	badges   = "Visitor badges are ordered at the front desk two days before the visit. Lost badges are blocked within 15 minutes."
	parking  = "Parking permits are valid for 12 months and are renewed in the facilities portal."
	printers = "Color printing is limited to 200 pages a month. Requests for more pages go to the office manager."
)

// englishSamples mirror the five of the article.
var englishSamples = []sample{
	{"E1", "How do I order a visitor badge?", "Visitor badges are ordered at the front desk. This is done two days before the visit.", []string{badges, parking}, 1, 0},
	{"E2", "How long is a parking permit valid?", "Parking permits are valid for 12 months. They are renewed in the facilities portal. The fee is deducted from your salary.", []string{parking}, 2. / 3, 0},
	{"E3", "How many color pages may I print?", "Color printing is limited to 200 pages a month.", []string{parking, badges}, 0, 0},
	{"E4", "My badge is gone, what happens?", "Lost badges are blocked within 15 minutes.", []string{printers, badges}, 1, 0},
	{"E5", "Who approves more pages?", "I'm sorry, but I don't know.", []string{printers}, 0, 1},
}

func TestKnownSamplesScoreAsStated(t *testing.T) {
	h := newServer(t, standin.Options{})
	for _, s := range append(articleSamples, englishSamples...) {
		got, ok := faithfulness(t, h, s.answer, s.contexts)
		if !ok || math.Abs(got-s.faithfulness) > 1e-12 {
			t.Errorf("%s: faithfulness %v (scored %v), want %v: %v", s.id, got, ok, s.faithfulness,
				askVerdicts(t, h, s.contexts, askStatements(t, h, s.answer)))
		}
		if q := askQuestion(t, h, s.answer); q.Noncommittal != s.noncommittal {
			t.Errorf("%s: noncommittal %d, want %d", s.id, q.Noncommittal, s.noncommittal)
		}
	}
}
