package config

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// CheckURL says whether requests may be sent to a URL: http or https, never to
// link-local and cloud metadata addresses, and without TLS only on loopback, private
// addresses and names inside a network. The error never shows the URL. A URL that came
// out of a file is checked again when it is used.
func CheckURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("must be an http or https URL such as https://host/path")
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	addr, err := netip.ParseAddr(host)
	addr = addr.Unmap()
	switch {
	case host == "" || err != nil && endsInNumber(host):
		return errors.New("has neither a name nor an address as its host")
	case addr.IsLinkLocalUnicast() || isMetadata(host, addr):
		return errors.New("points at a link-local or cloud metadata address, which is never asked")
	case u.Scheme == "http" && !addr.IsLoopback() && !addr.IsPrivate() && !isInside(host):
		return errors.New("must be https; http is for loopback, private addresses and names inside a network")
	}
	return nil
}

// endsInNumber finds what some resolvers read as an address, such as 2852039166.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	_, err := strconv.ParseUint(last, 0, 64)
	return err == nil
}

func isMetadata(host string, addr netip.Addr) bool {
	return host == "metadata" || strings.HasPrefix(host, "metadata.") ||
		addr == netip.MustParseAddr("100.100.100.200") || addr == netip.MustParseAddr("fd00:ec2::254")
}

// isInside says whether a name can only be resolved inside a network.
func isInside(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	if !strings.Contains(host, ".") {
		return true
	}
	for _, suffix := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa", ".svc"} {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return false
}

// isWebAddress says whether a URL has a scheme and a host, and no user, query or fragment.
func isWebAddress(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

// hostOf returns the host of host:port, which may be empty.
func hostOf(address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return host, err
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
