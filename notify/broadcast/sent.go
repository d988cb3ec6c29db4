//go:build !js

package broadcast

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
)

// Sent is a message to a campaign's supporters as its operator wrote it.
type Sent struct {
	N    int         `json:"n"` // from 1, in the order in which a campaign's were sent
	ID   string      `json:"id"`
	Kind notify.Kind `json:"category"`
	Words
	SentAt time.Time `json:"sentAt"`
}

// maxSent is how many of them an answer has at most.
const maxSent = 50

// Remember takes down what an operator is about to send, once for each broadcast.
func (s *Service) Remember(ctx context.Context, m Message, w Words) error {
	cmd := remember{Sent{ID: ID(m.Identity), Kind: m.Kind, Words: w}}
	_, err := kv.Send[none](ctx, s.Coordinator, object(sentName(m.Campaign)), "remember:"+cmd.ID, cmd)
	return err
}

// Sent returns what was sent to a campaign's supporters, the newest first: at most limit of
// those before a number, or of all where that is 0.
func (s *Service) Sent(ctx context.Context, campaign string, before, limit int) ([]Sent, error) {
	return kv.Ask[[]Sent](ctx, s.Coordinator, object(sentName(campaign)), listSent{before, min(max(limit, 1), maxSent)})
}

// sentName names the object of a campaign's; no broadcast's ID has a colon.
func sentName(campaign string) string { return "sent:" + campaign }

// The keys of its state.
const (
	sentCount  = "sent"
	sentPrefix = "sent/"
	sentByID   = "sent-id/"
)

func sentKey(n int) string { return fmt.Sprintf("%s%08d", sentPrefix, n) }

type remember struct{ Sent }

func (remember) Kind() string { return "remember" }

func runRemember(tx kv.Tx, now time.Time, cmd remember) (none, error) {
	_, known, err := kv.Load[int](tx, sentByID+cmd.ID)
	if err != nil || known {
		return none{}, err
	}
	n, _, err := kv.Load[int](tx, sentCount)
	if err != nil {
		return none{}, err
	}
	cmd.N, cmd.SentAt = n+1, now.UTC()
	if err := kv.Keep(tx, sentCount, cmd.N); err != nil {
		return none{}, err
	}
	if err := kv.Keep(tx, sentByID+cmd.ID, cmd.N); err != nil {
		return none{}, err
	}
	return none{}, kv.Keep(tx, sentKey(cmd.N), cmd.Sent)
}

type listSent struct {
	Before int `json:"before"`
	Limit  int `json:"limit"`
}

func (listSent) Kind() string { return "sent" }

func runListSent(tx kv.Tx, _ time.Time, q listSent) ([]Sent, error) {
	n, _, err := kv.Load[int](tx, sentCount)
	if err != nil {
		return nil, err
	}
	if q.Before > 0 {
		n = min(n, q.Before-1)
	}
	all := []Sent{}
	for ; n > 0 && len(all) < q.Limit; n-- {
		one, there, err := kv.Load[Sent](tx, sentKey(n))
		if err != nil {
			return nil, err
		}
		if there {
			all = append(all, one)
		}
	}
	return all, nil
}

func registerSent(c *kv.Class) {
	kv.OnRepeatable(c, runRemember)
	kv.OnQuery(c, runListSent)
}
