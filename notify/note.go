package notify

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Note implements Noter. An event proves that the provider accepted the mail, so a mail that is
// still in the outbox, because its response or its record was lost, is not sent again. If queueing
// was interrupted before the delivery record was written, Note writes it.
func (o *Outbox) Note(ctx context.Context, e Event) (Noted, bool, error) {
	o.recordMu.Lock()
	defer o.recordMu.Unlock()
	d, ok, err := kv.Read[Delivery](ctx, o.Store, DeliveryKey(e.Key))
	if err != nil {
		return Noted{}, false, err
	}
	p, waiting, err := kv.Read[pending](ctx, o.Store, OutboxKey(e.Key))
	if err != nil || !ok && !waiting {
		return Noted{}, false, err
	}
	if !ok {
		if d, err = o.delivery(p, Queued); err != nil {
			return Noted{}, false, err
		}
	}
	noted := Noted{Recipient: d.Recipient, Stream: d.Kind.Stream(), Campaign: d.Campaign}
	to := "" // deleted together with the mail
	if waiting {
		to = p.Mail.To
	}
	if d.Last == nil || d.Last.At.Before(e.At) {
		d.Last = &LastEvent{Kind: e.Kind, At: e.At.UTC(), Reason: Reason(e.Reason, to)}
	}
	writes := []kv.Write{}
	if waiting {
		now := o.Now().UTC()
		d.Status, d.EndedAt, d.Attempts, d.PossiblySent = Sent, &now, max(p.Attempts, 1), p.PossiblySent
		writes = append(writes, kv.Delete(OutboxKey(e.Key)), kv.Delete(p.markerKey()))
	}
	record, err := kv.Rewrite(ctx, o.Store, DeliveryKey(e.Key), d, d.QueuedAt.Add(DeliveryLife))
	if err != nil {
		return noted, true, err
	}
	return noted, true, o.Store.Apply(ctx, append([]kv.Write{record}, writes...))
}

// finishWrites returns the writes that record a mail's final status and remove it from the
// outbox. An event that was recorded in the meantime is kept.
func (o *Outbox) finishWrites(ctx context.Context, p pending, s Status, providerID string) ([]kv.Write, error) {
	o.recordMu.Lock()
	defer o.recordMu.Unlock()
	d, err := o.delivery(p, s)
	if err != nil {
		return nil, err
	}
	now := o.Now().UTC()
	d.ProviderID, d.EndedAt = providerID, &now
	before, _, err := kv.Read[Delivery](ctx, o.Store, DeliveryKey(p.Mail.Key))
	if err != nil {
		return nil, err
	}
	d.Last = before.Last
	record, err := kv.Rewrite(ctx, o.Store, DeliveryKey(p.Mail.Key), d, d.QueuedAt.Add(DeliveryLife))
	if err != nil {
		return nil, err
	}
	return []kv.Write{record, kv.Delete(OutboxKey(p.Mail.Key)), kv.Delete(p.markerKey())}, nil
}

// LastEvent is the latest event that the provider reported about a mail.
type LastEvent struct {
	Kind   EventKind `json:"kind"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason,omitempty"`
}
