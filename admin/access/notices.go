package access

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
)

const noticePrefix = "access/notice/"

// notice is owed to a user: something about how they sign in was changed, as ASVS 5.0 asks
// for in 6.3.7. It is kept with the change, until its mail is in the outbox.
type notice struct {
	ID    string              `json:"id"`
	Email string              `json:"email"`
	Name  string              `json:"name,omitempty"`
	Lang  string              `json:"lang,omitempty"`
	What  notify.SignInChange `json:"what"`
}

// noticeOf is one under an identity that no other change has.
func noticeOf(u User, what notify.SignInChange, identity string) notice {
	return notice{hash(identity), u.Email, u.Name, u.Lang, what}
}

// owe keeps a notice. A server of the release before asks for none.
func owe(tx kv.Tx, n notice) error {
	if n.ID == "" {
		return nil
	}
	return kv.Keep(tx, noticePrefix+n.ID, n)
}

type owed struct{}

func (owed) Kind() string { return "access-owed" }

func runOwed(tx kv.Tx, _ time.Time, _ owed) ([]notice, error) {
	entries, err := tx.List(noticePrefix, "", atOnce)
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

// told forgets a notice.
type told struct {
	ID string `json:"id"`
}

func (told) Kind() string { return "access-told" }

func runTold(tx kv.Tx, _ time.Time, cmd told) (none, error) {
	return none{}, tx.Delete(noticePrefix + cmd.ID)
}

// tell mails a notice, once.
func (s *Service) tell(ctx context.Context, n notice) error {
	m, err := notify.SignInChangedOf(notify.SignIn{
		To: n.Email, Name: n.Name, Lang: n.Lang, Link: s.Links.Dashboard(n.Lang), Identity: "sign-in-changed:" + n.ID,
	}, n.What, s.Links.Platform)
	if err != nil {
		return err
	}
	if err := s.Outbox.Queue(ctx, m); err != nil {
		return err
	}
	_, err = kv.Send[none](ctx, s.Coordinator, s.Object, "access-told:"+n.ID, told{n.ID})
	return err
}

// tellOwed mails what a crash has kept back.
func (s *Service) tellOwed(ctx context.Context) error {
	all, err := kv.Ask[[]notice](ctx, s.Coordinator, s.Object, owed{})
	if err != nil {
		return err
	}
	for _, n := range all {
		if err := s.tell(ctx, n); err != nil {
			return err
		}
	}
	return nil
}
