package sampler_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/sampler"
)

func TestRefusalsAreKnown(t *testing.T) {
	for _, answer := range []string{
		"I don't know.", "I’m sorry, but I do not have information about that.", "The documents I found do not contain information about that.",
		"Sorry, I cannot answer this question with what I was given",
		"申し訳ありませんが、分かりません。", "わかりません", "恐れ入りますが、そのご質問にはお答えできません。", "ご質問に関する情報が見つかりませんでした。",
		"抱歉，我不知道。", "很抱歉，我无法回答这个问题。", "抱歉，無法回答您的問題。",
		"죄송합니다. 잘 모르겠습니다.", "관련 정보를 찾을 수 없습니다.",
		"Lo siento, no lo sé.", "No tengo información sobre ese plazo.",
		"Das weiß ich nicht.", "Leider liegen mir keine Informationen dazu vor.",
		"Je suis désolé, je ne sais pas.", "Je n’ai pas trouvé la réponse dans les documents.",
	} {
		if !sampler.IsRefusal(answer) {
			t.Errorf("not seen as a refusal: %s", answer)
		}
	}
}

func TestAnswersAreNoRefusals(t *testing.T) {
	for _, answer := range []string{
		"", "You apply three working days ahead.", "We do not refund used tickets.", "The form does not contain a signature field.",
		"I don't know why, but some bodybuilders advocated that.",
		"I could not find the exact date. However, the 2025 policy says three working days.",
		"有給休暇は取得日の3営業日前までに申請します。", "個人情報が含まれていません。", "パスワードが分かりませんときは、情報システム部へ連絡します。",
		"该商品不支持退款，我们无法提供退款。", "如果您不清楚流程，请联系人事部。", "재택근무는 주 3일까지입니다.",
		"No se permite el acceso.", "Der Antrag ist nicht nötig.", "Le formulaire ne contient pas de signature.",
		"I don't know the answer" + strings.Repeat(", but here is a long story", 10),
	} {
		if sampler.IsRefusal(answer) {
			t.Errorf("seen as a refusal: %s", answer)
		}
	}
}

func TestRefusalsInRealTraffic(t *testing.T) {
	for _, name := range []string{"rag-en.dev.jsonl", "rag-ja.dev.jsonl"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "shared", "data", name))
		if err != nil {
			t.Skip("the real traffic is not here")
		}
		for line := range bytes.Lines(data) {
			var r struct {
				ID, Answer string
				Relevancy  struct{ Label string }
			}
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatal(err)
			}
			if got, want := sampler.IsRefusal(r.Answer), r.Relevancy.Label == "refusal"; got != want {
				t.Errorf("%s: refusal is %v, want %v: %s", r.ID, got, want, r.Answer)
			}
		}
	}
}
