package schema

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pledgeworks/pledgeworks/admin/access"
)

// permissions contains the default permissions by kind of file.
var permissions = map[string][]access.Permission{
	OfCampaign: {access.Content}, OfAddOns: {access.Platform}, OfSettings: {access.Platform},
}

// requires sets the permissions that are required to read and to write a field.
func requires(all ...access.Permission) option {
	return func(f *Field) { f.Read, f.Write = all, all }
}

// readOnly marks a field that can only be changed in the repository.
func readOnly(f *Field) { f.Write = []access.Permission{} }

// setPermissions sets the permissions of fields that have none. Fields of a list entry inherit the
// list's permissions.
func setPermissions(fields []Field, read, write []access.Permission) {
	for i := range fields {
		f := &fields[i]
		if f.Read == nil {
			f.Read = read
		}
		if f.Write == nil {
			f.Write = write
		}
		setPermissions(f.Fields, f.Read, f.Write)
	}
}

// Required returns all permissions that are required to read and to write the value at a path in
// the format of campaignfile.Change. If write is empty, the value is read-only.
//
// A key with several fields, such as "recovery", requires the permissions of all its fields. An
// unknown key below a described field requires that field's permissions. Any other unknown key
// requires a super admin.
func Required(of, path string) (read, write []access.Permission) {
	table := tables()[of+" en"]
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

// placedField is a field together with its section.
type placedField struct {
	Field
	section Section // without its fields
}

// tables contains the described fields by path, for each kind of file and language, such as
// "campaign en".
var tables = sync.OnceValue(func() map[string]map[string]placedField {
	all := map[string]map[string]placedField{}
	for _, of := range Kinds() {
		for _, language := range []string{"en", "es"} {
			var d Document
			text, _ := Described(of, language)
			_ = json.Unmarshal(text, &d) // without a description only super admins have access
			table := map[string]placedField{}
			for _, s := range d.Sections {
				fields := s.Fields
				s.Fields = nil
				addFields(table, s, "", fields)
			}
			all[of+" "+language] = table
		}
	}
	return all
})

func addFields(table map[string]placedField, s Section, above string, fields []Field) {
	for _, f := range fields {
		table[above+f.Path] = placedField{f, s}
		addFields(table, s, above+f.Path+"[].", f.Fields)
	}
}
