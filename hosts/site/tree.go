package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Tree is a finished site: files by path, such as "es/about/index.html". It is immutable and safe
// for concurrent use.
type Tree struct {
	files   map[string]File
	gzipped sync.Map // compressed bodies by ETag, created on demand
}

// File is a file of the site. Its content is in Body, or Open returns it.
type File struct {
	Body []byte
	Open func() (fs.File, error) // for files of the content or the image cache; otherwise nil
	Type string                  // media type
	// Immutable is set if the path identifies the content, so that it can be cached indefinitely.
	Immutable bool
	// Policy is the page's content security policy; "" means the policy for files other than pages.
	Policy string
	// Framed allows other sites to show the page in a frame.
	Framed bool
	// Private is set for personal pages, which send no referrer and are not cached.
	Private bool
	etag    string
}

// Paths returns the paths of all files.
func (t *Tree) Paths() []string {
	paths := make([]string, 0, len(t.files))
	for p := range t.files {
		paths = append(paths, p)
	}
	return paths
}

// File returns the file at a path such as "es/about/index.html".
func (t *Tree) File(p string) (File, bool) {
	f, ok := t.files[p]
	return f, ok
}

// put adds a file. It fails if the path is taken.
func (t *Tree) put(p string, f File) error {
	if _, taken := t.files[p]; taken {
		return fmt.Errorf("site: duplicate file %s", p)
	}
	if f.Type == "" {
		f.Type = typeOf(p)
	}
	t.files[p] = f.withETag()
	return nil
}

// withETag returns the file with its ETag set, unless its content comes from Open.
func (f File) withETag() File {
	if f.Open == nil && f.etag == "" {
		sum := sha256.Sum256(f.Body)
		f.etag = `"` + hex.EncodeToString(sum[:8]) + `"`
	}
	return f
}

var types = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json; charset=utf-8", ".xml": "application/xml; charset=utf-8",
	".txt":   "text/plain; charset=utf-8",
	".woff2": "font/woff2", ".svg": "image/svg+xml", ".webp": "image/webp", ".avif": "image/avif",
	".mp4": "video/mp4", ".webm": "video/webm",
	".mov": "video/quicktime", ".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".ogg": "audio/ogg",
	".wav": "audio/wav", ".vtt": "text/vtt; charset=utf-8",
}

func typeOf(p string) string {
	ext := strings.ToLower(path.Ext(p))
	if t, ok := types[ext]; ok {
		return t
	}
	if t := mime.TypeByExtension(ext); t != "" {
		return t
	}
	return "application/octet-stream"
}

// Write updates a directory to match the tree: it writes new and changed files, and removes files
// that the tree does not have. Files are replaced atomically. Write fails if the directory contains
// files and was not created by Write.
func (t *Tree) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := t.removeStale(dir); err != nil {
		return err
	}
	for p, f := range t.files {
		if err := f.writeTo(filepath.Join(dir, filepath.FromSlash(p))); err != nil {
			return err
		}
	}
	return nil
}

func (f File) writeTo(name string) error {
	if f.Open != nil {
		return f.copyTo(name)
	}
	if old, err := os.ReadFile(name); err == nil && string(old) == string(f.Body) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	// The temporary name is unique, because another build may write the same file.
	draft, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*.new")
	if err != nil {
		return err
	}
	_, err = draft.Write(f.Body)
	if err = errors.Join(err, draft.Chmod(0o644), draft.Close()); err != nil {
		return errors.Join(err, os.Remove(draft.Name()))
	}
	return os.Rename(draft.Name(), name)
}

// copyTo copies the content of Open to a file, unless the file exists with the same size and is not
// older.
func (f File) copyTo(name string) error {
	src, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	now, err := src.Stat()
	if err != nil {
		return err
	}
	if old, err := os.Stat(name); err == nil && old.Size() == now.Size() && !old.ModTime().Before(now.ModTime()) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	dst, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err = errors.Join(err, dst.Close()); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// marker is the name of a file that marks directories created by Write. Write removes files only in
// such directories, so that a wrong --out does not delete other files.
const marker = ".pledgeworks-site"

// removeStale removes the files in dir that the tree does not have.
func (t *Tree) removeStale(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	name := filepath.Join(dir, marker)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		if len(entries) > 0 {
			return fmt.Errorf("%s is not empty and was not created by this command: use a new directory", dir)
		}
		return os.WriteFile(name, nil, 0o644)
	}
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil || rel == marker {
			return err
		}
		if _, kept := t.files[filepath.ToSlash(rel)]; kept {
			return nil
		}
		return os.Remove(name)
	})
}

