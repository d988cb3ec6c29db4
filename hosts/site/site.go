package site

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Options configure a Builder.
type Options struct {
	// Content is the content repository with the site file and the files below /assets/.
	Content fs.FS
	Config  config.Config
	// Images caches resized pictures between builds; nil keeps them in memory.
	Images ImageCache
	// Events is set if the service streams live totals at /live/{slug}/events.
	Events bool
	// Figures returns a campaign's totals, or the zero value if they are unknown. nil means that
	// they are always unknown, as in a site without the service.
	Figures func(slug string) Figures
	// Lenient makes New use the settings of Before in place of invalid ones, and report the invalid
	// ones as problems of the site. Otherwise New fails.
	Lenient bool
	Before  *Builder // nil means the defaults
}

// Builder builds the site repeatedly and reuses unchanged parts. It is not safe for concurrent use.
type Builder struct {
	content  fs.FS
	config   config.Config
	settings settings
	faulty   campaign.Problems // problems of replaced settings
	locales  []locale
	// commonWords maps the words by which textLanguage recognizes a language to its code.
	commonWords map[string]string
	templates   pageTemplates
	events      bool
	figures     func(slug string) Figures
	images      *pictures
	assets      *assets
	cards       *cards
	zones       map[string]string   // see page.ZoneNames
	pages       map[string]rendered // of campaigns, by slug
}

// rendered contains a campaign's files, which are valid while key is unchanged.
type rendered struct {
	key   string
	files map[string]File
}

// New loads the settings, messages and templates. The error contains all problems of the settings
// or of the messages.
func New(o Options) (*Builder, error) {
	s, faulty, err := o.settings()
	if err != nil {
		return nil, err
	}
	locales, err := readLocales(messageFiles)
	if err != nil {
		return nil, err
	}
	b := &Builder{content: o.Content, config: o.Config, settings: s, faulty: faulty, locales: locales,
		events: o.Events, figures: o.Figures, pages: map[string]rendered{}}
	if b.commonWords, err = commonWords(locales); err != nil {
		return nil, err
	}
	b.images = newPictures(o.Content, o.Images)
	if b.assets, err = readAssets(s.theme()); err != nil {
		return nil, err
	}
	if b.cards, err = newCards(); err != nil {
		return nil, err
	}
	b.templates, err = readTemplates(b)
	return b, err
}

// Build builds the site of a catalogue. now determines which campaigns are upcoming, live or ended.
// The error is of type campaign.Problems and contains the problems of all campaigns, pages,
// pictures and settings.
func (b *Builder) Build(catalogue *campaign.Catalogue, now time.Time) (*Tree, error) {
	r := b.render(catalogue, now, nil)
	if p := r.all(); len(p) > 0 {
		return nil, p
	}
	return r.tree, nil
}

// rendering is the result of a build that continues after problems.
type rendering struct {
	tree *Tree
	// problems contains the problems of pictures, pages and settings. The tree has a replacement
	// for each.
	problems campaign.Problems
	// failed contains the problems of campaigns that cannot be rendered, by slug.
	failed map[string]campaign.Problems
}

func (r rendering) all() campaign.Problems {
	var all campaign.Problems
	for _, slug := range slices.Sorted(maps.Keys(r.failed)) {
		all = append(all, r.failed[slug]...)
	}
	return append(all, r.problems...)
}

// render builds the site of a catalogue. A page that cannot be rendered is taken from before, which
// may be nil. A campaign is listed only if all of its pages can be rendered.
func (b *Builder) render(catalogue *campaign.Catalogue, now time.Time, before *Tree) rendering {
	e := b.newEdition(catalogue, now)
	e.before = before
	for _, c := range catalogue.Campaigns() {
		if c.Public() && (!c.TestOnly || b.config.Mode.App == psp.Test) {
			e.campaigns = append(e.campaigns, c)
		}
		if c.PreviewEnabled && !c.Archived() {
			e.previews = append(e.previews, c.Slug)
		}
	}
	slices.SortStableFunc(e.campaigns, e.compare)
	e.buildAll()
	return rendering{e.tree, e.problems, e.failed}
}

// settings loads the site settings. If Lenient is set, it replaces invalid ones with those of
// Before and returns their problems.
func (o Options) settings() (settings, campaign.Problems, error) {
	s, faulty, err := readSettings(o.Content)
	if err == nil && len(faulty) > 0 && !o.Lenient {
		err = faulty
	}
	if err != nil && !o.Lenient {
		return s, nil, err
	}
	var before settings
	if o.Before != nil {
		before = o.Before.settings
	}
	if err != nil {
		return before, problemsOf(config.SiteFile, err), nil
	}
	s.replace(faulty, before)
	return s, faulty, nil
}

// clone returns a builder of the same site that can be used at the same time as b.
func (b *Builder) clone() *Builder {
	t := *b
	t.images, t.pages = newPictures(b.content, b.images.cache), map[string]rendered{}
	return &t
}

// newEdition starts a build. The caller sets the campaigns.
func (b *Builder) newEdition(catalogue *campaign.Catalogue, now time.Time) *edition {
	e := &edition{Builder: b, now: now, zone: b.config.Site.Timezone.Location(), tree: &Tree{files: map[string]File{}},
		problems: slices.Clone(b.faulty), failed: map[string]campaign.Problems{},
		addOns: catalogue.AddOns(), addOnFiles: catalogue.AddOnReferences(), lowStock: catalogue.LowStock(),
		known: map[string]Figures{}}
	b.images.startBuild()
	b.zones = zoneNames(e.zone, now.Year())
	return e
}

