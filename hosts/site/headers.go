package site

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

type header struct{ name, value string }

// headers returns the security and cache headers of a file.
func (f File) headers() []header {
	policy := f.Policy
	if policy == "" {
		policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox" // for pictures that are opened directly
	}
	lines := []header{
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "strict-origin-when-cross-origin"},
		{"Cache-Control", "public, max-age=0, must-revalidate"},
		{"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
		{"Cross-Origin-Resource-Policy", "cross-origin"}, // pictures and feeds are used by other sites
	}
	if f.Framed {
		policy += "; frame-ancestors *"
	} else {
		policy += "; frame-ancestors 'none'"
		lines = append(lines, header{"X-Frame-Options", "DENY"})
	}
	if f.isPage() && !f.Framed {
		lines[4].value = "same-origin"
		// for the bank's window next to the payment form
		lines = append(lines, header{"Cross-Origin-Opener-Policy", "same-origin-allow-popups"})
	}
	if f.Type == types[".woff2"] {
		lines = append(lines, header{"Access-Control-Allow-Origin", "*"}) // the preview frame has an opaque origin
	}
	lines = append(lines, header{"Content-Security-Policy", policy})
	switch {
	case f.Private:
		lines[1].value, lines[2].value = "no-referrer", "no-store"
	case f.Immutable:
		lines[2].value = "public, max-age=31536000, immutable"
	}
	return lines
}

// headersName is the file from which static hosts read headers.
const headersName = "_headers"

// addHeadersFile adds the headers for static hosts that support such a file, such as Cloudflare.
func (e *edition) addHeadersFile() error {
	var out strings.Builder
	if strict := e.config.Mode.StrictTransport(); strict != "" {
		fmt.Fprintf(&out, "/*\n  Strict-Transport-Security: %s\n", strict)
	}
	for _, r := range e.tree.rules() {
		fmt.Fprintf(&out, "%s\n", r.pattern)
		for _, h := range r.headers {
			fmt.Fprintf(&out, "  %s: %s\n", h.name, h.value)
		}
	}
	return e.tree.put(headersName, File{Body: []byte(out.String()), Type: "text/plain; charset=utf-8"})
}

// rule is an entry of the headers file. Hosts add the headers of all entries that match a URL.
type rule struct {
	pattern string
	headers []header
}

// rules returns the entries for all files. Files with the same pattern share an entry with the headers
// that they have in common, because Cloudflare ignores all entries after the hundredth. Their other
// headers are in entries of their own.
func (t *Tree) rules() []rule {
	paths := t.Paths()
	slices.Sort(paths)
	byPattern := map[string][]string{}
	var patterns []string
	for _, p := range paths {
		pattern := headerPattern(p)
		if byPattern[pattern] == nil {
			patterns = append(patterns, pattern)
		}
		byPattern[pattern] = append(byPattern[pattern], p)
	}
	var all, further []rule
	for _, pattern := range patterns {
		members := byPattern[pattern]
		common := t.staticHeaders(members[0])
		for _, p := range members[1:] {
			own := t.staticHeaders(p)
			common = slices.DeleteFunc(common, func(h header) bool { return !slices.Contains(own, h) })
		}
		all = append(all, rule{pattern, common})
		for _, p := range members {
			rest := slices.DeleteFunc(t.staticHeaders(p), func(h header) bool { return slices.Contains(common, h) })
			if len(rest) > 0 {
				further = append(further, rule{urlPath(p), rest})
			}
		}
	}
	return append(all, further...)
}

// staticHeaders returns the headers of a file that a static host does not know.
func (t *Tree) staticHeaders(p string) []header {
	f := t.files[p]
	lines := f.headers()
	if f.Type != typeOf(p) { // hosts derive the type from the extension
		lines = append(lines, header{"Content-Type", f.Type})
	}
	return lines
}

// headerPattern returns the pattern of the entry for a file: its URL, in which "*" replaces the rest of
// a directory of files other than pages, and placeholders replace campaigns and page numbers. A URL
// matches the pattern of one file only.
func headerPattern(p string) string {
	top, _, _ := strings.Cut(p, "/")
	switch page, isPage := strings.CutSuffix(p, ".html"); {
	case !isPage && slices.Contains([]string{"_", "api", "assets", "share"}, top):
		return "/" + top + "/*"
	case !isPage:
		return urlPath(p)
	case path.Base(page) != "index":
		return urlPath(page) + "*" // Cloudflare omits the extension
	}
	segments := strings.Split(urlPath(p), "/")
	for i, s := range segments {
		if strings.Trim(s, "0123456789") == "" && s != "" {
			segments[i] = ":number"
		} else if i > 0 && slices.Contains([]string{"campaigns", "community", "embed"}, segments[i-1]) {
			segments[i] = ":slug"
		}
	}
	return strings.Join(segments, "/")
}

// urlPath returns the URL path of a file.
func urlPath(p string) string { return "/" + strings.TrimSuffix(p, "index.html") }
