package sampler

import (
	"strings"
	"unicode/utf8"
)

// A refusal is short. Longer answers may carry one of the phrases beside what they answer.
const (
	maxRefusal      = 200 // runes
	maxRefusalDense = 80  // runes, where a character is a syllable or a word
)

var (
	straighten = strings.NewReplacer("’", "'", "ʼ", "'", "‘", "'", "\u00a0", " ", "\u202f", " ", "。", ".", "．", ".", "！", "!")

	// turns announce that an answer follows the refusal.
	turns = []string{"however,", "but you can", "nevertheless", "ただし", "しかし", "但是", "不过", "하지만", "sin embargo", "allerdings", "jedoch", "cependant", "toutefois"}

	refusals = []string{
		// English
		"i don't know.", "i do not know.", "i don't know the answer", "i do not know the answer", "i don't have information", "i do not have information",
		"i don't have any information", "i do not have any information", "i don't have enough information", "i do not have enough information",
		"i don't have that information", "i do not have that information", "i don't have access to", "i do not have access to",
		"i can't answer", "i cannot answer", "i'm unable to answer", "i am unable to answer", "i'm not able to answer", "i am not able to answer",
		"i can't help with", "i cannot help with", "i can't assist with", "i cannot assist with",
		"unable to answer based on", "i could not find", "i couldn't find", "i was unable to find", "i wasn't able to find", "i'm not sure about that",
		"documents do not contain", "documents don't contain", "documents i found do not", "context does not contain", "context doesn't contain",
		"context does not provide", "context doesn't provide", "context does not include any information", "no information about that", "not enough information to answer", "insufficient information to answer",
		"no relevant information was found", "no relevant documents were found",
		// Japanese
		"分かりません.", "わかりません.", "分かりませんでした", "わかりませんでした", "お答えできません", "お答えすることができません", "お答えすることはできません", "お答えいたしかねます", "お答えしかねます", "回答できません", "回答することはできません", "答えられません",
		"情報が見つかりません", "情報は見つかりません", "関する情報がありません", "関する情報はありません", "ついての情報がありません", "ついての情報はありません", "該当する情報がありません", "該当する情報はありません", "関する情報は含まれていません", "関する情報が含まれていません", "ついての情報は含まれていません", "ついての情報が含まれていません", "見つけることができません", "お役に立てません", "存じません",
		// Chinese
		"我不知道", "我不清楚", "无法回答", "無法回答", "没有找到相关", "沒有找到相關", "未找到相关", "没有相关信息", "沒有相關資訊", "无法提供相关信息", "無法提供相關資訊", "没有足够的信息", "沒有足夠的資訊",
		// Korean
		"모르겠습니다", "알 수 없습니다", "답변할 수 없습니다", "답변드릴 수 없습니다", "답변드리기 어렵습니다", "정보를 찾을 수 없습니다", "정보가 없습니다", "찾지 못했습니다", "도와드릴 수 없습니다",
		// Spanish
		"no lo sé", "no sé la respuesta", "no puedo responder", "no puedo ayudar", "no tengo información", "no tengo suficiente información", "no dispongo de información", "no he encontrado información", "no encontré información",
		"no se encontró información", "el contexto no contiene", "los documentos no contienen",
		// German
		"das weiß ich nicht", "ich weiß es nicht", "ich weiß nicht", "kann ich nicht beantworten", "ich kann diese frage nicht", "kann die frage nicht beantworten", "keine informationen gefunden", "habe keine informationen", "liegen mir keine informationen",
		"dabei kann ich nicht helfen", "der kontext enthält keine", "die dokumente enthalten keine",
		// French
		"je ne sais pas", "je ne peux pas répondre", "je ne suis pas en mesure de répondre", "je n'ai pas d'information", "je n'ai pas trouvé", "je ne dispose pas d'information", "je ne peux pas vous aider", "aucune information trouvée",
		"le contexte ne contient pas", "les documents ne contiennent pas",
	}
)

// IsRefusal says whether an answer says that there is none. It knows the usual phrases of
// English, Japanese, Chinese, Korean, Spanish, German and French, looks at short answers
// only, and rather misses a refusal than calls an answer one.
func IsRefusal(answer string) bool {
	text := straighten.Replace(strings.ToLower(strings.TrimSpace(answer)))
	if text == "" || utf8.RuneCountInString(text) > limitOf(text) {
		return false
	}
	text = strings.TrimRight(text, ".! ") + "." // a phrase may ask for the end of a sentence
	return containsAny(text, refusals) && !containsAny(text, turns)
}

// limitOf returns how many runes a refusal may have in the text's script: most characters
// of a dense script take three bytes.
func limitOf(text string) int {
	if len(text) > 2*utf8.RuneCountInString(text) {
		return maxRefusalDense
	}
	return maxRefusal
}

func containsAny(text string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}
