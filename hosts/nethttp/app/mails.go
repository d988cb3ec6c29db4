package app

import (
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
)

var errNoProvider = errors.New("no email provider is configured: in live mode all mails stay in the outbox; " +
	"set EMAIL_API_KEY to a Resend key, POSTMARK_SERVER_TOKEN to a Postmark token, SES_SECRET_ACCESS_KEY to the secret of an Amazon SES access key, or SMTP_URL to a mail server")

// CheckMail returns an error if, in live mode, no mail provider or mail server is configured
// correctly. In other modes it returns nil, because mails can be written to a folder.
func CheckMail(c config.Config) error {
	if c.Mode.App != psp.Live {
		return nil
	}
	_, err := openMail(Options{Config: c, Now: time.Now}.providers())
	return err
}
