package standin

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// plain is the form in which phrases are compared: NFKC, lower case, words apart by one
// space, and a space at both ends so that a phrase can ask for a word boundary.
func plain(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	gap := false
	for _, r := range norm.NFKC.String(s) {
		if r == '’' {
			r = '\''
		}
		if !isWordRune(r) && r != '\'' && !unicode.IsMark(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 1 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(unicode.ToLower(r))
	}
	b.WriteByte(' ')
	return b.String()
}

// courtesyLength is the longest opening or closing phrase, in bytes of its plain form.
const courtesyLength = 130

// isCourtesy says whether a sentence in plain form greets, thanks, apologizes or says
// good-bye and no more.
func isCourtesy(p string) bool {
	if len(p) > courtesyLength {
		return false
	}
	p = strings.TrimSpace(p)
	begins := func(phrase string) bool {
		rest, found := strings.CutPrefix(p, phrase)
		return found && (rest == "" || rest[0] == ' ')
	}
	ends := func(phrase string) bool { return strings.HasSuffix(p, phrase) }
	return slices.Contains(courtesies, p) || slices.ContainsFunc(openings, begins) || slices.ContainsFunc(closings, ends)
}

// courtesies are whole sentences.
var courtesies = []string{
	"yes", "no", "hello", "hello there", "hi", "hi there", "hey", "good morning", "good afternoon", "good evening",
	"welcome", "sure", "sure thing", "certainly", "of course", "absolutely", "great question", "good question",
	"no problem", "you're welcome", "best regards", "kind regards", "regards", "sincerely", "thanks", "thank you",
	"many thanks", "sorry", "i'm sorry", "i am sorry", "my apologies", "i apologize",
	"i apologise", //nolint:misspell // People write it both ways.
	"happy to help", "let me know", "please let me know",
	"i'm happy to help", "glad to help", "have a nice day", "have a great day", "take care", "cheers",
	"こんにちは", "こんばんは", "おはようございます", "はじめまして", "承知しました", "承知いたしました", "かしこまりました",
	"はい", "いいえ", "もちろんです", "申し訳ありません", "申し訳ございません", "すみません", "失礼いたします", "以上です", "以上となります",
	"お疲れ様です", "お疲れさまです", "恐れ入ります",
	"你好", "您好", "谢谢", "안녕하세요", "감사합니다", "hola", "gracias", "hallo", "danke", "bonjour", "merci",
}

// openings begin a sentence that says nothing about the subject.
var openings = []string{
	"hello this is", "hi this is", "dear customer", "dear colleague", "thank you for", "thanks for", "welcome to",
	"i hope this helps", "i hope that helps", "hope this helps", "hope that helps", "i hope this answers",
	"let me know if", "please let me know if", "let us know if", "please let us know if",
	"feel free to ask", "feel free to reach out", "feel free to contact", "please feel free to ask",
	"please feel free to reach out", "please feel free to contact", "if you have any other questions",
	"if you have any further questions", "if you have any questions", "if you have more questions",
	"if you need anything else", "if you need any further", "if you need further", "don't hesitate to", "please don't hesitate to",
	"i'd be happy to help", "i'm here to help", "i am here to help", "i'm glad you asked",
}

// closings end one.
var closings = []string{
	"お世話になっております", "お世話になります", "ありがとうございます", "ありがとうございました", "お疲れ様です", "お疲れさまです",
	"よろしくお願いします", "よろしくお願いいたします", "よろしくお願い致します", "宜しくお願いいたします", "宜しくお願いします",
	"お気軽にお問い合わせください", "お気軽にお尋ねください", "お気軽にご連絡ください", "お気軽にご相談ください", "お気軽にお声がけください",
	"お役に立てれば幸いです", "参考になれば幸いです", "ご参考になれば幸いです", "お役に立てると幸いです", "以下のとおりです", "以下の通りです",
	"お答えします", "お答えいたします", "ご案内します", "ご案内いたします", "ご回答いたします", "回答いたします",
}

// isNoncommittal says whether an answer evades its question: its first sentence that is
// no courtesy does, or half of them do.
func isNoncommittal(answer string) bool {
	evading, all := 0, 0
	for _, s := range sentences(answer) {
		p := plain(s)
		if isCourtesy(p) {
			continue
		}
		evades := slices.ContainsFunc(evasions, func(phrase string) bool { return strings.Contains(p, phrase) })
		if evades && all == 0 {
			return true
		}
		all++
		if evades {
			evading++
		}
	}
	return evading > 0 && 2*evading >= all
}

// evasions are compared with the plain form.
var evasions = []string{
	// English
	" i don't know ", " i do not know ", " i'm not sure ", " i am not sure ", " i cannot answer ", " i can't answer ",
	" unable to answer ", " not able to answer ", " cannot be answered ", " couldn't find ", " could not find ", " cannot find ", " can't find ",
	" unable to find ", " not able to find ", " enough information ", " insufficient information ", " sufficient information ",
	" have information ", " have any information ", " have that information ", " have specific information ", " have this information ",
	" have details ", " no information ", " no relevant information ", " no details ", " does not contain ", " doesn't contain ", " do not contain ", " don't contain ",
	" does not mention ", " doesn't mention ", " does not specify ", " doesn't specify ", " does not say ", " doesn't say ", " do not say ",
	" does not provide ", " doesn't provide ", " do not mention ", " don't mention ", " is not mentioned ", " isn't mentioned ", " not specified ",
	" cannot be determined ", " cannot determine ", " can't determine ", " unable to determine ", " cannot help ", " can't help ",
	" cannot provide ", " can't provide ", " unable to provide ", " unable to help ", " cannot say ", " can't say ", " cannot tell ", " can't tell ",
	" not covered in ", " not covered by ", " cannot confirm ", " can't confirm ", " unable to confirm ", " unanswerable ", " not documented ",
	// Japanese
	"分かりません", "わかりません", "分かりかね", "わかりかね", "答えできません", "答えできかね", "答えいたしかね", "答えしかね", "答えすることができません",
	"回答できません", "回答できかね", "回答いたしかね", "回答しかね", "回答することができません", "判断できません", "判断いたしかね", "判断しかね", "判断できかね", "確認できません",
	"確認できず", "確認が取れません", "見つかりません", "見つけられません", "見当たりません", "情報がありません", "情報はありません", "情報がございません", "情報はございません",
	"情報が不足", "情報が見つか", "記載がありません", "記載はありません", "記載がございません", "記載されていません", "記載されておりません", "記載がない", "記載がなく", "記載がないため",
	"不明です", "存じません", "存じ上げません", "把握しておりません", "把握できません", "把握していません", "案内できません", "案内できかね", "案内いたしかね", "案内しかね", "持ち合わせて", "お調べできません",
	"特定できません", "知りません", "分からないです", "わからないです", "分からないため", "わからないため", "定かではありません", "お伝えできません", "お伝えできかね", "申し上げられません", "載っていません", "載っておりません",
	// Chinese
	"不知道", "不清楚", "无法回答", "無法回答", "没有相关信息", "沒有相關資訊", "无法确定", "無法確定", "未找到", "找不到", "没有提到", "未提及",
	// Korean
	"모르겠습니다", "알 수 없습니다", "답변할 수 없습니다", "답변드릴 수 없습니다", "찾을 수 없습니다", "정보가 없습니다", "확인할 수 없습니다",
	// Spanish
	" no lo sé ", " no sé ", " no puedo responder ", " no tengo información ", " no hay información ", " no estoy seguro ", " no encuentro ", " no se encontró ", " no dispongo de ",
	// German
	" ich weiß es nicht ", " weiß ich nicht ", " ich weiss es nicht ", " nicht beantworten ", " keine informationen ", " keine angaben ", " nicht sicher ", " liegen mir nicht vor ",
	// French
	" je ne sais pas ", " je ne peux pas répondre ", " je n'ai pas d'information ", " je n'ai pas d'informations ", " aucune information ", " je ne suis pas sûr ", " je ne trouve pas ",
}
