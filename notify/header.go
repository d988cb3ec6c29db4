package notify

import "strings"

// Header is one field of a mail's header.
type Header struct{ Name, Value string }

// Headers returns the fields that every Sender puts onto the mail beside its sender,
// recipient, subject and date. They are the same at every attempt.
//
// Auto-Submitted keeps vacation notices from answering (RFC 3834), and the other does the
// same for Exchange.
func (m Mail) Headers() []Header {
	return []Header{
		{"Message-ID", "<" + m.MessageID() + ">"},
		{"Auto-Submitted", "auto-generated"},
		{"X-Auto-Response-Suppress", "OOF, AutoReply"},
	}
}

// MessageID returns the mail's Message-ID without its brackets: its Key at the domain of
// its sender. Where a mail had to be sent twice, mailboxes that look at it show it once.
func (m Mail) MessageID() string {
	at := strings.LastIndexByte(m.From, '@')
	if at < 0 {
		return m.Key + "@localhost"
	}
	return m.Key + strings.TrimSuffix(m.From[at:], ">")
}