// edition is a build of the site in progress.
type edition struct {
	*Builder
	now       time.Time
	zone      *time.Location
	tree      *Tree
	campaigns []*campaign.Campaign // public campaigns
	previews  []string             // slugs of campaigns with preview links
	addOns    []campaign.AddOn     // of the platform
	// addOnFiles contains the files that the platform's add-ons refer to.
	addOnFiles []campaign.Reference
	lowStock   int
	known      map[string]Figures // by slug
	before     *Tree              // of the previous build, nil for none
	kept       bool               // whether the tree contains a file of before
	problems   campaign.Problems
	failed     map[string]campaign.Problems // of campaigns, by slug
}

// compare returns the order of two campaigns: live ones by deadline, then upcoming ones by start,
// then ended ones with the latest first.
func (e *edition) compare(a, b *campaign.Campaign) int {
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

func (e *edition) buildAll() {
	e.markInlineUsed(e.addOnFiles)
	for _, r := range e.settings.references() {
		e.images.useMedia(r.Path)
	}
	e.campaigns = slices.DeleteFunc(e.campaigns, func(c *campaign.Campaign) bool {
		err := e.addCampaign(c)
		if err != nil {
			e.failed[c.Slug] = problemsOf(c.File, err)
			e.keepCampaign(c.Slug)
		}
		return err != nil
	})
	for _, l := range e.locales {
		e.addFixedPages(l)
	}
	e.report("", errors.Join(e.addCatalogues(), e.addSearchIndex(), e.addCrawlerFiles(),
		e.assets.put(e.tree), e.images.put(e.tree)))
	e.keepFiles()
	e.reportUnusableFiles()
	e.report(headersName, e.addHeadersFile())
}

// references returns the content files that the settings refer to.
func (s *settings) references() []campaign.Reference {
	var all []campaign.Reference
	for _, own := range []struct{ field, path string }{{"platform.logo_path", s.Platform.Logo},
		{"platform.favicon_path", s.Platform.Favicon}} {
		if own.path != "" {
			all = append(all, campaign.Reference{File: config.SiteFile, Field: own.field, Path: own.path})
		}
	}
	return all
}

// report records the problems in an error, if it is not nil. file is used for an error that names
// no file.
func (e *edition) report(file string, err error) {
	if err != nil {
		e.problems = append(e.problems, problemsOf(file, err)...)
	}
}

// problemsOf returns the problems in an error. Any other error becomes one problem of the file.
func problemsOf(file string, err error) campaign.Problems {
	if p, ok := errors.AsType[campaign.Problems](err); ok {
		return p
	}
	return campaign.Problems{{File: file, Message: reason(err)}}
}

// keep copies a file from the previous tree unless the new one has it already. It reports whether
// the previous tree has the file.
func (e *edition) keep(p string) bool {
	if e.before == nil {
		return false
	}
	f, ok := e.before.File(p)
	if _, made := e.tree.File(p); ok && !made {
		e.tree.files[p], e.kept = f, true
	}
	return ok
}

// keepCampaign copies a campaign's pages and share card from the previous tree.
func (e *edition) keepCampaign(slug string) {
	for _, l := range e.locales {
		for _, p := range []string{"/campaigns/", "/community/", "/embed/"} {
			e.keep(fileOf(l, p+slug+"/"))
		}
		e.keep(fileOf(l, "/embed/"+slug+"/compact/"))
	}
	e.keep("share/" + slug + ".png")
}

// keepFiles copies the styles, scripts and pictures of the previous tree if a page of it was kept.
func (e *edition) keepFiles() {
	if !e.kept {
		return
	}
	for _, p := range e.before.Paths() {
		if strings.HasPrefix(p, "_/") || strings.HasPrefix(p, "assets/") {
			e.keep(p)
		}
	}
}

// reportUnusableFiles reports each file that cannot be shown, at every reference to it.
func (e *edition) reportUnusableFiles() {
	references := slices.Concat(e.settings.references(), e.addOnFiles)
	for _, c := range e.campaigns {
		references = append(references, c.References...)
	}
	for _, src := range slices.Sorted(maps.Keys(e.images.faults)) {
		message, named := e.images.faults[src], false
		if !strings.Contains(message, src) {
			message = src + " " + message
		}
		for _, r := range references {
			if r.Path == src {
				e.problems, named = append(e.problems,
					campaign.Problem{File: r.File, Line: r.Line, Field: r.Field, Message: message}), true
			}
		}
		if !named {
			e.problems = append(e.problems, campaign.Problem{File: strings.TrimPrefix(src, "/"), Message: message})
		}
	}
}

// base returns the origin for absolute URLs. It is that of production, so that copies of the site
// refer to the original.
func (b *Builder) base() string { return string(b.config.Site.CanonicalBase) }

// service returns the API's origin, or "" if it is the site's.
func (b *Builder) service() string {
	if b.config.Site.Worker == b.config.Site.Base {
		return ""
	}
	return string(b.config.Site.Worker)
}
