package repository

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Text returns the commit message of the change: the message, followed by the trailers,
// with the change's ID as the last.
func (c Change) Text() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(c.Message) + "\n\n")
	for _, t := range c.trailers() {
		b.WriteString(t.Key + ": " + t.Value + "\n")
	}
	return b.String()
}

func (c Change) trailers() []Trailer {
	return append(slices.Clone(c.Trailers), Trailer{IDTrailer, c.ID})
}

// Commit returns the commit of a change with the given revision and parent. Its time is truncated
// to seconds.
func (c Change) Commit(revision, parent string) Commit {
	return Commit{
		Revision: revision, Parent: parent, Author: c.Author, At: c.At.Truncate(time.Second),
		Message: strings.TrimSpace(c.Message), Trailers: c.trailers(),
	}
}

var trailerLine = regexp.MustCompile(`^[A-Za-z0-9-]+:( |$)`)

// ParseText splits a commit message into message and trailers. Trailers are the last
// paragraph, if it has nothing else and is not the first: a subject such as "fix: a typo"
// is not a trailer.
func ParseText(text string) (message string, trailers []Trailer) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	cut := strings.LastIndex(text, "\n\n")
	if cut < 0 {
		return text, nil
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text[cut:]), "\n") {
		if !trailerLine.MatchString(line) {
			return text, nil
		}
		key, value, _ := strings.Cut(line, ":")
		trailers = append(trailers, Trailer{key, strings.TrimSpace(value)})
	}
	return strings.TrimSpace(text[:cut]), trailers
}

// CheckBase checks a change against a revision, of which files holds the SHAs by path. It fails
// with code Conflict and the path if a file does not have the SHA in Was, if the target of a move
// exists, or if a file and a folder would have the same name.
func (c Change) CheckBase(files map[string]string) error {
	// after is true for paths that the change writes, false for those that it removes.
	after := make(map[string]bool, len(c.Writes))
	for _, w := range c.Writes {
		source := w.Path
		if w.From != "" {
			source = w.From
			after[w.From] = false
			if files[w.Path] != "" {
				return conflictError(w.Path)
			}
		}
		if files[source] != w.Was {
			return conflictError(source)
		}
		after[w.Path] = !w.Remove
	}
	folders := map[string]bool{}
	for p := range files {
		if put, touched := after[p]; !touched || put {
			addFolders(folders, p)
		}
	}
	for _, w := range c.Writes {
		if !w.Remove {
			addFolders(folders, w.Path)
		}
	}
	for _, w := range c.Writes {
		if w.Remove {
			continue
		}
		if folders[w.Path] {
			return conflictError(w.Path) // a folder has this name
		}
		for p := parent(w.Path); p != ""; p = parent(p) {
			if put, touched := after[p]; put || !touched && files[p] != "" {
				return conflictError(w.Path) // a file has the name of its folder
			}
		}
	}
	return nil
}

func conflictError(path string) error {
	return fault.New(fault.Conflict, "The file was changed in the meantime").In(path)
}

func addFolders(folders map[string]bool, path string) {
	for p := parent(path); p != "" && !folders[p]; p = parent(p) {
		folders[p] = true
	}
}

func parent(path string) string {
	return path[:max(strings.LastIndexByte(path, '/'), 0)]
}

// IsBelow reports whether a path is the folder or lies below it. Every path is below "".
func IsBelow(path, folder string) bool {
	return folder == "" || path == folder || strings.HasPrefix(path, folder+"/")
}
