package sampler

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// fingerprintBytes is how much of a hash a fingerprint shows: among a million different
// texts, the chance that two share 8 bytes is 3 in 100 million.
const fingerprintBytes = 8

// Fingerprint names texts in 16 hex digits: the start of the SHA-256 of the salt and the
// texts, each with its length. Who does not know the salt cannot try texts against it.
func Fingerprint(salt string, texts ...string) string {
	h := sha256.New()
	for _, text := range append([]string{salt}, texts...) {
		h.Write([]byte(strconv.Itoa(len(text)) + ":" + text))
	}
	return hex.EncodeToString(h.Sum(nil)[:fingerprintBytes])
}

// textHash is the fingerprint of what is judged. The language is part of it, because the
// judge is told; so are the turns before and the rewritten question. A record without them
// has the fingerprint that it had before they were read.
func textHash(salt string, r Record) string {
	texts := append([]string{"texts", r.Language, r.Question, r.Answer}, r.Contexts...)
	if len(r.History) > 0 || r.Rewritten != "" {
		texts = append(append(texts, "asked", r.Rewritten), r.History...)
	}
	return Fingerprint(salt, texts...)
}

func sessionHash(salt string, r Record) string {
	if r.Session == "" {
		return ""
	}
	return Fingerprint(salt, "session", r.Session)
}
