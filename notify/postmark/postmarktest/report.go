package postmarktest

import (
	"encoding/base64"
	"encoding/json"
	"hash/fnv"
	"time"
)

// User and Password are what the peer reports with.
const (
	User     = "pledgeworks"
	Password = "a password of a webhook"
)

// Report is a request that tells of a mail.
type Report struct {
	Header map[string]string // by lower-case names
	Body   []byte
}

// Report returns what the peer reports of a mail that it took: a record such as "Bounce",
// with what it says beside the mail, such as {"Type": "HardBounce"}. The same bounce has the
// same ID, so that a caller has it come late, twice and in any order.
func (p *Peer) Report(m Message, record string, at time.Time, more map[string]any) Report {
	who, when := "Recipient", map[string]string{"Delivery": "DeliveredAt", "Open": "ReceivedAt", "Click": "ReceivedAt", "SubscriptionChange": "ChangedAt"}[record]
	data := map[string]any{
		"RecordType": record, "MessageID": m.ID, "ServerID": 23, "MessageStream": m.MessageStream, "Tag": m.Tag, "Metadata": m.Metadata,
	}
	if when == "" {
		who, when = "Email", "BouncedAt"
		data["From"], data["Subject"], data["Name"] = m.From, m.Subject, record
		data["DumpAvailable"], data["CanActivate"], data["ID"] = true, true, number(m.ID, record, more["Type"])
	}
	data[who], data[when] = m.To, at.Format("2006-01-02T15:04:05.0000000Z07:00")
	for name, value := range more {
		data[name] = value
	}
	body, _ := json.Marshal(data) // of plain values
	return Post(body)
}

// number is longer than a float holds, as Postmark's are.
func number(of ...any) int64 {
	h := fnv.New64a()
	_ = json.NewEncoder(h).Encode(of) // of plain values, to what takes everything
	return int64(h.Sum64()>>2) | 1<<61
}

// Post returns any body as a report of the peer's.
func Post(body []byte) Report {
	return Report{Body: body, Header: map[string]string{"authorization": Basic(User, Password)}}
}

// Basic is an Authorization header (RFC 7617).
func Basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}
