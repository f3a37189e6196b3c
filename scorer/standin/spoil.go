package standin

import (
	"bytes"
	"encoding/json"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const cutBody = `{"id":"standin","choices":[{"ind`

// reset announces a long body, sends the start of one and drops the connection.
func reset(x *exchange, _ Fault) {
	conn, out, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		wrongLength(x, Fault{})
		return
	}
	_, _ = out.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" +
		Header + ": 1\r\nContent-Length: 4096\r\n\r\n" + cutBody)
	_ = out.Flush()
	if tcp, ok := conn.(*net.TCPConn); ok {
		// Without lingering the client sees a reset, not an end.
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// wrongLength announces more than it sends; the server then drops the connection.
func wrongLength(x *exchange, _ Fault) {
	x.w.Header().Set("Content-Type", "application/json")
	x.w.Header().Set("Content-Length", "4096")
	_, _ = x.w.Write([]byte(cutBody))
}

// drip sends a space, which JSON allows there, every second until the client gives up: a
// client that waits only for silence waits without end.
func drip(x *exchange, _ Fault) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	x.w.Header().Set("Content-Type", "application/json")
	out := http.NewResponseController(x.w)
	for {
		if _, err := x.w.Write([]byte{' '}); err != nil || out.Flush() != nil {
			return
		}
		select {
		case <-x.r.Context().Done():
			return
		case <-tick.C:
		}
	}
}

// redirect sends the client, and with it texts and key, to another host.
func redirect(x *exchange, _ Fault) {
	http.Redirect(x.w, x.r, "http://elsewhere.invalid"+x.r.URL.Path, http.StatusTemporaryRedirect)
}

// hugeBytes is above what a client should read of a chat reply.
const hugeBytes = 2 << 20

func huge(x *exchange, _ Fault) {
	x.w.Header().Set("Content-Type", "application/json")
	block := bytes.Repeat([]byte{' '}, 1<<16)
	for range hugeBytes / len(block) {
		if _, err := x.w.Write(block); err != nil {
			return
		}
	}
}

func isChat(q chatRequest) bool { return q.task != "" }

// singleQuotes writes JSON as Python prints it. What holds an apostrophe keeps its quotes.
func singleQuotes(content string) string {
	if strings.Contains(content, "'") || strings.Contains(content, `\`) {
		return trailingComma(content)
	}
	return strings.ReplaceAll(content, `"`, "'")
}

func encodeTwice(content string) string {
	b, err := json.Marshal(content)
	if err != nil {
		return content
	}
	return string(b)
}

// contradict gives a second reply that says something else.
func contradict(content string) string {
	other := strings.NewReplacer(`"verdict":1`, `"verdict":0`, `"verdict":0`, `"verdict":1`, `"statements":[`, `"statements":["One more.",`, `"question":"`, `"question":"So: `)
	return content + "\n" + other.Replace(content)
}

func half(content string) string {
	runes := []rune(content)
	return string(runes[:len(runes)/2])
}

func repeatStatements(list []string) []string {
	const more = 61
	out := slices.Clone(list)
	for i := range more {
		out = append(out, "Claim "+strconv.Itoa(i)+".")
	}
	return out
}

// inAnotherScript asks in Greek, which no answer of the stand-in's tests is in.
func inAnotherScript(string) string { return "Τι σημαίνει αυτό;" }

func wrap(before, after string) func(string) string {
	return func(content string) string { return before + content + after }
}

func trailingComma(content string) string {
	return strings.TrimSuffix(content, "}") + ",}"
}

func eachChoice(change func(*choice)) func(Fault, *completion) {
	return func(_ Fault, c *completion) {
		for i := range c.Choices {
			change(&c.Choices[i])
		}
	}
}

// truncate cuts the content in its middle, at the start of a character.
func truncate(c *choice) {
	c.Message.Content = half(c.Message.Content)
	c.FinishReason = "length"
}

func filter(c *choice) { c.Message.Content, c.FinishReason = "", "content_filter" }

func declineToAnswer(c *choice) {
	words := "I'm sorry, but I can't assist with that."
	c.Message.Content, c.Message.Refusal = "", &words
}

func swapModel(f Fault, c *completion) {
	c.Model = f.Value
	if c.Model == "" {
		c.Model = Model + "-swapped"
	}
}

func eachVerdict(change func(any) any) func(*exchange, Fault, []verdict) []verdict {
	return func(_ *exchange, _ Fault, vs []verdict) []verdict {
		for i := range vs {
			vs[i].Value = change(vs[i].Value)
		}
		return vs
	}
}

func dropLast(_ *exchange, _ Fault, vs []verdict) []verdict { return vs[:max(0, len(vs)-1)] }

func addExtra(_ *exchange, _ Fault, vs []verdict) []verdict {
	return append(vs, verdict{I: len(vs) + 1, Reason: ReasonPrefix + " nobody asked for this one", Value: 1})
}

func addConflict(_ *exchange, _ Fault, vs []verdict) []verdict {
	if len(vs) == 0 {
		return vs
	}
	other := vs[0]
	other.Value = value(other.Value == 0)
	return append(vs, other)
}

func reverse(_ *exchange, _ Fault, vs []verdict) []verdict {
	slices.Reverse(vs)
	return vs
}

// bias turns verdicts that are from into to, at the fault's rate.
func bias(from, to int) func(*exchange, Fault, []verdict) []verdict {
	return func(x *exchange, f Fault, vs []verdict) []verdict {
		for i, v := range vs {
			if v.Value == from && roll(x.server.seed, x.hash, f.Mode, i) < f.Rate {
				vs[i].Value = to
			}
		}
		return vs
	}
}

// withNull puts what is no number where encoding writes a null.
func withNull(v vector) vector {
	v = slices.Clone(v)
	v[0] = float32(math.NaN())
	return v
}

func eachVector(change func(vector) vector) func([]embedding) []embedding {
	return func(list []embedding) []embedding {
		for i := range list {
			list[i].vector = change(list[i].vector)
		}
		return list
	}
}

// turn is what another embedding model would make of a text: near, and not the same.
func turn(v vector) vector {
	out := slices.Clone(v)
	for i := range out {
		out[i] /= float32(1 + i%7)
	}
	return out
}
