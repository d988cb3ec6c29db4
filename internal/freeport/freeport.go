// Package freeport finds ports for servers that tests start, end and start again.
package freeport

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// Find returns a port of 127.0.0.1 that nobody listens on. It lies below those that
// systems give to outgoing connections, so that none of these takes it while the
// server is down: 32768 and above on Linux.
func Find() (int, error) {
	for range 100 {
		port := 20_000 + rand.IntN(10_000)
		l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("freeport: a hundred ports are taken")
}
