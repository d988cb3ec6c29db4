package site

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ImageCache stores generated files, such as resized pictures and share cards, by name.
type ImageCache interface {
	// Open fails with fs.ErrNotExist for a missing file.
	Open(name string) (fs.File, error)
	Put(name string, body []byte) error
}

// Folder is an ImageCache in a directory.
type Folder string

// Open implements ImageCache.
func (f Folder) Open(name string) (fs.File, error) { return os.Open(filepath.Join(string(f), name)) }

// Put implements ImageCache.
func (f Folder) Put(name string, body []byte) error {
	return File{Body: body}.writeTo(filepath.Join(string(f), name))
}

// memory is an ImageCache in memory. It is safe for concurrent use.
type memory struct{ files sync.Map }

func (m *memory) Open(name string) (fs.File, error) {
	body, ok := m.files.Load(name)
	if !ok {
		return nil, fs.ErrNotExist
	}
	bytesOf, _ := body.([]byte)
	return &memoryFile{Reader: bytes.NewReader(bytesOf)}, nil
}

func (m *memory) Put(name string, body []byte) error {
	m.files.Store(name, body)
	return nil
}

// overflow stores a file in memory if its ImageCache cannot, for example because the disk is full.
type overflow struct {
	ImageCache
	memory memory
}

// Open implements ImageCache.
func (o *overflow) Open(name string) (fs.File, error) {
	if f, err := o.memory.Open(name); err == nil {
		return f, nil
	}
	return o.ImageCache.Open(name)
}

// Put implements ImageCache. It never fails.
func (o *overflow) Put(name string, body []byte) error {
	if o.ImageCache.Put(name, body) == nil {
		return nil
	}
	return o.memory.Put(name, body)
}

// memoryFile is a file in memory.
type memoryFile struct{ *bytes.Reader }

func (h *memoryFile) Stat() (fs.FileInfo, error) { return memoryFileInfo{h.Reader.Size()}, nil }
func (h *memoryFile) Close() error               { return nil }

var _ io.ReadSeeker = (*memoryFile)(nil)

// memoryFileInfo is the fs.FileInfo of a file in memory.
type memoryFileInfo struct{ size int64 }

func (i memoryFileInfo) Name() string       { return "" }
func (i memoryFileInfo) Size() int64        { return i.size }
func (i memoryFileInfo) Mode() fs.FileMode  { return 0o444 }
func (i memoryFileInfo) ModTime() time.Time { return time.Time{} }
func (i memoryFileInfo) IsDir() bool        { return false }
func (i memoryFileInfo) Sys() any           { return nil }
