package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"leadline/config"
	"leadline/scorer"
	"leadline/scorer/openai"
)

// server answers after a while, and notes when requests came and how many were open.
type server struct {
	latency time.Duration
	answer  func(n int) reply // the n-th request, from 0

	mu         sync.Mutex // guards what is below
	came       []time.Time
	open, most int
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	n := len(s.came)
	s.came = append(s.came, time.Now())
	s.open++
	s.most = max(s.most, s.open)
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.open--; s.mu.Unlock() }()
	select {
	case <-time.After(s.latency):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	one := &script{replies: []reply{s.answer(n)}}
	return one.RoundTrip(req)
}

// ask makes n calls side by side and waits for all.
func ask(t *testing.T, judge *openai.Judge, n int) []error {
	t.Helper()
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { _, _, errs[i] = judge.Statements(t.Context(), "q", fmt.Sprint("answer ", i)) })
	}
	group.Wait()
	return errs
}

func paced(t *testing.T, s http.RoundTripper, change func(*config.Judge), o openai.Options) *openai.Judge {
	t.Helper()
	cfg := judgeConfig()
	cfg.Concurrency = 16
	if change != nil {
		change(&cfg)
	}
	o.Transport = s
	judge, err := openai.New(cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	return judge
}

func TestCallsInFlightFollowWhatTheServerBears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := prometheus.NewRegistry()
		s := &server{latency: time.Second, answer: func(int) reply { return says(good) }}
		judge := paced(t, s, nil, openai.Options{Registerer: reg})
		go ask(t, judge, 4+16)
		time.Sleep(500 * time.Millisecond)
		s.mu.Lock() // the calls go on
		if s.most != 4 {
			t.Errorf("%d calls in flight at first, want 4", s.most)
		}
		s.mu.Unlock()
		want := "# HELP leadline_judge_in_flight Calls in flight at the server of the endpoint.\n# TYPE leadline_judge_in_flight gauge\n" +
			"leadline_judge_in_flight{endpoint=\"embeddings\"} 4\nleadline_judge_in_flight{endpoint=\"judge\"} 4\n"
		if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "leadline_judge_in_flight"); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		ask(t, judge, 1000) // 20 good calls allow one more each
		if s.most != 16 {
			t.Errorf("%d calls in flight after 1,000 good ones, want 16", s.most)
		}
		s.mu.Lock()
		s.most, s.answer = 0, func(n int) reply {
			if n == 1020 {
				return apiError(429, "rate_limit_exceeded")
			}
			return says(good)
		}
		s.mu.Unlock()
		ask(t, judge, 1) // is refused once, and halves the limit
		s.mu.Lock()
		s.most = 0
		s.mu.Unlock()
		ask(t, judge, 16)
		if s.most != 8 {
			t.Errorf("%d calls in flight after a refusal, want half of 16", s.most)
		}
	})
}

func TestCallsThatFailTogetherHalveOnce(t *testing.T) {
	for name, bad := range map[string]reply{"429": apiError(429, "x"), "503": {Status: 503}, "timeout": {Err: context.DeadlineExceeded}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{latency: time.Second}
				s.answer = func(n int) reply {
					if n < 4 {
						return bad
					}
					return says(good)
				}
				judge := paced(t, s, nil, openai.Options{})
				if err := errors.Join(ask(t, judge, 4)...); err != nil {
					t.Fatal(err)
				}
				s.most = 0
				if err := errors.Join(ask(t, judge, 8)...); err != nil {
					t.Fatal(err)
				}
				if s.most != 2 {
					t.Errorf("%d in flight after four that failed together, want 2", s.most)
				}
			})
		})
	}
}

func TestTheLimitOfCallsInFlightEndsAtOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{latency: time.Second, answer: func(n int) reply {
			if n < 20 {
				return reply{Status: 503}
			}
			return says(good)
		}}
		judge := paced(t, s, nil, openai.Options{})
		for range 4 {
			ask(t, judge, 1)
		}
		s.most = 0
		if err := errors.Join(ask(t, judge, 5)...); err != nil || s.most != 1 {
			t.Errorf("%d in flight (%v), want 1 at a time", s.most, err)
		}
	})
}

