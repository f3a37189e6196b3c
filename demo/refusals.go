package demo

// refusals are the ways in which the bot says that it cannot answer.
func refusals() []text {
	return []text{
		{"I'm sorry, I don't know.", "申し訳ありませんが、分かりません。"},
		{"I don't know the answer to that question.", "そのご質問の答えは分かりません。"},
		{"Sorry, I could not find any information about this.", "申し訳ありません、この件に関する情報が見つかりませんでした。"},
		{"I cannot answer that from the documents I have.", "手元の資料からはお答えできません。"},
		{"I'm afraid I don't have enough information to answer.", "回答するための情報が不足しており、お答えできません。"},
		{"Unfortunately, I am unable to answer this question.", "恐れ入りますが、このご質問にはお答えできません。"},
		{"I don't know. Please ask the department directly.", "分かりません。担当部署に直接お問い合わせください。"},
		{"I'm sorry, I don't have any information on that topic.", "申し訳ありませんが、その話題に関する情報はありません。"},
		{"I could not find an answer in the knowledge base.", "ナレッジベースに答えが見つかりませんでした。"},
		{"Sorry, I don't know this one.", "すみません、これは分かりません。"},
		{"I'm not sure about that, and I don't want to guess.", "確かなことは分かりませんので、推測でのお答えは控えます。"},
		{"I cannot find anything about this in our guides.", "手引きを探しましたが、該当する記載が見つかりません。"},
		{"I am sorry, but I cannot help with this question.", "申し訳ございませんが、このご質問にはお答えできかねます。"},
		{"I do not know. A colleague at the desk may be able to tell.", "分かりかねます。窓口の担当者にご確認ください。"},
		{"There is not enough information for me to answer this.", "情報が足りないため、お答えできません。"},
		{"I'm unable to find the relevant rule, sorry.", "該当する規程が見つかりません。申し訳ありません。"},
		{"Apologies, I don't have an answer for you.", "お詫びいたします。お答えできる情報がありません。"},
		{"I don't have information about that, I'm afraid.", "あいにく、その情報は持ち合わせておりません。分かりません。"},
		{"I can't answer this reliably.", "確実なお答えができません。分かりません。"},
		{"I don't know, sorry. Please open a ticket.", "分かりません。お手数ですがチケットを作成してください。"},
		{"The documents do not mention it, so I cannot answer.", "資料に記載がないため、お答えできません。"},
		{"Sorry, I was unable to find a document on this.", "すみません、この件の資料が見つかりませんでした。"},
		{"I am not able to answer this, please contact your manager.", "この件にはお答えできません。上長にご相談ください。"},
		{"I don't know which rule applies here.", "どの規則が当てはまるのか分かりません。"},
	}
}

// claims are what the bad release adds to answers: sure of itself, and in no document.
func claims() []text {
	return []text{
		{"Nine of ten colleagues are happy with this arrangement.", "十人中九人の社員がこの仕組みに満足しています。"},
		{"You will also receive a confirmation by text message.", "確認の通知が携帯のショートメッセージにも届きます。"},
		{"This has been the practice since the firm was founded.", "創業当時から続いている慣行です。"},
		{"Exceptions are granted generously around the holidays.", "祝日の前後には例外が寛大に認められます。"},
		{"A wizard guides you through everything in under a minute.", "案内画面に従えば一分もかからず終わります。"},
		{"Part-timers enjoy exactly the same treatment.", "パートタイムの方もまったく同じ扱いです。"},
		{"The founder personally insisted on it.", "創業者が自ら強く望んだものです。"},
		{"Neighboring branches have copied the idea.", "近隣の支店もこの考えを取り入れました。"},
		{"Feel free to repeat it as often as you like.", "好きなだけ何度でも繰り返してかまいません。"},
		{"Experience shows that mornings work best.", "経験上、朝のうちがもっともうまくいきます。"},
		{"The rule will be relaxed further next season.", "来季にはさらに緩和される予定です。"},
		{"Everything is free of charge for apprentices.", "実習生はすべて無料で利用できます。"},
	}
}
