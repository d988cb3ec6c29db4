package nethttp

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// connections counts a server's open connections and closes new ones beyond its limits.
type connections struct {
	total     int
	perClient int // 0 for no limit
	networks  networkCount

	mu   sync.Mutex
	open map[net.Conn]string // the address that each connection counts for, "" for none
}

func newConnections(c Capacity, proxied bool) *connections {
	c = c.WithDefaults()
	if proxied {
		c.PerClient = 0 // every connection comes from the proxy
	}
	return &connections{total: c.Connections, perClient: c.PerClient, open: map[net.Conn]string{}}
}

// track implements http.Server.ConnState.
func (c *connections) track(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if !c.admit(conn) {
			_ = conn.Close() // the server notices that it is closed
		}
	case http.StateClosed, http.StateHijacked:
		c.forget(conn)
	case http.StateActive, http.StateIdle:
	}
}

func (c *connections) admit(conn net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) >= c.total {
		return false
	}
	address := c.countedAddress(conn)
	if address != "" && !c.networks.add(address, c.perClient) {
		return false
	}
	c.open[conn] = address
	return true
}

func (c *connections) forget(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	address, ok := c.open[conn]
	if !ok {
		return
	}
	delete(c.open, conn)
	if address != "" {
		c.networks.remove(address)
	}
}

// countedAddress returns the peer's address, or "" if the connection counts only toward the total.
// A loopback address belongs to a proxy or a monitor on the same machine.
func (c *connections) countedAddress(conn net.Conn) string {
	peer, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil || c.perClient == 0 || peer.Addr().Unmap().IsLoopback() {
		return ""
	}
	return peer.Addr().String()
}
