package resendtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"time"
)

// Secret is the signing secret of the fake's webhooks.
const Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwSw"

// Report is a webhook request.
type Report struct {
	Header map[string]string // by lower-case name
	Body   []byte
}

// Report returns a webhook request about an accepted mail. event is the type, such as
// "email.bounced", and more has additional data, such as {"bounce": …}. It is signed at the
// fake's current time. The same event always has the same ID, so that tests can deliver it
// late, twice and in any order.
func (p *Server) Report(e Email, event string, at time.Time, more map[string]any) Report {
	tags := map[string]string{}
	for _, t := range e.Tags {
		tags[t.Name] = t.Value
	}
	data := map[string]any{"email_id": e.ID, "from": e.From, "to": e.To, "subject": e.Subject,
		"created_at": at, "tags": tags}
	maps.Copy(data, more)
	body, _ := json.Marshal(map[string]any{"type": event, "created_at": at, "data": data}) // plain values only
	return p.Sign("msg_"+e.ID+"_"+strings.ReplaceAll(event, ".", "_"), body)
}

// Sign returns a signed webhook request with any body.
func (p *Server) Sign(id string, body []byte) Report {
	stamp := strconv.FormatInt(p.Now().Unix(), 10)
	secret, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(Secret, "whsec_")) // a constant
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + stamp + "." + string(body)))
	return Report{Body: body, Header: map[string]string{
		"svix-id": id, "svix-timestamp": stamp, "svix-signature": "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)),
	}}
}