func TestRequestsAndTokensAreSpreadOverTheMinute(t *testing.T) {
	minute := func(s *server) int {
		n := 0
		for _, at := range s.came {
			if at.Sub(s.came[0]) < time.Minute {
				n++
			}
		}
		return n
	}
	limits := map[string]string{"X-Ratelimit-Limit-Requests": "60", "X-Ratelimit-Limit-Tokens": "100000"}
	for name, c := range map[string]struct {
		change      func(*config.Judge)
		header      map[string]string
		least, most int // requests that begin in the first minute
	}{
		"requests": {func(j *config.Judge) { j.RequestsPerMinute = 60 }, nil, 60, 66},
		// A reply counts 110 tokens: 6,600 a minute are 60 replies, and a tenth more at first.
		"tokens":          {func(j *config.Judge) { j.TokensPerMinute = 6600 }, nil, 45, 66},
		"small bucket":    {func(j *config.Judge) { j.TokensPerMinute = 1100 }, nil, 1, 11},
		"server's limit":  {nil, limits, 60, 66 + 4},
		"the lower wins":  {func(j *config.Judge) { j.RequestsPerMinute = 600 }, limits, 60, 66 + 60},
		"ours is kept":    {func(j *config.Judge) { j.RequestsPerMinute = 30 }, limits, 30, 33},
		"nothing remains": {nil, map[string]string{"X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "30s"}, 8, 12},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{latency: 10 * time.Millisecond, answer: func(int) reply {
					r := says(good)
					r.Header = c.header
					return r
				}}
				judge := paced(t, s, c.change, openai.Options{})
				if err := errors.Join(ask(t, judge, 150)...); err != nil {
					t.Fatal(err)
				}
				if n := minute(s); n < c.least || n > c.most {
					t.Errorf("%d requests in the first minute, want %d to %d", n, c.least, c.most)
				}
			})
		})
	}
}

func TestEmbeddingsHaveTheirOwnPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answer: capable}
		judge := paced(t, s, func(j *config.Judge) { j.RequestsPerMinute, j.Embeddings.RequestsPerMinute = 1, 60 }, openai.Options{})
		if err := errors.Join(ask(t, judge, 1)...); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, _, err := judge.Embedder().Embed(t.Context(), []string{"a"}); err != nil || time.Since(start) > 0 {
			t.Errorf("embeddings waited %v for the judge's minute (%v)", time.Since(start), err)
		}
		if err := errors.Join(ask(t, judge, 1)...); err != nil || time.Since(start) != time.Minute {
			t.Errorf("the second call of the judge came after %v (%v), want a minute", time.Since(start), err)
		}
	})
}

func TestAServerThatAsksToWaitIsLeftAloneByAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{latency: time.Second, answer: func(n int) reply {
			if n == 0 {
				return reply{Status: 429, Header: map[string]string{"Retry-After": "40"}}
			}
			return says(good)
		}}
		judge := paced(t, s, func(j *config.Judge) { j.Concurrency = 1 }, openai.Options{})
		if err := errors.Join(ask(t, judge, 10)...); err != nil {
			t.Fatal(err)
		}
		for _, at := range s.came[1:] {
			if wait := at.Sub(s.came[0]); wait < 41*time.Second {
				t.Errorf("a call after %v, want none for 40 seconds", wait)
			}
		}
	})
}

func TestAServerThatAsksForLongIsNotAskedUntilThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{answer: func(n int) reply {
			if n == 0 {
				return reply{Status: 429, Body: `{"error":{"message":"UserText"}}`, Header: map[string]string{"Retry-After": "1200"}}
			}
			return says(good)
		}}
		judge := paced(t, s, nil, openai.Options{})
		for range 3 {
			_, _, err := judge.Statements(t.Context(), "q", "an answer")
			var wait *scorer.WaitError
			if !errors.As(err, &wait) || !errors.Is(err, scorer.ErrJudgeDown) || wait.Wait < 15*time.Minute || !strings.Contains(err.Error(), "the server asks to wait") {
				t.Fatalf("got %v, want a wait of the server", err)
			}
			checkSilent(t, err)
			time.Sleep(time.Minute)
		}
		if len(s.came) != 1 {
			t.Errorf("%d requests while the server wanted none, want 1", len(s.came))
		}
		time.Sleep(17 * time.Minute)
		if err := errors.Join(ask(t, judge, 1)...); err != nil {
			t.Errorf("after the wait: %v", err)
		}
	})
}

// retried is how long a call took whose first try was refused with these headers.
func retried(t *testing.T, header map[string]string) time.Duration {
	t.Helper()
	judge, _ := planJudge(t, reply{Status: 429, Body: "{}", Header: header}, says(good))
	start := time.Now()
	if _, _, err := judge.Statements(t.Context(), "q", "an answer"); err != nil {
		t.Fatal(err)
	}
	return time.Since(start)
}