// Find returns the file for a request path. If only a trailing slash is missing, elsewhere is the
// path to redirect to instead.
func (t *Tree) Find(urlPath string) (f File, elsewhere string, ok bool) {
	p := strings.TrimPrefix(urlPath, "/")
	if p == headersName {
		return File{}, "", false // static hosts read it but do not serve it
	}
	if p == "" || strings.HasSuffix(p, "/") {
		f, ok = t.files[p+"index.html"]
		return f, "", ok
	}
	if f, ok = t.files[p]; ok {
		return f, "", true
	}
	_, ok = t.files[p+"/index.html"]
	return File{}, urlPath + "/", ok
}

// Serve serves the file at the request's path. It calls next if there is none, and for methods
// other than GET and HEAD.
func (t *Tree) Serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	f, elsewhere, ok := t.Find(r.URL.Path)
	switch {
	case !ok || r.Method != http.MethodGet && r.Method != http.MethodHead:
		next.ServeHTTP(w, r)
		return
	case elsewhere != "":
		if r.URL.RawQuery != "" {
			elsewhere += "?" + r.URL.RawQuery
		}
		http.Redirect(w, r, elsewhere, http.StatusMovedPermanently)
		return
	}
	t.write(w, r, f, http.StatusOK)
}

// NotFound serves the not-found page in the language of the request's path.
func (t *Tree) NotFound(w http.ResponseWriter, r *http.Request) {
	lang, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	f, ok := t.files[lang+"/404.html"]
	if !ok {
		f = t.files["404.html"]
	}
	t.write(w, r, f, http.StatusNotFound)
}

func (t *Tree) write(w http.ResponseWriter, r *http.Request, f File, status int) {
	h := w.Header()
	for _, line := range f.headers() {
		h.Set(line.name, line.value)
	}
	if f.Framed {
		h.Del("X-Frame-Options") // a server's default header
	}
	h.Set("Content-Type", f.Type)
	if f.Open != nil {
		f.stream(w, r)
		return
	}
	body, tag := t.encoded(h, r, f)
	h.Set("ETag", tag)
	if status == http.StatusOK && r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // fails if the client has disconnected
	}
}

const minCompressed = 1 << 10 // bytes

// encoded returns a file's body and ETag, and sets the headers about its encoding. The body is
// compressed if it is text, JSON or XML of at least minCompressed bytes and the client accepts
// gzip.
func (t *Tree) encoded(h http.Header, r *http.Request, f File) (body []byte, tag string) {
	packable := strings.HasPrefix(f.Type, "text/") || strings.Contains(f.Type, "json") || strings.Contains(f.Type, "xml")
	if !packable || len(f.Body) < minCompressed {
		return f.Body, f.etag
	}
	h.Add("Vary", "Accept-Encoding")
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		return f.Body, f.etag
	}
	h.Set("Content-Encoding", "gzip")
	tag = strings.TrimSuffix(f.etag, `"`) + `-gzip"`
	if known, ok := t.gzipped.Load(f.etag); ok {
		packed, _ := known.([]byte)
		return packed, tag
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is valid
	_, _ = z.Write(f.Body)                                  // a buffer does not fail
	_ = z.Close()
	t.gzipped.Store(f.etag, out.Bytes())
	return out.Bytes(), tag
}

// stream serves the content of Open, or a requested range of it.
func (f File) stream(w http.ResponseWriter, r *http.Request) {
	src, err := f.Open()
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	defer func() { _ = src.Close() }()
	info, err := src.Stat()
	seeker, ok := src.(io.ReadSeeker)
	if err != nil || !ok {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	http.ServeContent(w, r, "", info.ModTime(), seeker)
}

// isPage reports whether the file is an HTML page.
func (f File) isPage() bool { return strings.HasPrefix(f.Type, "text/html") }
