// Package repository defines the interface to the repository that holds the campaigns: a
// local Git repository (package localgit), one at a Git host (package forge), or a plain
// folder (package folder).
//
// A Change is a set of writes, each with the SHA that its file must have. All writes are made in
// one commit, or none if a file was changed in the meantime. Every change has an ID, which is
// stored as a trailer of the commit. After an error with code Unavailable, the change can therefore
// be sent again without being committed twice. Package repositorytest verifies that an adapter
// fulfils this contract.
package repository

import (
	"context"
	"crypto/sha1" // Git's hash of a file; not used for security
	"encoding/hex"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Repository reads files at a revision and commits changes. Adapters are safe for
// concurrent use. They fail with code Unavailable if the repository cannot be reached,
// Unauthorized if the credential is invalid, and Forbidden if it lacks a permission.
type Repository interface {
	// Head returns the newest revision, on which Commit builds.
	Head(ctx context.Context) (string, error)
	// File reads a file at a revision; "" is the head. It fails with code NotFound if there
	// is none.
	File(ctx context.Context, revision, path string) (File, error)
	// Files lists all files of a revision below a folder recursively, ordered by path; "" is the
	// root. It fails with code NotFound if there is no such revision.
	Files(ctx context.Context, revision, folder string) ([]Entry, error)
	// Log lists the newest commits that changed a path or anything below it, newest first.
	Log(ctx context.Context, path string, limit int) ([]Commit, error)
	// Commit makes all writes of a change or none. It builds on the current head if every file
	// still has the SHA in Was; otherwise it fails with code Conflict and the path. If the log
	// already has a commit with the change's ID, it returns that commit, so that a change whose
	// result is unknown (code Unavailable) can be sent again for at least a day.
	Commit(ctx context.Context, c Change) (Commit, error)
	// Limits returns the limits of a commit.
	Limits() Limits
}

// File is a file at a revision.
type File struct {
	Entry
	Bytes []byte
}

// Entry is a file's name with its Git blob hash.
type Entry struct {
	Path string `json:"path"`
	SHA  string `json:"sha"`
	Size int64  `json:"size"` // in bytes
}

// Commit is a commit that was made.
type Commit struct {
	Revision string `json:"revision"`
	// Parent is the previous revision, "" for the first.
	Parent  string    `json:"parent,omitempty"`
	Author  Author    `json:"author"`
	At      time.Time `json:"at"`
	Message string    `json:"message"` // without trailers
	// Trailers are the "Key: value" lines at the end of the message.
	Trailers []Trailer `json:"trailers,omitempty"`
}

// Author is the author of a change.
type Author struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// Trailer is a machine-readable line of a commit's message.
type Trailer struct {
	Key   string `json:"key"` // for example Audit-Head
	Value string `json:"value"`
}

// IDTrailer is the trailer with a change's ID.
const IDTrailer = "Change-Id"

// Change is a change to commit.
type Change struct {
	// ID identifies the change. Its commit has it as a trailer.
	ID       string
	Author   Author
	At       time.Time
	Message  string // a line of at most 72 characters, optionally followed by an empty line and more
	Trailers []Trailer
	Writes   []Write
}

// Write writes, removes or moves one file.
type Write struct {
	// Path is the file's path, with slashes, but none at either end.
	Path string
	// Was is the SHA that the file, or the file at From if that is set, must have. "" means
	// that it must not exist.
	Was string
	// Bytes is the file's new content. A move keeps the old one.
	Bytes []byte
	// Remove deletes the file.
	Remove bool
	// From is the old path of a moved file. There must be no file at Path.
	From string
}

// Limits are the maximum sizes that an adapter accepts, in bytes.
type Limits struct {
	File   int64 `json:"file"`   // largest file
	Commit int64 `json:"commit"` // largest sum of all files in a commit
}

// SHA returns the Git blob hash of a file's content, the same in every SHA-1 repository.
func SHA(b []byte) string {
	h := sha1.New()
	h.Write([]byte("blob " + strconv.Itoa(len(b)) + "\x00"))
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// Trailer returns the value of a commit's trailer, "" if it has none.
func (c Commit) Trailer(key string) string {
	for _, t := range c.Trailers {
		if strings.EqualFold(t.Key, key) {
			return t.Value
		}
	}
	return ""
}

// Limits of a change: its number of writes, and the length of a path in bytes.
const (
	maxWrites = 1000
	maxPath   = 400
)

var (
	idPattern  = regexp.MustCompile(`^[!-~]+$`) // printable ASCII without spaces
	trailerKey = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
)

// Check validates a change. It fails with code Invalid and the field. Adapters call it
// first.
func (c Change) Check(limits Limits) error {
	switch {
	case !idPattern.MatchString(c.ID):
		return fault.New(fault.Invalid, "The change ID must be one word").In("id")
	case strings.TrimSpace(c.Message) == "" || !utf8.ValidString(c.Message) || strings.ContainsAny(c.Message, "\x00\r"):
		return fault.New(fault.Invalid, "The change needs a message").In("message")
	case c.Author.Name == "" || c.Author.Email == "" || strings.ContainsAny(c.Author.Name+c.Author.Email, "<>\r\n\x00") ||
		!utf8.ValidString(c.Author.Name+c.Author.Email):
		return fault.New(fault.Invalid, "The author needs a name and an address").In("author")
	case len(c.Writes) == 0 || len(c.Writes) > maxWrites:
		return fault.New(fault.Invalid, "A change must write 1 to %d files", maxWrites).In("writes")
	}
	for _, t := range c.Trailers {
		if !trailerKey.MatchString(t.Key) || !utf8.ValidString(t.Value) || strings.ContainsAny(t.Value, "\x00\r\n") {
			return fault.New(fault.Invalid, "A trailer must be one line").In("trailers")
		}
	}
	return checkWrites(c.Writes, limits)
}

func checkWrites(writes []Write, limits Limits) error {
	touched := map[string]bool{}
	var sum int64
	for i, w := range writes {
		field := "writes[" + strconv.Itoa(i) + "]"
		for _, p := range w.paths() {
			if !ValidPath(p) || touched[p] {
				return fault.New(fault.Invalid,
					"The path must be a valid path of the repository and must not occur twice").In(field)
			}
			touched[p] = true
		}
		if w.Remove && (w.From != "" || len(w.Bytes) > 0) || w.From != "" && len(w.Bytes) > 0 {
			return fault.New(fault.Invalid, "A write must either write, remove or move a file").In(field)
		}
		if (w.Remove || w.From != "") && w.Was == "" {
			return fault.New(fault.Invalid, "Removing or moving a file requires its SHA").In(field)
		}
		size := int64(len(w.Bytes))
		if sum += size; size > limits.File || sum > limits.Commit {
			return fault.New(fault.Invalid, "The repository accepts files of up to %d MB, and %d MB per commit",
				limits.File>>20, limits.Commit>>20).In(field)
		}
	}
	return nil
}

func (w Write) paths() []string {
	if w.From != "" {
		return []string{w.Path, w.From}
	}
	return []string{w.Path}
}

// ValidPath reports whether p can name a file: a clean path below the root, of at most maxPath
// bytes of valid UTF-8, without control characters, backslashes or colons, and outside .git, even
// on file systems that ignore case, ignore trailing dots or have short names.
func ValidPath(p string) bool {
	if p == "" || len(p) > maxPath || p != path.Clean(p) || strings.HasPrefix(p, "/") || !utf8.ValidString(p) {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		name := strings.TrimRight(strings.ToLower(part), " .")
		if name == "" || name == ".git" || strings.HasPrefix(name, "git~") {
			return false
		}
	}
	return strings.IndexFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == ':' }) < 0
}
