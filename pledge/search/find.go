package search

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// MaxQuery is the maximum length of a search text, and maxCursor that of a cursor, in bytes.
const (
	MaxQuery  = pledge.MaxEmail
	maxCursor = 2 * kv.MaxKey
)

// maxWalk is the maximum number of pledges of an address that are read for one page.
const maxWalk = 200

// Page is one page of results.
type Page struct {
	Pledges []*pledge.Pledge
	// Next is the cursor of the next page, "" on the last page. A page may be short or
	// empty and still have a next one.
	Next string
}

// Parts of a search, in order. A cursor begins with the part with which the next page continues.
const (
	wholePart = "a" // pledges of a whole address, from its list
	emailPart = "e" // addresses with the prefix
	namePart  = "n" // names with the prefix
	cardPart  = "c" // cards with the last four digits
)

var parts = []string{wholePart, emailPart, namePart, cardPart}

// Find returns the pledges of a campaign that match a text: an order ID, the beginning of an
// address, the beginning of a name at any of its words or, if cards is set, the last four digits of
// a card. An empty text matches all pledges, sorted by address. Find returns each pledge once. It
// writes nothing, and the number of reads per page is limited.
//
// It fails with code Invalid and the field q if the text is too long, and with Invalid and the
// field cursor if the cursor is not valid.
func (x Index) Find(ctx context.Context, slug, text string, cards bool, cursor string, limit int) (Page, error) {
	part, at, err := parseCursor(cursor)
	if err != nil {
		return Page{}, err
	}
	f, err := x.newFinder(slug, text)
	if err != nil {
		return Page{}, err
	}
	if f.order != "" {
		return f.byOrder(ctx)
	}
	if !cards {
		f.card = ""
	}
	var page Page
	for i := slices.Index(parts, part); i < len(parts); i, at = i+1, "" {
		if len(page.Pledges) >= limit {
			page.Next = parts[i] + ":"
			return page, nil
		}
		found, next, err := f.findPart(ctx, parts[i], at, limit-len(page.Pledges))
		if err != nil {
			return Page{}, err
		}
		page.Pledges = append(page.Pledges, found...)
		if next != "" {
			page.Next = parts[i] + ":" + next
			return page, nil
		}
	}
	return page, nil
}

// FindInAll returns the pledges to all campaigns with an order ID, or of a whole address, newest
// first. It fails with code Invalid and the field q for other texts, and otherwise like Find.
func (x Index) FindInAll(ctx context.Context, text, cursor string, limit int) (Page, error) {
	_, at, err := parseCursor(cursor)
	if err != nil {
		return Page{}, err
	}
	f, err := x.newFinder("", text)
	if err != nil {
		return Page{}, err
	}
	if f.order != "" {
		return f.byOrder(ctx)
	}
	if f.whole == "" {
		return Page{}, fault.New(fault.Invalid, "Choose a campaign, or search for a whole address or an order ID").In("q")
	}
	found, next, err := f.byAddress(ctx, at, limit)
	if next != "" {
		next = wholePart + ":" + next
	}
	return Page{Pledges: found, Next: next}, err
}

// IsExact reports whether a text is an order ID or a whole address, which FindInAll requires.
func IsExact(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	if _, err := pledge.OrderOf(text); err == nil {
		return true
	}
	_, err := pledge.ParseEmail(text)
	return err == nil
}

func parseCursor(cursor string) (part, at string, err error) {
	if cursor == "" {
		return wholePart, "", nil
	}
	part, at, ok := strings.Cut(cursor, ":")
	if !ok || !slices.Contains(parts, part) || len(at) > maxCursor || strings.ContainsFunc(at, unicode.IsControl) {
		return "", "", fault.New(fault.Invalid, "Invalid cursor").In("cursor")
	}
	return part, at, nil
}

// finder is one search with its parsed text.
type finder struct {
	Index
	slug  string // "" for every campaign
	order string // the order ID, or ""
	whole string // the whole address, or ""
	email string // the prefix of an address
	name  string // the prefix of a name, or ""
	card  string // the four digits, or ""
}

func (x Index) newFinder(slug, text string) (finder, error) {
	f := finder{Index: x, slug: slug}
	if len(text) > MaxQuery {
		return f, fault.New(fault.Invalid, "A search text can have at most %d bytes", MaxQuery).In("q")
	}
	f.email = strings.ToLower(strings.TrimSpace(text))
	if _, err := pledge.OrderOf(f.email); err == nil {
		f.order = f.email
		return f, nil
	}
	f.whole, _ = pledge.ParseEmail(f.email)
	if !strings.Contains(f.email, "@") {
		f.name = fold(f.email)
	}
	if len(f.email) == 4 && !strings.ContainsFunc(f.email, func(r rune) bool { return r < '0' || r > '9' }) {
		f.card = f.email
	}
	return f, nil
}

