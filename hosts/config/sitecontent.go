package config

import (
	"bytes"
	"io/fs"
	"time"
)

// SiteContent is a content repository that contains only this site file. It implements fs.FS.
type SiteContent []byte

// Open implements fs.FS.
func (s SiteContent) Open(name string) (fs.File, error) {
	if name != SiteFile {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return siteFile{bytes.NewReader(s)}, nil
}

// siteFile is an open site file and its own fs.FileInfo.
type siteFile struct{ *bytes.Reader }

func (f siteFile) Stat() (fs.FileInfo, error) { return f, nil }
func (siteFile) Close() error                 { return nil }
func (siteFile) Name() string                 { return SiteFile }
func (siteFile) Mode() fs.FileMode            { return 0o444 }
func (siteFile) ModTime() time.Time           { return time.Time{} }
func (siteFile) IsDir() bool                  { return false }
func (siteFile) Sys() any                     { return nil }
