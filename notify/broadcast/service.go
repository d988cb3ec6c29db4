package broadcast

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// MaxAge is how long after its launch a broadcast may still be sent.
const MaxAge = 3 * 24 * time.Hour

// maxChunk is the maximum number of members in a chunk.
const maxChunk = 100

// Audience lists a campaign's supporters.
type Audience interface {
	// Supporters yields each pledge of the campaign, oldest first. If it fails, it yields the
	// error and stops.
	Supporters(ctx context.Context, campaign string) iter.Seq2[Supporter, error]
}

// Supporter is one pledge of a supporter. All fields except Email and Lang are used only to match
// segments.
type Supporter struct {
	Email   string
	Lang    string
	Rewards []string // IDs of the rewards
	Status  string
	Country string // of the shipping address; "" for none
}

// Service launches and sends broadcasts. Suppressor, Unsubscribe and ReplyTo are optional,
// everything else is required. It is safe for concurrent use, and several Services may share
// one Coordinator.
type Service struct {
	Coordinator kv.Coordinator
	Audience    Audience
	Sender      notify.Sender
	Pace        *notify.Pace
	Suppressor  notify.Suppressor
	// Unsubscribe returns the URL that stops a campaign's mails to an address.
	Unsubscribe func(campaign, email string) (string, error)
	Now         func() time.Time
	Nonce       func() string // returns a new value on every call
	From        string
	ReplyTo     string

	mu   sync.Mutex // held during Step
	last string     // ID of the broadcast that Step last sent a request for
}

// Preview describes what a launch would send.
type Preview struct {
	Recipients int
	Hash       string // of the message, its sender and its audience
}

// Preview counts the audience and hashes the message with it. It writes nothing. It fails with
// code Invalid if the message is not valid, and with any error of the Audience.
func (s *Service) Preview(ctx context.Context, m Message) (Preview, error) {
	if err := m.check(); err != nil {
		return Preview{}, err
	}
	members, err := s.members(ctx, m)
	if err != nil {
		return Preview{}, err
	}
	hash, err := s.digest(m, members)
	return Preview{Recipients: len(members), Hash: hash}, err
}

// Launch freezes a message with its audience and returns the broadcast, or the existing one if its
// identity was launched before. An interrupted launch can be repeated.
//
// Launch fails with code Invalid if the message is not valid. It fails with code Conflict if
// another launch of the same identity takes over, or if hash is neither "" nor the hash that
// Preview would now return.
func (s *Service) Launch(ctx context.Context, m Message, hash string) (Broadcast, error) {
	if err := m.check(); err != nil {
		return Broadcast{}, err
	}
	id := ID(m.Identity)
	b, err := s.Get(ctx, id)
	if err == nil && b.Phase != Drafting {
		return b, nil
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return b, err
	}
	members, err := s.members(ctx, m)
	if err != nil {
		return b, err
	}
	if now, err := s.digest(m, members); err != nil || hash != "" && now != hash {
		if err == nil {
			err = fault.New(fault.Conflict, "The message or its audience has changed since it was previewed").In("hash")
		}
		return b, err
	}
	return s.freeze(ctx, id, m, members)
}

// freeze stores the audience in chunks and starts sending. If it is interrupted, a later launch
// starts over.
func (s *Service) freeze(ctx context.Context, id string, m Message, members []Member) (Broadcast, error) {
	by, now, to := s.Nonce(), s.Now().UTC(), object(id)
	b := Broadcast{ID: id, Message: m, From: s.From, ReplyTo: s.ReplyTo, Phase: Drafting,
		LaunchedAt: now, NotAfter: now.Add(MaxAge), DraftBy: by}
	b, err := kv.Send[Broadcast](ctx, s.Coordinator, to, "draft:"+by, startDrafting{b})
	if err != nil || b.Phase != Drafting {
		return b, err
	}
	// List the broadcast before storing members: if the launch is interrupted here, Step still
	// finds the broadcast, and Forget still removes its addresses.
	if _, err := kv.Send[none](ctx, s.Coordinator, object(activeName), "enlist:"+by, addActive{id}); err != nil {
		return b, err
	}
	size, n := s.chunkSize(), 0
	for part := range slices.Chunk(members, size) {
		if _, err := kv.Send[none](ctx, s.Coordinator, to, fmt.Sprintf("add:%s:%d", by, n),
			addChunk{By: by, N: n, Members: part}); err != nil {
			return b, err
		}
		n++
	}
	return kv.Send[Broadcast](ctx, s.Coordinator, to, "seal:"+by,
		seal{By: by, Recipients: len(members), Size: size, Chunks: n})
}

// chunkSize returns the number of members per chunk: the Sender's largest batch, at most 100. It is
// 1 if every mail needs its own request, and a crash then leaves at most one member Ambiguous.
func (s *Service) chunkSize() int {
	if b, ok := s.Sender.(notify.Batcher); ok {
		return max(1, min(maxChunk, b.MaxBatch()))
	}
	return 1
}

