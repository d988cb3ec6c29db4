package site

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Options are what a site is made of.
type Options struct {
	// Content is the content repository: the site file, and what the pages show from
	// /assets/.
	Content fs.FS
	Config  config.Config
	// Images keeps pictures that were made smaller, from one build to the next; nil
	// keeps them in memory.
	Images ImageCache
	// Events says that the service streams live numbers, at /live/{slug}/events.
	Events bool
}

// Builder makes the site again and again, and keeps what did not change. It is not
// safe for concurrent use.
type Builder struct {
	content  fs.FS
	config   config.Config
	settings settings
	tongues  []tongue
	look     look
	events   bool
	images   *pictures
	assets   *assets
	cards    *cards
	zones    map[string]string   // as page.ZoneNames
	pages    map[string]rendered // of campaigns, by slug
}

// rendered are a campaign's finished files, good as long as the key is the same.
type rendered struct {
	key   string
	files map[string]File
}

// New reads the settings, messages and templates. It fails with everything that is
// wrong in them.
func New(o Options) (*Builder, error) {
	s, err := readSettings(o.Content)
	if err != nil {
		return nil, err
	}
	tongues, err := readTongues()
	if err != nil {
		return nil, err
	}
	b := &Builder{content: o.Content, config: o.Config, settings: s, tongues: tongues, events: o.Events, pages: map[string]rendered{}}
	b.images = newPictures(o.Content, o.Images)
	if b.assets, err = readAssets(s.theme()); err != nil {
		return nil, err
	}
	if b.cards, err = newCards(); err != nil {
		return nil, err
	}
	b.look, err = readLook(b)
	return b, err
}

// Build makes the site of a catalogue as it is at a time, which decides what is
// upcoming, live and ended. It fails with every page that cannot be made.
func (b *Builder) Build(catalogue *campaign.Catalogue, now time.Time) (*Tree, error) {
	e := b.edition(catalogue, now)
	for _, c := range catalogue.Campaigns() {
		if c.Public() && (!c.TestOnly || b.config.Mode.App == psp.Test) {
			e.campaigns = append(e.campaigns, c)
		}
		if c.PreviewEnabled && !c.Archived() {
			e.previews = append(e.previews, c.Slug)
		}
	}
	slices.SortStableFunc(e.campaigns, e.order)
	return e.tree, e.make()
}

// edition begins one, without campaigns.
func (b *Builder) edition(catalogue *campaign.Catalogue, now time.Time) *edition {
	e := &edition{Builder: b, now: now, zone: b.config.Site.Timezone.Location(), tree: &Tree{files: map[string]File{}, by: b},
		addOns: catalogue.AddOns(), addOnFiles: catalogue.AddOnReferences(), lowStock: catalogue.LowStock()}
	b.images.begin()
	b.zones = zoneNames(e.zone, now.Year())
	return e
}

// edition is one build.
type edition struct {
	*Builder
	now       time.Time
	zone      *time.Location
	tree      *Tree
	campaigns []*campaign.Campaign // those that everybody may see
	previews  []string             // the slugs of those that some may see
	addOns    []campaign.AddOn
	// addOnFiles are those that the add-ons' descriptions show.
	addOnFiles []campaign.Reference
	lowStock   int
}

// order puts first what ends first, then what begins first, then what ended last.
func (e *edition) order(a, b *campaign.Campaign) int {
	rank := map[campaign.State]int{campaign.Live: 0, campaign.Upcoming: 1, campaign.Ended: 2}
	x, y := a.State(e.now, e.zone), b.State(e.now, e.zone)
	if x != y {
		return cmp.Compare(rank[x], rank[y])
	}
	if x == campaign.Ended {
		a, b = b, a
	}
	if x == campaign.Upcoming {
		return a.StartsAt(e.zone).Compare(b.StartsAt(e.zone))
	}
	return a.EndsAt(e.zone).Compare(b.EndsAt(e.zone))
}

func (e *edition) make() error {
	faults := []error{e.inline(e.addOnFiles)}
	for _, own := range []string{e.settings.Platform.Logo, e.settings.Platform.Favicon} {
		if own != "" {
			_, err := e.images.media(own)
			faults = append(faults, err)
		}
	}
	for _, c := range e.campaigns {
		if err := e.campaign(c); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", c.File, err))
		}
	}
	for _, l := range e.tongues {
		faults = append(faults, e.fixed(l)...)
	}
	faults = append(faults, e.catalogues(), e.crawlers(), e.assets.put(e.tree), e.images.put(e.tree), e.headersFile())
	return errors.Join(faults...)
}

// headersName is the file in which hosts of files look for headers.
const headersName = "_headers"

// headersFile repeats the headers for hosts of files that read such a file.
func (e *edition) headersFile() error {
	paths := e.tree.Paths()
	slices.Sort(paths)
	var out strings.Builder
	if strict := e.config.Mode.StrictTransport(); strict != "" {
		fmt.Fprintf(&out, "/*\n  Strict-Transport-Security: %s\n", strict)
	}
	for _, p := range paths {
		f, _ := e.tree.File(p)
		if f.Policy == "" && !f.Lasting {
			continue
		}
		fmt.Fprintf(&out, "/%s\n", strings.TrimSuffix(p, "index.html"))
		for _, h := range f.headers() {
			fmt.Fprintf(&out, "  %s: %s\n", h.name, h.value)
		}
	}
	return e.tree.put(headersName, File{Body: []byte(out.String()), Type: "text/plain; charset=utf-8"})
}

// base is the origin in absolute addresses: that of production, so that a copy elsewhere
// says where the original is.
func (b *Builder) base() string { return string(b.config.Site.CanonicalBase) }

// service is the API's origin, "" where it is the site's.
func (b *Builder) service() string {
	if b.config.Site.Worker == b.config.Site.Base {
		return ""
	}
	return string(b.config.Site.Worker)
}
