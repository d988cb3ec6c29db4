package nethttp

import (
	"cmp"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
)

// Capacity bounds what requests may use at once, so that clients cannot exhaust the server's
// memory. A zero field has its default.
type Capacity struct {
	BodyBytes         int64 // of all request bodies in flight, without operators' uploads
	RequestsPerClient int   // in progress, for one client network
	Connections       int   // open, in total; see Serving
	PerClient         int   // open, for one client network; see Serving
	// Stall is how long a body may make no progress.
	Stall time.Duration
}

// The defaults of Capacity.
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

// clientShare is the part of the body budget that one client network may use: a quarter.
const clientShare = 4

// The deadlines of request bodies.
const (
	bodyTime = readTimeout // for a whole body
	// uploadTime is for an operator's upload and its answer: a film of 100 MB at 1.5 Mbit/s.
	uploadTime = 10 * time.Minute
	// lingerTime is how long a connection stays open after the answer to a request whose body
	// was not read, so that the client can receive the answer.
	lingerTime = 2 * time.Second
)

// Admission counts the requests and the body bytes in flight. Handlers that share one share
// its budget. It is safe for concurrent use.
type Admission struct {
	limits   Capacity
	trusted  string
	mu       sync.Mutex
	bytes    int64
	byClient map[string]int64 // bytes of each client's widest network
	requests networkCount
}

// NewAdmission returns an Admission. The trusted header is that of Options.
func NewAdmission(c Capacity, trusted string) *Admission {
	return &Admission{limits: c.WithDefaults(), trusted: http.CanonicalHeaderKey(trusted), byClient: map[string]int64{}}
}

// InFlight returns the number of body bytes that are held at this moment.
func (a *Admission) InFlight() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bytes
}

// Admit returns a handler that refuses a client network's requests beyond its limit, and that
// meters the bodies of the others.
func (a *Admission) Admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client := clientIP(r, a.trusted)
		if !probes[r.URL.Path] {
			if !a.requests.add(client, a.limits.RequestsPerClient) {
				refuseUnread(w, r, httpapi.Overloaded("Too many requests from your network are in progress. Try again in a few seconds."))
				return
			}
			defer a.requests.remove(client)
		}
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		b := &body{from: r.Body, admission: a, client: widest(client), control: http.NewResponseController(w), started: time.Now()}
		defer b.release()
		metered := r.WithContext(r.Context()) // a copy: the server needs its own body
		metered.Body = b
		next.ServeHTTP(w, metered)
	})
}

// widest returns the largest network of an address, whose share of the budget a client has.
func widest(address string) string {
	all := httpapi.Networks(address)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].Prefix
}

// probes are the paths that monitors ask, which are answered at any load.
var probes = map[string]bool{"/healthz": true, "/readyz": true}

// refuseUnread answers a request whose body is not read, and closes its connection.
func refuseUnread(w http.ResponseWriter, r *http.Request, resp httpapi.Response) {
	closeAfter(w, r)
	write(w, r, resp)
}

// closeAfter closes the connection after the answer: the rest of an unread body must not be
// taken for the next request.
func closeAfter(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(lingerTime)) // not every writer has deadlines
}

// reserve counts n more bytes for the client. It reports whether the budget had room.
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

func (a *Admission) free(client string, n int64) {
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

// body is a request body whose bytes count against the budget until the request is answered,
// and that fails if the client stalls.
type body struct {
	from      io.ReadCloser
	admission *Admission
	client    string
	control   *http.ResponseController
	started   time.Time
	held      int64 // bytes that were reserved
	upload    bool  // an operator's: not counted, and with more time
	ended     bool  // EOF was read
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	b.extendDeadline()
	n, err := b.from.Read(p)
	if err == io.EOF {
		b.ended = true
		_ = b.control.SetReadDeadline(time.Time{}) // the server sets the next request's
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

// extendDeadline gives the client the Stall for the next bytes, within the time for the whole.
func (b *body) extendDeadline() {
	whole := bodyTime
	if b.upload {
		whole = uploadTime
	}
	now, end := time.Now(), b.started.Add(whole)
	if stall := now.Add(b.admission.limits.Stall); stall.Before(end) {
		end = stall
	}
	_ = b.control.SetReadDeadline(end) // not every writer has deadlines
}

// expectUpload gives the body, and the answer to it, the time of an upload, and takes it out of
// the budget: the API bounds the number of uploads.
func (b *body) expectUpload() {
	b.upload, b.started = true, time.Now()
	_ = b.control.SetWriteDeadline(b.started.Add(uploadTime + writeTimeout))
}

func (b *body) release() { b.admission.free(b.client, b.held) }
