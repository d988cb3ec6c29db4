package demo

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
)

// Operator is the demo's super admin, who signs in without a mail.
const Operator = "operator@example.com"

const operatorName = "Demo operator"

// dashboard signs the demo's operator in and redirects to the dashboard.
func (d *Demo) dashboard(w http.ResponseWriter, r *http.Request) {
	cookie, err := d.signIn(r.Context(), r.UserAgent())
	if err != nil {
		d.problem(w, err)
		return
	}
	w.Header().Set("Set-Cookie", httpapi.SessionCookieHeader(cookie))
	w.Header().Set("Cache-Control", "private, no-store")
	http.Redirect(w, r, "/admin/", http.StatusSeeOther)
}

func (d *Demo) signIn(ctx context.Context, userAgent string) (cookie string, err error) {
	people := d.App.Services.Access
	_, known, err := people.User(ctx, Operator)
	if err == nil && !known {
		_, err = people.Save(ctx, "", access.User{Email: Operator, Name: operatorName, Role: access.SuperAdmin})
	}
	if err != nil {
		return "", err
	}
	link, err := people.HostLink(ctx, Operator)
	if err != nil {
		return "", err
	}
	_, token, _ := strings.Cut(link, "#sign-in=")
	_, cookie, err = people.SignIn(ctx, access.Proof{Link: token, UserAgent: userAgent})
	return cookie, err
}

// staySignedIn extends the request's session, if it has one, before the clock is moved.
func (d *Demo) staySignedIn(w http.ResponseWriter, r *http.Request, by time.Duration) {
	c, err := r.Cookie(httpapi.SessionCookie)
	if err != nil || by <= 0 {
		return
	}
	// otherwise the session has ended
	if value, err := d.App.Services.Access.Extend(r.Context(), c.Value, by); err == nil {
		w.Header().Set("Set-Cookie", httpapi.SessionCookieHeader(value))
	}
}
