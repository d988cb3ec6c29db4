// Package s3 keeps films and recordings in a bucket that speaks S3's API: at AWS, in
// Cloudflare's R2, or on a server of one's own.
package s3

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Options say which bucket it is.
type Options struct {
	Fetch fetch.Sender
	// Bucket is the bucket's own address: https://<bucket>.s3.<region>.amazonaws.com, or
	// https://<account>.r2.cloudflarestorage.com/<bucket>.
	Bucket string
	Region string // auto at R2
	KeyID  string
	Secret string
	Public string // the address below which everybody reads the bucket
	Now    func() time.Time
}

// Store is a bucket.
type Store struct {
	Options
	bucket *url.URL
}

var _ media.Store = (*Store)(nil)

// New returns a store. It fails for an address that is none.
func New(o Options) (*Store, error) {
	u, err := url.Parse(strings.TrimSuffix(o.Bucket, "/") + "/")
	if err != nil || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return nil, fault.New(fault.Invalid, "A bucket has an address such as https://films.s3.eu-central-1.amazonaws.com")
	}
	o.Public = strings.TrimSuffix(o.Public, "/")
	return &Store{o, u}, nil
}

const (
	// grantTime is how long a browser has to begin an upload.
	grantTime = time.Hour
	// ownTime is how long the service's own requests hold.
	ownTime = 5 * time.Minute
	// lasting is said of every file: what is under a name never changes.
	lasting = "public, max-age=31536000, immutable"
)

// URL is where everybody reads a file.
func (s *Store) URL(key string) string { return s.Public + "/" + key }

// Grant lets whoever has it put a file of that type and size under a key, for an hour. The
// store refuses another type or size, which are signed.
func (s *Store) Grant(key, mime string, size int64) media.Grant {
	now := s.Now()
	address := s.presign(request{"PUT", s.at(key), sized(mime, size)}, now, grantTime)
	return media.Grant{Method: "PUT", URL: address, Header: map[string]string{"Content-Type": mime}, ExpiresAt: now.Add(grantTime).UTC()}
}

func sized(mime string, size int64) map[string]string {
	return map[string]string{"content-type": mime, "content-length": strconv.FormatInt(size, 10)}
}

func (s *Store) at(key string) *url.URL { return s.bucket.JoinPath(key) }

// Get reads a file. Code NotFound where there is none.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	res, err := s.send(ctx, request{method: "GET", at: s.at(key)}, nil)
	return res.Body, err
}

// Put writes a file.
func (s *Store) Put(ctx context.Context, key, mime string, b []byte) error {
	header := sized(mime, int64(len(b)))
	header["cache-control"] = lasting
	_, err := s.send(ctx, request{"PUT", s.at(key), header}, b)
	return err
}

// Delete takes a file away, and does nothing where there is none.
func (s *Store) Delete(ctx context.Context, key string) error {
	_, err := s.send(ctx, request{method: "DELETE", at: s.at(key)}, nil)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// send sends a request of the service's own.
func (s *Store) send(ctx context.Context, r request, body []byte) (fetch.Response, error) {
	header := map[string]string{}
	for name, value := range r.header {
		if name != "content-length" { // the transport says it
			header[name] = value
		}
	}
	res, err := s.Fetch.Send(ctx, fetch.Request{Method: r.method, URL: s.presign(r, s.Now(), ownTime), Header: header, Body: string(body)})
	switch {
	case err != nil:
		return res, fault.Wrap(silence{err}, fault.Unavailable, "The store of films can't be reached")
	case res.Status == 404:
		return res, fault.New(fault.NotFound, "There is no such file in the store of films")
	case res.Status == 401 || res.Status == 403:
		return res, fault.New(fault.Forbidden, "The store of films does not let the key in: it has to read, write and delete in this bucket, and the machine's clock has to be right")
	case res.Status < 200 || res.Status > 299:
		return res, fault.New(fault.Unavailable, "The store of films answers %d", res.Status)
	}
	return res, nil
}

// silence is an error of the transport without the address, which is signed.
type silence struct{ err error }

func (s silence) Error() string {
	_, after, ok := strings.Cut(s.err.Error(), `": `)
	if !ok {
		return "no answer"
	}
	return after
}

func (s silence) Unwrap() error { return s.err }

// probe is a file that is written, read and removed again, to see whether that can be done.
const probe = media.Incoming + "probe.txt"

// Check does once what uploads need: it writes, reads and removes a file, and asks as a
// browser on the page at origin would.
func (s *Store) Check(ctx context.Context, origin string) error {
	if err := s.Put(ctx, probe, "text/plain", []byte("probe")); err != nil {
		return err
	}
	if b, err := s.Get(ctx, probe); err != nil || string(b) != "probe" {
		return fault.Wrap(err, fault.Unavailable, "The store of films does not give back what was written")
	}
	if err := s.Delete(ctx, probe); err != nil {
		return err
	}
	res, err := s.Fetch.Send(ctx, fetch.Request{Method: "OPTIONS", URL: s.at(probe).String(), Header: map[string]string{
		"Origin": origin, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "content-type",
	}})
	if err != nil {
		return fault.Wrap(silence{err}, fault.Unavailable, "The store of films can't be reached")
	}
	if allowed := res.Header("Access-Control-Allow-Origin"); res.Status > 299 || allowed != "*" && allowed != origin {
		return fault.New(fault.Forbidden, "The bucket lets no page at %s send files: give it a CORS rule for PUT with the header Content-Type", origin)
	}
	return nil
}
