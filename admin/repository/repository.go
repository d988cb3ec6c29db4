// Package repository is the contract for the place that campaigns are kept in: a Git
// repository, on this machine or at a host of repositories, or a plain folder.
//
// A change is a set of writes, each with what it rests on: all of them are made, or, where
// one file is not as its writer saw it, none.
package repository

import (
	"context"
	"crypto/sha1" // Git's name for a file's bytes; nothing is secured by it
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
// concurrent use. A repository that can't be reached is code Unavailable, a credential
// that does not hold Unauthorized, and one that holds but not for this Forbidden.
type Repository interface {
	// Head is the newest revision, which Commit builds on.
	Head(ctx context.Context) (string, error)
	// File reads a file as it was at a revision; "" is the head's. Code NotFound where
	// there is none.
	File(ctx context.Context, revision, path string) (File, error)
	// Files lists the files below a folder, however deep, by path; "" is all of them.
	Files(ctx context.Context, revision, folder string) ([]Entry, error)
	// Log lists the newest commits that changed a path, or anything below it, newest
	// first.
	Log(ctx context.Context, path string, limit int) ([]Commit, error)
	// Commit makes a change whole or not at all. It lands on whatever the head is now, as
	// long as every write's file is still what Was says; else it is code Conflict, naming
	// the path. A change whose ID is in the log already answers with that commit: what
	// nobody knows the end of (code Unavailable) may be sent again, for a day at least.
	Commit(ctx context.Context, c Change) (Commit, error)
	// Limits are what a commit can hold.
	Limits() Limits
}

// File is a file at a revision.
type File struct {
	Entry
	Bytes []byte
}

// Entry is a file's name, and what Git calls its bytes.
type Entry struct {
	Path string `json:"path"`
	SHA  string `json:"sha"`
	Size int64  `json:"size"` // in bytes
}

// Commit is a change that was made.
type Commit struct {
	Revision string `json:"revision"`
	// Parent is the revision before it; "" for the first.
	Parent  string    `json:"parent,omitempty"`
	Author  Author    `json:"author"`
	At      time.Time `json:"at"`
	Message string    `json:"message"` // without trailers
	// Trailers are the lines "Key: value" that end the message.
	Trailers []Trailer `json:"trailers,omitempty"`
}

// Author is who made a change.
type Author struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// Trailer is a line of a commit's message that a program reads.
type Trailer struct {
	Key   string `json:"key"` // such as Audit-Head
	Value string `json:"value"`
}

// IDTrailer names the change that a commit made.
const IDTrailer = "Change-Id"

// Change is what Commit makes.
type Change struct {
	// ID is the change's identity, which its commit carries as a trailer.
	ID       string
	Author   Author
	At       time.Time
	Message  string // a line of at most 72 characters, and perhaps more after an empty one
	Trailers []Trailer
	Writes   []Write
}

// Write puts, removes or moves one file.
type Write struct {
	// Path is the file's, with slashes and without any at its ends.
	Path string
	// Was is the SHA that the file has to have: the file at From, where that is set. ""
	// says that there must be none.
	Was string
	// Bytes are the file's new content. A move keeps the old.
	Bytes []byte
	// Remove takes the file away.
	Remove bool
	// From is where a moved file comes from. Nothing may stand at Path yet.
	From string
}

// Limits are an adapter's bounds, in bytes.
type Limits struct {
	File   int64 `json:"file"`   // the largest file
	Commit int64 `json:"commit"` // the largest sum of all files of a commit
}

// SHA is Git's name for a file's bytes, the same in every repository that hashes by SHA-1.
func SHA(b []byte) string {
	h := sha1.New()
	h.Write([]byte("blob " + strconv.Itoa(len(b)) + "\x00"))
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// Trailer is the value of a commit's trailer, "" where it has none.
func (c Commit) Trailer(key string) string {
	for _, t := range c.Trailers {
		if strings.EqualFold(t.Key, key) {
			return t.Value
		}
	}
	return ""
}

// maxWrites bounds a change, and maxPath a path, in bytes.
const (
	maxWrites = 1000
	maxPath   = 400
)

var (
	oneWord    = regexp.MustCompile(`^[!-~]+$`) // ASCII that is seen
	trailerKey = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
)

// Check refuses a change that no repository may make: code Invalid, naming the field.
// Adapters ask it first.
func (c Change) Check(limits Limits) error {
	switch {
	case !oneWord.MatchString(c.ID):
		return fault.New(fault.Invalid, "A change has an ID of one word").In("id")
	case strings.TrimSpace(c.Message) == "" || !utf8.ValidString(c.Message) || strings.ContainsAny(c.Message, "\x00\r"):
		return fault.New(fault.Invalid, "A change has a message").In("message")
	case c.Author.Name == "" || c.Author.Email == "" || strings.ContainsAny(c.Author.Name+c.Author.Email, "<>\r\n\x00") || !utf8.ValidString(c.Author.Name+c.Author.Email):
		return fault.New(fault.Invalid, "An author has a name and an address").In("author")
	case len(c.Writes) == 0 || len(c.Writes) > maxWrites:
		return fault.New(fault.Invalid, "A change writes 1 to %d files", maxWrites).In("writes")
	}
	for _, t := range c.Trailers {
		if !trailerKey.MatchString(t.Key) || !utf8.ValidString(t.Value) || strings.ContainsAny(t.Value, "\x00\r\n") {
			return fault.New(fault.Invalid, "A trailer is one line").In("trailers")
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
				return fault.New(fault.Invalid, "A path leads to one file of the repository, once").In(field)
			}
			touched[p] = true
		}
		if w.Remove && (w.From != "" || len(w.Bytes) > 0) || w.From != "" && len(w.Bytes) > 0 {
			return fault.New(fault.Invalid, "A write puts, removes or moves").In(field)
		}
		if (w.Remove || w.From != "") && w.Was == "" {
			return fault.New(fault.Invalid, "What is removed or moved was there").In(field)
		}
		size := int64(len(w.Bytes))
		if sum += size; size > limits.File || sum > limits.Commit {
			return fault.New(fault.Invalid, "The repository takes files of up to %d MB, and %d MB at once", limits.File>>20, limits.Commit>>20).In(field)
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

// ValidPath reports whether a path is one of a file that may be written: plain, below the
// root, and not of Git itself, on file systems that fold case too.
func ValidPath(p string) bool {
	if p == "" || len(p) > maxPath || p != path.Clean(p) || strings.HasPrefix(p, "/") || !utf8.ValidString(p) {
		return false
	}
	for _, part := range strings.Split(p, "/") {
		name := strings.TrimRight(strings.ToLower(part), " .")
		if name == "" || name == ".git" || strings.HasPrefix(name, "git~") {
			return false
		}
	}
	return strings.IndexFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == ':' }) < 0
}
