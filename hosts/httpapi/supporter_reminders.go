package httpapi

import "github.com/pledgeworks/pledgeworks/admin/access"

func (a *API) reminderRoutes() []Route {
	l, c := a.services.Launches, a.services.Carts
	return []Route{
		{
			Method: "POST", Pattern: "/launch-reminders", Tag: "mails",
			Summary: "Sign up for an email when a campaign starts; the response is the same for every address",
			Rules:   Rules{SameOrigin: true, Limits: limits(perMinute("launch-reminders", 5))},
			In:      "ReminderRequest", Out: "ReminderRegistered", Errors: []int{404, 409, 503},
			handle: decoded(l.SignUp),
		},
		{
			Method: "POST", Pattern: "/launch-reminders/confirm", Tag: "mails",
			Summary: "Confirm a reminder with the token from the confirmation email",
			Rules:   Rules{SameOrigin: true, Limits: limits(reminderLimit)},
			In:      "ReminderConfirmation", Out: "ReminderConfirmed", Errors: []int{401, 404},
			handle: decoded(l.Confirm),
		},
		{
			Method: "POST", Pattern: "/abandoned-cart/resume", Tag: "mails",
			Summary: "The cart of an abandoned checkout, by the token from the reminder; read-only",
			Rules:   Rules{SameOrigin: true, Limits: limits(reminderLimit)},
			In:      "TokenRequest", Out: "CartSnapshot", Errors: []int{401, 404},
			handle: decoded(c.Resume),
		},
		{
			Method: "GET", Pattern: "/admin/reminders/health", Tag: "mails",
			Summary: "Number of abandoned cart reminders by outcome",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Platform}, Out: "ReminderHealth",
			handle: plain(c.Health),
		},
	}
}

// reminderLimit is shared by the routes that are called from the pages behind reminder links.
var reminderLimit = perMinute("reminder", 30)
