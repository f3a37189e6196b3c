package format

import (
	"math"
	"strconv"

	"github.com/tidwall/gjson"

	"leadline/config"
	"leadline/sampler"
)

// addTurn adds the dimension of the turn where its field is configured: it is the one
// field that no format has by itself, because it makes cells.
func (d *Decoder) addTurn(root gjson.Result, values map[string]string) {
	for _, path := range d.fields[fieldTurn] {
		values[config.DimensionTurn] = turnOf(root.Get(path))
	}
}

// turnOf says where in a conversation an answer stands: "1", "2-3" or "4+", counted from
// one. Every number by itself would be a cell of its own.
func turnOf(r gjson.Result) string {
	n, err := strconv.ParseFloat(r.String(), 64)
	switch {
	case !isScalar(r) || err != nil || n != math.Trunc(n) || n < 1 || math.IsInf(n, 0):
		return sampler.Unknown
	case n == 1:
		return "1"
	case n <= 3:
		return "2-3"
	}
	return "4+"
}
