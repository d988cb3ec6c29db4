package dispute

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// The keys of disputes in the object of all campaigns.
const (
	placePrefix = "dispute-place/"  // ID of a dispute or warning → Place
	duePrefix   = "dispute-due/"    // ID → nothing, for places with a next lookup
	progressKey = "dispute-import/" // list → Progress
)

// Place records to which campaign a dispute or an early fraud warning belongs.
type Place struct {
	ID        string `json:"id" kv:"id"` // the dispute's or the warning's
	PaymentID string `json:"paymentIntentId"`
	Slug      string `json:"slug,omitempty"`  // "" if the payment is not one of this service
	Group     string `json:"group,omitempty"` // hash of the charge group
	// NextAt is when the dispute is to be looked up next; nil for never.
	NextAt *time.Time `json:"nextAt,omitempty"`
}

// List is one of the processor's lists.
type List string

// The lists.
const (
	Disputes List = "disputes"
	Warnings List = "warnings"
)

// Progress is how far the import of a list has come. The list is read in passes, each of objects created
// after From, newest first.
type Progress struct {
	StartedAt time.Time `json:"startedAt"` // of the pass
	From      time.Time `json:"from"`
	After     string    `json:"after,omitempty"` // the last object read
	Done      bool      `json:"done"`
	// Foreign counts the objects about payments of other services, since the first import.
	Foreign int `json:"foreign"`
}

// Platform gives access to the places and the progress, in the settlement object of all campaigns.
type Platform Client

type setPlaces struct {
	Places []Place `json:"places"`
}

func (setPlaces) Kind() string { return "dispute-set-places" }

type none struct{}

func runSetPlaces(tx kv.Tx, _ time.Time, cmd setPlaces) (none, error) {
	for _, p := range cmd.Places {
		if err := kv.PutValue(tx, placePrefix+p.ID, p); err != nil {
			return none{}, err
		}
		err := tx.Delete(duePrefix + p.ID)
		if p.NextAt != nil {
			err = tx.Put(duePrefix+p.ID, []byte{})
		}
		if err != nil {
			return none{}, err
		}
	}
	return none{}, nil
}

type getPlaces struct {
	IDs []string `json:"ids"`
}

func (getPlaces) Kind() string { return "dispute-places" }

func runPlaces(tx kv.Tx, _ time.Time, q getPlaces) (map[string]Place, error) {
	found := map[string]Place{}
	for _, id := range q.IDs {
		p, ok, err := kv.Load[Place](tx, placePrefix+id)
		if err != nil {
			return nil, err
		}
		if ok {
			found[id] = p
		}
	}
	return found, nil
}

// getImport requests the state of the import, with at most Limit places whose lookup is due.
type getImport struct {
	Limit int `json:"limit"`
}

func (getImport) Kind() string { return "dispute-import" }

// Import is the state of the import: the progress of each list, the zero value before the first pass, and the
// places whose lookup is due.
type Import struct {
	Progress map[List]Progress `json:"progress"`
	Due      []Place           `json:"due"`
}

func runImport(tx kv.Tx, now time.Time, q getImport) (Import, error) {
	out := Import{Progress: map[List]Progress{}}
	for _, list := range []List{Disputes, Warnings} {
		p, _, err := kv.Load[Progress](tx, progressKey+string(list))
		if err != nil {
			return Import{}, err
		}
		out.Progress[list] = p
	}
	var err error
	out.Due, err = duePlaces(tx, now, q.Limit)
	return out, err
}

// duePlaces returns the places whose lookup is due, at most limit of them.
func duePlaces(tx kv.Tx, now time.Time, limit int) ([]Place, error) {
	due := []Place{}
	for after := ""; ; {
		rows, err := tx.List(duePrefix, after, kv.MaxPage)
		if err != nil || len(rows) == 0 {
			return due, err
		}
		for _, row := range rows {
			after = row.Key
			p, ok, err := kv.Load[Place](tx, placePrefix+strings.TrimPrefix(row.Key, duePrefix))
			if err != nil {
				return nil, err
			}
			if ok && p.NextAt != nil && !p.NextAt.After(now) {
				due = append(due, p)
			}
			if len(due) == limit {
				return due, nil
			}
		}
	}
}

// setProgress records the progress of a pass. Foreign is added to the earlier count.
type setProgress struct {
	List     List     `json:"list"`
	Progress Progress `json:"progress"`
}

func (setProgress) Kind() string { return "dispute-set-progress" }

// runSetProgress ignores the progress of a pass that another run has overtaken.
func runSetProgress(tx kv.Tx, _ time.Time, cmd setProgress) (Progress, error) {
	was, known, err := kv.Load[Progress](tx, progressKey+string(cmd.List))
	if err != nil || known && was.StartedAt.After(cmd.Progress.StartedAt) {
		return was, err
	}
	return cmd.Progress, kv.PutValue(tx, progressKey+string(cmd.List), cmd.Progress)
}

// SetPlaces records places.
func (p Platform) SetPlaces(ctx context.Context, places []Place) error {
	if len(places) == 0 {
		return nil
	}
	_, err := kv.Send[none](ctx, p.Coordinator, p.Object, "dispute-set-places:"+places[0].ID, setPlaces{Places: places})
	return err
}

// Places returns the places of these disputes or warnings that are known.
func (p Platform) Places(ctx context.Context, ids []string) (map[string]Place, error) {
	return kv.Ask[map[string]Place](ctx, p.Coordinator, p.Object, getPlaces{IDs: ids})
}

// Import returns the state of the import, with at most limit places whose lookup is due.
func (p Platform) Import(ctx context.Context, limit int) (Import, error) {
	return kv.Ask[Import](ctx, p.Coordinator, p.Object, getImport{Limit: limit})
}

// SetProgress records the progress of a list's import.
func (p Platform) SetProgress(ctx context.Context, list List, to Progress) error {
	id := fmt.Sprintf("dispute-set-progress:%s:%s", list, cmp.Or(to.After, "-"))
	_, err := kv.Send[Progress](ctx, p.Coordinator, p.Object, id, setProgress{List: list, Progress: to})
	return err
}
