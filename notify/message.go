package notify

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Kind says what a mail is about.
type Kind string

// The kinds.
const (
	Confirmation Kind = "confirmation"  // a pledge was made
	Modified     Kind = "modified"      // a pledge was changed
	Cancelled    Kind = "cancelled"     // a pledge was cancelled
	Charged      Kind = "charged"       // a card was charged
	UpdateCard   Kind = "update_card"   // a card could not be charged
	NewCard      Kind = "new_card"      // a card can't be charged when its campaign ends
	Dropped      Kind = "dropped"       // a pledge was given up, since its card could not be charged
	Missed       Kind = "missed"        // a campaign missed its goal
	ParcelSent   Kind = "parcel_sent"   // a parcel is on its way
	Readdressed  Kind = "readdressed"   // an operator changed where parcels go
	LostOrder    Kind = "lost_order"    // an order was lost before it became a pledge
	RunnerReport Kind = "runner_report" // what was pledged to a campaign, for those who run it
	LinksAgain   Kind = "links"         // a supporter asked for the links to all pledges

	AdminSignIn     Kind = "admin_sign_in"    // a link and a code, to somebody who runs campaigns
	AdminInvitation Kind = "admin_invitation" // somebody may run campaigns from now on
	AdminCampaign   Kind = "admin_campaign"   // somebody who runs campaigns may edit one more
	PreviewLink     Kind = "preview_link"     // somebody may look at a campaign before everybody does
	NewsTest        Kind = "news_test"        // news, to whoever writes it and nobody else
	AdminChange     Kind = "admin_change"     // how somebody signs in was changed

	// LaunchConfirmation asks whether somebody wants to be told that a campaign has begun.
	LaunchConfirmation Kind = "launch_confirmation"

	LaunchReminder Kind = "launch_reminder" // a campaign that somebody waited for has begun
	AbandonedCart  Kind = "abandoned_cart"  // a checkout was begun and not ended
	Announcement   Kind = "announcement"    // to the supporters of a campaign
	DiaryEntry     Kind = "diary"           // a campaign's diary has a new entry
	Milestone      Kind = "milestone"       // a campaign has come to a goal
	Blast          Kind = "blast"           // written by a campaign's operator
)

// Message is a mail that is ready to be queued.
type Message struct {
	Kind Kind
	// Identity is what makes it this mail, such as "confirmation:pw-…": whatever
	// is queued under it first is the one that is sent.
	Identity string
	To       string // one address, as pledge.ParseEmail returns it
	Lang     string // of the text, such as "en"
	Subject  string // one line
	Text     string // plain text, lines ended by "\n"
	HTML     string // the same for readers that show it; "" where there is text alone
	// Campaign is the slug of the one whose mail it is; "" where it is about none, or several.
	Campaign string
	// Unsubscribe is the absolute address that stops more of these (RFC 8058). Reminders
	// and updates have one.
	Unsubscribe string
	// Attachment is a file that comes with it; without a name there is none.
	Attachment Attachment
	// NotAfter is when it is too old to be sent; zero where it never is.
	NotAfter time.Time
	// Claim is what has to hold when the mail is sent; nil for mails that may be sent at any
	// time.
	Claim *Claim

	draft *draft // what it was made of; nil for a mail that others wrote
}

// unchanged reports whether the HTML is still what was made of the draft.
func (m Message) unchanged() bool { return m.draft != nil && m.HTML == m.draft.written }

const (
	maxIdentity = 400
	maxSubject  = 200
	maxText     = 256 << 10
)

// Check fails with code Invalid, and the field's name, for what no Sender could deliver, or
// what would let a text reach into a mail's header.
func (m Message) Check() error {
	if m.Kind == "" {
		return fault.New(fault.Invalid, "A mail has a kind").In("kind")
	}
	if m.Identity == "" || len(m.Identity) > maxIdentity {
		return fault.New(fault.Invalid, "A mail has an identity of 1 to %d bytes", maxIdentity).In("identity")
	}
	if _, err := pledge.ParseEmail(m.To); err != nil || strings.ToLower(strings.TrimSpace(m.To)) != m.To {
		return fault.New(fault.Invalid, "A mail goes to one plain address").In("to")
	}
	if m.Subject == "" || len(m.Subject) > maxSubject || m.Subject != plain(m.Subject) {
		return fault.New(fault.Invalid, "A subject is one line of 1 to %d bytes", maxSubject).In("subject")
	}
	if m.Text == "" || len(m.Text) > maxText || !utf8.ValidString(m.Text) {
		return fault.New(fault.Invalid, "A mail has a text of 1 to %d bytes", maxText).In("text")
	}
	return m.Attachment.check()
}

// MaxAttachment is how many bytes an attachment has at most: providers take more, mailboxes
// often do not.
const MaxAttachment = 4 << 20

// attachmentName reports whether no header has to quote a name.
func attachmentName(s string) bool {
	base, ok := strings.CutSuffix(s, ".csv")
	return ok && base != "" && base[0] != '.' && strings.Trim(base, "abcdefghijklmnopqrstuvwxyz0123456789.-") == ""
}

func (a Attachment) check() error {
	switch {
	case a == Attachment{}:
		return nil
	case !attachmentName(a.Name) || len(a.Name) > maxSubject:
		return fault.New(fault.Invalid, "An attachment's name is of small letters, digits, dots and hyphens, and ends in .csv").In("attachment.name")
	case a.Text == "" || len(a.Text) > MaxAttachment || !utf8.ValidString(a.Text):
		return fault.New(fault.Invalid, "An attachment has a text of 1 to %d bytes", MaxAttachment).In("attachment.text")
	}
	return nil
}

// plain makes one line of a text that others wrote: without control characters
// and direction marks, which could forge a header or disguise what is said.
func plain(s string) string {
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

// subject is plain text cut to what a subject may hold.
func subject(s string) string {
	s = plain(s)
	for len(s) > maxSubject {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return strings.TrimSpace(s)
}
