package standin

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

const cutBody = `{"id":"standin","choices":[{"ind`

// reset announces a long body, sends the start of one and drops the connection.
func reset(x *exchange, _ Fault) {
	conn, out, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		// The server drops a connection whose body is shorter than announced.
		x.w.Header().Set("Content-Length", "4096")
		_, _ = x.w.Write([]byte(cutBody))
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
	runes := []rune(c.Message.Content)
	c.Message.Content = string(runes[:len(runes)/2])
	c.FinishReason = "length"
}

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
