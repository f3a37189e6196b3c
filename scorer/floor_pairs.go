package scorer

// FloorVersion names the pairs: floors of different versions are not compared.
const FloorVersion = "1"

const pairsPerSet = 6

// pairSet are questions as users type them; a floor of other texts would be another one.
type pairSet struct {
	language              string
	unrelated, paraphrase [pairsPerSet][2]string
}

func floorPairs() []pairSet {
	return []pairSet{
		{
			language: "en",
			unrelated: [pairsPerSet][2]string{
				{"How do I renew my library card?", "Which oven temperature suits rye bread?"},
				{"When does the ferry to the island leave?", "Why is my invoice in the wrong currency?"},
				{"Can I keep a cat in the rented flat?", "What is the torque of the rear axle bolt?"},
				{"Who approves overtime at the weekend?", "How deep should tulip bulbs be planted?"},
				{"Is the vaccine stored below zero?", "Where do I change the language of the app?"},
				{"How many players fit on one team?", "What does the warranty on the roof cover?"},
			},
			paraphrase: [pairsPerSet][2]string{
				{"How do I renew my library card?", "What is the way to extend my membership at the library?"},
				{"When does the ferry to the island leave?", "At what time is the departure of the island ferry?"},
				{"Can I keep a cat in the rented flat?", "Are tenants allowed to have a cat in the apartment?"},
				{"Who approves overtime at the weekend?", "Whose permission is needed to work extra hours on Saturday or Sunday?"},
				{"Is the vaccine stored below zero?", "Does the vaccine have to be kept frozen?"},
				{"How many players fit on one team?", "What is the maximum number of people in a team?"},
			},
		},
		{
			language: "ja",
			unrelated: [pairsPerSet][2]string{
				{"図書館の利用者カードはどう更新しますか", "ライ麦パンを焼く温度は何度ですか"},
				{"島行きのフェリーは何時に出ますか", "請求書の通貨が違うのはなぜですか"},
				{"賃貸の部屋で猫を飼えますか", "後輪の車軸ボルトの締め付けトルクは"},
				{"週末の残業は誰が承認しますか", "チューリップの球根はどのくらいの深さに植えますか"},
				{"ワクチンは氷点下で保管しますか", "アプリの表示言語はどこで変えられますか"},
				{"1チームの人数は何人までですか", "屋根の保証では何が対象になりますか"},
			},
			paraphrase: [pairsPerSet][2]string{
				{"図書館の利用者カードはどう更新しますか", "図書館の会員証の期限を延ばす方法を教えてください"},
				{"島行きのフェリーは何時に出ますか", "島へ渡る船の出発時刻を知りたい"},
				{"賃貸の部屋で猫を飼えますか", "借りているアパートで猫と暮らしてもいいですか"},
				{"週末の残業は誰が承認しますか", "土日に時間外で働くときは誰の許可が必要ですか"},
				{"ワクチンは氷点下で保管しますか", "ワクチンは凍らせて保存する必要がありますか"},
				{"1チームの人数は何人までですか", "チームに入れる最大の人数は"},
			},
		},
	}
}
