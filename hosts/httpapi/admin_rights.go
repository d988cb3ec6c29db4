//go:build !js

package httpapi

import (
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/hosts/schema"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// contentFor returns the content service restricted to the fields that the caller may see and
// change. Super admins and the admin secret are not restricted.
func (a *API) contentFor(x *exchange) *content.Service {
	if x.caller == nil || x.caller.User.Role == access.SuperAdmin {
		return a.services.Content
	}
	return a.services.Content.As(fieldRights{x.caller.User})
}

// fieldRights are the field permissions of a campaign user.
type fieldRights struct{ user access.User }

func (r fieldRights) Read(file, path string) error {
	read, _ := schema.Required(kindOf(file), path)
	return r.check("seen", path, read)
}

func (r fieldRights) Write(file, path string) error {
	_, write := schema.Required(kindOf(file), path)
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

// permissionNames formats the required permissions for an error message, such as "the permissions
// content, supporters and money".
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

// kindOf returns the kind of a repository file in terms of package schema.
func kindOf(file string) string {
	switch file {
	case content.SettingsFile:
		return schema.OfSettings
	case campaign.AddOnsFile:
		return schema.OfAddOns
	}
	return schema.OfCampaign
}
