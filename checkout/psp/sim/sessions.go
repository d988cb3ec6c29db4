package sim

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

var sessionParams = []string{"mode", "ui_mode", "customer", "payment_method_types[]", "currency", "return_url",
	"success_url", "cancel_url", "locale", "expires_at", "client_reference_id", "metadata[*]",
	"setup_intent_data[metadata][*]", "setup_intent_data[description]", "expand[]"}

var locales = []string{"auto", "da", "de", "en", "es", "fi", "fr", "it", "ja", "nb", "nl", "pl", "pt", "sv", "zh"}

// A session's lifetime is between 30 minutes and 24 hours.
const (
	minSession = 30 * time.Minute
	maxSession = 24 * time.Hour
)

func (ses *session) open() bool { return ses.Status == psp.Open }

func (s *Sim) createSession(r request) (work, *apiError) {
	ses, e := s.readSession(r)
	if e != nil {
		return nil, e
	}
	meta, e := metadata(r.form, "setup_intent_data[metadata]")
	if e != nil {
		return nil, e
	}
	seti := &setupIntent{Customer: ses.Customer, Status: needsMethod, Metadata: meta,
		Description: r.form.Get("setup_intent_data[description]"), Created: r.now}
	return func() (object, *apiError) {
		seti.ID = s.st.newID("seti_", 24)
		seti.Secret = seti.ID + "_secret_" + s.st.randomID(24)
		s.st.SetupIntents[seti.ID] = seti
		ses.ID = s.st.newID("cs_"+string(s.opts.Mode)+"_", 58)
		ses.SetupIntent, ses.Secret = seti.ID, ses.ID+"_secret_"+s.st.randomID(24)
		s.st.Sessions[ses.ID] = ses
		s.st.addTask(ses.Expires, expireTask, ses.ID)
		return s.render(ses.ID), nil
	}, nil
}

func (s *Sim) readSession(r request) (*session, *apiError) {
	f := r.form
	if f.Get("mode") != "setup" {
		return nil, invalid("mode", "", "This simulator only supports setup mode")
	}
	ui, e := oneOf(f, "ui_mode", "hosted", "custom", "embedded")
	if e != nil {
		return nil, e
	}
	ses := &session{Customer: f.Get("customer"), UIMode: psp.UIMode(ui), Status: psp.Open,
		ReturnURL: f.Get("return_url"), SuccessURL: f.Get("success_url"), CancelURL: f.Get("cancel_url"),
		ClientReference: f.Get("client_reference_id"), Created: r.now}
	if e := ses.checkURLs(); e != nil {
		return nil, e
	}
	if !s.st.hasCustomer(ses.Customer) {
		return nil, missing("customer", "customer", ses.Customer)
	}
	types := list(f, "payment_method_types")
	if len(types) == 0 && f.Get("currency") == "" {
		return nil, invalid("currency", "parameter_missing", "Without payment_method_types, currency is required")
	}
	for _, t := range types {
		if t != "card" {
			return nil, invalid("payment_method_types", "", "This account only accepts cards")
		}
	}
	if ses.Locale, e = oneOf(f, "locale", locales...); e != nil {
		return nil, e
	}
	if ses.Metadata, e = metadata(f, "metadata"); e != nil {
		return nil, e
	}
	ses.Expires, e = expiry(r)
	return ses, e
}

func (ses *session) checkURLs() *apiError {
	if ses.UIMode == psp.Hosted {
		if ses.SuccessURL == "" {
			return invalid("success_url", "parameter_missing", "A hosted session needs a success_url")
		}
		if ses.ReturnURL != "" {
			return invalid("return_url", "", "return_url is not allowed with ui_mode hosted")
		}
		return nil
	}
	if ses.SuccessURL != "" {
		return invalid("success_url", "", "success_url is not allowed with ui_mode "+string(ses.UIMode))
	}
	if ses.CancelURL != "" {
		return invalid("cancel_url", "", "cancel_url is not allowed with ui_mode "+string(ses.UIMode))
	}
	return nil
}

func expiry(r request) (time.Time, *apiError) {
	if r.form.Get("expires_at") == "" {
		return r.now.Add(maxSession), nil
	}
	n, e := integer(r.form, "expires_at")
	if e != nil {
		return time.Time{}, e
	}
	at := time.Unix(n, 0).UTC()
	// Allow one second in either direction: expires_at is in whole seconds, and the caller's clock
	// may differ slightly.
	if d := at.Sub(r.now); d < minSession-time.Second || d > maxSession+time.Second {
		return time.Time{}, invalid("expires_at", "", "expires_at must be between 30 minutes and 24 hours from now")
	}
	return at, nil
}

func (s *Sim) expireSession(r request) (work, *apiError) {
	ses := s.st.Sessions[r.id]
	if ses == nil {
		return nil, notFound("checkout session", r.id)
	}
	if !ses.open() {
		return nil, invalid("", "", "Only sessions with a status of open can be expired; this one is "+string(ses.Status))
	}
	return func() (object, *apiError) {
		s.endSession(r.now, ses)
		return s.render(ses.ID), nil
	}, nil
}

// endSession expires a session, so that it can never complete.
func (s *Sim) endSession(now time.Time, ses *session) {
	ses.Status = psp.Expired
	s.st.SetupIntents[ses.SetupIntent].Status = canceled
	s.emit(now, string(psp.SessionExpired), ses.ID)
}
