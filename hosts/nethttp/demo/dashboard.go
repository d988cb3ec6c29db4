package demo

import (
	"net/http"
	"slices"

	"github.com/pledgeworks/pledgeworks/admin/access"
)

// Operator is the demo's super admin, who signs in without a mail.
const Operator = "operator@example.com"

// dashboard redirects to the dashboard with a link that signs the demo's operator in.
func (d *Demo) dashboard(w http.ResponseWriter, r *http.Request) {
	people := d.App.Services.Access
	users, err := people.Users(r.Context())
	if err != nil {
		d.problem(w, err)
		return
	}
	if !slices.ContainsFunc(users, func(u access.User) bool { return u.Email == Operator }) {
		if _, err := people.Save(r.Context(), "", access.User{Email: Operator, Name: "Demo operator", Role: access.SuperAdmin}); err != nil {
			d.problem(w, err)
			return
		}
	}
	link, err := people.HostLink(r.Context(), Operator)
	if err != nil {
		d.problem(w, err)
		return
	}
	http.Redirect(w, r, link, http.StatusSeeOther)
}
