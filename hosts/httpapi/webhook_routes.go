package httpapi

// webhookRoutes returns the routes that providers call with signed events.
func (a *API) webhookRoutes() []Route {
	return []Route{
		{
			Method: "POST", Pattern: "/webhooks/psp", Tag: "checkout",
			Summary: "The processor's events; signed, and each applied once",
			Rules:   Rules{RawBody: true, Webhook: true, Cap: MaxWebhookBody},
			In:      "Event", Out: "WebhookResult", Errors: []int{401, 404, 409, 410, 503},
			handle: a.webhook,
		},
		{
			Method: "POST", Pattern: "/webhooks/email", Tag: "mails",
			Summary: "The mail provider's signed events; each is applied once",
			Rules:   Rules{RawBody: true, Cap: MaxWebhookBody},
			In:      "Event", Out: "MailReports", Errors: []int{401, 404, 503},
			handle: a.mailReports,
		},
	}
}
