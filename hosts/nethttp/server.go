package nethttp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// The server's patience with a connection.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 90 * time.Second // a monolithic settlement answers within it
	idleTimeout   = 2 * time.Minute
	maxHeader     = 32 << 10
)

// Serve answers on the listener until ctx is done. Then it accepts nothing
// more, lets the requests that run finish for at most patience, and returns.
func Serve(ctx context.Context, l net.Listener, h http.Handler, patience time.Duration) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return fmt.Errorf("requests were still running after %s: %w", patience, err)
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
