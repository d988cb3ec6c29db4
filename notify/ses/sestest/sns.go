package sestest

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // SNS's default signature algorithm
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Topic is the topic that SES publishes to.
const Topic = "arn:aws:sns:" + Region + ":123456789012:mails"

// SNS is a fake of SNS. As an http.RoundTripper it serves its certificate and subscription
// confirmations on its own hosts, and records the requests.
//
// Sources: https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html,
// https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html and
// https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-examples.html.
type SNS struct {
	Now     func() time.Time
	Version string // signature version; "" for "1"
	Down    bool   // fail all requests

	key  *rsa.PrivateKey
	cert []byte

	mu        sync.Mutex
	published int
	asked     []string // requested URLs
}

// keyBits is the length of SNS's own keys.
const keyBits = 2048

// sharedKey is the key of all SNS fakes from NewSNS, because generating keys is slow.
var sharedKey = sync.OnceValues(newKey)

func newKey() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, keyBits) }

// NewSNS returns an SNS with a certificate that is valid for six months before and after now.
func NewSNS(now func() time.Time) (*SNS, error) { return newSNS(sharedKey, now) }

// NewImpostor returns an SNS with a different key.
func NewImpostor(now func() time.Time) (*SNS, error) { return newSNS(newKey, now) }

func newSNS(made func() (*rsa.PrivateKey, error), now func() time.Time) (*SNS, error) {
	key, err := made()
	if err != nil {
		return nil, err
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"sns.amazonaws.com"},
		NotBefore: now().AddDate(0, -6, 0), NotAfter: now().AddDate(0, 6, 0)}
	der, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &SNS{Now: now, key: key, cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}, nil
}

// Envelope is an SNS message, by field name.
type Envelope map[string]any

// Body returns the message as JSON.
func (e Envelope) Body() []byte {
	body, _ := json.Marshal(e) // plain values only
	return body
}

// Event returns the message with which SES publishes an event about an accepted mail. kind is
// the type, such as "Bounce", and more has its details, such as {"bounceType": "Permanent"}.
func (s *SNS) Event(m Message, kind string, at time.Time, more map[string]any) Envelope {
	tags := map[string][]string{"ses:configuration-set": {ConfigurationSet}, "ses:operation": {"SendEmail"}}
	for name, value := range m.Tags {
		tags[name] = []string{value}
	}
	about, sent := map[string]any{"timestamp": at.UTC().Format(layout), "feedbackId": "0102-" + m.ID}, at.Add(-time.Minute)
	if kind == "Send" || kind == "Reject" { // these events have only the mail's timestamp
		about, sent = map[string]any{}, at
	}
	maps.Copy(about, more)
	text, _ := json.Marshal(map[string]any{ // plain values only
		"eventType": kind, strings.ToLower(kind[:1]) + kind[1:]: about,
		"mail": map[string]any{"timestamp": sent.UTC().Format(layout), "messageId": m.ID,
			"source": m.From, "destination": m.To, "tags": tags},
	})
	return s.Publish(string(text), "Amazon SES Email Event Notification")
}

const layout = "2006-01-02T15:04:05.000Z"

// Publish returns a message for all subscribers, with an optional subject.
func (s *SNS) Publish(text, subject string) Envelope {
	e := s.envelope("Notification", text)
	if subject != "" {
		e["Subject"] = subject
	}
	return s.Sign(e)
}

// Confirmation returns the message of kind "SubscriptionConfirmation", which asks to confirm the
// subscription, or "UnsubscribeConfirmation", which reports that it was removed.
func (s *SNS) Confirmation(kind string) Envelope {
	e := s.envelope(kind,
		"You have chosen to subscribe to the topic "+Topic+
			".\nTo confirm the subscription, visit the SubscribeURL included in this message.")
	e["Token"] = "2336412f37fb687f5d51e6e2425"
	e["SubscribeURL"] = Host + "/?" + url.Values{"Action": {"ConfirmSubscription"}, "TopicArn": {Topic},
		"Token": {"2336412f37fb687f5d51e6e2425"}}.Encode()
	return s.Sign(e)
}

// Host is the base URL of SNS, and certificate the path of its certificate there.
const (
	Host        = "https://sns." + Region + ".amazonaws.com"
	certificate = "/SimpleNotificationService-010a507c1833636cd94bdb98bd93083a.pem"
)

func (s *SNS) envelope(kind, text string) Envelope {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.published++
	return Envelope{
		"Type": kind, "MessageId": fmt.Sprintf("%08d-0000-4000-8000-000000000000", s.published), "TopicArn": Topic,
		"Message": text, "Timestamp": s.Now().UTC().Format(layout), "SigningCertURL": Host + certificate,
	}
}

// Sign sets the signature and the signature version of an envelope, and returns it.
func (s *SNS) Sign(e Envelope) Envelope {
	names := []string{"Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"}
	if e["Type"] != "Notification" {
		names = []string{"Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"}
	}
	var text strings.Builder
	for _, name := range names {
		if value, ok := e[name]; ok {
			fmt.Fprintf(&text, "%s\n%s\n", name, value)
		}
	}
	hash, sum := crypto.SHA1, sha1.Sum([]byte(text.String())) //nolint:gosec // see above
	of := sum[:]
	e["SignatureVersion"] = "1"
	if s.Version == "2" {
		strong := sha256.Sum256([]byte(text.String()))
		hash, of, e["SignatureVersion"] = crypto.SHA256, strong[:], "2"
	}
	signature, _ := rsa.SignPKCS1v15(rand.Reader, s.key, hash, of) // the hash has the right length
	e["Signature"] = base64.StdEncoding.EncodeToString(signature)
	return e
}

// RequestedURLs returns the requested URLs.
func (s *SNS) RequestedURLs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

// RoundTrip implements http.RoundTripper.
func (s *SNS) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL.String())
	if s.Down {
		return nil, io.ErrUnexpectedEOF
	}
	res := &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody, Request: r}
	switch {
	case r.Method != http.MethodGet || !strings.HasPrefix(r.URL.String(), Host+"/"):
		return nil, fmt.Errorf("there is no %s at %s", r.Method, r.URL.Host)
	case r.URL.Path == certificate:
		res.StatusCode, res.Body = http.StatusOK, io.NopCloser(bytes.NewReader(s.cert))
	case r.URL.Path == "/" && r.URL.Query().Get("Token") != "":
		res.StatusCode = http.StatusOK
	}
	return res, nil
}
