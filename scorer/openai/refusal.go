package openai

import "strings"

// isRefusal knows how models begin when they decline in prose, in the languages in which
// questions are read.
func isRefusal(text string) bool {
	text = strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	text = strings.TrimLeft(text, "*_\"'> \t\r\n")
	for _, start := range []string{
		"i'm sorry", "i am sorry", "sorry, but i", "sorry, i can", "i apologize, but", "i can't", "i cannot", "i'm unable", "i am unable",
		"i'm not able", "i am not able", "i won't", "i must decline", "as an ai",
		"申し訳", "すみませんが", "恐れ入りますが", "お答えできません", "対応できません", "お手伝いできません", "その依頼には",
		"抱歉", "很抱歉", "对不起", "對不起", "我无法", "我無法", "我不能",
		"죄송", "미안하지만", "도와드릴 수 없",
		"lo siento", "no puedo", "lo lamento",
		"es tut mir leid", "tut mir leid", "ich kann nicht", "ich kann dir dabei nicht", "ich kann ihnen dabei nicht", "leider kann ich",
		"je suis désolé", "désolé", "je ne peux pas", "je ne suis pas en mesure",
		"sinto muito", "desculpe", "não posso", "mi dispiace", "non posso",
		"извините", "к сожалению", "я не могу",
	} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}
