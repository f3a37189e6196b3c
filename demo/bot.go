package demo

import "math/rand/v2"

// bot is the company's help-desk bot: it draws a question, retrieves and answers.
type bot struct {
	rand     *rand.Rand
	events   Calendar
	company  []department
	refusals []text
	claims   []text // what the bad release likes to add
}

func newBot(seed uint64) *bot {
	return &bot{rand: newRand(seed, "bot"), events: Events(), company: company(),
		refusals: refusals(), claims: claims()}
}

// refusalShare is the share of questions that the bot says it cannot answer.
const refusalShare = 0.03

// badShare is the share of answers that the bad release spoils.
const badShare = 0.5

// inquiry is a question, and what is to be known about it.
type inquiry struct {
	arrival
	dept, topic, fact int
}

func (b *bot) answer(a arrival) (record, Truth) {
	q := b.ask(a)
	d := b.company[q.dept]
	t := d.topics[q.topic]
	truth := Truth{Department: d.name, Language: a.language.String(), Document: t.doc,
		Lost:     d.name == b.events.LostDepartment && b.events.Lost.holds(a.at),
		Outdated: t.doc == b.events.OutdatedDocument && b.events.Outdated.holds(a.at)}
	truth.Missed = !truth.Lost && b.rand.Float64() < d.missed
	rec := record{Service: "helpdesk", Environment: "production", Department: d.name,
		Language: a.language.String(), Release: b.events.release(a.at), Prompt: "answer-17",
		Model: "lantern-2-large", Session: sessionID(b.rand),
		Question: b.opener(a.language) + t.facts[q.fact].ask.in(a.language)}
	for _, at := range b.retrieve(q, truth) {
		e := b.served(at, a)
		rec.Contexts = append(rec.Contexts, e.passage(a.language))
		rec.Documents = append(rec.Documents, document{b.topic(at).doc, e.version, e.date})
	}
	rec.Answer = b.reply(q, &truth)
	return rec, truth
}

// ask draws what an arrival is about.
func (b *bot) ask(a arrival) inquiry {
	q := inquiry{arrival: a}
	u := b.rand.Float64()
	for i, d := range b.company {
		q.dept = i
		share := d.share
		if !a.at.Before(b.events.MixShift) {
			share = d.shareLater
		}
		if u -= share; u < 0 {
			break
		}
	}
	q.topic = b.rand.IntN(len(b.company[q.dept].topics))
	q.fact = b.rand.IntN(len(b.company[q.dept].topics[q.topic].facts))
	return q
}

// opener is how some people begin.
func (b *bot) opener(l language) string {
	openers := []string{"", "", "", "", "", "Hi, ", "Quick question: ", "Hello! "}
	if l == japanese {
		openers = []string{"", "", "", "", "", "すみません、", "教えてください。", "お疲れさまです。"}
	}
	return openers[b.rand.IntN(len(openers))]
}

// place is where a document stands: department and topic.
type place struct{ dept, topic int }

func (b *bot) topic(p place) topic { return b.company[p.dept].topics[p.topic] }

func (b *bot) served(p place, a arrival) edition {
	t := b.topic(p)
	if b.events.servesOld(t.doc, a.at) {
		return *t.old
	}
	return t.edition
}

// retrieve returns what the retriever finds. The same question always finds the same
// documents in the same index.
func (b *bot) retrieve(q inquiry, truth Truth) []place {
	n := len(b.company[q.dept].topics)
	near := func(i int) place { return place{q.dept, (q.topic + i) % n} }
	switch {
	case truth.Lost:
		return b.neighbors(q)
	case truth.Missed:
		return []place{near(2 + q.fact), near(5 + q.fact)}
	case q.fact == 0:
		return []place{near(0), near(1), near(4)}
	default:
		return []place{near(0), near(2 + q.fact)}
	}
}

// neighbors are documents of the departments around one that the index has lost.
func (b *bot) neighbors(q inquiry) []place {
	found := make([]place, 0, 3)
	for i := range 3 {
		d := (q.dept + 1 + (q.topic+q.fact+2*i)%(len(b.company)-1)) % len(b.company)
		found = append(found, place{d, (q.topic + 3*i + q.fact) % len(b.company[d].topics)})
	}
	return found
}

// reply writes the answer and notes in truth what it did.
func (b *bot) reply(q inquiry, truth *Truth) string {
	if b.rand.Float64() < refusalShare {
		truth.Refused = true
		return b.refusals[b.rand.IntN(len(b.refusals))].in(q.language)
	}
	said := b.held(q)
	d := b.company[q.dept]
	if b.rand.Float64() < d.embellished {
		said = append(said, d.beyond[b.rand.IntN(len(d.beyond))].in(q.language))
		truth.Beyond++
	}
	if b.events.BadRelease.holds(q.at) && b.rand.Float64() < badShare {
		first := b.rand.IntN(len(b.claims))
		for i := range 1 + b.rand.IntN(2) {
			said = append(said, b.claims[(first+i)%len(b.claims)].in(q.language))
			truth.Beyond++
		}
	}
	if truth.Missed || truth.Lost {
		truth.Beyond = 0
	}
	return join(said, q.language)
}

// held returns one to three sentences of the document that holds the answer.
func (b *bot) held(q inquiry) []string {
	e := b.served(place{q.dept, q.topic}, q.arrival)
	want := 1
	switch u := b.rand.Float64(); {
	case u < 0.15:
		want = 3
	case u < 0.55:
		want = 2
	}
	said := make([]string, 0, want+2)
	for i := range want {
		said = append(said, e.facts[(q.fact+i)%len(e.facts)].say.in(q.language))
	}
	return said
}
