package content

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// Change is a changed field with a description.
type Change struct {
	campaignfile.Difference
	// Words is the description in English: "goal: $25,000 to $31,000".
	Words string `json:"words"`
	// Promise is set if supporters rely on the old value as soon as they have pledged.
	Promise bool `json:"promise"`
	Place
	Action Action `json:"action"`
	// BeforeText and AfterText are the values formatted for display; "" for none. For a reordered
	// list, they are the names of its entries.
	BeforeText string `json:"beforeText,omitempty"`
	AfterText  string `json:"afterText,omitempty"`
	// Affected describes how many supporters, units or cents rely on the old value. It is nil if
	// none do, and in histories.
	Affected *Affected `json:"affected,omitempty"`
}

// Action is the kind of a change.
type Action string

// The actions.
const (
	SetField     Action = "set"     // a field is set to another value
	AddEntry     Action = "added"   // to a list
	RemoveEntry  Action = "removed" // from a list
	OrderEntries Action = "moved"   // the entries of a list are reordered
)

// describe describes the differences between two versions of a file.
func (s *Service) describe(file string, before, after *campaignfile.Document,
	differences []campaignfile.Difference) []Change {
	changes := make([]Change, 0, len(differences))
	if file != SettingsFile && file != campaign.AddOnsFile {
		differences = foldVisibility(before, after, differences)
	}
	for _, d := range differences {
		c := Change{
			Difference: d, Words: describeDifference(d), Promise: isPromise(d),
			Place: s.placeOf(file, d.Path, after, before), Action: SetField,
			BeforeText: s.display(file, d.Path, d.Before), AfterText: s.display(file, d.Path, d.After),
		}
		switch {
		case isOrder(d):
			c.Action = OrderEntries
			c.Label = bilingual{"Order", "Orden"}.in(s.lang)
			c.BeforeText, c.AfterText = s.displayOrder(file, d.Path, d.Before, before),
				s.displayOrder(file, d.Path, d.After, after)
		case isEntry(d.Path) && d.Before == nil:
			c.Action = AddEntry
		case isEntry(d.Path) && d.After == nil:
			c.Action = RemoveEntry
		}
		changes = append(changes, c)
	}
	return changes
}

// displayOrder returns the names of the entries with the given IDs, in their order.
func (s *Service) displayOrder(file, list string, ids json.RawMessage, d *campaignfile.Document) string {
	var all []string
	_ = json.Unmarshal(ids, &all) // checked by isOrder
	for i, id := range all {
		if name := s.entryName(d, file, list, list+"["+id+"]"); name != "" {
			all[i] = name
		}
	}
	return strings.Join(all, "\n")
}

var entryOf = regexp.MustCompile(`^([a-z_]+)\[([a-z0-9-]*)\]$`)

// isEntry reports whether a path identifies a whole list entry.
func isEntry(path string) bool { return strings.HasSuffix(path, "]") }

// describeDifference describes a difference in English, for example "goal: $25,000 to $31,000".
func describeDifference(d campaignfile.Difference) string {
	name := pathLabel(d.Path)
	switch {
	case isOrder(d):
		return name + " reordered"
	case isEntry(d.Path) && d.Before == nil:
		return name + " added" + entryDetails(d.After)
	case isEntry(d.Path) && d.After == nil:
		return name + " removed" + entryDetails(d.Before)
	case d.Before == nil:
		return name + ": " + formatValue(d.Path, d.After, "en")
	case d.After == nil:
		return name + ": " + formatValue(d.Path, d.Before, "en") + " removed"
	}
	before, after := formatValue(d.Path, d.Before, "en"), formatValue(d.Path, d.After, "en")
	if before == after {
		return name + " rewritten, " + after
	}
	return name + ": " + before + " to " + after
}