func TestEveryFormOfAWaitIsRead(t *testing.T) {
	// A bubble's clock starts at 2000-01-01, 946684800 seconds after 1970.
	for name, c := range map[string]struct {
		header map[string]string
		want   time.Duration
	}{
		"decimals":           {map[string]string{"Retry-After": "12.25"}, 12250 * time.Millisecond},
		"server's own clock": {map[string]string{"Retry-After": "Sat, 01 Jan 2000 03:00:30 GMT", "Date": "Sat, 01 Jan 2000 03:00:00 GMT"}, 30 * time.Second},
		"RFC 850 date":       {map[string]string{"Retry-After": "Saturday, 01-Jan-00 00:00:20 GMT"}, 20 * time.Second},
		"RFC 3339":           {map[string]string{"X-Ratelimit-Remaining-Tokens": "0", "X-Ratelimit-Reset-Tokens": "2000-01-01T00:00:15Z"}, 15 * time.Second},
		"Go duration":        {map[string]string{"X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "2m59.56s"}, 179560 * time.Millisecond},
		"plain reset":        {map[string]string{"X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": "8"}, 8 * time.Second},
		"ms beside seconds":  {map[string]string{"Retry-After-Ms": "2500", "Retry-After": "3"}, 2500 * time.Millisecond},
		"ms not understood":  {map[string]string{"Retry-After-Ms": "soon", "Retry-After": "3"}, 3 * time.Second},
		"ms negative":        {map[string]string{"Retry-After-Ms": "-9", "Retry-After": "3"}, 3 * time.Second},
		"not a number":       {map[string]string{"Retry-After": "NaN"}, 0},
		"infinite":           {map[string]string{"Retry-After": "Inf"}, 0},
		"two numbers":        {map[string]string{"Retry-After": "10, 20"}, 0},
		"negative duration":  {map[string]string{"Retry-After": "-1m"}, 0},
		"empty":              {map[string]string{"Retry-After": ""}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if took := retried(t, c.header); took < c.want+100*time.Millisecond || took > c.want+time.Second {
					t.Errorf("waited %v, want %v and a tenth of a second to a second more", took, c.want)
				}
			})
		})
	}
	for name, header := range map[string]map[string]string{
		"huge":             {"Retry-After": "1e300"},
		"of days":          {"Retry-After": "720h"},
		"of the year 9999": {"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"},
		"since 1970":       {"X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": "1000000000000"},
		"over ten minutes": {"Retry-After": "601"},
		"over five":        {"Retry-After-Ms": "300001"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				judge, s := planJudge(t, reply{Status: 429, Body: "{}", Header: header})
				start := time.Now()
				_, _, err := judge.Statements(t.Context(), "q", "an answer")
				var wait *scorer.WaitError
				if !errors.As(err, &wait) || wait.Wait > time.Hour || s.requests() != 1 || time.Since(start) > 0 {
					t.Errorf("got %v after %v and %d requests, want to be told at once, and of an hour at most", err, time.Since(start), s.requests())
				}
			})
		})
	}
}

func TestWaitsGrowAndAreNeverNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		longest := make([]time.Duration, 5)
		for range 200 {
			s := &server{answer: func(int) reply { return reply{Status: 503} }}
			_, _, err := paced(t, s, nil, openai.Options{}).Statements(t.Context(), "q", "an answer")
			if !errors.Is(err, scorer.ErrJudgeDown) || len(s.came) != 6 {
				t.Fatalf("%v after %d tries, want 6", err, len(s.came))
			}
			for i := range longest {
				wait := s.came[i+1].Sub(s.came[i])
				if bound := time.Second << i; wait < 100*time.Millisecond || wait > bound {
					t.Fatalf("wait %d is %v, want 100ms to %v", i, wait, bound)
				}
				longest[i] = max(longest[i], wait)
			}
		}
		if !slices.IsSorted(longest) || longest[4] < 12*time.Second {
			t.Errorf("of 200 calls the longest waits are %v, want them to double", longest)
		}
	})
}

func TestACallInFlightIsDrainedAndRemembered(t *testing.T) {
	for name, c := range map[string]struct {
		latency, took time.Duration
		ok            bool
	}{
		"in time":  {20 * time.Second, 20 * time.Second, true},
		"too long": {50 * time.Second, 31 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				memo := &mapMemo{}
				s := &server{latency: c.latency, answer: func(int) reply { return says(good) }}
				judge := paced(t, s, nil, openai.Options{Memo: memo, Drain: 30 * time.Second})
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				_, _, err := judge.Statements(ctx, "q", "an answer")
				if (err == nil) != c.ok || time.Since(start) != c.took || (len(memo.values) == 1) != c.ok {
					t.Errorf("%v after %v with %d remembered", err, time.Since(start), len(memo.values))
				}
				if _, _, err := judge.Statements(ctx, "q", "another answer"); !errors.Is(err, context.DeadlineExceeded) || len(s.came) != 1 {
					t.Errorf("%v and %d requests: something new began after the end", err, len(s.came))
				}
			})
		})
	}
}

func TestTheSameAskedAtTheSameTimeIsPaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{latency: time.Second, answer: func(int) reply { return says(good) }}
		judge := paced(t, s, nil, openai.Options{Memo: &mapMemo{}})
		var group sync.WaitGroup
		hits := make([]int, 8)
		for i := range hits {
			group.Go(func() {
				_, call, err := judge.Statements(t.Context(), "q", "the same answer")
				if err != nil {
					t.Error(err)
				}
				hits[i] = call.Usage.MemoHits
			})
		}
		group.Wait()
		if slices.Sort(hits); len(s.came) != 1 || !slices.Equal(hits, []int{0, 1, 1, 1, 1, 1, 1, 1}) {
			t.Errorf("%d requests, hits %v; want one request", len(s.came), hits)
		}
	})
}
