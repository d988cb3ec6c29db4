// Package mailtext composes the service's emails: their wording in each language, their layout,
// and the links in them.
//
//	m, err := mailtext.ConfirmationMail(p, c, links, zone, now)
//	if err != nil {
//		return err
//	}
//	return outbox.Queue(ctx, m)
//
// Each kind of mail has a function that returns a notify.Message, such as ConfirmationMail,
// ChargedMail or NewsMail. A message is built from blocks, from which both its plain text and its
// HTML are rendered, so the two always have the same content. Links open a page but change nothing,
// so that mail scanners that follow them do no harm. The HTML has no scripts and loads nothing
// except the site's own images in a campaign's news.
//
// A queued message is stored as a draft, which RenderHTML renders when it is sent: it is the
// Render function of the Outbox.
//
// # Languages
//
// The folder messages has one file per language, in the format of package locale. A new
// language is a new file. Its message clock is a layout of package time, such as "15:04".
// Links lead to the pages below the language's code, such as /es/manage/; those of English
// are at the root.
//
// # Errors
//
// The functions fail with code fault.Invalid, and the field's name, for a message that could not be
// sent, and for pledges or campaigns that do not fit the kind of mail.
package mailtext
