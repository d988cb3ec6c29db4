package notify

import "strings"

// Header is one field of a mail's header.
type Header struct{ Name, Value string }

// Headers returns the fields that every Sender puts onto the mail beside its sender,
// recipient, subject and date. They are the same at every attempt.
//
// Auto-Submitted keeps vacation notices from answering (RFC 3834), and the one behind it
// does the same for Exchange. What its reader may stop has a button for it in every mailbox
// (RFC 8058), and belongs to its campaign's list (RFC 2919).
func (m Mail) Headers() []Header {
	all := []Header{
		{"Message-ID", "<" + m.MessageID() + ">"},
		{"Auto-Submitted", "auto-generated"},
		{"X-Auto-Response-Suppress", "OOF, AutoReply"},
	}
	if m.Unsubscribe != "" {
		all = append(all, Header{"List-Unsubscribe", "<" + m.Unsubscribe + ">"}, Header{"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"})
	}
	if m.Campaign != "" && m.Stream != "" && m.Stream != Transactional {
		all = append(all, Header{"List-Id", "<" + m.Campaign + "." + string(m.Stream) + m.domain() + ">"})
	}
	return all
}

// domain is the sender's, with a dot before it.
func (m Mail) domain() string {
	_, domain, ok := strings.Cut(m.MessageID(), "@")
	if !ok {
		return ""
	}
	return "." + domain
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
