// Package s3 implements media.Store with an S3 bucket: at AWS, Cloudflare R2, or a
// self-hosted server.
package s3

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Options are the options of a store.
type Options struct {
	Fetch fetch.Sender
	// Bucket is the bucket's address: https://<bucket>.s3.<region>.amazonaws.com, or
	// https://<account>.r2.cloudflarestorage.com/<bucket>.
	Bucket string
	Region string // "auto" for R2
	KeyID  string
	Secret string
	Public string // the public address of the bucket
	Now    func() time.Time
}

// Store is a bucket. It is safe for concurrent use.
type Store struct {
	Options
	bucket *url.URL
}

var _ media.Store = (*Store)(nil)

// New returns a store. It fails with code Invalid if the bucket's address is not valid.
func New(o Options) (*Store, error) {
	u, err := url.Parse(strings.TrimSuffix(o.Bucket, "/") + "/")
	if err != nil || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return nil, fault.New(fault.Invalid,
			"Invalid bucket address: use one such as https://films.s3.eu-central-1.amazonaws.com")
	}
	o.Public = strings.TrimSuffix(o.Public, "/")
	return &Store{o, u}, nil
}

const (
	// grantTime is how long a grant is valid.
	grantTime = time.Hour
	// ownTime is how long a signature of the service's own requests is valid.
	ownTime = 5 * time.Minute
	// cacheForever is the Cache-Control of every file: a file never changes under its name.
	cacheForever = "public, max-age=31536000, immutable"
)

// URL returns the public address of a file.
func (s *Store) URL(key string) string { return s.Public + "/" + key }

// Grant returns a request that puts a file of this type and size under a key, valid for an
// hour. The store rejects another type or size, because both are signed.
func (s *Store) Grant(key, mime string, size int64) media.Grant {
	now := s.Now()
	address := s.presign(request{"PUT", s.objectURL(key), contentHeaders(mime, size)}, now, grantTime)
	return media.Grant{Method: "PUT", URL: address, Header: map[string]string{"Content-Type": mime},
		ExpiresAt: now.Add(grantTime).UTC()}
}

func contentHeaders(mime string, size int64) map[string]string {
	return map[string]string{"content-type": mime, "content-length": strconv.FormatInt(size, 10)}
}

func (s *Store) objectURL(key string) *url.URL { return s.bucket.JoinPath(key) }

// Get reads a file. It fails with code NotFound if there is none.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	res, err := s.send(ctx, request{method: "GET", objectURL: s.objectURL(key)}, nil)
	return res.Body, err
}

// Put writes a file.
func (s *Store) Put(ctx context.Context, key, mime string, b []byte) error {
	header := contentHeaders(mime, int64(len(b)))
	header["cache-control"] = cacheForever
	_, err := s.send(ctx, request{"PUT", s.objectURL(key), header}, b)
	return err
}

// Delete deletes a file. It does nothing if there is none.
func (s *Store) Delete(ctx context.Context, key string) error {
	_, err := s.send(ctx, request{method: "DELETE", objectURL: s.objectURL(key)}, nil)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// send sends a request of the service.
func (s *Store) send(ctx context.Context, r request, body []byte) (fetch.Response, error) {
	header := map[string]string{}
	for name, value := range r.header {
		if name != "content-length" { // set by the transport
			header[name] = value
		}
	}
	res, err := s.Fetch.Send(ctx,
		fetch.Request{Method: r.method, URL: s.presign(r, s.Now(), ownTime), Header: header, Body: string(body)})
	switch {
	case err != nil:
		return res, fault.Wrap(redacted{err}, fault.Unavailable, "The media store cannot be reached")
	case res.Status == 404:
		return res, fault.New(fault.NotFound, "There is no such file in the media store")
	case res.Status == 401 || res.Status == 403:
		return res, fault.New(fault.Forbidden,
			"The media store rejected the key: check that it may read, write and delete in this bucket, and that this machine's clock is right")
	case res.Status < 200 || res.Status > 299:
		return res, fault.New(fault.Unavailable, "The media store responded with status %d", res.Status)
	}
	return res, nil
}

// redacted is a transport error without the URL, which contains a signature.
type redacted struct{ err error }

func (s redacted) Error() string {
	_, after, ok := strings.Cut(s.err.Error(), `": `)
	if !ok {
		return "no response"
	}
	return after
}

func (s redacted) Unwrap() error { return s.err }

// probe is the file with which Check tests the bucket.
const probe = media.Incoming + "probe.txt"

// Check tests the operations that uploads need: it writes, reads and deletes a file, and
// sends the CORS preflight request of a browser on a page at origin.
func (s *Store) Check(ctx context.Context, origin string) error {
	if err := s.Put(ctx, probe, "text/plain", []byte("probe")); err != nil {
		return err
	}
	if b, err := s.Get(ctx, probe); err != nil || string(b) != "probe" {
		return fault.Wrap(err, fault.Unavailable, "The media store returned different data than was written")
	}
	if err := s.Delete(ctx, probe); err != nil {
		return err
	}
	res, err := s.Fetch.Send(ctx,
		fetch.Request{Method: "OPTIONS", URL: s.objectURL(probe).String(), Header: map[string]string{
			"Origin": origin, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "content-type",
		}})
	if err != nil {
		return fault.Wrap(redacted{err}, fault.Unavailable, "The media store cannot be reached")
	}
	if allowed := res.Header("Access-Control-Allow-Origin"); res.Status > 299 || allowed != "*" && allowed != origin {
		return fault.New(fault.Forbidden,
			"The bucket does not accept uploads from pages at %s: add a CORS rule for PUT with the header Content-Type", origin)
	}
	return nil
}
