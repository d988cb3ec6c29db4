package notify

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Kind is the kind of a mail.
type Kind string

// The kinds.
const (
	Confirmation Kind = "confirmation"  // a pledge was made
	Modified     Kind = "modified"      // a pledge was changed
	Cancelled    Kind = "cancelled"     // a pledge was cancelled
	CardReplaced Kind = "card_replaced" // a supporter saved another card for a pledge
	Charged      Kind = "charged"       // a card was charged
	UpdateCard   Kind = "update_card"   // a card could not be charged
	NewCard      Kind = "new_card"      // a card will not be chargeable when its campaign ends
	Dropped      Kind = "dropped"       // a pledge was dropped because its card could not be charged
	Missed       Kind = "missed"        // a campaign missed its goal
	ParcelSent   Kind = "parcel_sent"   // a parcel is on its way
	Readdressed  Kind = "readdressed"   // an operator changed the shipping address
	Refunded     Kind = "refunded"      // a refund is on its way
	RefundFailed Kind = "refund_failed" // a refund came back
	LostOrder    Kind = "lost_order"    // an order was lost before it became a pledge
	RunnerReport Kind = "runner_report" // the list of a campaign's pledges, for the people who run it
	LinksAgain   Kind = "links"         // a supporter requested the links to all pledges

	AdminSignIn     Kind = "admin_sign_in"    // sign-in link and code for a dashboard user
	AdminInvitation Kind = "admin_invitation" // welcome to a new dashboard user
	AdminCampaign   Kind = "admin_campaign"   // a dashboard user got access to another campaign
	PreviewLink     Kind = "preview_link"     // link to a campaign's preview for a reviewer
	NewsTest        Kind = "news_test"        // a test of a news mail, sent only to its author
	AdminChange     Kind = "admin_change"     // a dashboard user's sign-in methods changed
	AdminDispute    Kind = "admin_dispute"    // a payment is disputed, or its bank suspects fraud

	// LaunchConfirmation asks a reader to confirm a launch reminder (double opt-in).
	LaunchConfirmation Kind = "launch_confirmation"

	LaunchReminder Kind = "launch_reminder" // a campaign for which the reader requested a reminder has started
	AbandonedCart  Kind = "abandoned_cart"  // a checkout was started and not finished
	Announcement   Kind = "announcement"    // to the supporters of a campaign
	DiaryEntry     Kind = "diary"           // a new entry in a campaign's diary
	Milestone      Kind = "milestone"       // a campaign has reached a share of its goal, or a stretch goal
	Blast          Kind = "blast"           // written by a campaign's operator
)

// Message is a mail that is ready to be queued.
type Message struct {
	Kind Kind
	// Identity identifies the mail, such as "confirmation:pw-…". The first message that is
	// queued under an identity is the one that is sent.
	Identity string
	To       string // one address, as returned by pledge.ParseEmail
	Lang     string // language tag of the text, such as "en"
	Subject  string // one line
	Text     string // plain text with "\n" line endings
	HTML     string // the same content as HTML; "" for a mail with plain text only
	// Campaign is the campaign's slug; "" if the mail is about none or several.
	Campaign string
	// Unsubscribe is the absolute one-click unsubscribe URL (RFC 8058). Reminders and updates
	// have one.
	Unsubscribe string
	// Attachment is optional; it is absent if its Name is "".
	Attachment Attachment
	// NotAfter is when the mail becomes too old to be sent; zero for never.
	NotAfter time.Time
	// Claim is checked before the mail is sent; nil if there is nothing to check.
	Claim *Claim

	draft     string // JSON, see RenderedFrom; "" for none
	draftHTML string // the HTML rendered from the draft
}

// RenderedFrom returns the message with the draft that its HTML was rendered from. An Outbox
// with the draft's Render function stores the draft, which is much shorter, and renders the
// HTML before the first attempt. If the HTML is changed afterwards, it stores the HTML.
func (m Message) RenderedFrom(draft json.RawMessage) Message {
	m.draft, m.draftHTML = string(draft), m.HTML
	return m
}

// unchanged reports whether the HTML is still the one rendered from the draft.
func (m Message) unchanged() bool { return m.draft != "" && m.HTML == m.draftHTML }

// The maximum lengths of a message, in bytes.
const (
	maxIdentity = 400
	MaxSubject  = 200
	MaxText     = 256 << 10
)

// Check fails with code Invalid, and the field's name, for a message that no Sender could
// deliver or whose subject or attachment name could inject header fields.
func (m Message) Check() error {
	if m.Kind == "" {
		return fault.New(fault.Invalid, "A kind is required").In("kind")
	}
	if m.Identity == "" || len(m.Identity) > maxIdentity {
		return fault.New(fault.Invalid, "An identity must have 1 to %d bytes", maxIdentity).In("identity")
	}
	if _, err := pledge.ParseEmail(m.To); err != nil || strings.ToLower(strings.TrimSpace(m.To)) != m.To {
		return fault.New(fault.Invalid, "A recipient must be one plain email address").In("to")
	}
	if m.Subject == "" || len(m.Subject) > MaxSubject || m.Subject != PlainLine(m.Subject) {
		return fault.New(fault.Invalid, "A subject must be one line of 1 to %d bytes", MaxSubject).In("subject")
	}
	if m.Text == "" || len(m.Text) > MaxText || !utf8.ValidString(m.Text) {
		return fault.New(fault.Invalid, "A text must have 1 to %d bytes", MaxText).In("text")
	}
	return m.Attachment.check()
}

// MaxAttachment limits an attachment, in bytes. Providers accept more, but many recipients' mail
// servers do not.
const MaxAttachment = 4 << 20

// validAttachmentName reports whether a file name ends in .csv and needs no quoting in a header.
func validAttachmentName(s string) bool {
	base, ok := strings.CutSuffix(s, ".csv")
	return ok && base != "" && base[0] != '.' && strings.Trim(base, "abcdefghijklmnopqrstuvwxyz0123456789.-") == ""
}

func (a Attachment) check() error {
	switch {
	case a == Attachment{}:
		return nil
	case !validAttachmentName(a.Name) || len(a.Name) > MaxSubject:
		return fault.New(fault.Invalid,
			"An attachment's name must consist of lower-case letters, digits, dots and hyphens, and end in .csv").
			In("attachment.name")
	case a.Text == "" || len(a.Text) > MaxAttachment || !utf8.ValidString(a.Text):
		return fault.New(fault.Invalid, "An attachment's text must have 1 to %d bytes", MaxAttachment).In("attachment.text")
	}
	return nil
}

// PlainLine makes untrusted text a single line, without control characters and direction marks
// that could inject header fields or disguise the text.
func PlainLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '\u2028', r == '\u2029':
			return ' '
		case unicode.IsControl(r), r == unicode.ReplacementChar, unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
