package notify

import "strings"

// Header is one header field of a mail.
type Header struct{ Name, Value string }

// Headers returns the header fields that every Sender adds to the mail besides its sender,
// recipient, subject and date. They are the same for every attempt.
//
// Auto-Submitted prevents vacation replies (RFC 3834), and X-Auto-Response-Suppress does the
// same for Exchange. Mails with an Unsubscribe URL get the headers for one-click unsubscribe
// (RFC 8058). Reminders and updates about a campaign get its List-Id (RFC 2919).
func (m Mail) Headers() []Header {
	all := []Header{
		{"Message-ID", "<" + m.MessageID() + ">"},
		{"Auto-Submitted", "auto-generated"},
		{"X-Auto-Response-Suppress", "OOF, AutoReply"},
	}
	if m.Unsubscribe != "" {
		all = append(all, Header{"List-Unsubscribe", "<" + m.Unsubscribe + ">"},
			Header{"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"})
	}
	if m.Campaign != "" && m.Stream != "" && m.Stream != Transactional {
		all = append(all, Header{"List-Id", "<" + m.Campaign + "." + string(m.Stream) + m.domain() + ">"})
	}
	return all
}

// domain returns the sender's domain with a leading dot, such as ".example.org".
func (m Mail) domain() string {
	_, domain, ok := strings.Cut(m.MessageID(), "@")
	if !ok {
		return ""
	}
	return "." + domain
}

// MessageID returns the mail's Message-ID without angle brackets: its Key at the sender's
// domain. If a mail had to be sent twice, many mailboxes recognize the duplicate by it.
func (m Mail) MessageID() string {
	at := strings.LastIndexByte(m.From, '@')
	if at < 0 {
		return m.Key + "@localhost"
	}
	return m.Key + strings.TrimSuffix(m.From[at:], ">")
}
