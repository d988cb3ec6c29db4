package compose

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/notify/feedback"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// wireMails creates the services for suppressions, broadcasts and bounce reports.
func (s *Services) wireMails(signer token.Signer, links mailtext.Links) {
	d := s.Deps
	secret, former := emailHashKeys(d.Config.Secrets)
	s.Suppressions = &suppression.List{Store: d.Stores.Pledges, Now: d.Now, Secret: secret, Former: former}
	s.Outbox.Suppressor = s.Suppressions
	s.Unsubscribing = suppression.Links{Base: string(d.Config.Site.Worker), Signer: signer}
	s.links = links
	s.Broadcasts = &broadcast.Service{
		Coordinator: d.Coordinator, Audience: s.audience(), Sender: d.Sender, Pace: s.Outbox.Pace, Suppressor: s.Suppressions,
		Unsubscribe: s.newsUnsubscribe, Now: d.Now, Nonce: s.nonce, From: s.Outbox.News, ReplyTo: s.Outbox.ReplyTo,
	}
	s.Drafts = &broadcast.Drafts{Store: d.Stores.Pledges, Coordinator: d.Coordinator, Now: d.Now}
	s.Feedback = &feedback.Service{
		Store: d.Stores.Pledges, Now: d.Now, Observers: []notify.Noter{s.Outbox, s.Broadcasts},
		Suppress: func(ctx context.Context, address string, reason suppression.Reason) error {
			return s.Suppressions.Add(ctx, suppression.Scope{}, address, reason)
		},
	}
}

// pauseMails stops reminders and updates if the bounce or complaint rate endangers the mail
// account. They stay stopped until an operator resumes them.
func (s *Services) pauseMails(ctx context.Context) error {
	problem, err := s.Feedback.RateProblem(ctx)
	if err != nil || problem == "" {
		return err
	}
	for _, stream := range []notify.Stream{notify.Reminders, notify.Updates} {
		_, err := s.Outbox.Switch().Stop(ctx, stream, problem)
		if err != nil {
			return err
		}
	}
	return nil
}

// emailHashKeys returns the key for hashing email addresses and the former keys. The key derived
// from the link secret is always one of them, so that an operator can set a separate key later.
func emailHashKeys(c config.Secrets) (secret []byte, former [][]byte) {
	h := hmac.New(sha256.New, []byte(c.MagicLink.Reveal()))
	h.Write([]byte("email-hash"))
	made := h.Sum(nil)
	if !c.EmailHash.IsSet() {
		secret = made
	} else {
		secret, former = []byte(c.EmailHash.Reveal()), [][]byte{made}
	}
	if c.FormerEmailHash.IsSet() {
		former = append(former, []byte(c.FormerEmailHash.Reveal()))
	}
	return secret, former
}
