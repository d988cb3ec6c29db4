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

// Store stores videos and recordings that are too large for the repository. Browsers upload
// to it directly.
type Store interface {
	// Grant returns a request that puts a file of exactly this type and size under a key,
	// valid for a limited time.
	Grant(key, mime string, size int64) Grant
	// Get reads a file. It fails with code NotFound if there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// Put writes a file of a media type.
	Put(ctx context.Context, key, mime string, b []byte) error
	// Delete deletes a file. It does nothing if there is none.
	Delete(ctx context.Context, key string) error
	// URL returns the public address of a file.
	URL(key string) string
}

// Grant is a request that a browser may send.
type Grant struct {
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Header    map[string]string `json:"header"`
	ExpiresAt time.Time         `json:"expiresAt"`
}

// Incoming is the folder for uploads that were not validated yet. Its files may be deleted
// after a day.
const Incoming = "incoming/"

// Direct reports whether files of a kind are uploaded to the store.
func (s *Service) Direct(k Kind) bool { return s.Store != nil && k != Image }

// Grant returns a request with which a browser uploads a video or recording of size bytes to the
// store. The file is not published until AcceptUpload has validated it. u.Bytes is ignored. It
// fails with code Unavailable if files of the kind are not uploaded to the store, and Invalid if
// the name, the use or the size is not valid.
func (s *Service) Grant(_ context.Context, by ChangeMeta, u Upload, size int64) (Grant, error) {
	_, f, err := s.destination(u)
	if err != nil {
		return Grant{}, err
	}
	if size < 1 || size > u.Kind.MaxSize() {
		return Grant{}, fault.New(fault.Invalid, "The file size must be from 1 byte to %d MB",
			u.Kind.MaxSize()>>20).In("size")
	}
	return s.Store.Grant(incoming(by, u), f.mime, size), nil
}

// destination returns the folder and format for an upload to the store. It fails with code
// Unavailable if files of the kind are not uploaded to the store.
func (s *Service) destination(u Upload) (folder string, f format, err error) {
	if !s.Direct(u.Kind) {
		return "", format{}, fault.New(fault.Unavailable,
			"Direct uploads are not available: MEDIA_STORE_URL is not set, or the file is a picture, which is stored in the repository")
	}
	if folder, err = s.checkedFolder(u); err != nil {
		return "", format{}, err
	}
	f, err = formatOf(u.Kind, u.Name)
	return folder, f, err
}

// incoming returns the store key for a change's upload. It cannot be guessed without the change's
// ID.
func incoming(by ChangeMeta, u Upload) string {
	sum := sha256.Sum256([]byte(strings.Join(
		[]string{by.ID, by.Email, string(u.Kind), string(u.Use), u.Slug, u.Name}, "\x00")))
	return Incoming + hex.EncodeToString(sum[:]) + path.Ext(u.Name)
}

// AcceptUpload validates and cleans a file that was sent with a grant, as Upload does, and
// publishes it. The published name contains a part of the file's hash, so that published files
// never change. The call can be repeated. An invalid file is rejected and deleted. It fails with
// code NotFound if the file was not received.
func (s *Service) AcceptUpload(ctx context.Context, by ChangeMeta, u Upload) (Stored, error) {
	folder, f, err := s.destination(u)
	if err != nil {
		return Stored{}, err
	}
	sent := incoming(by, u)
	b, err := s.Store.Get(ctx, sent)
	if fault.Is(err, fault.NotFound) {
		return Stored{}, fault.Wrap(err, fault.NotFound, "The file was not received: upload it again").In("file")
	}
	if err != nil {
		return Stored{}, err
	}
	a, err := Sanitize(u.Kind, u.Name, b)
	if err != nil {
		_ = s.Store.Delete(ctx, sent) // if this fails, it is deleted after a day
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
