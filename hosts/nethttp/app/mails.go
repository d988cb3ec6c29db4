package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/notify"
)

var errNoProvider = errors.New("no email provider is configured: in live mode all mails stay in the outbox; " +
	"set EMAIL_API_KEY to a Resend key, POSTMARK_SERVER_TOKEN to a Postmark token, SES_SECRET_ACCESS_KEY to the secret of an Amazon SES access key, or SMTP_URL to a mail server")

// CheckMail fails if the service could not send mails: in live mode without a correctly configured
// provider. In test mode mails are written to a folder.
func CheckMail(c config.Config) error {
	if c.Mode.App != psp.Live {
		return nil
	}
	_, err := openMail(c, time.Now)
	return err
}

// Mail is a mail in the folder.
type Mail struct {
	notify.Mail
	SentAt time.Time `json:"sentAt"`
}

// Folder is the Sender for development, which writes each mail to a file.
type Folder struct {
	Dir string
	Now func() time.Time
}

// Send writes the mail. A mail with the same key is not overwritten.
func (f Folder) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	receipt := notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}
	name := filepath.Join(f.Dir, m.Key+".json")
	if _, err := os.Stat(name); err == nil {
		return receipt, nil
	}
	b, err := json.MarshalIndent(Mail{m, f.Now().UTC()}, "", "  ")
	if err != nil {
		return notify.Receipt{}, err
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return notify.Receipt{}, err
	}
	if err := os.WriteFile(name+".new", b, 0o600); err != nil {
		return notify.Receipt{}, err
	}
	return receipt, os.Rename(name+".new", name)
}

// Mails returns all mails in the folder, newest first.
func (f Folder) Mails() ([]Mail, error) {
	entries, err := os.ReadDir(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var mails []Mail
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(f.Dir, e.Name()))
		if err != nil {
			return nil, err
		}
		var m Mail
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, err
		}
		mails = append(mails, m)
	}
	slices.SortFunc(mails, func(a, b Mail) int { return cmp.Or(b.SentAt.Compare(a.SentAt), cmp.Compare(a.Key, b.Key)) })
	return mails, err
}
