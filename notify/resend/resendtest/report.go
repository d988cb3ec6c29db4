package resendtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Secret is what the peer signs its reports with.
const Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwSw"

// Report is a request that tells of a mail.
type Report struct {
	Header map[string]string // by lower-case names
	Body   []byte
}

// Report returns what the peer reports of a mail that it took: an event such as
// "email.bounced", with what it says beside the mail, such as {"bounce": …}. It is signed
// at the peer's time, as each delivery is, so that a caller has it come late, twice and in
// any order; the same event has the same ID.
func (p *Peer) Report(e Email, event string, at time.Time, more map[string]any) Report {
	tags := map[string]string{}
	for _, t := range e.Tags {
		tags[t.Name] = t.Value
	}
	data := map[string]any{"email_id": e.ID, "from": e.From, "to": e.To, "subject": e.Subject, "created_at": at, "tags": tags}
	for name, value := range more {
		data[name] = value
	}
	body, _ := json.Marshal(map[string]any{"type": event, "created_at": at, "data": data}) // of plain values
	return p.Sign("msg_"+e.ID+"_"+strings.ReplaceAll(event, ".", "_"), body)
}

// Sign returns any body as a report of the peer's.
func (p *Peer) Sign(id string, body []byte) Report {
	stamp := strconv.FormatInt(p.Now().Unix(), 10)
	secret, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(Secret, "whsec_")) // a constant
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + stamp + "." + string(body)))
	return Report{Body: body, Header: map[string]string{
		"svix-id": id, "svix-timestamp": stamp, "svix-signature": "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)),
	}}
}
