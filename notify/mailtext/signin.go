package mailtext

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// SignIn holds the data of a mail to a dashboard user.
type SignIn struct {
	Identity string // see notify.Message
	To       string
	Name     string // display name; "" if unknown
	Lang     string
	Link     string // absolute URL of the button
	Code     string // can be typed instead of opening the link
	NotAfter time.Time
}

// SignInMail composes the mail with a sign-in link and code. It fails with code Invalid if one is
// missing.
func SignInMail(s SignIn, p Platform) (notify.Message, error) {
	if !isAbsolute(s.Link) || s.Code == "" {
		return notify.Message{}, fault.New(fault.Invalid, "A sign-in mail needs an absolute link and a code").In("link")
	}
	w := languageFor(s.Lang)
	lead := w.Format("sign_in", "platform", notify.PlainLine(p.Name))
	return s.message(notify.AdminSignIn, p, group{
		textParagraph(lead),
		newAction(w.Format("sign_in_open", "link", s.Link), w.Format("sign_in_open_button")),
		textParagraph(w.Format("sign_in_code", "code", s.Code)),
		small(w.Format("sign_in_tail")),
	}, lead)
}

// InvitationMail composes the mail to a new user that explains how to sign in.
func InvitationMail(s SignIn, p Platform) (notify.Message, error) {
	if !isAbsolute(s.Link) {
		return notify.Message{}, fault.New(fault.Invalid, "An invitation needs an absolute link").In("link")
	}
	w := languageFor(s.Lang)
	lead := w.Format("invitation", "platform", notify.PlainLine(p.Name), "email", s.To)
	return s.message(notify.AdminInvitation, p, group{
		textParagraph(lead),
		newAction(w.Format("invitation_open", "link", s.Link), w.Format("invitation_open_button")),
	}, lead)
}

// CampaignAccessMail composes the mail to an existing user who got access to another campaign.
func CampaignAccessMail(s SignIn, title string, p Platform) (notify.Message, error) {
	if !isAbsolute(s.Link) {
		return notify.Message{}, fault.New(fault.Invalid, "A mail about a campaign needs an absolute link").In("link")
	}
	w := languageFor(s.Lang)
	lead := w.Format("campaign_given", "title", notify.PlainLine(title), "platform", notify.PlainLine(p.Name))
	return s.message(notify.AdminCampaign, p, group{
		textParagraph(lead),
		newAction(w.Format("invitation_open", "link", s.Link), w.Format("invitation_open_button")),
	}, lead, "title", notify.PlainLine(title))
}

// PreviewMail composes the mail with a reviewer's link to a campaign's preview.
func PreviewMail(s SignIn, title string, p Platform) (notify.Message, error) {
	if !isAbsolute(s.Link) {
		return notify.Message{}, fault.New(fault.Invalid, "A mail about a preview needs an absolute link").In("link")
	}
	w := languageFor(s.Lang)
	lead := w.Format("preview", "title", notify.PlainLine(title), "platform", notify.PlainLine(p.Name))
	return s.message(notify.PreviewLink, p, group{
		textParagraph(lead),
		newAction(w.Format("preview_open", "link", s.Link), w.Format("preview_open_button")),
		small(w.Format("preview_tail")),
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

// SignInChangedMail composes the mail that notifies a user of a change, so that they notice
// changes they did not make.
func SignInChangedMail(s SignIn, what SignInChange, p Platform) (notify.Message, error) {
	if !isAbsolute(s.Link) {
		return notify.Message{}, fault.New(fault.Invalid, "A mail about a change needs an absolute link").In("link")
	}
	w := languageFor(s.Lang)
	lead := w.Format(string(what), "platform", notify.PlainLine(p.Name))
	return s.message(notify.AdminChange, p, group{
		textParagraph(lead),
		textParagraph(w.Format("change_tail")),
		newAction(w.Format("invitation_open", "link", s.Link), w.Format("invitation_open_button")),
	}, lead)
}

// message composes the mail of a kind. values are the names and values that its subject needs
// besides the platform.
func (s SignIn) message(k notify.Kind, p Platform, blocks group, preview string,
	values ...string) (notify.Message, error) {
	w := languageFor(s.Lang)
	subject := w.Format(string(k)+"_subject", append(values, "platform", notify.PlainLine(p.Name))...)
	return s.messageWith(subject, k, p, blocks, preview)
}

// messageWith is message with a subject.
func (s SignIn) messageWith(subject string, k notify.Kind, p Platform, blocks group, preview string) (notify.Message, error) {
	w := languageFor(s.Lang)
	if name := notify.PlainLine(s.Name); name != "" {
		blocks = append(group{textParagraph(w.Format("dear", "name", name))}, blocks...)
	}
	d := draft{language: w, Platform: p, subject: subject, preview: preview, blocks: blocks}
	m := d.message(k, s.Identity, strings.TrimSpace(s.To))
	m.NotAfter = s.NotAfter
	return m, m.Check()
}
