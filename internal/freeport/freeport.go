// Package freeport finds ports for servers that tests start, stop and restart.
package freeport

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// Find returns an unused port of 127.0.0.1. It is below the range for outgoing
// connections, which starts at 32768 on Linux, so that none of these takes the
// port while the server is down.
func Find() (int, error) {
	for range 100 {
		port := 20_000 + rand.IntN(10_000)
		l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("freeport: no free port after 100 attempts")
}
