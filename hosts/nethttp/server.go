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

// The server's patience with a connection.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 90 * time.Second // a monolithic settlement answers within it
	maxHeader     = 32 << 10
)

// IdleTimeout is how long a server keeps a connection on which nothing is asked. A proxy
// in front has to let go of it sooner, or a request meets a connection that is closing.
const IdleTimeout = 2 * time.Minute

// Serving is how a server serves and ends.
type Serving struct {
	// StrictTransport is on every response as Strict-Transport-Security; "" is none.
	StrictTransport string
	// Drain is how long it goes on serving while /readyz says 503.
	Drain time.Duration
	// Patience is how long requests that run may take to finish then.
	Patience time.Duration
	// Capacity bounds its connections.
	Capacity Capacity
	// Proxied is set if every connection comes from a proxy. Then clients have no limit of
	// connections.
	Proxied bool
}

// Serve answers on the listener until ctx is done. Then it says that it is not
// ready any more for as long as Drain, accepts nothing more, lets the requests that
// run finish for at most Patience, and returns.
func Serve(ctx context.Context, l net.Listener, h http.Handler, how Serving) error {
	server := &http.Server{
		Handler:           secured(how.StrictTransport, leaving(ctx.Done(), h)),
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
	case <-time.After(how.Drain):
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), how.Patience)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return fmt.Errorf("requests were still running after %s: %w", how.Patience, err)
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// secured puts the headers that every response carries on those of any handler, and
// answers what no handler is asked: a request for no path.
func secured(strict string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpapi.Secure(w.Header(), strict)
		if r.RequestURI == "*" {
			write(w, r, httpapi.Failure(fault.NotFound, "Not found"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// leaving tells whoever asks that the server is about to go, so that nobody keeps a
// connection to it or sends it more.
func leaving(gone <-chan struct{}, next http.Handler) http.Handler {
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
