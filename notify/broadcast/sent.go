package broadcast

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
)

// Sent is a message to a campaign's supporters, as its operator wrote it.
type Sent struct {
	N    int         `json:"n"` // sequence number within the campaign, from 1
	ID   string      `json:"id"`
	Kind notify.Kind `json:"category"`
	Words
	SentAt time.Time `json:"sentAt"`
	// Segment selects the supporters who got it; nil for all.
	Segment *Segment `json:"segment,omitempty"`
	// ChangeID is the ID of the request that sent the message; "" if the request had none.
	ChangeID string `json:"changeId,omitempty"`
}

// maxSent is the maximum number of messages in an answer.
const maxSent = 50

// RecordSent stores the text of a message that is about to be sent, and the ID of the request that
// sends it. It changes nothing if it was called for the same broadcast before.
func (s *Service) RecordSent(ctx context.Context, m Message, w Words, changeID string) error {
	cmd := recordSent{Sent{ID: ID(m.Identity), Kind: m.Kind, Words: w, Segment: m.Segment, ChangeID: changeID}}
	_, err := kv.Send[none](ctx, s.Coordinator, object(sentName(m.Campaign)), "remember:"+cmd.ID, cmd)
	return err
}

// Sent returns the messages that were sent to a campaign's supporters, newest first: at most
// limit of those numbered below before, or of all if before is 0.
func (s *Service) Sent(ctx context.Context, campaign string, before, limit int) ([]Sent, error) {
	return kv.Ask[[]Sent](ctx, s.Coordinator, object(sentName(campaign)), listSent{before, min(max(limit, 1), maxSent)})
}

// sentName returns the name of the object with a campaign's sent messages. IDs of broadcasts
// contain no colon.
func sentName(campaign string) string { return "sent:" + campaign }

// The keys of the object's state.
const (
	sentCount  = "sent"
	sentPrefix = "sent/"
	sentByID   = "sent-id/"
)

func sentKey(n int) string { return fmt.Sprintf("%s%08d", sentPrefix, n) }

type recordSent struct{ Sent }

func (recordSent) Kind() string { return "remember" }

func runRecordSent(tx kv.Tx, now time.Time, cmd recordSent) (none, error) {
	_, known, err := kv.Load[int](tx, sentByID+cmd.ID)
	if err != nil || known {
		return none{}, err
	}
	n, _, err := kv.Load[int](tx, sentCount)
	if err != nil {
		return none{}, err
	}
	cmd.N, cmd.SentAt = n+1, now.UTC()
	if err := kv.PutValue(tx, sentCount, cmd.N); err != nil {
		return none{}, err
	}
	if err := kv.PutValue(tx, sentByID+cmd.ID, cmd.N); err != nil {
		return none{}, err
	}
	return none{}, kv.PutValue(tx, sentKey(cmd.N), cmd.Sent)
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
	kv.OnRepeatable(c, runRecordSent)
	kv.OnQuery(c, runListSent)
}
