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

// ImageCache keeps files by name.
type ImageCache interface {
	// Open fails with fs.ErrNotExist for what is not kept.
	Open(name string) (fs.File, error)
	Put(name string, body []byte) error
}

// Folder is an ImageCache in a folder.
type Folder string

// Open implements ImageCache.
func (f Folder) Open(name string) (fs.File, error) { return os.Open(filepath.Join(string(f), name)) }

// Put implements ImageCache.
func (f Folder) Put(name string, body []byte) error {
	return File{Body: body}.writeTo(filepath.Join(string(f), name))
}

// memory is an ImageCache that ends with the program. Files are served from it while
// others are made.
type memory struct{ files sync.Map }

func (m *memory) Open(name string) (fs.File, error) {
	body, ok := m.files.Load(name)
	if !ok {
		return nil, fs.ErrNotExist
	}
	bytesOf, _ := body.([]byte)
	return &held{Reader: bytes.NewReader(bytesOf)}, nil
}

func (m *memory) Put(name string, body []byte) error {
	m.files.Store(name, body)
	return nil
}

// overflow keeps in memory what its cache cannot take, such as a folder on a full disk.
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

// Put implements ImageCache. It does not fail.
func (o *overflow) Put(name string, body []byte) error {
	if o.ImageCache.Put(name, body) == nil {
		return nil
	}
	return o.memory.Put(name, body)
}

// held is a file in memory.
type held struct{ *bytes.Reader }

func (h *held) Stat() (fs.FileInfo, error) { return heldInfo{h.Reader.Size()}, nil }
func (h *held) Close() error               { return nil }

var _ io.ReadSeeker = (*held)(nil)

// heldInfo says of a file in memory what a copy has to know.
type heldInfo struct{ size int64 }

func (i heldInfo) Name() string       { return "" }
func (i heldInfo) Size() int64        { return i.size }
func (i heldInfo) Mode() fs.FileMode  { return 0o444 }
func (i heldInfo) ModTime() time.Time { return time.Time{} }
func (i heldInfo) IsDir() bool        { return false }
func (i heldInfo) Sys() any           { return nil }
