package ses

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The message types. Each has its own set of signed fields.
const (
	notification            = "Notification"
	confirmation            = "SubscriptionConfirmation"
	unsubscribeConfirmation = "UnsubscribeConfirmation"
)

// message is the body of a request from SNS
// (https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html).
type message struct {
	Type             string
	MessageID        string `json:"MessageId"`
	TopicARN         string `json:"TopicArn"`
	Subject          *string
	Message          string
	Timestamp        string
	SubscribeURL     string
	Token            string
	SignatureVersion string
	Signature        string
	SigningCertURL   string
}

// signed returns the text that a message's signature covers, "" for an unknown type
// (https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html).
func (m message) signed() string {
	lines := []string{"Message", m.Message, "MessageId", m.MessageID}
	switch {
	case m.Type == confirmation, m.Type == unsubscribeConfirmation:
		lines = append(lines, "SubscribeURL", m.SubscribeURL, "Timestamp", m.Timestamp, "Token", m.Token)
	case m.Type != notification:
		return ""
	case m.Subject != nil:
		lines = append(lines, "Subject", *m.Subject, "Timestamp", m.Timestamp)
	default:
		lines = append(lines, "Timestamp", m.Timestamp)
	}
	return strings.Join(append(lines, "TopicArn", m.TopicARN, "Type", m.Type), "\n") + "\n"
}

// algorithms are the signature algorithms by SignatureVersion. Topics use version 1, with
// SHA-1, by default. An SHA-1 collision does not help an attacker, because SNS appends the ARN
// of the attacker's topic to every text it signs for them.
var algorithms = map[string]x509.SignatureAlgorithm{"1": x509.SHA1WithRSA, "2": x509.SHA256WithRSA}

// verify checks that SNS sent a message to the topic, and returns the message's timestamp. It fails
// with code Unauthorized if the message is not from SNS or the topic, or is too old, and with code
// Unavailable if the certificate cannot be fetched.
func (l *Listener) verify(ctx context.Context, m message) (time.Time, error) {
	text, algorithm := m.signed(), algorithms[m.SignatureVersion]
	signature, err := base64.StdEncoding.DecodeString(m.Signature)
	if text == "" || err != nil || m.TopicARN != l.topic {
		return time.Time{}, unauthorized()
	}
	at, err := time.Parse(time.RFC3339, m.Timestamp)
	now := l.now()
	if err != nil || now.Sub(at) > maxAge || at.Sub(now) > maxAhead {
		return time.Time{}, unauthorized()
	}
	cert, err := l.certificate(ctx, m.SigningCertURL)
	if err != nil {
		return time.Time{}, err
	}
	if now.Before(cert.NotBefore) || now.After(cert.NotAfter) ||
		cert.CheckSignature(algorithm, []byte(text), signature) != nil {
		return time.Time{}, unauthorized()
	}
	return at.UTC(), nil
}

func unauthorized() error { return fault.New(fault.Unauthorized, "Invalid signature") }

// host matches the hosts of SNS, and certificates the paths of its certificates. Only SNS can
// publish files under these URLs.
var (
	host         = regexp.MustCompile(`^sns\.[a-z0-9-]{3,32}\.amazonaws\.com(\.cn)?$`)
	certificates = regexp.MustCompile(`^/SimpleNotificationService-[0-9a-zA-Z]{1,64}\.pem$`)
)

func isSNS(u *url.URL) bool {
	return u.Scheme == "https" && host.MatchString(u.Host) && u.User == nil && u.Fragment == ""
}

// certificate returns the certificate at a URL of SNS, from the cache if it was fetched before. TLS
// authenticates the host.
func (l *Listener) certificate(ctx context.Context, address string) (*x509.Certificate, error) {
	u, err := url.Parse(address)
	if err != nil || !isSNS(u) || !certificates.MatchString(u.Path) || u.RawQuery != "" {
		return nil, unauthorized()
	}
	l.mu.Lock()
	defer l.mu.Unlock() // also serializes fetches, so that forged URLs cannot cause many at once
	if cert := l.certs[u.Path]; cert != nil {
		return cert, nil
	}
	res, err := l.fetch.Send(ctx, fetch.Request{Method: "GET", URL: u.String()})
	if err != nil || res.Status >= 500 {
		return nil, fault.New(fault.Unavailable, "Could not fetch the SNS certificate")
	}
	block, _ := pem.Decode(res.Body)
	if res.Status != 200 || block == nil || block.Type != "CERTIFICATE" {
		return nil, unauthorized()
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, unauthorized()
	}
	if len(l.certs) >= maxCertificates {
		clear(l.certs)
	}
	l.certs[u.Path] = cert
	return cert, nil
}

// maxCertificates limits the cache. SNS uses a certificate for months.
const maxCertificates = 8
