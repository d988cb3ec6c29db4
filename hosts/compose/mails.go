package compose

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/notify/feedback"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// mails puts together what decides who gets no more of them.
func (s *Services) mails(signer token.Signer) {
	d := s.Deps
	secret, former := emailHash(d.Config.Secrets)
	s.Suppressions = &suppression.List{Store: d.Stores.Pledges, Now: d.Now, Secret: secret, Former: former}
	s.Unsubscribing = suppression.Links{Base: string(d.Config.Site.Worker), Signer: signer}
	s.Feedback = &feedback.Service{
		Store: d.Stores.Pledges, Now: d.Now,
		Suppress: func(ctx context.Context, address string, reason suppression.Reason) error {
			return s.Suppressions.Add(ctx, suppression.Scope{}, address, reason)
		},
	}
}

// emailHash returns the key of the hashes of addresses, and those before it. The one made
// of the links' secret stays among them, so that an operator may set one at any time.
func emailHash(c config.Secrets) (secret []byte, former [][]byte) {
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
