package demo

import (
	"net/http"
	"slices"

	"github.com/pledgeworks/pledgeworks/admin/access"
)

// Operator runs the whole platform in the demo, and needs no mail to sign in.
const Operator = "operator@example.com"

// dashboard leads to the dashboard by a link that signs the demo's operator in.
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
