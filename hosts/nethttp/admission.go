package nethttp

import (
	"cmp"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
)

// Capacity limits the resources that concurrent requests use, so that clients cannot exhaust the
// server's memory. Zero fields mean the defaults.
type Capacity struct {
	BodyBytes         int64 // all request bodies in flight, except operators' uploads
	RequestsPerClient int   // concurrent, per client network
	Connections       int   // open, in total; see Serving
	PerClient         int   // open, per client network; see Serving
	// Stall is how long reading a body may make no progress.
	Stall time.Duration
}

// Defaults of Capacity.
const (
	DefaultBodyBytes         = 64 << 20
	DefaultRequestsPerClient = 64
	DefaultConnections       = 8192
	DefaultPerClient         = 256
	DefaultStall             = 10 * time.Second
)

// WithDefaults returns the capacity with its zero fields set.
func (c Capacity) WithDefaults() Capacity {
	return Capacity{
		BodyBytes:         cmp.Or(c.BodyBytes, DefaultBodyBytes),
		RequestsPerClient: cmp.Or(c.RequestsPerClient, DefaultRequestsPerClient),
		Connections:       cmp.Or(c.Connections, DefaultConnections),
		PerClient:         cmp.Or(c.PerClient, DefaultPerClient),
		Stall:             cmp.Or(c.Stall, DefaultStall),
	}
}

// clientShare is the divisor of the body budget that yields one client network's share.
const clientShare = 4

// Deadlines of request bodies.
const (
	bodyTime = readTimeout // for a whole body
	// uploadTime is the time limit for an operator's upload and its response: enough for a 100 MB
	// video at 1.5 Mbit/s.
	uploadTime = 10 * time.Minute
	// lingerTime is how long a connection stays open after a response to a request whose body was
	// not read, so that the client can receive the response.
	lingerTime = 2 * time.Second
)

// Admission limits the requests and the body bytes in flight. Handlers can share an Admission and
// its budget. It is safe for concurrent use.
type Admission struct {
	limits   Capacity
	trusted  string
	mu       sync.Mutex
	bytes    int64
	byClient map[string]int64 // bytes per client, by its widest network
	requests networkCount
}

// NewAdmission returns an Admission. trusted is Options.TrustedHeader.
func NewAdmission(c Capacity, trusted string) *Admission {
	return &Admission{limits: c.WithDefaults(), trusted: http.CanonicalHeaderKey(trusted), byClient: map[string]int64{}}
}

// InFlight returns the number of body bytes currently held.
func (a *Admission) InFlight() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bytes
}

// Admit returns a handler that limits the requests of each client network and counts the bytes of
// request bodies. It responds to requests beyond the limit with status 503. Probes are not limited.
func (a *Admission) Admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client := clientIP(r, a.trusted)
		if !probes[r.URL.Path] {
			if !a.requests.add(client, a.limits.RequestsPerClient) {
				refuseUnread(w, r,
					httpapi.Overloaded("Too many requests from your network are in progress. Try again in a few seconds."))
				return
			}
			defer a.requests.remove(client)
		}
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		b := &body{from: r.Body, admission: a, client: widest(client), control: http.NewResponseController(w),
			started: time.Now()}
		defer b.release()
		metered := r.WithContext(r.Context()) // a copy, because the server needs its own body
		metered.Body = b
		next.ServeHTTP(w, metered)
	})
}

// widest returns the largest network of an address. A client's share of the budget applies to that
// network.
func widest(address string) string {
	all := httpapi.Networks(address)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].Prefix
}

// probes are the monitoring paths, which are always admitted.
var probes = map[string]bool{"/healthz": true, "/readyz": true}

// refuseUnread responds to a request without reading its body, and closes the connection.
func refuseUnread(w http.ResponseWriter, r *http.Request, resp httpapi.Response) {
	closeAfter(w, r)
	write(w, r, resp)
}

// closeAfter closes the connection after the response, so that the rest of an unread body is not
// parsed as the next request.
func closeAfter(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(lingerTime)) // not every writer supports deadlines
}

// reserve reserves n bytes for the client. It returns false if the budget is exhausted.
func (a *Admission) reserve(client string, n int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.bytes+n > a.limits.BodyBytes || a.byClient[client]+n > a.limits.BodyBytes/clientShare {
		return false
	}
	a.bytes += n
	a.byClient[client] += n
	return true
}

func (a *Admission) release(client string, n int64) {
	if n == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes -= n
	if a.byClient[client] -= n; a.byClient[client] == 0 {
		delete(a.byClient, client)
	}
}

// body is a request body whose bytes count toward the budget until the handler returns. Reading
// fails if the client stalls, and with httpapi.ErrOverloaded if the budget is exhausted.
type body struct {
	from      io.ReadCloser
	admission *Admission
	client    string
	control   *http.ResponseController
	started   time.Time
	held      int64 // reserved bytes
	upload    bool  // an operator's upload: not counted, and with more time
	ended     bool  // EOF was read
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	b.extendDeadline()
	n, err := b.from.Read(p)
	if err == io.EOF {
		b.ended = true
		_ = b.control.SetReadDeadline(time.Time{}) // the server sets the deadline of the next request
	}
	if b.upload || n == 0 {
		return n, err
	}
	if !b.admission.reserve(b.client, int64(n)) {
		return 0, httpapi.ErrOverloaded
	}
	b.held += int64(n)
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error { return b.from.Close() }

// extendDeadline sets the deadline for the next bytes, within the time for the whole body.
func (b *body) extendDeadline() {
	whole := bodyTime
	if b.upload {
		whole = uploadTime
	}
	now, end := time.Now(), b.started.Add(whole)
	if stall := now.Add(b.admission.limits.Stall); stall.Before(end) {
		end = stall
	}
	_ = b.control.SetReadDeadline(end) // not every writer supports deadlines
}

// expectUpload gives the body and its response the time limit of an upload and excludes it from the
// budget, because the API limits the number of uploads itself.
func (b *body) expectUpload() {
	b.upload, b.started = true, time.Now()
	_ = b.control.SetWriteDeadline(b.started.Add(uploadTime + writeTimeout))
}

func (b *body) release() { b.admission.release(b.client, b.held) }
