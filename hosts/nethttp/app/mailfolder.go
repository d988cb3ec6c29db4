package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Mail is a mail in the folder.
type Mail struct {
	notify.Mail
	SentAt time.Time `json:"sentAt"`
	// ID is the name of the file without its extension.
	ID string `json:"id"`
}

// Folder is a Sender for development. It writes each mail to a file that mail programs can open,
// such as 20261121T010203Z-ada-example-org-your-pledge-1a2b3c4d.eml.
type Folder struct {
	Dir string
	Now func() time.Time
}

const mailSuffix = ".eml"

// Send writes the mail to a new file, or does nothing if there is already a mail with the same key.
func (f Folder) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	receipt := notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}
	sum := sha256.Sum256([]byte(m.Key))
	end := "-" + hex.EncodeToString(sum[:4]) + mailSuffix
	if sent, err := filepath.Glob(filepath.Join(f.Dir, "*"+end)); err != nil || len(sent) > 0 {
		return receipt, err
	}
	now := f.Now().UTC()
	b, err := formatMail(m, now)
	if err != nil {
		return notify.Receipt{}, err
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return notify.Receipt{}, err
	}
	name := filepath.Join(f.Dir, now.Format("20060102T150405Z")+"-"+shortSlug(m.To)+"-"+shortSlug(m.Subject)+end)
	if err := os.WriteFile(name+".new", b, 0o600); err != nil {
		return notify.Receipt{}, err
	}
	return receipt, os.Rename(name+".new", name)
}

// maxSlugPart is the maximum length of the address and of the subject in a file name, in bytes.
const maxSlugPart = 40

func shortSlug(text string) string {
	s := campaign.Slug(strings.NewReplacer("@", "-", ".", "-").Replace(text))
	return cmp.Or(strings.TrimRight(s[:min(len(s), maxSlugPart)], "-"), "x")
}

// Mails returns all mails in the folder, newest first.
func (f Folder) Mails() ([]Mail, error) {
	entries, err := os.ReadDir(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var mails []Mail
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), mailSuffix)
		if !ok {
			continue
		}
		m, err := f.Mail(id)
		if err != nil {
			return nil, err
		}
		mails = append(mails, m)
	}
	slices.SortFunc(mails, func(a, b Mail) int { return cmp.Or(b.SentAt.Compare(a.SentAt), cmp.Compare(a.Key, b.Key)) })
	return mails, nil
}

// Mail returns the mail with an ID. It fails with code NotFound if there is none.
func (f Folder) Mail(id string) (Mail, error) {
	none := fault.New(fault.NotFound, "There is no mail with this ID").In("id")
	if !fs.ValidPath(id) || strings.Contains(id, "/") {
		return Mail{}, none
	}
	b, err := os.ReadFile(filepath.Join(f.Dir, id+mailSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return Mail{}, none
	}
	if err != nil {
		return Mail{}, err
	}
	m, err := parseMail(b)
	m.ID = id
	return m, err
}
