package broadcast_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

var recipients = flag.Int("recipients", 10_000, "number of recipients in TestStep_LostAnswersAtScale")

// lossyProvider accepts five requests per second of virtual time. It loses one response in a
// hundred, and one request in a hundred before reading it. It can remember keys for a day.
type lossyProvider struct {
	now    func() time.Time
	chance *rand.Rand
	keys   map[string]request // nil if it remembers none
	got    []uint8            // number of mails received, by recipient

	requests, lost int
	wrong          []string
}

type request struct {
	content uint64
	at      time.Time
}

func (p *lossyProvider) MaxBatch() int { return 100 }

func (p *lossyProvider) Send(ctx context.Context, m notify.Mail) (notify.Receipt, error) {
	rs, err := p.SendBatch(ctx, m.Key, []notify.Mail{m})
	if err != nil {
		return notify.Receipt{}, err
	}
	return rs[0], nil
}

func (p *lossyProvider) SendBatch(_ context.Context, key string, mails []notify.Mail) ([]notify.Receipt, error) {
	p.requests++
	if p.chance.IntN(100) == 0 {
		p.lost++
		return nil, errors.New("the connection breaks")
	}
	p.take(key, mails)
	if p.chance.IntN(100) == 0 {
		p.lost++
		return nil, errors.New("no answer")
	}
	rs := make([]notify.Receipt, len(mails))
	for i, m := range mails {
		rs[i] = notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}
	}
	return rs, nil
}

func (p *lossyProvider) take(key string, mails []notify.Mail) {
	h := fnv.New64a()
	for _, m := range mails {
		h.Write([]byte(m.Key + "\n" + m.To + "\n" + m.Subject + "\n" + m.Text + "\n"))
	}
	now := request{h.Sum64(), p.now()}
	if before, known := p.keys[key]; known && now.at.Sub(before.at) < 24*time.Hour {
		if before.content != now.content {
			p.wrong = append(p.wrong, key)
		}
		return
	}
	if p.keys != nil {
		p.keys[key] = now
	}
	for _, m := range mails {
		var i int
		if _, err := fmt.Sscanf(m.To, "p%d@", &i); err != nil {
			p.wrong = append(p.wrong, m.To)
			continue
		}
		p.got[i]++
	}
}

type lossyRememberer struct{ *lossyProvider }

func (lossyRememberer) Remembers() time.Duration { return 24 * time.Hour }

// One response in a hundred is lost, and the server crashes at one command in fifty. With keys
// each member gets the mail once. Without keys no member gets it twice, at most one chunk is
// Ambiguous for each loss and each crash, and all Ambiguous members are listed.
func TestStep_LostAnswersAtScale(t *testing.T) {
	n := *recipients
	for _, keys := range []bool{true, false} {
		w := newFixture(false)
		p := &lossyProvider{now: func() time.Time { return w.now }, chance: rand.New(rand.NewPCG(uint64(n), 16)),
			got: make([]uint8, n)}
		w.Audience, w.Sender, w.Pace.Interval = audienceSize(n), p, time.Second/5
		if keys {
			p.keys = map[string]request{}
			w.Sender = lossyRememberer{p}
		}
		launched := launch(t, w, "blast:1")
		deaths := 0
		w.fail = func(op memkv.Op) error {
			if op.Kind == memkv.OpQuery || p.chance.IntN(50) > 0 {
				return nil
			}
			deaths++
			return errCut
		}
		began := w.now
		w.runToEnd(t)
		w.fail = nil
		b, err := w.Get(ctx, launched.ID)
		if err != nil || b.Phase != broadcast.Done {
			t.Fatalf("%s, %v", b.Phase, err)
		}
		doubt, unlisted := 0, 0
		states := map[broadcast.State]int{}
		for m, err := range w.Members(ctx, b.ID) {
			var i int
			if _, scan := fmt.Sscanf(m.Email, "p%d@", &i); err != nil || scan != nil {
				t.Fatal(err, scan)
			}
			states[m.State]++
			switch {
			case m.State == broadcast.Ambiguous:
				doubt++
			case m.State != broadcast.Accepted || p.got[i] == 0:
				unlisted++
			}
		}
		never, twice := 0, 0
		for _, times := range p.got {
			if times == 0 {
				never++
			}
			if times > 1 {
				twice++
			}
		}
		t.Logf("keys %t: %d recipients, %d requests in %s, %d lost or without response, %d crashes: "+
			"%d have it twice, %d do not have it, %d are Ambiguous and listed, %d have a wrong state",
			keys, n, p.requests, w.now.Sub(began).Round(time.Second), p.lost, deaths, twice, never, doubt, unlisted)
		if twice > 0 || unlisted > 0 || len(p.wrong) > 0 || keys && (never > 0 || doubt > 0) ||
			doubt > 100*(p.lost+deaths) || p.lost == 0 || deaths == 0 {
			t.Errorf("keys %t: %v, %v", keys, states, p.wrong)
		}
	}
}

// runToEnd calls Step until the broadcasts are done, without extra waits.
func (w *fixture) runToEnd(t *testing.T) {
	t.Helper()
	for range 100 * (*recipients + 1000) {
		wait, more, err := w.Step(ctx)
		switch {
		case err != nil && !errors.Is(err, errCut):
			t.Fatal(err)
		case err == nil && !more:
			return
		}
		w.now = w.now.Add(wait)
	}
	t.Fatal("the broadcasts did not finish")
}
