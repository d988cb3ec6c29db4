package sim

import (
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

var endpointParams = []string{"url", "enabled_events[]", "api_version", "description", "metadata[*]", "expand[]"}

type endpoint struct {
	ID, URL, Secret, APIVersion string
	Types                       []string // "*" means all
	Own                         bool     // from Options
	Created                     time.Time
}

// event stores its payload as of the event's time, as the processor does.
type event struct {
	ID, Type, ObjectID, APIVersion string
	Live                           bool
	Object                         json.RawMessage
	Created                        time.Time
}

func (s *Sim) renderEvent(ev *event) object {
	if ev == nil {
		return nil
	}
	return ev.render(ev.Live, ev.APIVersion)
}

func (ev *event) render(live bool, version string) object {
	return object{"id": ev.ID, "object": "event", "type": ev.Type, "api_version": version, "livemode": live,
		"created": unix(ev.Created), "pending_webhooks": 1, "data": object{"object": ev.Object},
		"request": object{"id": nil, "idempotency_key": nil}}
}

func (ep *endpoint) render() object {
	if ep == nil {
		return nil
	}
	return object{"id": ep.ID, "object": "webhook_endpoint", "url": ep.URL, "status": "enabled",
		"enabled_events": ep.Types, "api_version": ep.APIVersion, "created": unix(ep.Created), "metadata": object{}}
}

func (st *state) addEndpoint(now time.Time, address, secret, version string, types []string) *endpoint {
	ep := &endpoint{ID: st.newID("we_", 24), URL: address, Secret: secret, APIVersion: version, Types: types,
		Created: now}
	st.Endpoints[ep.ID] = ep
	return ep
}

// subscribe gives the endpoint of Options the current URL and secret, and creates it if necessary.
// It does nothing without a secret.
func (s *Sim) subscribe() {
	if s.opts.WebhookSecret == "" {
		return
	}
	for _, ep := range s.st.Endpoints {
		if ep.Own {
			ep.URL, ep.Secret = s.opts.WebhookURL, s.opts.WebhookSecret
			return
		}
	}
	ep := s.st.addEndpoint(s.clock(), s.opts.WebhookURL, s.opts.WebhookSecret, psp.Version, []string{"*"})
	ep.Own = true
}

func (s *Sim) createEndpoint(r request) (work, *apiError) {
	address := r.form.Get("url")
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, invalid("url", "url_invalid", "Not a valid URL")
	}
	types := list(r.form, "enabled_events")
	if len(types) == 0 {
		return nil, invalid("enabled_events", "parameter_missing", "Missing required param: enabled_events")
	}
	version := r.form.Get("api_version")
	if version == "" {
		version = psp.Version
	}
	return func() (object, *apiError) {
		secret := "whsec_" + s.st.randomID(32)
		ep := s.st.addEndpoint(r.now, address, secret, version, types)
		o := s.render(ep.ID)
		o["secret"] = secret // shown only on creation
		return o, nil
	}, nil
}

func (s *Sim) deleteEndpoint(r request) (work, *apiError) {
	if s.st.Endpoints[r.id] == nil {
		return nil, notFound("webhook endpoint", r.id)
	}
	return func() (object, *apiError) {
		delete(s.st.Endpoints, r.id)
		return object{"id": r.id, "object": "webhook_endpoint", "deleted": true}, nil
	}, nil
}

// emit records an event about an object and queues its deliveries.
func (s *Sim) emit(now time.Time, kind, id string) {
	h := s.st.takeHook(kind)
	s.record(now, kind, id, h)
	if h.Kind == TwinHook {
		s.record(now, kind, id, HookFault{})
	}
}

// record stores an event and queues its deliveries to the subscribed endpoints, with a webhook
// fault.
func (s *Sim) record(now time.Time, kind, id string, h HookFault) {
	ev := &event{ID: s.st.newID("evt_", 24), Type: kind, ObjectID: id, APIVersion: psp.Version,
		Live: s.opts.Mode == psp.Live, Object: encode(s.render(id)), Created: now}
	s.st.Events[ev.ID] = ev
	for _, epID := range s.st.Order["we_"] {
		ep := s.st.Endpoints[epID]
		if ep == nil || !slices.Contains(ep.Types, "*") && !slices.Contains(ep.Types, kind) {
			continue
		}
		s.st.queue(now, ev, ep, h)
	}
}