// findPart returns a page of one part of the search, starting at a cursor, and the next cursor.
func (f finder) findPart(ctx context.Context, part, at string, limit int) ([]*pledge.Pledge, string, error) {
	switch {
	case part == wholePart && f.whole != "":
		return f.byAddress(ctx, at, limit)
	case part == emailPart && !strings.ContainsFunc(f.email, unicode.IsControl):
		return f.byTerm(ctx, emailTerm+f.email, at, limit)
	case part == namePart && f.name != "":
		return f.byTerm(ctx, nameTerm+cut(f.name), at, limit)
	case part == cardPart && f.card != "":
		return f.byTerm(ctx, cardTerm+f.card, at, limit)
	}
	return nil, "", nil
}

// readPledge reads a pledge. It returns nil if the pledge is to another campaign or has no record.
func (f finder) readPledge(ctx context.Context, id string) (*pledge.Pledge, error) {
	p, there, err := kv.Read[pledge.Pledge](ctx, f.Store, pledge.Key(id))
	if err != nil || !there || f.slug != "" && p.CampaignSlug != f.slug {
		return nil, err
	}
	return &p, nil
}

// byOrder finds the pledge with the ID or, for the ID of an order that covers several campaigns,
// its pledge to the campaign.
func (f finder) byOrder(ctx context.Context) (page Page, err error) {
	ids := []string{f.order}
	if f.slug != "" {
		ids = append(ids, pledge.IDFor(f.order, f.slug, true))
	}
	for _, id := range ids {
		p, err := f.readPledge(ctx, id)
		if err != nil {
			return Page{}, err
		}
		if p != nil {
			page.Pledges = append(page.Pledges, p)
		}
	}
	return page, nil
}

// byAddress finds the pledges on an address's lists, newest first, starting at a cursor, which is
// the number of pledges read so far.
func (f finder) byAddress(ctx context.Context, at string, limit int) (found []*pledge.Pledge, next string, err error) {
	from := 0
	if at != "" {
		if from, err = strconv.Atoi(at); err != nil || from < 0 {
			return nil, "", fault.New(fault.Invalid, "Invalid cursor").In("cursor")
		}
	}
	var ids []string
	for _, spelling := range pledge.EmailSpellings(f.whole) {
		list, _, err := kv.Read[[]string](ctx, f.Store, pledge.EmailKey(spelling))
		if err != nil {
			return nil, "", err
		}
		ids = append(list, ids...)
	}
	slices.Reverse(ids)
	for i := min(from, len(ids)); i < len(ids) && err == nil; i++ {
		if len(found) >= limit || i-from >= maxWalk {
			return found, strconv.Itoa(i), nil
		}
		var p *pledge.Pledge
		if p, err = f.readPledge(ctx, ids[i]); p != nil {
			found = append(found, p)
		}
	}
	return found, "", err
}

// byTerm finds the pledges that have a term with the prefix. It skips those that an earlier part of
// the search, or an earlier term with the prefix, finds.
func (f finder) byTerm(ctx context.Context, prefix, at string,
	limit int) (found []*pledge.Pledge, next string, err error) {
	list, err := f.Store.List(ctx, kv.Query{Prefix: prefixOf(f.slug) + prefix, Cursor: at, Limit: limit, KeysOnly: true})
	if err != nil {
		return nil, "", err
	}
	for _, e := range list.Entries {
		term, id, ok := parseKey(f.slug, e.Key)
		if !ok {
			continue
		}
		p, err := f.readPledge(ctx, id)
		if err != nil {
			return nil, "", err
		}
		if p != nil && !f.foundEarlier(p, prefix) && firstTerm(p, prefix) == term {
			found = append(found, p)
		}
	}
	return found, list.Next, nil
}

// foundEarlier reports whether an earlier part of the search finds the pledge.
func (f finder) foundEarlier(p *pledge.Pledge, prefix string) bool {
	if strings.HasPrefix(prefix, emailTerm) {
		return f.whole != "" && pledge.DeliveryEmail(p.Email) == f.whole
	}
	if strings.HasPrefix(prefix, cardTerm) && f.name != "" && firstTerm(p, nameTerm+cut(f.name)) != "" {
		return true
	}
	return strings.HasPrefix(p.Email, f.email)
}

// firstTerm returns a pledge's first term with the prefix, or "".
func firstTerm(p *pledge.Pledge, prefix string) string {
	for _, term := range termsOf(p) {
		if strings.HasPrefix(term, prefix) {
			return term
		}
	}
	return ""
}
