package repository

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// NewFS returns the files of a revision as a file system. read returns a file's content. Files have
// no modification time.
func NewFS(entries []Entry, read func(path string) ([]byte, error)) fs.FS {
	r := revisionFS{read: read, files: map[string]Entry{}, folders: map[string][]fs.DirEntry{".": nil}}
	for _, e := range entries {
		r.files[e.Path] = e
		r.add(e.Path, fileInfo{path.Base(e.Path), e.Size, 0o444})
	}
	return r
}

// revisionFS implements fs.FS.
type revisionFS struct {
	read    func(path string) ([]byte, error)
	files   map[string]Entry
	folders map[string][]fs.DirEntry
}

// add adds a file or folder to the listing of its parent folder, and adds parent folders that are
// new.
func (r revisionFS) add(name string, info fileInfo) {
	folder := path.Dir(name)
	if _, known := r.folders[folder]; !known {
		r.folders[folder] = nil
		r.add(folder, fileInfo{path.Base(folder), 0, fs.ModeDir | 0o555})
	}
	r.folders[folder] = append(r.folders[folder], fs.FileInfoToDirEntry(info))
}

// Open implements fs.FS.
func (r revisionFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if listed, ok := r.folders[name]; ok {
		all := slices.Clone(listed)
		slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		return &openFolder{info: fileInfo{path.Base(name), 0, fs.ModeDir | 0o555}, rest: all}, nil
	}
	e, ok := r.files[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &openFile{info: fileInfo{path.Base(name), e.Size, 0o444}, path: name, read: r.read}, nil
}

// openFile is an open file. Its content is loaded by the first Read or Seek.
type openFile struct {
	info fileInfo
	path string
	read func(path string) ([]byte, error)
	body *bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

// Read implements fs.File.
func (f *openFile) Read(p []byte) (int, error) {
	if err := f.load(); err != nil {
		return 0, err
	}
	return f.body.Read(p)
}

// Seek implements io.Seeker.
func (f *openFile) Seek(offset int64, whence int) (int64, error) {
	if err := f.load(); err != nil {
		return 0, err
	}
	return f.body.Seek(offset, whence)
}

func (f *openFile) load() error {
	if f.body != nil {
		return nil
	}
	b, err := f.read(f.path)
	if err != nil {
		return &fs.PathError{Op: "read", Path: f.path, Err: err}
	}
	f.body = bytes.NewReader(b)
	return nil
}

// openFolder is an open folder. It implements fs.ReadDirFile.
type openFolder struct {
	info fileInfo
	rest []fs.DirEntry
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFolder) Close() error               { return nil }

// Read implements fs.File.
func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.info.name, Err: fs.ErrInvalid}
}

// ReadDir implements fs.ReadDirFile.
func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(f.rest)
	} else if len(f.rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(f.rest))
	listed := f.rest[:n]
	f.rest = f.rest[n:]
	return listed, nil
}

// fileInfo describes a file or folder. It implements fs.FileInfo.
type fileInfo struct {
	name string
	size int64 // in bytes
	mode fs.FileMode
}

func (i fileInfo) Name() string      { return i.name }
func (i fileInfo) Size() int64       { return i.size }
func (i fileInfo) Mode() fs.FileMode { return i.mode }
func (fileInfo) ModTime() time.Time  { return time.Time{} }
func (i fileInfo) IsDir() bool       { return i.mode.IsDir() }
func (fileInfo) Sys() any            { return nil }
