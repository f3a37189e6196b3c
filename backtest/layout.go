package backtest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"leadline/scorer"
)

// layout is where in a record things stand; -1 where they do not.
type layout struct {
	found         Columns
	time, release int
	metrics       map[scorer.Metric]int
	segments      map[string]int
	name, value   int // one line per score
}

func newLayout(header []string, want Columns) (layout, error) {
	columns := make([]string, len(header))
	for i, h := range header {
		columns[i] = strings.TrimSpace(strings.TrimPrefix(h, "\ufeff"))
	}
	l := layout{metrics: map[scorer.Metric]int{}, segments: map[string]int{}, name: -1, value: -1,
		found: Columns{Metrics: map[scorer.Metric]string{}, Segments: map[string]string{}}}
	var err [4]error
	l.time, err[0] = columnOf(columns, "--time", want.Time, timeNames)
	l.release, err[1] = columnOf(columns, "--release", want.Release, releaseNames)
	for _, dim := range slices.Sorted(maps.Keys(want.Segments)) {
		at, missing := columnOf(columns, "--segment "+dim, want.Segments[dim], nil)
		l.segments[dim], err[2] = at, errors.Join(err[2], missing)
	}
	err[3] = l.findMetrics(columns, want.Metrics)
	if err := errors.Join(err[:]...); err != nil {
		return l, err
	}
	l.note(columns)
	return l, nil
}

// findMetrics looks for the columns of the metrics that were named, of the usual ones where
// none was, or for lines with one score each.
func (l *layout) findMetrics(columns []string, want map[scorer.Metric]string) error {
	var err error
	for _, m := range slices.Sorted(maps.Keys(want)) {
		at, missing := columnOf(columns, "--metric "+string(m), want[m], nil)
		l.metrics[m], err = at, errors.Join(err, missing)
	}
	if len(want) > 0 {
		return err
	}
	for m, names := range metricNames {
		if at, _ := columnOf(columns, "", "", names); at >= 0 {
			l.metrics[m] = at
		}
	}
	if len(l.metrics) > 0 {
		return nil
	}
	l.name, _ = columnOf(columns, "", "", nameColumns)
	l.value, _ = columnOf(columns, "", "", valueColumns)
	if l.name < 0 || l.value < 0 {
		return fmt.Errorf("no column of scores among %s; name one with --metric faithfulness=COLUMN", strings.Join(columns, ", "))
	}
	return nil
}

// note keeps the columns by their names.
func (l *layout) note(columns []string) {
	name := func(at int) string {
		if at < 0 {
			return ""
		}
		return columns[at]
	}
	l.found.Time, l.found.Release = name(l.time), name(l.release)
	for m, at := range l.metrics {
		l.found.Metrics[m] = name(at)
	}
	for dim, at := range l.segments {
		l.found.Segments[dim] = name(at)
	}
}

// columnOf finds the column that was asked for, which must be there, or else the first of
// the usual names; -1 without one.
func columnOf(columns []string, flag, asked string, usual []string) (int, error) {
	if asked != "" {
		if at := slices.Index(columns, asked); at >= 0 {
			return at, nil
		}
		return -1, fmt.Errorf("%s: there is no column %q; there are %s", flag, asked, strings.Join(columns, ", "))
	}
	for _, name := range usual {
		if at := slices.IndexFunc(columns, func(c string) bool { return plain(c) == name }); at >= 0 {
			return at, nil
		}
	}
	return -1, nil
}

// metricCalled returns the metric that a tool calls by a name.
func metricCalled(name string) (scorer.Metric, bool) {
	for m, names := range metricNames {
		if slices.Contains(names, plain(name)) {
			return m, true
		}
	}
	return "", false
}

// plain is a name in lower case with underscores.
func plain(name string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(name)))
}
