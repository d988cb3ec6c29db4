package nethttp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Timeouts and limits of a connection.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 90 * time.Second // long enough for a settlement in one request
	maxHeader     = 32 << 10
)

// IdleTimeout is how long a server keeps an idle connection. A proxy must close idle connections
// earlier, or its requests can hit a connection that is being closed.
const IdleTimeout = 2 * time.Minute

// Serving configures Serve.
type Serving struct {
	// StrictTransport is the Strict-Transport-Security header of every response; "" for none.
	StrictTransport string
	// DrainDelay is how long the server continues to serve requests while /readyz responds with
	// 503.
	DrainDelay time.Duration
	// ShutdownTimeout is how long running requests may take to finish after that.
	ShutdownTimeout time.Duration
	// Capacity limits the connections.
	Capacity Capacity
	// Proxied is set if every connection comes from a proxy. Then the limit per client does not
	// apply.
	Proxied bool
}

// Serve serves on the listener until ctx is done. Then it responds to /readyz with 503
// for DrainDelay, stops accepting connections, waits up to ShutdownTimeout for running requests to
// finish, and returns.
func Serve(ctx context.Context, l net.Listener, h http.Handler, how Serving) error {
	server := &http.Server{
		Handler:           withSecurityHeaders(how.StrictTransport, withShutdown(ctx.Done(), h)),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       IdleTimeout,
		MaxHeaderBytes:    maxHeader,
		ConnState:         newConnections(how.Capacity, how.Proxied).track,

		DisableGeneralOptionsHandler: true,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	case <-time.After(how.DrainDelay):
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), how.ShutdownTimeout)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return fmt.Errorf("requests were still running after %s: %w", how.ShutdownTimeout, err)
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// withSecurityHeaders adds the headers that every response has, and responds with 404 to requests
// without a path (*).
func withSecurityHeaders(strict string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpapi.Secure(w.Header(), strict)
		if r.RequestURI == "*" {
			write(w, r, httpapi.Failure(fault.NotFound, "Not found"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// withShutdown closes the connections of responses, and makes /readyz return 503, once the server
// is stopping.
func withShutdown(gone <-chan struct{}, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-gone:
			w.Header().Set("Connection", "close")
			if r.URL.Path == "/readyz" {
				write(w, r, httpapi.Failure(fault.Unavailable, "The server is stopping"))
				return
			}
		default:
		}
		next.ServeHTTP(w, r)
	})
}
