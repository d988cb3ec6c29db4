package broadcast

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// DraftLife is how long a draft is kept after it was last saved.
const DraftLife = 7 * 24 * time.Hour

// maxDraft limits each text of a draft, in bytes. Drafts may be longer than messages.
const maxDraft = 40_000

// maxAudience limits the values of a draft's audience, in bytes.
const maxAudience = 10_000

// Surface is the page on which a draft is written. A campaign has one draft per surface.
type Surface string

// The surfaces.
const (
	Marketing Surface = "marketing"
	Blasts    Surface = "blast"
)

// Drafts stores the messages that a campaign's operators are writing together. Each draft is stored
// in an object that detects concurrent edits, so that a stale page cannot overwrite newer text. The
// Store has a read-only copy under DraftKey. All fields are required.
type Drafts struct {
	Store       kv.Store // the primary namespace
	Coordinator kv.Coordinator
	Now         func() time.Time
}

// Words is the content of a draft. All fields may be empty.
type Words struct {
	Subject string `json:"subject"`
	Body    string `json:"body"` // Markdown
	Label   string `json:"ctaLabel"`
	URL     string `json:"ctaUrl"`
}

// Draft is a message that is being written.
type Draft struct {
	// Revision must be given to save the draft, and changes with every save; "" if there is
	// no draft.
	Revision string `json:"revision"`
	Words
	Audience Segment    `json:"audience,omitzero"` // recipients of the message
	SavedAt  *time.Time `json:"savedAt,omitempty"`
}

// DraftKey returns the key of a draft's copy.
func DraftKey(campaign string, s Surface) string {
	return "admin-marketing-draft:" + campaign + ":" + string(s)
}

// draftName returns the name of a draft's object. IDs of broadcasts contain no colon.
func draftName(campaign string, s Surface) string { return "draft:" + campaign + ":" + string(s) }

// Load returns a campaign's draft, or one without a Revision if there is none. It writes
// nothing. It fails with code Invalid for an unknown surface.
func (d *Drafts) Load(ctx context.Context, campaign string, s Surface) (Draft, error) {
	if err := s.check(); err != nil {
		return Draft{}, err
	}
	return kv.Ask[Draft](ctx, d.Coordinator, object(draftName(campaign, s)), readDraft{})
}

// Save replaces the content of the given revision, and returns the draft with its new
// revision. It fails with code Conflict if the draft was saved or cleared since, and with
// code Invalid, and the field's name, for an unknown surface and for a text or an audience that is
// too long.
func (d *Drafts) Save(ctx context.Context, campaign string, s Surface, revision string,
	w Words, audience Segment) (Draft, error) {
	if err := w.check(); err != nil {
		return Draft{}, err
	}
	if audience.size() > maxAudience {
		return Draft{}, fault.New(fault.Invalid, "A draft's audience must not exceed %d bytes", maxAudience).In("audience")
	}
	return d.change(ctx, campaign, s, writeDraft{Revision: revision, Words: &w, Audience: audience})
}

// Clear deletes the draft of the given revision. It fails with code Conflict if the draft was saved
// or cleared since, and with code Invalid for an unknown surface.
func (d *Drafts) Clear(ctx context.Context, campaign string, s Surface, revision string) error {
	_, err := d.change(ctx, campaign, s, writeDraft{Revision: revision})
	return err
}

// change applies a change to the object and then updates the copy. Repeating a change, for example
// because its response was lost, returns the same result.
func (d *Drafts) change(ctx context.Context, campaign string, s Surface, cmd writeDraft) (Draft, error) {
	if err := s.check(); err != nil {
		return Draft{}, err
	}
	now, err := kv.Send[storedDraft](ctx, d.Coordinator, object(draftName(campaign, s)), "draft", cmd)
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
		return fault.New(fault.Invalid, "A draft's surface must be marketing or blast").In("surface")
	}
	return nil
}

func (w Words) check() error {
	for _, part := range []struct{ field, text string }{{"subject", w.Subject}, {"body", w.Body},
		{"ctaLabel", w.Label}, {"ctaUrl", w.URL}} {
		if len(part.text) > maxDraft {
			return fault.New(fault.Invalid, "A draft's texts must not exceed %d bytes each", maxDraft).In(part.field)
		}
	}
	return nil
}

// draftKey is the key of a draft in its object. draftCount is the key of the number of revisions so
// far; counting them ensures that no revision is used twice.
const (
	draftKey   = "draft"
	draftCount = "revisions"
)

// storedDraft is a draft as stored in its object.
type storedDraft struct {
	Draft
	From string `json:"from"` // the previous revision, to recognize a repeated change
}

// loadDraft returns the stored draft, or a zero one if there is none or it has expired.
func loadDraft(tx kv.Tx, now time.Time) (storedDraft, error) {
	d, _, err := kv.Load[storedDraft](tx, draftKey)
	if err != nil || d.SavedAt != nil && !now.Before(d.SavedAt.Add(DraftLife)) {
		return storedDraft{}, err
	}
	return d, nil
}

// hasContent reports whether the draft has the given content; nil stands for no draft.
func (s storedDraft) hasContent(w *Words, audience Segment) bool {
	if w == nil || s.Revision == "" {
		return w == nil && s.Revision == ""
	}
	return s.Words == *w && s.Audience.equal(audience)
}

type readDraft struct{}

func (readDraft) Kind() string { return "read draft" }

func runReadDraft(tx kv.Tx, now time.Time, _ readDraft) (Draft, error) {
	d, err := loadDraft(tx, now)
	return d.Draft, err
}

// writeDraft saves content, or deletes the draft if Words is nil.
type writeDraft struct {
	Revision string  `json:"revision"`
	Words    *Words  `json:"words,omitempty"`
	Audience Segment `json:"audience,omitzero"`
}

func (writeDraft) Kind() string { return "write draft" }

func runWriteDraft(tx kv.Tx, now time.Time, cmd writeDraft) (storedDraft, error) {
	d, err := loadDraft(tx, now)
	switch {
	case err != nil:
		return storedDraft{}, err
	case d.From == cmd.Revision && d.hasContent(cmd.Words, cmd.Audience):
		return d, nil // a repeat
	case d.Revision != cmd.Revision:
		return storedDraft{}, fault.New(fault.Conflict,
			"This draft was changed in the meantime. Reload it before saving.").In("revision")
	case cmd.Words == nil:
		d = storedDraft{From: d.Revision}
		return d, kv.PutValue(tx, draftKey, d)
	}
	n, _, err := kv.Load[int](tx, draftCount)
	if err != nil {
		return storedDraft{}, err
	}
	if err := kv.PutValue(tx, draftCount, n+1); err != nil {
		return storedDraft{}, err
	}
	at := now.UTC()
	d = storedDraft{Draft{Revision: fmt.Sprintf("r%d", n+1), Words: *cmd.Words, Audience: cmd.Audience, SavedAt: &at},
		cmd.Revision}
	return d, kv.PutValue(tx, draftKey, d)
}
