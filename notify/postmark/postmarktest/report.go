package postmarktest

import (
	"encoding/base64"
	"encoding/json"
	"hash/fnv"
	"maps"
	"time"
)

// User and Password are the credentials of the fake's webhooks.
const (
	User     = "pledgeworks"
	Password = "a password of a webhook"
)

// Report is a webhook request.
type Report struct {
	Header map[string]string // by lower-case name
	Body   []byte
}

// Report returns a webhook request about an accepted mail. record is the type, such as
// "Bounce", and more has additional fields, such as {"Type": "HardBounce"}. The same bounce
// always has the same ID, so that tests can deliver it late, twice and in any order.
func (p *Server) Report(m Message, record string, at time.Time, more map[string]any) Report {
	who, when := "Recipient", map[string]string{"Delivery": "DeliveredAt", "Open": "ReceivedAt",
		"Click": "ReceivedAt", "SubscriptionChange": "ChangedAt"}[record]
	data := map[string]any{
		"RecordType": record, "MessageID": m.ID, "ServerID": 23, "MessageStream": m.MessageStream,
		"Tag": m.Tag, "Metadata": m.Metadata,
	}
	if when == "" {
		who, when = "Email", "BouncedAt"
		data["From"], data["Subject"], data["Name"] = m.From, m.Subject, record
		data["DumpAvailable"], data["CanActivate"], data["ID"] = true, true, bounceID(m.ID, record, more["Type"])
	}
	data[who], data[when] = m.To, at.Format("2006-01-02T15:04:05.0000000Z07:00")
	maps.Copy(data, more)
	body, _ := json.Marshal(data) // plain values only
	return Post(body)
}

// bounceID returns an ID that exceeds a float64's precision, like Postmark's.
func bounceID(of ...any) int64 {
	h := fnv.New64a()
	_ = json.NewEncoder(h).Encode(of) // plain values, and a hash never fails
	return int64(h.Sum64()>>2) | 1<<61
}

// Post returns a webhook request with any body.
func Post(body []byte) Report {
	return Report{Body: body, Header: map[string]string{"authorization": Basic(User, Password)}}
}

// Basic returns an Authorization header for basic authentication (RFC 7617).
func Basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}
