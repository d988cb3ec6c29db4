package rendering

import (
	"bytes"
	crypto "crypto/rand"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"math/rand/v2"
	"regexp"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/preview"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/shipping"
)

var (
	campaigns = flag.Int("campaigns", 200, "number of campaigns to render")
	firstSeed = flag.Uint64("seed", 1, "the seed of the first campaign")
)

// batch is the number of campaigns per site.
const batch = 20

var now = time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)

func TestRender_RandomCampaigns(t *testing.T) {
	content := assets(t)
	cfg, err := config.Demo(crypto.Reader, content,
		map[string]string{"SITE_BASE": "https://harbor.example", "WORKER_BASE": "https://harbor.example"})
	if err != nil {
		t.Fatal(err)
	}
	n := *campaigns
	if testing.Short() {
		n = min(n, 2*batch)
	}
	for first := 0; first < n; first += batch {
		seed := *firstSeed + uint64(first) //nolint:gosec // a loop counts from 0
		t.Run(fmt.Sprintf("from seed %d", seed), func(t *testing.T) {
			t.Parallel()
			render(t, site.Options{Content: content, Config: cfg}, seed, min(batch, n-first))
		})
	}
}

// render generates n campaigns and renders their mails and their site.
func render(t *testing.T, o site.Options, seed uint64, n int) {
	var all []*campaign.Campaign
	files := map[string][]byte{}
	for range n {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), slug: fmt.Sprintf("campaign-%d", seed)}
		name := campaign.Folder + "/" + g.slug + ".md"
		files[name] = g.file(t)
		c, err := campaignfile.Parse(name, files[name])
		if err != nil {
			t.Fatalf("the generator wrote a campaign that is not valid:\n%v\n%s", err, files[name])
		}
		all = append(all, c)
		if err := checkMails(g, c); err != nil {
			t.Errorf("%s: %v\n%s", name, err, files[name])
		}
		seed++
	}
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	files[campaign.AddOnsFile] = g.addOns(t)
	addOns, err := campaignfile.ParseAddOns(campaign.AddOnsFile, files[campaign.AddOnsFile])
	if err != nil {
		t.Fatalf("the generator wrote add-ons that are not valid:\n%v\n%s", err, files[campaign.AddOnsFile])
	}
	catalogue, err := campaign.NewCatalogue(all, addOns)
	if err != nil {
		t.Fatal(err)
	}
	tree, problems := site.TryBuild(o, catalogue, shipping.PresetNames(), now)
	for _, p := range problems {
		t.Errorf("%v\n%s", p, files[p.File])
	}
	if len(problems) == 0 {
		checkPages(t, tree, all)
	}
}

// checkPages checks that each public campaign has complete pages in both languages.
func checkPages(t *testing.T, tree *site.Tree, all []*campaign.Campaign) {
	t.Helper()
	for _, c := range all {
		if !c.Public() {
			continue
		}
		for _, p := range []string{"campaigns/%s/index.html", "es/campaigns/%s/index.html", "community/%s/index.html",
			"es/community/%s/index.html", "embed/%s/index.html", "es/embed/%s/compact/index.html"} {
			f, ok := tree.File(fmt.Sprintf(p, c.Slug))
			body := bytes.TrimSpace(f.Body)
			if !ok || !bytes.HasSuffix(body, []byte("</html>")) || bytes.Contains(body, []byte("&lt;no value&gt;")) {
				t.Errorf("%s: "+p+" is not whole", c.File, c.Slug)
			}
		}
	}
}

// leftover matches a placeholder that was not replaced.
var leftover = regexp.MustCompile(`\{[a-z_]+\}`)

// checkMails renders every mail about a campaign in both languages and checks that each is complete.
func checkMails(g *generator, c *campaign.Campaign) error {
	p := mailtext.Platform{Name: "Harbor Lantern", Company: "Harbor Lantern GmbH", Address: "1 Quay, Hamburg"}
	links := mailtext.Links{SiteBase: "https://harbor.example",
		Signer: token.Signer{Secret: make([]byte, 32)}, Platform: p}
	for _, lang := range []string{"en", "es"} {
		count := pick(g, counts...)
		mails, err := preview.Mails(lang, links.SiteBase, p,
			preview.Subject{Campaign: c, Lines: linesOf(c, max(1, min(count, 9))), News: c.Content, Count: count})
		if err != nil {
			return err
		}
		for _, n := range newsOf(c, lang) {
			n.Identity, n.To, n.Unsubscribe = "news", "ada@example.com", links.SiteBase+"/mails/"
			m, err := mailtext.NewsMail(n, c, links)
			if err != nil {
				return fmt.Errorf("%s in %s: %w", n.Kind, lang, err)
			}
			mails = append(mails, preview.Mail{Name: string(n.Kind) + "." + lang, Message: m})
		}
		for _, m := range mails {
			if m.Subject == "" || m.Text == "" || m.HTML == "" || leftover.MatchString(m.Subject+m.Text) {
				return fmt.Errorf("%s is incomplete: %q\n%s", m.Name, m.Subject, m.Text)
			}
		}
	}
	return nil
}

// newsOf returns the updates about a campaign: its milestones and its diary.
func newsOf(c *campaign.Campaign, lang string) (all []mailtext.News) {
	for _, m := range mailtext.ThresholdsOf(c) {
		all = append(all, mailtext.MilestoneNews(m, c, c.Goal, lang, time.UTC))
	}
	for _, d := range c.Diary {
		all = append(all, mailtext.DiaryNews(d, c, lang))
	}
	return all
}

// linesOf returns a pledge's lines for everything that a campaign offers.
func linesOf(c *campaign.Campaign, quantity int) []pledge.Line {
	lines := []pledge.Line{{Kind: pledge.CustomLine, ID: "more", Quantity: 1, UnitPrice: 100, Amount: 100}}
	add := func(kind pledge.LineKind, id, name, variant string) {
		lines = append(lines, pledge.Line{Kind: kind, ID: id, Name: name, VariantName: variant,
			Quantity: quantity, UnitPrice: 100, Amount: money.Cents(100 * quantity)})
	}
	for _, t := range c.Tiers {
		add(pledge.TierLine, t.ID, t.Name, "")
	}
	for _, a := range c.AddOns {
		variant := ""
		if len(a.Variants) > 0 {
			variant = a.Variants[0].Label
		}
		add(pledge.CampaignAddOnLine, a.ID, a.Name, variant)
	}
	return lines
}

// assets returns a content repository with the files that campaigns name.
func assets(t testing.TB) fstest.MapFS {
	t.Helper()
	picture := image.NewPaletted(image.Rect(0, 0, 40, 30), []color.Color{color.White, color.Black})
	var asPNG, asGIF bytes.Buffer
	if err := png.Encode(&asPNG, picture); err != nil {
		t.Fatal(err)
	}
	if err := gif.Encode(&asGIF, picture, nil); err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{
		"assets/images/boat.png": {Data: asPNG.Bytes()}, "assets/images/boat.gif": {Data: asGIF.Bytes()},
		"assets/images/boat.svg": {Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"/>`)},
		"assets/film.mp4":        {Data: []byte("film")}, "assets/sound.mp3": {Data: []byte("sound")},
	}
}
