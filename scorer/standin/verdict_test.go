package standin_test

import (
	"strings"
	"testing"

	"leadline/scorer/standin"
)

func TestVerdicts(t *testing.T) {
	tests := []struct {
		name, context, statement string
		want                     float64
	}{
		{"same words", "返品は到着から14日以内に受け付けます。", "返品は到着から14日以内に受け付けます。", 1},
		{"another number", "返品は到着から14日以内に受け付けます。", "返品は到着から30日以内に受け付けます。", 0},
		{"wide digits are digits", "返品は到着から14日以内に受け付けます。", "返品は到着から14日以内に受け付けます。", 1},
		{"a negation", "冷蔵品の返品は受け付けません。", "冷蔵品の返品は受け付けます。", 0},
		{"a double negation is none", "申請書を提出しなければなりません。", "申請書を提出します。", 1},
		{"other words", "返品は到着から14日以内に受け付けます。", "送料は全国一律で無料です。", 0},
		{"same words in English", "Parcels are collected at the north gate before 16:00.", "Parcels are collected at the north gate before 16:00.", 1},
		{"forms of the same words", "Parcels are collected at the north gate.", "The parcel is collected at the north gates.", 1},
		{"another number in English", "Parcels are collected before 16:00.", "Parcels are collected before 17:00.", 0},
		{"grouped digits are one number", "The fee is 1,200 euros.", "The fee is 1200 euros.", 1},
		{"zeros at the end do not count", "The fee is 2.50 euros.", "The fee is 2.5 euros.", 1},
		{"a unit without a space", "Mailboxes hold 20 GB.", "Mailboxes hold 20GB.", 1},
		{"another code", "Use form B12 for travel.", "Use form B13 for travel.", 0},
		{"a citation is no number", "Parcels are collected at the north gate.", "Parcels are collected at the north gate [7].", 1},
		{"a negation in English", "Pets are not allowed in the office.", "Pets are allowed in the office.", 0},
		{"a contraction", "Pets aren't allowed in the office.", "Pets are not allowed in the office.", 1},
		{"a negation of something else", "Pets are allowed in the office. Smoking is not.", "Pets are allowed in the office.", 1},
		{"no words at all", "Pets are allowed in the office.", "…", 0},
	}
	h := newServer(t, standin.Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := askVerdicts(t, h, []string{"Unrelated filler text.", tt.context}, []string{tt.statement})
			if len(got) != 1 || got[0].I != 1 || got[0].Verdict != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if !strings.HasPrefix(got[0].Reason, standin.ReasonPrefix) {
				t.Errorf("the reason %q does not say that it is no judgement", got[0].Reason)
			}
		})
	}
}

func TestReasonsAreInTheLanguageOfTheStatement(t *testing.T) {
	h := newServer(t, standin.Options{})
	for statement, want := range map[string]string{
		"Parcels are collected before 17:00.": "a number is in none of them",
		"返品は到着から30日以内に受け付けます。":                "数字の一部が見当たらない",
	} {
		got := askVerdicts(t, h, []string{"Parcels are collected before 16:00.", "返品は到着から14日以内に受け付けます。"}, []string{statement})
		if len(got) != 1 || !strings.Contains(got[0].Reason, want) {
			t.Errorf("%s: got %+v, want a reason with %q", statement, got, want)
		}
	}
}

func TestVerdictsKeepTheIndexAsked(t *testing.T) {
	h := newServer(t, standin.Options{})
	payload := map[string]any{"contexts": []string{remote}, "statements": []map[string]any{
		{"i": 7, "text": "在宅勤務は週3日までです。"}, {"i": 3, "text": "在宅勤務は週5日までです。"},
	}}
	got := readVerdicts(t, chat(t, h, "verdicts_v1", payload).content(t))
	if len(got) != 2 || got[0].I != 7 || got[0].Verdict != 1.0 || got[1].I != 3 || got[1].Verdict != 0.0 {
		t.Errorf("got %v, want 7 supported and 3 not", got)
	}
}

func TestAGreetingIsNoHallucination(t *testing.T) {
	h := newServer(t, standin.Options{})
	for _, frame := range []struct{ before, after string }{
		{"Hello! ", " I hope this helps!"},
		{"Thank you for contacting the help desk. ", " Please let me know if you have any other questions."},
		{"Yes. ", " Is there anything else you want to know?"},
		{"いつもお世話になっております。", "ご不明な点がございましたら、お気軽にお問い合わせください。"},
		{"お問い合わせありがとうございます。", "よろしくお願いいたします。"},
		{"こんにちは!\n", "\nお役に立てれば幸いです。"},
	} {
		for _, s := range append(articleSamples[:4:4], englishSamples[:4]...) {
			got, _ := faithfulness(t, h, frame.before+s.answer+frame.after, s.contexts)
			if got != s.faithfulness {
				t.Errorf("%s between %q and %q: %v, want %v as without", s.id, frame.before, frame.after, got, s.faithfulness)
			}
		}
	}
}

func TestAnExtraSentenceThatIsNowhereIsUnsupported(t *testing.T) {
	h := newServer(t, standin.Options{})
	got, _ := faithfulness(t, h, leave+"社員食堂ではカレーが人気です。", []string{leave})
	if got != 0.5 {
		t.Errorf("got %v, want 1 of 2", got)
	}
	got, _ = faithfulness(t, h, "Lost badges are blocked within 15 minutes. Penguins cannot fly.", []string{badges})
	if got != 0.5 {
		t.Errorf("got %v, want 1 of 2", got)
	}
}
