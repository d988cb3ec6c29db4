package nethttp

import (
	"sync"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
)

// networkCount counts current uses per client network. The zero value is ready to use and safe for
// concurrent use.
type networkCount struct {
	mu sync.Mutex
	of map[string]int
}

// add counts one more use for the networks of an address, or returns false if a limit is reached.
// max is the limit of the smallest network; that of each larger one is max times its Factor.
func (c *networkCount) add(address string, max int) bool {
	networks := httpapi.Networks(address)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range networks {
		if c.of[n.Prefix] >= max*n.Factor {
			return false
		}
	}
	if c.of == nil {
		c.of = map[string]int{}
	}
	for _, n := range networks {
		c.of[n.Prefix]++
	}
	return true
}

// remove reverses an add that returned true.
func (c *networkCount) remove(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range httpapi.Networks(address) {
		if c.of[n.Prefix]--; c.of[n.Prefix] == 0 {
			delete(c.of, n.Prefix)
		}
	}
}
