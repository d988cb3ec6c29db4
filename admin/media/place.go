package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Store is a second place, for films and recordings that are more than a repository's host
// takes. Browsers send files there themselves.
type Store interface {
	// Grant lets whoever has it put a file of just that type and size under a key, for a while.
	Grant(key, mime string, size int64) Grant
	// Get reads a file: code NotFound where there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	Put(ctx context.Context, key, mime string, b []byte) error
	// Delete takes a file away, and does nothing where there is none.
	Delete(ctx context.Context, key string) error
	// URL is where everybody reads a file.
	URL(key string) string
}

// Grant is a request that somebody else may send.
type Grant struct {
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Header    map[string]string `json:"header"`
	ExpiresAt time.Time         `json:"expiresAt"`
}

// Incoming is the folder for what nobody has looked at yet. Its files may be removed after a
// day.
const Incoming = "incoming/"

// Direct reports whether files of a kind are sent to the store.
func (s *Service) Direct(k Kind) bool { return s.Store != nil && k != Image }

// Grant lets a browser send a film or a recording of that size to the store, where nothing
// names it before Take has looked at it. u.Bytes are not looked at.
func (s *Service) Grant(_ context.Context, by By, u Upload, size int64) (Grant, error) {
	_, f, err := s.place(u)
	if err != nil {
		return Grant{}, err
	}
	if size < 1 || size > u.Kind.MaxSize() {
		return Grant{}, fault.New(fault.Invalid, "The file has to have 1 byte to %d MB", u.Kind.MaxSize()>>20).In("size")
	}
	return s.Store.Grant(incoming(by, u), f.mime, size), nil
}

// place is where an upload belongs, and what it has to be.
func (s *Service) place(u Upload) (folder string, f format, err error) {
	if !s.Direct(u.Kind) {
		return "", format{}, fault.New(fault.Unavailable, "Nothing can be sent there: MEDIA_STORE_URL names no store, or pictures are kept in the repository")
	}
	if folder, err = s.home(u); err != nil {
		return "", format{}, err
	}
	f, err = formatOf(u.Kind, u.Name)
	return folder, f, err
}

// incoming is the key of what was sent by one change, which nobody else can guess.
func incoming(by By, u Upload) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{by.ID, by.Email, string(u.Kind), string(u.Use), u.Slug, u.Name}, "\x00")))
	return Incoming + hex.EncodeToString(sum[:]) + path.Ext(u.Name)
}

// Take looks at what was sent by a grant, as Upload does, and puts it where everybody reads
// it: its place has a part of its bytes' hash, so that what was published never changes. It
// is done again to the same end. What is refused is removed.
func (s *Service) Take(ctx context.Context, by By, u Upload) (Stored, error) {
	folder, f, err := s.place(u)
	if err != nil {
		return Stored{}, err
	}
	sent := incoming(by, u)
	b, err := s.Store.Get(ctx, sent)
	if fault.Is(err, fault.NotFound) {
		return Stored{}, fault.Wrap(err, fault.NotFound, "The file has not arrived: send it again").In("file")
	}
	if err != nil {
		return Stored{}, err
	}
	a, err := Accept(u.Kind, u.Name, b)
	if err != nil {
		_ = s.Store.Delete(ctx, sent) // else it goes with the day's
		return Stored{}, err
	}
	sha := repository.SHA(a.Bytes)
	ext := path.Ext(u.Name)
	key := path.Join(folder, strings.TrimSuffix(u.Name, ext)+"-"+sha[:8]+ext)
	if err := s.Store.Put(ctx, key, f.mime, a.Bytes); err != nil {
		return Stored{}, err
	}
	return Stored{Path: s.Store.URL(key), SHA: sha, Size: int64(len(a.Bytes)), Type: a.Type}, nil
}
