package access

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
)

const noticePrefix = "access/notice/"

// notice is a pending mail about a change to how a user signs in, as ASVS 5.0 requires
// (6.3.7). It is saved together with the change and deleted when its mail is in the outbox.
type notice struct {
	ID    string                `json:"id"`
	Email string                `json:"email"`
	Name  string                `json:"name,omitempty"`
	Lang  string                `json:"lang,omitempty"`
	What  mailtext.SignInChange `json:"what"`
}

// newNotice returns a notice. The identity must be unique to the change.
func newNotice(u User, what mailtext.SignInChange, identity string) notice {
	return notice{hash(identity), u.Email, u.Name, u.Lang, what}
}

// saveNotice saves a notice. It ignores the zero notice, which commands of the previous
// release contain.
func saveNotice(tx kv.Tx, n notice) error {
	if n.ID == "" {
		return nil
	}
	return kv.PutValue(tx, noticePrefix+n.ID, n)
}

type listNotices struct{}

func (listNotices) Kind() string { return "access-owed" }

func runListNotices(tx kv.Tx, _ time.Time, _ listNotices) ([]notice, error) {
	entries, err := tx.List(noticePrefix, "", batchSize)
	if err != nil {
		return nil, err
	}
	all := make([]notice, 0, len(entries))
	for _, e := range entries {
		n, err := kv.Decode[notice](e.Key, e.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// noticeSent deletes a notice whose mail is in the outbox.
type noticeSent struct {
	ID string `json:"id"`
}

func (noticeSent) Kind() string { return "access-told" }

func runNoticeSent(tx kv.Tx, _ time.Time, cmd noticeSent) (none, error) {
	return none{}, tx.Delete(noticePrefix + cmd.ID)
}

// queueNotice queues the mail of a notice, once.
func (s *Service) queueNotice(ctx context.Context, n notice) error {
	m, err := mailtext.SignInChangedMail(mailtext.SignIn{
		To: n.Email, Name: n.Name, Lang: n.Lang, Link: s.Links.Dashboard(n.Lang), Identity: "sign-in-changed:" + n.ID,
	}, n.What, s.Links.Platform)
	if err != nil {
		return err
	}
	if err := s.Outbox.Queue(ctx, m); err != nil {
		return err
	}
	_, err = kv.Send[none](ctx, s.Coordinator, s.Object, "access-told:"+n.ID, noticeSent{n.ID})
	return err
}

// sendPendingNotices queues the notices that a crash left unsent.
func (s *Service) sendPendingNotices(ctx context.Context) error {
	all, err := kv.Ask[[]notice](ctx, s.Coordinator, s.Object, listNotices{})
	if err != nil {
		return err
	}
	for _, n := range all {
		if err := s.queueNotice(ctx, n); err != nil {
			return err
		}
	}
	return nil
}
