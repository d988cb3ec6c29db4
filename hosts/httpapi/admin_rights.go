package httpapi

import (
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/hosts/schema"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// contentFor returns the content service restricted to the fields that the caller may see and
// change, with texts in the language of the query. Super admins and requests with the admin secret
// are not restricted.
func (a *API) contentFor(x *exchange) *content.Service {
	lang, err := langOf(x)
	if err != nil {
		lang = "en"
	}
	s := a.services.Content.In(lang, schema.FieldText)
	if x.caller == nil || x.caller.User.Role == access.SuperAdmin {
		return s
	}
	return s.As(fieldRights{x.caller.User})
}

// fieldRights are the field permissions of a campaign user.
type fieldRights struct{ user access.User }

func (r fieldRights) Read(file, path string) error {
	read, _ := schema.Required(schema.KindOf(file), path)
	return r.check("seen", path, read)
}

func (r fieldRights) Write(file, path string) error {
	_, write := schema.Required(schema.KindOf(file), path)
	if len(write) == 0 {
		return fault.New(fault.Forbidden, "%s is read-only", path).In(path)
	}
	return r.check("changed", path, write)
}

func (r fieldRights) check(verb, path string, required []access.Permission) error {
	for _, p := range required {
		if !r.user.Has(p) {
			return fault.New(fault.Forbidden, "%s can be %s with %s", path, verb, permissionNames(required)).In(path)
		}
	}
	return nil
}

// permissionNames formats the required permissions for an error message, for example "the
// permissions content, supporters and money".
func permissionNames(all []access.Permission) string {
	if all[0] == access.Platform {
		return "the role of a super admin"
	}
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = string(p)
	}
	last := len(names) - 1
	if last == 0 {
		return "the permission " + names[0]
	}
	return "the permissions " + strings.Join(names[:last], ", ") + " and " + names[last]
}
