package broadcast

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// DraftLife is how long a draft is kept after it was saved last.
const DraftLife = 7 * 24 * time.Hour

// maxDraft is how many bytes each text of a draft has at most. What is no message yet may
// be longer than one.
const maxDraft = 40_000

// Surface is the place in which a draft is written: each campaign has one draft in each.
type Surface string

// The surfaces.
const (
	Marketing Surface = "marketing"
	Blasts    Surface = "blast"
)

// Drafts are the messages that a campaign's operators write together. An object decides who
// was first, so that nobody's words are lost to a page that somebody has left open; a copy
// is in the Store, for reading. All fields are required.
type Drafts struct {
	Store       kv.Store // the primary namespace
	Coordinator kv.Coordinator
	Now         func() time.Time
}

// Words are what a draft holds, as far as it is written.
type Words struct {
	Subject string `json:"subject"`
	Body    string `json:"body"` // Markdown
	Label   string `json:"ctaLabel"`
	URL     string `json:"ctaUrl"`
}

// Draft is a message that is being written.
type Draft struct {
	// Revision is told when the draft is saved, and is another one at every save; "" where
	// there is no draft.
	Revision string `json:"revision"`
	Words
	SavedAt *time.Time `json:"savedAt,omitempty"`
}

// DraftKey is the key of a draft's copy.
func DraftKey(campaign string, s Surface) string {
	return "admin-marketing-draft:" + campaign + ":" + string(s)
}

// draftName names the object of a draft; no broadcast's ID has a colon.
func draftName(campaign string, s Surface) string { return "draft:" + campaign + ":" + string(s) }

// Load returns a campaign's draft, one without a Revision where there is none. It writes
// nothing. It fails with code Invalid for an unknown surface.
func (d *Drafts) Load(ctx context.Context, campaign string, s Surface) (Draft, error) {
	if err := s.check(); err != nil {
		return Draft{}, err
	}
	return kv.Ask[Draft](ctx, d.Coordinator, object(draftName(campaign, s)), readDraft{})
}

// Save puts words into the place of those that the revision is of, and returns the draft
// with its new revision. It fails with code Conflict where somebody has saved or cleared
// the draft since, and with Invalid, and the field, for what is too long.
func (d *Drafts) Save(ctx context.Context, campaign string, s Surface, revision string, w Words) (Draft, error) {
	if err := w.check(); err != nil {
		return Draft{}, err
	}
	return d.change(ctx, campaign, s, writeDraft{Revision: revision, Words: &w})
}

// Clear takes the draft away that the revision is of. It fails as Save does.
func (d *Drafts) Clear(ctx context.Context, campaign string, s Surface, revision string) error {
	_, err := d.change(ctx, campaign, s, writeDraft{Revision: revision})
	return err
}

// change has the object decide, and then writes the copy. A change that is repeated, since
// its answer was lost, is answered like the first.
func (d *Drafts) change(ctx context.Context, campaign string, s Surface, cmd writeDraft) (Draft, error) {
	if err := s.check(); err != nil {
		return Draft{}, err
	}
	now, err := kv.Send[stored](ctx, d.Coordinator, object(draftName(campaign, s)), "draft", cmd)
	if err != nil {
		return Draft{}, err
	}
	copied := kv.Delete(DraftKey(campaign, s))
	if now.Revision != "" {
		if copied, err = kv.Record(DraftKey(campaign, s), now.Draft, now.SavedAt.Add(DraftLife)); err != nil {
			return Draft{}, err
		}
	}
	return now.Draft, d.Store.Apply(ctx, []kv.Write{copied})
}

func (s Surface) check() error {
	if s != Marketing && s != Blasts {
		return fault.New(fault.Invalid, "A draft is of the surface marketing or blast").In("surface")
	}
	return nil
}

func (w Words) check() error {
	for _, part := range []struct{ field, text string }{{"subject", w.Subject}, {"body", w.Body}, {"ctaLabel", w.Label}, {"ctaUrl", w.URL}} {
		if len(part.text) > maxDraft {
			return fault.New(fault.Invalid, "A draft's texts have at most %d bytes each", maxDraft).In(part.field)
		}
	}
	return nil
}

// draftKey holds a draft in its object, draftCount how many revisions there were: they are
// never used again.
const (
	draftKey   = "draft"
	draftCount = "revisions"
)

// stored is a draft in its object.
type stored struct {
	Draft
	From string `json:"from"` // the revision before, by which a repeated change is known
}

func load(tx kv.Tx, now time.Time) (stored, error) {
	d, _, err := kv.Load[stored](tx, draftKey)
	if err != nil || d.SavedAt != nil && !now.Before(d.SavedAt.Add(DraftLife)) {
		return stored{}, err
	}
	return d, nil
}

// holds reports whether the draft is of these words; nil is of none.
func (s stored) holds(w *Words) bool {
	if w == nil || s.Revision == "" {
		return w == nil && s.Revision == ""
	}
	return s.Words == *w
}

type readDraft struct{}

func (readDraft) Kind() string { return "read draft" }

func runReadDraft(tx kv.Tx, now time.Time, _ readDraft) (Draft, error) {
	d, err := load(tx, now)
	return d.Draft, err
}

// writeDraft saves words, or clears the draft where there are none.
type writeDraft struct {
	Revision string `json:"revision"`
	Words    *Words `json:"words,omitempty"`
}

func (writeDraft) Kind() string { return "write draft" }

func runWriteDraft(tx kv.Tx, now time.Time, cmd writeDraft) (stored, error) {
	d, err := load(tx, now)
	switch {
	case err != nil:
		return stored{}, err
	case d.From == cmd.Revision && d.holds(cmd.Words):
		return d, nil // a repeat
	case d.Revision != cmd.Revision:
		return stored{}, fault.New(fault.Conflict, "Somebody else has changed this draft. Load it again before you save.").In("revision")
	case cmd.Words == nil:
		d = stored{From: d.Revision}
		return d, kv.Keep(tx, draftKey, d)
	}
	n, _, err := kv.Load[int](tx, draftCount)
	if err != nil {
		return stored{}, err
	}
	if err := kv.Keep(tx, draftCount, n+1); err != nil {
		return stored{}, err
	}
	at := now.UTC()
	d = stored{Draft{Revision: fmt.Sprintf("r%d", n+1), Words: *cmd.Words, SavedAt: &at}, cmd.Revision}
	return d, kv.Keep(tx, draftKey, d)
}
