package schema

import "github.com/pledgeworks/pledgeworks/admin/content"

// relyOn marks what supporters rely on.
func relyOn(fields []Field, above, of string) {
	for i := range fields {
		f := &fields[i]
		path := above + f.Path
		f.Promise = of == OfCampaign && content.Promised(path)
		next := path + "."
		if f.Kind == Objects || f.Kind == Blocks {
			next = path + "[]."
		}
		relyOn(f.Fields, next, of)
	}
}
