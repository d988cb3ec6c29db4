package campaignfile

import (
	"bytes"
	"path"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// A Document is a file of a content repository: a campaign, the platform add-ons or
// the settings. Its YAML is parsed when it is opened; [Document.Apply] parses it again
// only to verify its own changes.
//
// A Document is immutable and safe for concurrent use.
type Document struct {
	file string
	// front is set if the YAML is front matter, followed by Markdown.
	front bool
	parts
	root *yaml.Node // of parts.yaml
}

// Open parses a file: as a campaign if its name ends with ".md", otherwise as plain YAML. The error
// is Problems if the YAML cannot be parsed or the file is too large; the values may be invalid. The
// document keeps src, which must not be changed afterwards.
func Open(file string, src []byte) (*Document, error) {
	unfenced := ""
	if path.Ext(file) == ".md" {
		unfenced = "has no front matter: begin with a line of three hyphens"
	}
	d, err := open(file, src, unfenced)
	if err != nil {
		return nil, err
	}
	if err := d.checkLimits(); err != nil {
		return nil, err
	}
	return d, nil
}

// open parses a file without checking its depth and the expansion of its aliases. unfenced is the
// message for a file without front matter; "" opens plain YAML.
func open(file string, src []byte, unfenced string) (*Document, error) {
	if len(src) > campaign.MaxFile {
		return nil, tooLarge(file)
	}
	if err := campaign.CheckEncoding(file, src); err != nil {
		return nil, err
	}
	d := &Document{file: file, front: unfenced != ""}
	var ok bool
	if d.parts, ok = split(src, d.front); !ok {
		return nil, campaign.Problems{{File: file, Line: 1, Message: unfenced}}
	}
	var err error
	if d.root, err = d.parse(d.yaml); err != nil {
		return nil, err
	}
	return d, nil
}

// checkLimits returns Problems if the file exceeds campaign.MaxFile, or its values exceed maxDepth
// or maxNodes.
func (d *Document) checkLimits() error {
	if len(d.head)+len(d.yaml)+len(d.tail) > campaign.MaxFile {
		return tooLarge(d.file)
	}
	if nodes := maxNodes; !withinLimits(d.root, &nodes, maxDepth) {
		return campaign.Problems{{File: d.file, Message: "is nested too deeply, or expands too much through anchors"}}
	}
	return nil
}

func tooLarge(file string) campaign.Problems {
	return campaign.Problems{{File: file, Message: "is larger than 1 MB"}}
}

// File returns the name of the file.
func (d *Document) File() string { return d.file }

// Bytes returns the whole content of the file.
func (d *Document) Bytes() []byte { return bytes.Join([][]byte{d.head, d.yaml, d.tail}, nil) }

// linesAbove returns the number of lines before the YAML.
func (d *Document) linesAbove() int {
	if d.front {
		return 1
	}
	return 0
}

func (d *Document) reader() *reader {
	return &reader{file: d.file, above: d.linesAbove(), lines: map[string]int{}}
}
