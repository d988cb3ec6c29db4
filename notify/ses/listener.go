package ses

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"net/url"
	"regexp"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// maxReport limits an SNS message, in bytes. SNS sends none that are longer.
const maxReport = 256 << 10

// The maximum age of a message, and how far ahead its timestamp may be. SNS retries for an hour
// by default; a day allows for custom retry policies.
const (
	maxAge   = 24 * time.Hour
	maxAhead = 5 * time.Minute
)

// Listener implements notify.Listener for the events that SES publishes to a topic of SNS.
// It is safe for concurrent use if its Fetch and its clock are.
type Listener struct {
	topic string
	fetch fetch.Sender
	now   func() time.Time

	mu    sync.Mutex
	certs map[string]*x509.Certificate // by URL path
}

// arn matches the ARN of a topic.
var arn = regexp.MustCompile(`^arn:aws(-[a-z]+)*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,256}$`)

// NewListener returns a Listener for messages that SNS signs for one topic. It confirms only
// that topic's subscription. It fails with code Invalid, and the parameter's name, for an
// invalid parameter.
func NewListener(topic string, f fetch.Sender, now func() time.Time) (*Listener, error) {
	switch {
	case !arn.MatchString(topic):
		return nil, fault.New(fault.Invalid, "A topic must have the form arn:aws:sns:region:account:name").In("topic")
	case f == nil:
		return nil, fault.New(fault.Invalid, "A fetch.Sender is required").In("fetch")
	case now == nil:
		return nil, fault.New(fault.Invalid, "A clock is required").In("now")
	}
	return &Listener{topic: topic, fetch: f, now: now, certs: map[string]*x509.Certificate{}}, nil
}

// Events implements notify.Listener. It answers SNS's requests to confirm the topic's subscription.
func (l *Listener) Events(ctx context.Context, _ func(string) string, body []byte) ([]notify.Event, error) {
	if len(body) > maxReport {
		return nil, fault.New(fault.Invalid, "A report must not exceed %d bytes", maxReport)
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fault.New(fault.Invalid, "Not a valid SNS message")
	}
	at, err := l.verify(ctx, m)
	if err != nil {
		return nil, err
	}
	switch m.Type {
	case notification:
		return m.events(at)
	case confirmation:
		return nil, l.confirm(ctx, m)
	}
	return nil, nil // the subscription was removed
}

// events returns the event that SES published in a message, or none if it is ignored. The event's
// ID is the message's, which SNS does not change when it redelivers a message.
func (m message) events(at time.Time) ([]notify.Event, error) {
	if !messageID.MatchString(m.MessageID) {
		return nil, fault.New(fault.Invalid, "Not a valid SNS message")
	}
	var r report
	if json.Unmarshal([]byte(m.Message), &r) != nil {
		return nil, nil //nolint:nilerr // a plain text message, such as SES's first one after event publishing was set up
	}
	kind, why := r.event()
	if kind == "" {
		return nil, nil
	}
	e := notify.Event{ID: "sns:" + m.MessageID, Kind: kind, At: r.time(at), Reason: why}
	if keys := r.Mail.Tags["key"]; len(keys) == 1 {
		e.Key = keys[0]
	}
	return []notify.Event{e}, nil
}

// messageID matches SNS's message IDs, which become part of a record's key.
var messageID = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// confirm requests the subscription URL after checking that it belongs to SNS and the topic.
func (l *Listener) confirm(ctx context.Context, m message) error {
	u, err := url.Parse(m.SubscribeURL)
	if err != nil || !isSNS(u) || u.Query().Get("Action") != "ConfirmSubscription" ||
		u.Query().Get("TopicArn") != l.topic {
		return fault.New(fault.Unauthorized, "Not a valid subscription URL of this SNS topic")
	}
	res, err := l.fetch.Send(ctx, fetch.Request{Method: "GET", URL: u.String()})
	if err != nil || res.Status != 200 {
		return fault.New(fault.Unavailable, "SNS did not accept the subscription confirmation")
	}
	return nil
}
