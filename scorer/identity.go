package scorer

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// keyBytes is how much of the hash a key shows: 12 hex digits.
const keyBytes = 6

// Key names the identity in 12 hex digits: the start of the SHA-256 of its fields, each
// with its length, in the order in which the type declares them.
func (id JudgeID) Key() string {
	h := sha256.New()
	for _, field := range []string{
		string(id.Metric), id.Endpoint, id.Model, id.Prompt, id.Sampling, id.Effort, id.Format,
		id.Embedding, strconv.Itoa(id.Dimensions), id.Prefix, strconv.Itoa(id.Strictness), strconv.FormatBool(id.Standin),
	} {
		h.Write([]byte(strconv.Itoa(len(field)) + ":" + field))
	}
	return hex.EncodeToString(h.Sum(nil)[:keyBytes])
}
