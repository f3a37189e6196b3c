package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// expand replaces ${env:NAME} and ${env:NAME:-default} by the variable and $$ by $. A
// bare $Name stays: it is the user name of some brokers.
func expand(text string, getenv Getenv) (string, error) {
	var out strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 || i == len(text)-1 {
			out.WriteString(text)
			return out.String(), nil
		}
		out.WriteString(text[:i])
		text = text[i:]
		switch text[1] {
		case '$':
			out.WriteByte('$')
			text = text[2:]
		case '{':
			inner, rest, closed := strings.Cut(text[2:], "}")
			if !closed {
				return "", errors.New("opens ${ and does not close it; write ${env:NAME}, or $${ for the characters themselves")
			}
			value, err := lookUp(inner, getenv)
			if err != nil {
				return "", err
			}
			out.WriteString(value)
			text = rest
		default:
			out.WriteByte('$')
			text = text[1:]
		}
	}
}

// lookUp returns what stands for env:NAME or env:NAME:-default. Like a shell it takes
// the default for an empty variable too.
func lookUp(inner string, getenv Getenv) (string, error) {
	name, isEnv := strings.CutPrefix(inner, "env:")
	name, fallback, hasFallback := strings.Cut(name, ":-")
	if !isEnv || !isVariable(name) {
		return "", errors.New("has ${...} that is not ${env:NAME}; write that, or $${ for the characters themselves")
	}
	value, set := getenv(name)
	switch {
	case hasFallback && value == "":
		return fallback, nil
	case !set:
		return "", fmt.Errorf("needs environment variable %s, which is not set; set it, or write ${env:%s:-default}", name, name)
	}
	return value, nil
}

func isVariable(name string) bool {
	ok, _ := regexp.MatchString(`^[A-Za-z_][A-Za-z0-9_]*$`, name)
	return ok
}
