// Package media accepts pictures, videos and recordings for campaigns. It defines which uploads are
// allowed and where they are stored, and removes metadata that reveals where and by whom a file was
// made.
//
// Sanitize validates and cleans a file. Service.Upload commits it to the content repository. Videos
// and recordings can go to a Store instead (see package s3): Service.Grant lets the browser send a
// file there, and Service.AcceptUpload validates and publishes it. Service.Remove and
// Service.Unused remove uploads that nothing references.
//
// Files are not decoded. The package parses only headers and chunks, so that a decompression bomb
// uses no more memory than its own size.
package media