// members returns the audience, sorted by address: one member per address, in the language of the
// latest pledge in the message's segment.
func (s *Service) members(ctx context.Context, message Message) ([]Member, error) {
	var members []Member
	at := map[string]int{}
	for p, err := range s.Audience.Supporters(ctx, message.Campaign) {
		if err != nil {
			return nil, err
		}
		if message.Segment != nil && !message.Segment.matches(p) {
			continue
		}
		address := pledge.DeliveryEmail(p.Email)
		if i, known := at[address]; known {
			members[i].Lang = p.Lang
			continue
		}
		m := Member{Email: p.Email, Lang: p.Lang, State: Pending}
		if s.Suppressor != nil {
			m.Recipient = s.Suppressor.Address(p.Email)
		}
		if s.Unsubscribe != nil {
			if m.Unsubscribe, err = s.Unsubscribe(message.Campaign, p.Email); err != nil {
				return nil, err
			}
		}
		at[address], members = len(members), append(members, m)
	}
	slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Email, b.Email) })
	return members, nil
}

// digest returns the hexadecimal SHA-256 of a message, its sender and its audience. It excludes the
// unsubscribe URLs, which can differ between two calls.
func (s *Service) digest(m Message, members []Member) (string, error) {
	content, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("broadcast: encode message: %w", err)
	}
	h := sha256.New()
	h.Write(content)
	h.Write([]byte(strconv.Quote(s.From) + strconv.Quote(s.ReplyTo)))
	for _, p := range members {
		h.Write([]byte("\n" + strconv.Quote(p.Email) + strconv.Quote(p.Lang)))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ID returns the ID of the broadcast with an identity.
func ID(identity string) string { return notify.Hash(identity)[:32] }

func object(id string) kv.Object { return kv.Object{Class: ClassName, Name: id} }

func (m Message) check() error {
	if m.Kind.Stream() != notify.Updates {
		return fault.New(fault.Invalid, "A broadcast must be of a kind that readers can unsubscribe from").In("kind")
	}
	if m.Identity == "" || m.Campaign == "" {
		return fault.New(fault.Invalid, "A broadcast needs an identity and a campaign").In("identity")
	}
	if _, ok := m.Letters[m.Lang]; !ok {
		return fault.New(fault.Invalid, "A broadcast needs a text in its default language, %q", m.Lang).In("lang")
	}
	for _, l := range m.Letters {
		if len(l.Text) > 32<<10 || len(l.HTML) > 100<<10 {
			return fault.New(fault.Invalid,
				"A text must have 1 to 32,768 bytes, and its HTML at most 102,400").In("text")
		}
		one := notify.Message{Kind: m.Kind, Identity: m.Identity, To: "reader@example.org", Subject: l.Subject, Text: l.Text}
		if err := one.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Get returns a broadcast. It fails with code NotFound if there is none.
func (s *Service) Get(ctx context.Context, id string) (Broadcast, error) {
	return kv.Ask[Broadcast](ctx, s.Coordinator, object(id), getBroadcast{})
}

// Pause pauses a broadcast until it is resumed. A request that is already running completes. Pause
// and Resume fail with code Conflict if the broadcast is still being launched or has ended, and
// with code NotFound if there is none.
func (s *Service) Pause(ctx context.Context, id, reason string) (Broadcast, error) {
	return s.setPhase(ctx, id, setPhase{Paused, reason})
}

// Resume continues a paused broadcast.
func (s *Service) Resume(ctx context.Context, id string) (Broadcast, error) {
	return s.setPhase(ctx, id, setPhase{Sending, ""})
}

// Stop ends a broadcast permanently. A request that is already running completes. It fails with
// code Conflict if the broadcast is done, and with code NotFound if there is none.
func (s *Service) Stop(ctx context.Context, id, reason string) (Broadcast, error) {
	return s.setPhase(ctx, id, setPhase{Stopped, reason})
}

func (s *Service) setPhase(ctx context.Context, id string, cmd setPhase) (Broadcast, error) {
	return kv.Send[Broadcast](ctx, s.Coordinator, object(id), "turn:"+s.Nonce(), cmd)
}

// Members yields all members of a broadcast with their states. If it fails, it yields the error and
// stops; the error has code NotFound if there is no such broadcast.
func (s *Service) Members(ctx context.Context, id string) iter.Seq2[Member, error] {
	return func(yield func(Member, error) bool) {
		b, err := s.Get(ctx, id)
		for n := 0; err == nil && n < b.Chunks; n++ {
			var c chunk
			c, err = kv.Ask[chunk](ctx, s.Coordinator, object(id), getChunk{n})
			for _, m := range c.Members {
				if !yield(m, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(Member{}, err)
		}
	}
}

// Note implements notify.Noter.
func (s *Service) Note(ctx context.Context, e notify.Event) (notify.Noted, bool, error) {
	id, n, i, ok := parseMailKey(e.Key)
	if !ok {
		return notify.Noted{}, false, nil
	}
	r, err := kv.Send[eventMember](ctx, s.Coordinator, object(id), "note:"+notify.Hash(e.ID),
		memberEvent{N: n, I: i, Event: e.Kind, At: e.At.UTC(), Reason: e.Reason})
	if err != nil || !r.Found {
		return notify.Noted{}, false, err
	}
	return notify.Noted{Recipient: r.Recipient, Stream: notify.Updates, Campaign: r.Campaign}, true, nil
}
