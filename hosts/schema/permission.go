package schema

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pledgeworks/pledgeworks/admin/access"
)

// permissions are those that fields of a kind of file take, unless they name others.
var permissions = map[string][]access.Permission{
	OfCampaign: {access.Content}, OfAddOns: {access.Platform}, OfSettings: {access.Platform},
}

// takes sets the permissions that it takes to read and write a field.
func takes(all ...access.Permission) option {
	return func(f *Field) { f.Read, f.Write = all, all }
}

// readOnly marks a field that is changed in the repository alone.
func readOnly(f *Field) { f.Write = []access.Permission{} }

// permit sets the permissions of fields that name none. Fields of an entry have those of the list.
func permit(fields []Field, read, write []access.Permission) {
	for i := range fields {
		f := &fields[i]
		if f.Read == nil {
			f.Read = read
		}
		if f.Write == nil {
			f.Write = write
		}
		permit(f.Fields, f.Read, f.Write)
	}
}

// Required returns all permissions that it takes to read and to write what is at a path of
// campaignfile.Change; none to write means that it is read-only. Keys with several fields, such
// as "recovery", take those of all their fields. Keys that are not described take a super admin.
func Required(of, path string) (read, write []access.Permission) {
	table := tables()[of]
	key := strings.TrimSuffix(entries.ReplaceAllString(path, "[]"), "[]")
	for at := key; at != ""; at = at[:max(strings.LastIndexAny(at, ".["), 0)] {
		if f, ok := table[at]; ok {
			return f.Read, f.Write
		}
	}
	for at, f := range table {
		if strings.HasPrefix(at, key+".") {
			read, write = append(read, f.Read...), append(write, f.Write...)
		}
	}
	if read == nil {
		return []access.Permission{access.Platform}, []access.Permission{access.Platform}
	}
	return distinct(read), distinct(write)
}

var entries = regexp.MustCompile(`\[[^\]]*\]`)

func distinct(all []access.Permission) []access.Permission {
	slices.Sort(all)
	return slices.Compact(all)
}

// tables are the described fields of each kind of file, by their paths.
var tables = sync.OnceValue(func() map[string]map[string]Field {
	all := map[string]map[string]Field{}
	for _, of := range Kinds() {
		var d Document
		text, _ := Described(of, "en")
		_ = json.Unmarshal(text, &d) // a kind without description is read and written by super admins alone
		all[of] = map[string]Field{}
		for _, s := range d.Sections {
			tabulate(all[of], "", s.Fields)
		}
	}
	return all
})

func tabulate(table map[string]Field, above string, fields []Field) {
	for _, f := range fields {
		table[above+f.Path] = f
		tabulate(table, above+f.Path+"[].", f.Fields)
	}
}
