package notify

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// SignIn holds the data of a mail to a dashboard user.
type SignIn struct {
	Identity string // see Message
	To       string
	Name     string // display name; "" if unknown
	Lang     string
	Link     string // absolute URL of the button
	Code     string // can be typed instead of opening the link
	NotAfter time.Time
}

// SignInOf writes the mail with a sign-in link and code. It fails with code Invalid if one is
// missing.
func SignInOf(s SignIn, p Platform) (Message, error) {
	if !absolute(s.Link) || s.Code == "" {
		return Message{}, fault.New(fault.Invalid, "A sign-in mail needs an absolute link and a code").In("link")
	}
	w := catalogFor(s.Lang)
	lead := w.format("sign_in", "platform", plain(p.Name))
	return s.message(AdminSignIn, p, group{
		textParagraph(lead),
		newAction(w.format("sign_in_open", "link", s.Link), w.format("sign_in_open_button")),
		textParagraph(w.format("sign_in_code", "code", s.Code)),
		small(w.format("sign_in_tail")),
	}, lead)
}

// InvitationOf writes the mail to a new user that explains how to sign in.
func InvitationOf(s SignIn, p Platform) (Message, error) {
	if !absolute(s.Link) {
		return Message{}, fault.New(fault.Invalid, "An invitation needs an absolute link").In("link")
	}
	w := catalogFor(s.Lang)
	lead := w.format("invitation", "platform", plain(p.Name), "email", s.To)
	return s.message(AdminInvitation, p, group{
		textParagraph(lead),
		newAction(w.format("invitation_open", "link", s.Link), w.format("invitation_open_button")),
	}, lead)
}

// CampaignGivenOf writes the mail to an existing user who got access to another campaign.
func CampaignGivenOf(s SignIn, title string, p Platform) (Message, error) {
	if !absolute(s.Link) {
		return Message{}, fault.New(fault.Invalid, "A mail about a campaign needs an absolute link").In("link")
	}
	w := catalogFor(s.Lang)
	lead := w.format("campaign_given", "title", plain(title), "platform", plain(p.Name))
	return s.message(AdminCampaign, p, group{
		textParagraph(lead),
		newAction(w.format("invitation_open", "link", s.Link), w.format("invitation_open_button")),
	}, lead)
}

// PreviewOf writes the mail with a reviewer's link to a campaign's preview.
func PreviewOf(s SignIn, title string, p Platform) (Message, error) {
	if !absolute(s.Link) {
		return Message{}, fault.New(fault.Invalid, "A mail about a preview needs an absolute link").In("link")
	}
	w := catalogFor(s.Lang)
	lead := w.format("preview", "title", plain(title), "platform", plain(p.Name))
	return s.message(PreviewLink, p, group{
		textParagraph(lead),
		newAction(w.format("preview_open", "link", s.Link), w.format("preview_open_button")),
		small(w.format("preview_tail")),
	}, lead)
}

// SignInChange is a change of a user's sign-in methods.
type SignInChange string

// The changes that users are notified of.
const (
	PasskeyAdded      SignInChange = "passkey_added"
	PasskeyRemoved    SignInChange = "passkey_removed"
	RecoveryCodeUsed  SignInChange = "code_used"
	RecoveryCodesMade SignInChange = "codes_made"
	PasskeysReset     SignInChange = "passkeys_reset"
)

// SignInChangedOf writes the mail that notifies a user of a change, so that they notice
// changes they did not make.
func SignInChangedOf(s SignIn, what SignInChange, p Platform) (Message, error) {
	if !absolute(s.Link) {
		return Message{}, fault.New(fault.Invalid, "A mail about a change needs an absolute link").In("link")
	}
	w := catalogFor(s.Lang)
	lead := w.format(string(what), "platform", plain(p.Name))
	return s.message(AdminChange, p, group{
		textParagraph(lead),
		textParagraph(w.format("change_tail")),
		newAction(w.format("invitation_open", "link", s.Link), w.format("invitation_open_button")),
	}, lead)
}

func (s SignIn) message(k Kind, p Platform, blocks group, preview string) (Message, error) {
	w := catalogFor(s.Lang)
	if name := plain(s.Name); name != "" {
		blocks = append(group{textParagraph(w.format("dear", "name", name))}, blocks...)
	}
	d := draft{catalog: w, Platform: p, subject: w.format(string(k)+"_subject", "platform", plain(p.Name)), preview: preview, blocks: blocks}
	m := d.message(k, s.Identity, strings.TrimSpace(s.To))
	m.NotAfter = s.NotAfter
	return m, m.Check()
}
