package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/scorer"
	"leadline/server"
)

// Judges returns who scored what.
func (s *source) Judges(context.Context) ([]server.JudgeSeries, error) {
	var ids map[scorer.Metric]scorer.JudgeID
	if s.runner.judge != nil {
		ids = s.runner.judge()
	}
	return s.judges(ids)
}

// judges lists the judges that the store has rows of, and the configured one.
func (s *source) judges(configured map[scorer.Metric]scorer.JudgeID) ([]server.JudgeSeries, error) {
	history, _, err := s.runner.store.History()
	if err != nil {
		return nil, err
	}
	known, err := s.runner.store.Judges()
	if err != nil {
		return nil, err
	}
	type series struct {
		metric scorer.Metric
		key    string
	}
	found := map[series]*server.JudgeSeries{}
	at := func(m scorer.Metric, key string) *server.JudgeSeries {
		if found[series{m, key}] == nil {
			found[series{m, key}] = &server.JudgeSeries{Key: key, Metric: m}
		}
		return found[series{m, key}]
	}
	for m, id := range configured {
		j := at(m, id.Key())
		j.Configured, j.ID, j.Model = true, &id, id.Model
	}
	runs := map[series]map[time.Time]bool{}
	for _, r := range history.Rows {
		if r.Judge == "" {
			continue
		}
		j := at(r.Metric, r.Judge)
		if r.Bridged != "" {
			j.Bridged += r.N
			continue
		}
		if k := (series{r.Metric, r.Judge}); runs[k] == nil {
			runs[k] = map[time.Time]bool{r.Due: true}
		} else {
			runs[k][r.Due] = true
		}
		j.Samples += r.N
		if j.First.IsZero() || r.Due.Before(j.First) {
			j.First = r.Due
		}
		if r.Due.After(j.Last) {
			j.Last = r.Due
		}
	}
	var out []server.JudgeSeries
	for k, j := range found {
		j.Runs = len(runs[k])
		if id, ok := known[j.Key]; ok && j.ID == nil {
			j.ID, j.Model = &id, id.Model
		}
		out = append(out, *j)
	}
	slices.SortFunc(out, func(x, y server.JudgeSeries) int {
		return cmp.Or(y.Last.Compare(x.Last), slices.Index(scorer.Metrics, x.Metric)-slices.Index(scorer.Metrics, y.Metric), cmp.Compare(x.Key, y.Key))
	})
	return out, s.addReported(out)
}

// addReported names the judges of scores that are older than the names of judges: by what
// their server reported.
func (s *source) addReported(all []server.JudgeSeries) error {
	unnamed := map[string]string{}
	for _, j := range all {
		if j.Model == "" {
			unnamed[j.Key] = ""
		}
	}
	if len(unnamed) == 0 {
		return nil
	}
	_, err := s.runner.store.Scores(time.Time{}, time.Time{}, func(score scorer.Score) bool {
		for _, key := range score.Judges {
			if _, ok := unnamed[key]; ok && score.ResponseModel != "" {
				unnamed[key] = score.ResponseModel
			}
		}
		return false
	})
	for i := range all {
		if all[i].Model == "" {
			all[i].Model = unnamed[all[i].Key]
		}
	}
	return err
}

// chooseJudges finds the two judges of a request, per metric.
func chooseJudges(all []server.JudgeSeries, ids map[scorer.Metric]scorer.JudgeID, q server.BridgeRequest) (from, to map[scorer.Metric]server.JudgeSeries, err error) {
	from, to = map[scorer.Metric]server.JudgeSeries{}, map[scorer.Metric]server.JudgeSeries{}
	var mine, others []server.JudgeSeries
	for _, j := range all {
		if j.Configured {
			mine = append(mine, j)
		}
		if id, ok := ids[j.Metric]; ok && j.Samples > 0 && j.Key != id.Key() {
			others = append(others, j)
		}
	}
	asked := named(mine, q.To)
	for flag, name := range map[string]string{"--from": q.From, "--to": q.To} {
		if some := named(all, name); isAmbiguous(some, name) {
			return nil, nil, fmt.Errorf("%w: %s %s may be any of %s; write more of the key", server.ErrInvalid, flag, name, listed(some))
		}
	}
	if len(asked) == 0 {
		return nil, nil, fmt.Errorf("%w: --to %s: only the configured judge can be asked, which is %s; change the judge section of the configuration first, and let the daemon start with it",
			server.ErrInvalid, q.To, listed(mine))
	}
	if len(others) == 0 {
		return nil, nil, fmt.Errorf("%w: the store has no scores of another judge than %s, so there is nothing to bridge from", server.ErrInvalid, listed(mine))
	}
	if q.From != "" && len(named(others, q.From)) == 0 {
		if len(named(mine, q.From)) > 0 {
			return nil, nil, fmt.Errorf("%w: --from %s is the configured judge itself; name another one: %s", server.ErrInvalid, q.From, listed(others))
		}
		return nil, nil, fmt.Errorf("%w: --from %s: the store has no scores of such a judge, but of %s", server.ErrInvalid, q.From, listed(others))
	}
	for _, j := range asked {
		var choice []server.JudgeSeries
		for _, o := range named(others, q.From) {
			if o.Metric == j.Metric {
				choice = append(choice, o)
			}
		}
		if q.From != "" && len(choice) > 1 {
			return nil, nil, fmt.Errorf("%w: --from %s may be any of %s; name one by its key", server.ErrInvalid, q.From, listed(choice))
		}
		if len(choice) > 0 { // the newest is the first
			from[j.Metric], to[j.Metric] = choice[0], j
		}
	}
	if len(from) == 0 {
		return nil, nil, fmt.Errorf("%w: the two judges have no metric in common: %s, and %s", server.ErrInvalid, listed(named(others, q.From)), listed(asked))
	}
	return from, to, nil
}

// named are the judges with a key, a beginning of a key, or a model; all for an empty name.
func named(all []server.JudgeSeries, name string) []server.JudgeSeries {
	for _, is := range []func(server.JudgeSeries) bool{
		func(j server.JudgeSeries) bool { return name == "" || j.Key == name },
		func(j server.JudgeSeries) bool { return j.Model == name },
		func(j server.JudgeSeries) bool { return strings.HasPrefix(j.Key, name) },
	} {
		var out []server.JudgeSeries
		for _, j := range all {
			if is(j) {
				out = append(out, j)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// isAmbiguous says whether a name is the beginning of several keys, and nothing else.
func isAmbiguous(found []server.JudgeSeries, name string) bool {
	return name != "" && len(found) > 1 && found[0].Key != name && found[0].Model != name
}

// listed names judges for a message.
func listed(all []server.JudgeSeries) string {
	var names []string
	for _, j := range all {
		names = append(names, fmt.Sprintf("%s (%s, %s)", cmp.Or(j.Model, "unnamed"), j.Key, j.Metric))
	}
	return strings.Join(names, ", ")
}
