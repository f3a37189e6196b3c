package standin

import "math"

func newVector(text string) (vector, int) { return embed(text), 4 * Dimensions }

// embed hashes the features of text, with a sign each, into Dimensions numbers and
// scales them to length 1. A text without features is hashed as a whole.
func embed(text string) vector {
	d, _ := newDigest(text)
	features := d.features
	if len(features) == 0 {
		features = []feature{{hash: hashBytes([]byte(text)), weight: 1}}
	}
	v := make(vector, Dimensions)
	for _, f := range features {
		sign := float32(1)
		if f.hash>>32&1 == 1 {
			sign = -1
		}
		v[f.hash%Dimensions] += sign * float32(math.Sqrt(float64(f.weight)))
	}
	return normalise(v, features[0])
}

// normalise divides by the length; if signs cancelled everything out, first stands alone.
func normalise(v vector, first feature) vector {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		v[first.hash%Dimensions] = 1
		return v
	}
	length := float32(math.Sqrt(sum))
	for i := range v {
		v[i] /= length
	}
	return v
}

// estimateTokens is a quarter of a token per ASCII character and about three quarters
// per character of three bytes or more; others lie between.
func estimateTokens(text string) int {
	ascii, wide := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c < 0x80:
			ascii++
		case c >= 0xc0:
			wide++
		}
	}
	return (ascii*25 + wide*77 + 99) / 100
}
