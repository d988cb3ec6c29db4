package site_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// manyCampaigns returns a content repository with n campaigns. Each uses 20 of 200 pictures.
func manyCampaigns(t testing.TB, n int) fstest.MapFS {
	files := content(t)
	delete(files, "campaigns/marmalade-conspiracy.md")
	for i := range 200 {
		files[fmt.Sprintf("assets/images/p%d.jpg", i)] = &fstest.MapFile{Data: jpg(t, 400, 300)}
	}
	for i := range n {
		var blocks strings.Builder
		for b := range 20 {
			fmt.Fprintf(&blocks, "  - {type: image, src: /assets/images/p%d.jpg, alt: Picture}\n", (i*7+b)%200)
		}
		text := strings.ReplaceAll(strings.ReplaceAll(open, "Paper Boat", fmt.Sprintf("Boat %d", i)),
			"paper-boat", fmt.Sprintf("boat-%d", i))
		text = strings.Replace(text, "tiers:", "long_content:\n"+blocks.String()+"tiers:", 1)
		files[fmt.Sprintf("campaigns/boat-%d.md", i)] = &fstest.MapFile{Data: []byte(text)}
	}
	delete(files, "campaigns/paper-boat.md")
	return files
}

func benchmarkBuild(b *testing.B, campaigns int, again bool) {
	files := manyCampaigns(b, campaigns)
	cfg, err := config.Demo(rand.Reader, files, map[string]string{"SITE_BASE": "https://harbor.example"})
	if err != nil {
		b.Fatal(err)
	}
	catalogue, err := campaignfile.Load(files)
	if err != nil {
		b.Fatal(err)
	}
	cache := site.Folder(b.TempDir())
	build := func(builder *site.Builder, c *campaign.Catalogue) {
		if _, err := builder.Build(c, noon); err != nil {
			b.Fatal(err)
		}
	}
	fresh := func() *site.Builder {
		builder, err := site.New(site.Options{Content: files, Config: cfg, Images: cache})
		if err != nil {
			b.Fatal(err)
		}
		return builder
	}
	builder := fresh()
	build(builder, catalogue) // resizes the pictures
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		if !again {
			build(fresh(), catalogue)
			continue
		}
		one, err := campaignfile.Parse("campaigns/boat-0.md", []byte(
			strings.Replace(string(files["campaigns/boat-0.md"].Data), "A boat of paper.", fmt.Sprintf("Change %d.", i), 1)))
		if err != nil {
			b.Fatal(err)
		}
		build(builder, catalogue.With(one))
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprintf("campaigns=%d", n), func(b *testing.B) { benchmarkBuild(b, n, false) })
	}
}

// BenchmarkRebuild measures a rebuild after a change to one campaign file.
func BenchmarkRebuild(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprintf("campaigns=%d", n), func(b *testing.B) { benchmarkBuild(b, n, true) })
	}
}
