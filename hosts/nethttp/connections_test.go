package nethttp

import (
	"net"
	"net/http"
	"net/netip"
	"testing"
)

// peer is a connection from an address.
type peer struct {
	net.Conn
	from   string
	closed bool
}

func (p *peer) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(p.from))
}

func (p *peer) Close() error {
	p.closed = true
	return nil
}

func TestConnections_OfOneClient(t *testing.T) {
	for _, tc := range []struct {
		name    string
		proxied bool
		from    []string
		refused int
	}{
		{"an address", false, []string{"203.0.113.9:1", "203.0.113.9:2", "203.0.113.9:3"}, 1},
		{"two addresses", false, []string{"203.0.113.9:1", "203.0.113.9:2", "203.0.113.10:1", "203.0.113.10:2"}, 0},
		{"a /64", false, []string{"[2001:db8::1]:1", "[2001:db8::2]:1", "[2001:db8::3]:1", "[2001:db8:0:1::3]:1"}, 1},
		{"an address in IPv6", false, []string{"[::ffff:203.0.113.9]:1", "203.0.113.9:2", "[::ffff:203.0.113.9]:3"}, 1},
		{"this machine", false, []string{"127.0.0.1:1", "127.0.0.1:2", "[::1]:3", "[::1]:4", "[::1]:5"}, 0},
		{"a proxy", true, []string{"203.0.113.9:1", "203.0.113.9:2", "203.0.113.9:3"}, 0},
		{"beyond the total", true,
			[]string{"203.0.113.9:1", "203.0.113.9:2", "203.0.113.9:3", "203.0.113.9:4", "203.0.113.9:5", "203.0.113.9:6"}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newConnections(Capacity{Connections: 5, PerClient: 2}, tc.proxied)
			var all []*peer
			refused := 0
			for _, from := range tc.from {
				p := &peer{from: from}
				c.track(p, http.StateNew)
				all = append(all, p)
				if p.closed {
					refused++
				}
			}
			if refused != tc.refused {
				t.Errorf("%d connections closed, want %d", refused, tc.refused)
			}
			for _, p := range all {
				c.track(p, http.StateClosed)
			}
			if len(c.open)+len(c.networks.of) != 0 {
				t.Errorf("closed connections are still counted: %v, %v", c.open, c.networks.of)
			}
		})
	}
}
