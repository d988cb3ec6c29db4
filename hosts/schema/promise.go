package schema

import "github.com/pledgeworks/pledgeworks/admin/content"

// markPromises sets Promise on the fields that supporters rely on. Only campaigns have such fields.
func markPromises(fields []Field, above, of string) {
	for i := range fields {
		f := &fields[i]
		path := above + f.Path
		f.Promise = of == OfCampaign && content.Promised(path)
		next := path + "."
		if f.Kind == Objects || f.Kind == Blocks {
			next = path + "[]."
		}
		markPromises(f.Fields, next, of)
	}
}
