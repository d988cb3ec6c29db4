package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// SiteFile is the name of the site file at the root of the content repository.
const SiteFile = "site.yml"

// sitePaths lists the parts of the site file that the public site reads, not this package.
var sitePaths = []string{
	"title", "description", "design",
	"platform.default_creator_name", "platform.logo_path", "platform.favicon_path",
	"seo.default_social_image_alt", "seo.x_handle", "seo.index_public_community_hub",
	"seo.merchant_return_policy.applicable_country",
}

// readSite returns the scalars of the site file by dotted path. The file may be missing.
func readSite(fsys fs.FS, faults, warnings *SettingErrors) map[string]string {
	values := map[string]string{}
	if fsys == nil {
		return values
	}
	text, err := fs.ReadFile(fsys, SiteFile)
	if errors.Is(err, fs.ErrNotExist) {
		return values
	}
	if err != nil {
		faults.add(SiteFile, "cannot be read: "+err.Error(), "")
		return values
	}
	if line := firstInvalidLine(text); line > 0 {
		faults.add(SiteFile, fmt.Sprintf("is not valid UTF-8 (line %d)", line),
			"save it as UTF-8, then check accented characters")
		return values
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		faults.add(SiteFile, "is not YAML: "+yamlMessage(err), "fix that line")
		return values
	}
	if len(doc.Content) == 0 {
		return values
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		faults.add(SiteFile, "is not a list of keys with values", "start it with a line such as platform:")
		return values
	}
	findSecrets(root, "", secretNames(), faults)
	findComments(root, "", warnings)
	r := siteReader{known: knownKeys(), values: values, faults: faults, warnings: warnings}
	r.mapping(root, "")
	return values
}

// firstInvalidLine returns the number of the first line that is not valid UTF-8, or 0.
func firstInvalidLine(text []byte) int {
	n := 0
	for line := range bytes.Lines(text) {
		if n++; !utf8.Valid(line) {
			return n
		}
	}
	return 0
}

// yamlMessage returns the YAML library's message with a line number, which the library omits for
// line 1.
func yamlMessage(err error) string {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.HasPrefix(message, "line ") {
		return message
	}
	return "line 1: " + message
}

type siteReader struct {
	known    map[string]bool // dotted paths; true if the path has a value
	values   map[string]string
	faults   *SettingErrors
	warnings *SettingErrors
}

func (r *siteReader) mapping(m *yaml.Node, prefix string) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		path := prefix + key.Value
		if seen[key.Value] {
			r.faults.add(path, "is set twice"+position(key), "keep one of them")
			continue
		}
		seen[key.Value] = true
		r.entry(path, key, value)
	}
}

func (r *siteReader) entry(path string, key, value *yaml.Node) {
	if slices.Contains(sitePaths, path) {
		return
	}
	holds, known := r.known[path]
	switch {
	case reservedKey(path):
		r.warnings.add(path, reservedProblem+position(key), reservedRemedy)
	case !known:
		r.faults.add(path, "is not a known setting"+position(key)+fault.DidYouMean(path, slices.Sorted(maps.Keys(r.known))),
			"see docs/configuration.md for the valid keys")
	case value.Tag == "!!null":
	case !holds && value.Kind == yaml.MappingNode:
		r.mapping(value, path+".")
	case !holds:
		r.faults.add(path, "must contain keys, not a value"+position(key), "indent its keys under it")
	case value.Kind != yaml.ScalarNode:
		r.faults.add(path, "must be a single value"+position(key), "replace it with one value")
	default:
		r.values[path] = value.Value
	}
}

// findComments warns about unquoted values that YAML cuts at a #, such as a color. A # followed by a
// space is considered an intended comment.
func findComments(m *yaml.Node, prefix string, warnings *SettingErrors) {
	for i := 0; m.Kind == yaml.MappingNode && i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		comment := value.LineComment
		if value.Tag == "!!null" {
			comment = key.LineComment
		}
		if value.Kind == yaml.ScalarNode && value.Style == 0 && comment != "" && !strings.HasPrefix(comment, "# ") {
			warnings.add(prefix+key.Value, fmt.Sprintf("ends before %q%s, which YAML reads as a comment", comment,
				position(key)),
				"quote the value, or put a space after the #")
		}
		findComments(value, prefix+key.Value+".", warnings)
	}
}

// findSecrets reports secrets anywhere in the site file: a key named like a secret's variable, or a
// value with one of the processor's prefixes.
func findSecrets(n *yaml.Node, path string, names map[string]bool, faults *SettingErrors) {
	report := func(path string, key *yaml.Node) {
		faults.add(path, "contains a secret in a public file"+position(key),
			"remove it, rotate the secret, and set the new one in the environment")
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if below := strings.TrimPrefix(path+"."+key.Value, "."); names[strings.ToLower(key.Value)] {
				report(below, key)
			} else {
				findSecrets(value, below, names, faults)
			}
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			findSecrets(item, fmt.Sprintf("%s[%d]", path, i), names, faults)
		}
	case yaml.ScalarNode:
		if secretPrefix.MatchString(n.Value) {
			report(path, n)
		}
	}
}

var secretPrefix = regexp.MustCompile(`^\s*((sk|rk)_(live|test)_|whsec_)`)

func position(n *yaml.Node) string { return fmt.Sprintf(" (line %d of %s)", n.Line, SiteFile) }

// knownKeys returns the paths of all settings of this package and of the public site, and of their
// parents, as siteReader.known holds them.
func knownKeys() map[string]bool {
	known := map[string]bool{}
	addParents := func(path string) {
		for i, c := range path {
			if c == '.' {
				known[path[:i]] = false
			}
		}
	}
	for _, path := range sitePaths {
		addParents(path)
		known[path] = true
	}
	for _, s := range Settings() {
		addParents(s.SiteKey)
		if s.SiteKey != "" {
			known[s.SiteKey] = true
		}
	}
	return known
}

// secretNames returns the names under which a secret may have been written to the site file: its
// variable in lower case.
func secretNames() map[string]bool {
	names := map[string]bool{}
	for _, s := range slices.Concat(Settings(), Reserved()) {
		if s.Secret {
			names[strings.ToLower(s.Variable)] = true
		}
	}
	return names
}