func entryDetails(entry json.RawMessage) string {
	var e struct {
		Name, Label, Title string
		Price, Amount      json.RawMessage
	}
	if json.Unmarshal(entry, &e) != nil {
		return ""
	}
	var out string
	for _, name := range []string{e.Name, e.Label, e.Title} {
		if name != "" {
			out = " (" + shorten(name) + ")"
			break
		}
	}
	if e.Price != nil {
		out += " at " + formatValue("price", e.Price, "en")
	}
	return out
}

// singular maps the name of a list to the name of one entry.
var singular = map[string]string{
	"tiers": "tier", "support_items": "support item", "campaign_add_ons": "add-on", "products": "add-on",
	"variants": "variant", "decisions": "decision", "diary": "diary entry",
}

// fieldNames maps keys to clearer names.
var fieldNames = map[string]string{
	"goal_amount": "goal", "goal_deadline": "deadline", "start_date": "start", "short_blurb": "summary",
	"long_content": "page", "body": "text below the page", "limit_total": "limit",
}

// pathLabel describes a path: "tier early-bird, price".
func pathLabel(path string) string {
	var parts []string
	for part := range strings.SplitSeq(path, ".") {
		if m := entryOf.FindStringSubmatch(part); m != nil {
			one, ok := singular[m[1]]
			if !ok {
				one = fieldName(m[1])
			}
			parts = append(parts, strings.TrimSpace(one+" "+m[2]))
			continue
		}
		parts = append(parts, fieldName(part))
	}
	return strings.Join(parts, ", ")
}

func fieldName(key string) string {
	if name, ok := fieldNames[key]; ok {
		return name
	}
	return strings.ReplaceAll(key, "_", " ")
}

// dollars matches the fields that hold amounts.
var dollars = regexp.MustCompile(`(?:^|[._])(?:price|amount|threshold|flat_rate|target)$|^shipping_fallback_flat_rate$`)

// maxShown is the maximum length of a displayed text in characters.
const maxShown = 48

// formatValue describes a value in English, with amounts as in the given language. Lists and long
// texts are described by their size.
func formatValue(path string, value json.RawMessage, lang string) string {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return "nothing"
	}
	text := strings.Trim(string(value), `"`)
	switch v := v.(type) {
	case nil:
		return "nothing"
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case []any:
		return pluralize(len(v), "entry", "entries")
	case map[string]any:
		return pluralize(len(v), "field", "fields")
	case string:
		if utf8.RuneCountInString(v) > maxShown || strings.Contains(v, "\n") {
			return pluralize(len(strings.Fields(v)), "word", "words")
		}
		text = v
	}
	if dollars.MatchString(path) {
		if c, err := campaignfile.ParseDollars(text, campaign.MaxGoal); err == nil {
			return c.Price(lang)
		}
	}
	if _, isText := v.(string); isText && !strings.HasSuffix(path, "_date") && !strings.HasSuffix(path, "deadline") {
		return "“" + text + "”"
	}
	return text
}

func shorten(s string) string {
	if utf8.RuneCountInString(s) <= maxShown {
		return s
	}
	return string([]rune(s)[:maxShown-1]) + "…"
}

func pluralize(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// promisedFields and promisedLists are the fields and lists that supporters rely on once they have
// pledged, except for the harmless fields of list entries.
var (
	promisedFields = map[string]bool{"goal_amount": true, "goal_deadline": true, "charged": true}
	promisedLists  = regexp.MustCompile(`^(?:tiers|support_items|campaign_add_ons)(?:$|\[)`)
	harmless       = regexp.MustCompile(`\.(?:image|image_alt|remaining|limit_total|sort_order)$`)
)

// isPromise reports whether a difference changes something that supporters relied on. A new
// reward does not affect existing pledges.
func isPromise(d campaignfile.Difference) bool {
	return Promised(d.Path) && (promisedFields[d.Path] || d.Before != nil) && !isOrder(d)
}

// Promised reports whether supporters rely on a field of a campaign's file once they have
// pledged. The path is as in campaignfile.Change.
func Promised(path string) bool {
	return promisedFields[path] || promisedLists.MatchString(path) && !harmless.MatchString(path)
}
